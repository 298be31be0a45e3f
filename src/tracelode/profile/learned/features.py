"""What is known of the place before each turn? One row of numbers a turn, for a model of cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tracelode.model.operation import Operation
from tracelode.profile.learned.reading import CLASS_NAMES, CUES, Reading, read
from tracelode.profile.learned.wording import band, depth, windows
from tracelode.profile.turns import turns

SIZES = (1, 2, 4, 8)
"""Turns on each side in which words are compared."""


def readings(operations: Sequence[Operation]) -> list[Reading]:
    """Read the turns of a session.

    Args:
        operations: the n operations of one session in order.

    Returns:
        One reading a turn.
    """
    found = turns(operations)
    bounds = [*(turn.start for turn in found), len(operations)]
    return [read(operations, turn, stop) for turn, stop in zip(found, bounds[1:], strict=True)]


def matrix(rows: Sequence[Reading]) -> tuple[list[str], Any]:
    """Features of the places before the turns of a session.

    Args:
        rows: readings of n turns, at least one.

    Returns:
        f names, and n x f numbers; row 0 is the session's start and no place to cut. No time, no name of a
        framework or task. O(n).

    Source:
        segmentation rules, section 3: features.
    """
    table: dict[str, Any] = {}
    for part in (_kinds, _actions, _paths, _speech, _state, _words):
        table.update(part(rows))
    names = list(table)
    # rounded, so that the last bits of a sum, which differ between machines, decide nothing
    return names, np.round(np.column_stack([np.asarray(table[name], np.float64) for name in names]), 4)


def _back(values: Any, by: int, fill: float = 0.0) -> Any:
    """Values of the turn so many before (after, where negative)."""
    found = np.full(len(values), fill, np.float64)
    if by >= 0:
        found[by:] = values[: len(values) - by]
    else:
        found[:by] = values[-by:]
    return found


def _around(values: Any, size: int) -> tuple[Any, Any]:
    """Sums over the turns before each place and over those from it on; rows of values are turns."""
    n = len(values)
    sums = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, 0)])
    place = np.arange(n)
    return sums[place] - sums[np.maximum(place - size, 0)], sums[np.minimum(place + size, n)] - sums[place]


def _kinds(rows: Sequence[Reading]) -> dict[str, Any]:
    kinds = np.array([row.kind for row in rows])
    hot = (kinds[:, None] == np.arange(len(CLASS_NAMES))).astype(float)
    found: dict[str, Any] = {}
    for number, name in enumerate(CLASS_NAMES):
        found[f"class {name}"] = hot[:, number]
        found[f"class {name} before"] = _back(hot[:, number], 1)
    frames = [row.frame for row in rows]
    same = np.array([0, *(a == b for a, b in pairwise(frames))], float)
    alike = np.array([0, *(a == b for a, b in pairwise(kinds))], float)
    run = np.ones(len(rows))
    for i in range(2, len(rows)):
        run[i] = run[i - 1] + 1 if alike[i - 1] else 1
    found |= {"frame same": same, "class same": alike, "class run": run, "class same next": _back(alike, -1)}
    for size in (3, 6):
        before, after = _around(hot, size)
        length = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        found[f"class cosine {size}"] = (before * after).sum(1) / np.maximum(length, 1e-9)
        for name in ("look", "edit", "create", "run", "test", "install"):
            place = CLASS_NAMES.index(name)
            found[f"share {name} before {size}"] = before[:, place] / np.maximum(before.sum(1), 1)
            found[f"share {name} after {size}"] = after[:, place] / after.sum(1)
    return found


def _overlap(one: Any, other: Any) -> float:
    """Jaccard; -1 where both are empty."""
    if not one and not other:
        return -1.0
    both = len(one & other)
    return both / (len(one) + len(other) - both)


def _jaccards(sets: Sequence[Any], backs: Sequence[int], name: str) -> dict[str, list[float]]:
    """The largest overlap with any of so many turns before."""
    most = max(backs)
    found: dict[str, list[float]] = {f"{name} {back}": [] for back in backs}
    for i, own in enumerate(sets):
        best = -1.0
        for back in range(1, most + 1):
            if back <= i:
                best = max(best, _overlap(own, sets[i - back]))
            if back in backs:
                found[f"{name} {back}"].append(best)
    return found


def _fresh(sets: Sequence[Any]) -> list[float]:
    """Share of each that none before it held."""
    seen: set[str] = set()
    found = []
    for own in sets:
        found.append(len(own - seen) / len(own) if own else -1.0)
        seen |= own
    return found


def _actions(rows: Sequence[Reading]) -> dict[str, Any]:
    asked = [set(row.asked) for row in rows]
    found: dict[str, Any] = _jaccards(asked, (1, 3, 6), "asked")
    found["asked over"] = [0.0, *(_overlap(a, c) for a, c in zip(asked, asked[2:], strict=False)), 0.0][
        : len(rows)
    ]
    fresh = np.array(_fresh(asked))
    found |= {
        "asked fresh": fresh,
        "asked fresh before": _back(fresh, 1),
        "asked fresh next": _back(fresh, -1),
    }
    found["asked from got"] = [
        0.0,
        *(len(b & a.got) / max(len(b), 1) for a, b in zip(rows, asked[1:], strict=False)),
    ]
    length = np.log1p(np.array([row.length for row in rows], float))
    found |= {"asked length": length, "asked length before": _back(length, 1)}
    got = np.log1p(np.array([len(row.got) for row in rows], float))
    found |= {"got length": got, "got length before": _back(got, 1)}
    return found


def _paths(rows: Sequence[Reading]) -> dict[str, Any]:
    paths = [row.paths for row in rows]
    found: dict[str, Any] = _jaccards(paths, (1, 3, 6), "paths")
    found["path same"] = [0.0, *(float(bool(a.file) and a.file == b.file) for a, b in pairwise(rows))]
    fresh = np.array(_fresh(paths))
    found |= {"paths fresh": fresh, "paths fresh next": _back(fresh, -1)}
    threes = [
        _overlap(frozenset().union(*paths[max(0, i - 3) : i]), frozenset().union(*paths[i : i + 3]))
        for i in range(len(paths))
    ]
    found["paths threes"] = threes
    return found


def _speech(rows: Sequence[Reading]) -> dict[str, Any]:
    said = [frozenset(row.said) for row in rows]
    spoken = np.array([row.spoken for row in rows], float)
    length = np.log1p(spoken)
    present = spoken > 0
    mean = length[present].mean() if present.any() else 0.0
    relative = np.where(present, length - mean, 0)
    found: dict[str, Any] = {
        "said": present, "said before": _back(present, 1), "said next": _back(present, -1),
        "said share": np.full(len(rows), present.mean()), "said length": length,
        "said relative": relative, "said relative before": _back(relative, 1),
        "said relative next": _back(relative, -1), "said opens": [row.opens for row in rows],
    }  # fmt: skip
    found |= _jaccards(said, (1, 3), "said alike")
    found["said alike next"] = _back(np.array(found["said alike 1"]), -1)
    fresh = np.array(_fresh(said))
    found |= {"said fresh": fresh, "said fresh next": _back(fresh, -1)}
    silent = np.zeros(len(rows))
    for i in range(1, len(rows)):
        silent[i] = 0 if present[i - 1] else silent[i - 1] + 1
    found["said silence"] = silent
    for name, words in CUES.items():
        found[f"cue {name}"] = [not words.isdisjoint(own) for own in said]
    for name in ("praise", "now", "again", "first", "look"):
        words = CUES[name]
        found[f"cue {name} leads"] = [not words.isdisjoint(row.said[:4]) for row in rows]
    for name in ("praise", "done", "works"):
        found[f"cue {name} before"] = _back(np.array(found[f"cue {name}"], float), 1)
    return found


def _state(rows: Sequence[Reading]) -> dict[str, Any]:
    n = len(rows)
    failed = np.array([row.failed for row in rows], float)
    before, after = _around(failed, 3)
    place = np.arange(n)
    return {
        "failed": failed, "failed before": _back(failed, 1), "failed 3 before": before,
        "failed 3 after": after, "position": place / n, "from start": np.log1p(place),
        "to end": np.log1p(n - place),
    }  # fmt: skip


def _words(rows: Sequence[Reading]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    sources: dict[str, Callable[[Reading], list[str]]] = {
        "text": lambda row: [*row.said, *row.asked, row.frame],
        "act": lambda row: [*row.asked, row.frame],
    }
    for name, words in sources.items():
        near = band([words(row) for row in rows])
        for size in SIZES:
            cosine, sharp = windows(near, size)
            found[f"{name} cosine {size}"] = cosine
            found[f"{name} sharp {size}"] = sharp
            if size > 1:
                found[f"{name} depth {size}"] = depth(cosine)
    return found
