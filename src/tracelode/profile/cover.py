"""How do a few known stretches and what lies between them become segments that cover a session?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from tracelode.model.operation import Operation
from tracelode.model.segment import Segment
from tracelode.profile.name.stage import CONTEXT, is_evidence, stage

Fill = Callable[[Sequence[Operation]], Sequence[Segment]]
"""Cuts a run of operations into segments that cover it, sorted by level and start."""


def whole(operations: Sequence[Operation]) -> list[Segment]:
    """A run as one segment.

    Args:
        operations: n operations.

    Returns:
        One segment of level 0, named by what its operations do; none for none.
    """
    return [Segment(0, len(operations), 0, stage(operations))] if operations else []


def before(operations: Sequence[Operation], start: int) -> list[Operation]:
    """The tool calls ahead of a place that a name may depend on.

    Args:
        operations: the operations of a session.
        start: the place.

    Returns:
        At most CONTEXT tool calls, in order.
    """
    return [operations[place] for place in _ahead(operations, start)]


def _ahead(operations: Sequence[Operation], start: int) -> list[int]:
    found: list[int] = []
    for place in range(start - 1, -1, -1):
        if is_evidence(operations[place]):
            found.append(place)
            if len(found) == CONTEXT:
                break
    return found[::-1]


def cover(operations: Sequence[Operation], claims: Sequence[Segment], fill: Fill) -> list[Segment]:
    """Cut what lies between known stretches.

    Args:
        operations: the n operations of one session.
        claims: segments of level 0, in order, apart.
        fill: cuts a run between two of them.

    Returns:
        Segments of every level that fill gives, each level covering [0, n). A run without a tool call
        joins the stretch before it, at the start the one after it. A name that fill gave by the rule
        of names is made again with the operations before the run.

    Source:
        segmentation rules: outside any node the next segmenter of the chain works.
    """
    if not claims:
        return list(fill(operations))
    held: list[Segment] = []
    runs: list[tuple[int, int]] = []
    at = 0
    for claim in (*claims, None):
        stop = claim.start if claim is not None else len(operations)
        if at < stop:
            if any(map(is_evidence, operations[at:stop])):
                runs.append((at, stop))
            elif held:
                held[-1] = msgspec.structs.replace(held[-1], stop=stop)
            elif claim is not None:
                claim = msgspec.structs.replace(claim, start=at)
        if claim is not None:
            held.append(claim)
            at = claim.stop
    filled = [_moved(operations, start, fill(operations[start:stop])) for start, stop in runs]
    deepest = max((s.level for pieces in filled for s in pieces), default=0)
    found: list[Segment] = []
    for level in range(deepest + 1):
        row = [msgspec.structs.replace(claim, level=level) for claim in held]
        for pieces in filled:
            own = min(level, max(s.level for s in pieces))
            row += [msgspec.structs.replace(s, level=level) for s in pieces if s.level == own]
        found += sorted(row, key=lambda s: s.start)
    return found


def follow(operations: Sequence[Operation], first: Sequence[Segment], fill: Fill) -> list[Segment]:
    """Cut what comes after the segments of a session's beginning.

    Args:
        operations: the n operations of one session.
        first: segments of one or more levels, each level covering [0, k).
        fill: cuts the operations from k on.

    Returns:
        Segments of every level, each level covering [0, n): the deepest of a side stands for those it lacks.
    """
    at = max((segment.stop for segment in first), default=0)
    rest = _moved(operations, at, fill(operations[at:])) if at < len(operations) else []
    sides = [side for side in (list(first), rest) if side]
    deepest = max((s.level for side in sides for s in side), default=0)
    found: list[Segment] = []
    for level in range(deepest + 1):
        for side in sides:
            own = min(level, max(s.level for s in side))
            found += [msgspec.structs.replace(s, level=level) for s in side if s.level == own]
    return found


def _moved(operations: Sequence[Operation], offset: int, pieces: Sequence[Segment]) -> list[Segment]:
    """Segments of a run at their place in the session."""
    found = []
    for piece in pieces:
        start, stop = piece.start + offset, piece.stop + offset
        name = piece.name
        ahead = _ahead(operations, start)
        seen = [operations[place] for place in ahead if place >= offset]
        if len(seen) < len(ahead) and name == stage(operations[start:stop], seen):
            name = stage(operations[start:stop], before(operations, start))
        found.append(msgspec.structs.replace(piece, start=start, stop=stop, name=name))
    return found
