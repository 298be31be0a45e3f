"""Which group is each operation of a session in, and where does one group end and the next begin?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby, pairwise

from tracelode.errors import UsageError
from tracelode.model.segment import Segmentation


def leaves(segmentation: Segmentation, n: int, *, merge: bool = True) -> list[int]:
    """The leaf partition of a segmented session.

    Args:
        segmentation: the segments of one session, any depth.
        n: number of operations in the session.
        merge: neighbours whose full path of names is equal are one group, as in a folded profile; False
            keeps every segment apart. An unnamed segment equals no other.

    Returns:
        n group numbers, 0, 1, 2... from left to right.

    Raises:
        ModelError: the segments do not cover [0, n) or do not nest.

    Source:
        evaluation protocol, segmentation: maximal runs of equal full path.

    Example:
        >>> from tracelode.model.segment import Segment, Segmentation
        >>> parts = (Segment(0, 2, 0, "fix"), Segment(2, 3, 0, "fix"), Segment(3, 4, 0, "test"))
        >>> leaves(Segmentation("s", "x", "1", parts), 4)
        [0, 0, 0, 1]
        >>> leaves(Segmentation("s", "x", "1", parts), 4, merge=False)
        [0, 0, 1, 2]
    """
    segmentation.check(n)
    found: set[int] = set()
    ordered = sorted(segmentation.segments, key=lambda segment: (segment.level, segment.start))
    for _, level in groupby(ordered, key=lambda segment: segment.level):
        # Levels nest: paths differ at a place exactly when a name of some level does.
        for left, right in pairwise(level):
            if not merge or not right.name or left.name != right.name:
                found.add(right.start)
    return from_cuts(found, n)


def cuts(labels: Sequence[Hashable]) -> list[int]:
    """Where neighbours lie in different groups.

    Args:
        labels: n group labels, one per operation.

    Returns:
        Places i with labels[i - 1] != labels[i], ascending; at most n - 1 of them, each in [1, n).

    Example:
        >>> cuts(["a", "a", "b", "a"])
        [2, 3]
    """
    return [i for i in range(1, len(labels)) if labels[i] != labels[i - 1]]


def from_cuts(places: Iterable[int], n: int) -> list[int]:
    """The partition that begins a group at each place.

    Args:
        places: cuts in [1, n), in any order.
        n: number of operations.

    Returns:
        n group numbers, 0, 1, 2... from left to right.

    Raises:
        UsageError: a cut outside [1, n).

    Example:
        >>> from_cuts([2, 3], 5)
        [0, 0, 1, 2, 2]
    """
    held = set(places)
    outside = [place for place in held if not 0 < place < n]
    if outside:
        raise UsageError(f"a cut lies at {min(outside)}, but cuts of {n} operations lie in [1, {n})")
    labels: list[int] = []
    group = 0
    for i in range(n):
        group += i in held
        labels.append(group)
    return labels


def windows(n: int, size: int) -> list[int]:
    """The partition that cuts blindly every few operations.

    Args:
        n: number of operations.
        size: operations in a group, the last one may hold fewer; 1 makes each its own group, n or more
            makes one group.

    Returns:
        n group numbers.

    Raises:
        UsageError: size below 1.

    Source:
        evaluation protocol, segmentation: fixed windows.

    Example:
        >>> windows(5, 2)
        [0, 0, 1, 1, 2]
    """
    if size < 1:
        raise UsageError(f"a window holds at least one operation, not {size}")
    return [i // size for i in range(n)]
