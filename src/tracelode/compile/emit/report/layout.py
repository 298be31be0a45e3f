"""Where does each step stand in the picture? Layers from top to bottom, few crossings, none on an arrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

WIDTH = 240.0
"""Pixels of a step."""
HEIGHT = 52.0
GAP = 26.0
"""Pixels between two steps of a layer."""
THIN = 14.0
"""Pixels that an arrow takes where it passes a layer."""
RISE = 62.0
"""Pixels between two layers."""
MARGIN = 14.0
_SWEEPS = 6


@dataclass
class Layout:
    """The picture: places in pixels."""

    width: float = 0.0
    height: float = 0.0
    boxes: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Step to its left upper corner."""
    ways: dict[tuple[str, str], list[tuple[float, float]]] = field(default_factory=dict)
    """(before, after) to the points of an arrow, from the lower edge of one to the upper one of the other."""


def layout(steps: Sequence[str], before: Mapping[str, Iterable[str]]) -> Layout:
    """Lay out a graph without circles.

    Args:
        steps: names in order.
        before: name to the names that it hangs on; all are steps.

    Returns:
        Places of all steps and arrows.
    """
    layers = _layers(steps, before)
    rows: list[list[str]] = [[] for _ in range(max(layers.values(), default=-1) + 1)]
    for step in steps:
        rows[layers[step]].append(step)
    chains: dict[tuple[str, str], list[str]] = {}
    neighbours: dict[str, tuple[list[str], list[str]]] = {}
    for step in steps:
        for other in sorted({*before.get(step, ())}, key=list(steps).index):
            chain = [other]
            for layer in range(layers[other] + 1, layers[step]):
                name = f"\0{other}\0{step}\0{layer}"
                rows[layer].append(name)
                chain.append(name)
            chains[other, step] = [*chain, step]
            for upper, lower in zip(chains[other, step], chains[other, step][1:], strict=False):
                neighbours.setdefault(upper, ([], []))[1].append(lower)
                neighbours.setdefault(lower, ([], []))[0].append(upper)
    _order(rows, neighbours)
    return _placed(rows, chains, neighbours)


def _layers(steps: Sequence[str], before: Mapping[str, Iterable[str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    left = list(steps)
    while left:
        ready = [s for s in left if all(b in found for b in before.get(s, ()))]
        for step in ready or left[:1]:  # a circle, which no checked workflow has, is cut
            found[step] = max((found[b] + 1 for b in before.get(step, ()) if b in found), default=0)
        left = [s for s in left if s not in found]
    return found


def _order(rows: list[list[str]], neighbours: dict[str, tuple[list[str], list[str]]]) -> None:
    """Put each row in the order of the mean places of its neighbours, down and up again."""
    for sweep in range(_SWEEPS):
        side = sweep % 2
        for row in rows if side == 0 else rows[::-1]:
            place = {name: n for other in rows for n, name in enumerate(other)}

            def mean(name: str, side: int = side, place: dict[str, int] = place) -> float:
                near = neighbours.get(name, ([], []))[side]
                return sum(place[n] for n in near) / len(near) if near else float(place[name])

            row.sort(key=mean)


def _wide(name: str) -> float:
    return THIN if name.startswith("\0") else WIDTH


def _placed(
    rows: list[list[str]],
    chains: dict[tuple[str, str], list[str]],
    neighbours: dict[str, tuple[list[str], list[str]]],
) -> Layout:
    middle: dict[str, float] = {}
    for row in rows:
        at = 0.0
        for name in row:
            middle[name] = at + _wide(name) / 2
            at += _wide(name) + GAP
        for name in row:
            middle[name] -= (at - GAP) / 2
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            _settle(row, middle, neighbours)
    left = min((middle[n] - _wide(n) / 2 for n in middle), default=0.0) - MARGIN
    right = max((middle[n] + _wide(n) / 2 for n in middle), default=0.0) + MARGIN
    found = Layout(width=right - left)
    for depth, row in enumerate(rows):
        top = MARGIN + depth * (HEIGHT + RISE)
        for name in row:
            if not name.startswith("\0"):
                found.boxes[name] = (middle[name] - left - WIDTH / 2, top)
        found.height = top + HEIGHT + MARGIN
    depth_of = {name: depth for depth, row in enumerate(rows) for name in row}
    for pair, chain in chains.items():
        points = []
        for place, name in enumerate(chain):
            top = MARGIN + depth_of[name] * (HEIGHT + RISE)
            if place:
                points.append((middle[name] - left, top))
            if place < len(chain) - 1:
                points.append((middle[name] - left, top + HEIGHT))
        found.ways[pair] = points
    return found


def _settle(
    row: list[str], middle: dict[str, float], neighbours: dict[str, tuple[list[str], list[str]]]
) -> None:
    """Move a row towards its neighbours, without overlaps and without changing its order."""
    wanted = []
    for name in row:
        near = [*neighbours.get(name, ([], []))[0], *neighbours.get(name, ([], []))[1]]
        wanted.append(sum(middle[n] for n in near) / len(near) if near else middle[name])
    placed: list[float] = []
    for name, want in zip(row, wanted, strict=True):
        least = placed[-1] + (_wide(row[len(placed) - 1]) + _wide(name)) / 2 + GAP if placed else want
        placed.append(max(want, least))
    # what was pushed to the right is pulled back by half of the push, the row as a whole
    if placed:
        back = sum(p - w for p, w in zip(placed, wanted, strict=True)) / len(placed)
        for name, at in zip(row, placed, strict=True):
            middle[name] = at - back
