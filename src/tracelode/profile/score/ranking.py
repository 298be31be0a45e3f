"""How far up does a ranking put what is relevant, where equal scores may come in any order?

Every figure is the exact mean over all orders of the equal ones: what shuffles of ties tend to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from math import comb

from tracelode.errors import UsageError


def average_precision(scores: Sequence[float], relevant: Collection[int]) -> float | None:
    """Mean precision at the relevant places of a ranking; its mean over queries is MAP.

    Args:
        scores: one for each of n items; the highest comes first.
        relevant: indexes of the relevant items.

    Returns:
        0..1, None where nothing is relevant. O(n log n).

    Raises:
        UsageError: a relevant index outside [0, n).

    Source:
        McSherry and Najork (2008), average precision with ties; evaluation protocol, localisation.

    Example:
        >>> average_precision([3.0, 2.0, 1.0], {1})
        0.5
    """
    found = 0.0
    for before, hits, size, own in _ties(scores, relevant):
        for place in range(1, size + 1):
            # a relevant item here finds an even share of its group's others ahead of it
            others = (place - 1) * (own - 1) / (size - 1) if size > 1 else 0.0
            found += own / size * (hits + others + 1) / (before + place)
    return found / len(relevant) if relevant else None


def precision_at(k: int, scores: Sequence[float], relevant: Collection[int]) -> float:
    """Share of the first k places that hold a relevant item.

    Args:
        k: places looked at, 1 or more; a shorter ranking leaves the rest empty.
        scores: one for each of n items; the highest comes first.
        relevant: indexes of the relevant items.

    Returns:
        0..1.

    Raises:
        UsageError: k below 1, or a relevant index outside [0, n).

    Source:
        McSherry and Najork (2008), precision at k with ties.

    Example:
        >>> precision_at(1, [1.0, 1.0, 0.0], {0})
        0.5
    """
    _positive(k)
    held = sum(
        own * min(size, k - before) / size for before, _, size, own in _ties(scores, relevant) if before < k
    )
    return held / k


def hit_at(k: int, scores: Sequence[float], relevant: Collection[int]) -> float:
    """Does one of the first k places hold a relevant item?

    Args:
        k: places looked at, 1 or more.
        scores: one for each of n items; the highest comes first.
        relevant: indexes of the relevant items.

    Returns:
        0 or 1; between them where it depends on the order of equal scores.

    Raises:
        UsageError: k below 1, or a relevant index outside [0, n).

    Source:
        evaluation protocol, localisation: hit@1/3/5.

    Example:
        >>> hit_at(2, [1.0, 1.0, 1.0], {0})
        0.6666666666666667
    """
    _positive(k)
    for before, _, size, own in _ties(scores, relevant):
        if before >= k:
            break
        if own:
            seen = min(size, k - before)
            return 1 - comb(size - own, seen) / comb(size, seen)
    return 0.0


def within(distance: int, scores: Sequence[float], relevant: Collection[int]) -> float | None:
    """Does the first item of a ranking of steps lie near a relevant one?

    Args:
        distance: steps that it may be away; 0 is the same as a hit at 1.
        scores: one for each of n steps, in their order; the highest comes first.
        relevant: indexes of the relevant steps.

    Returns:
        0 or 1; between them where several steps share the highest score; None without steps.

    Raises:
        UsageError: distance below 0, or a relevant index outside [0, n).

    Source:
        evaluation protocol, localisation: within 1 and 3 steps.

    Example:
        >>> within(1, [0.0, 0.0, 5.0, 0.0], {3})
        1.0
    """
    if distance < 0:
        raise UsageError(f"a distance is 0 or more steps, not {distance}")
    _inside(scores, relevant)
    if not scores:
        return None
    highest = max(scores)
    first = [i for i, score in enumerate(scores) if score == highest]
    return sum(any(abs(i - j) <= distance for j in relevant) for i in first) / len(first)


def auc(scores: Sequence[float], relevant: Collection[int]) -> float | None:
    """Chance that a relevant item scores higher than another one; equal scores count half.

    Args:
        scores: one for each of n items.
        relevant: indexes of the relevant items.

    Returns:
        0..1, 0.5 for no relation; None where all or none are relevant. O(n log n).

    Raises:
        UsageError: a relevant index outside [0, n).

    Source:
        Mann and Whitney (1947), U statistic divided by the number of pairs.

    Example:
        >>> auc([3.0, 2.0, 2.0, 1.0], {0, 1})
        0.875
    """
    others = len(scores) - len(relevant)
    won = 0.0
    for before, hits, size, own in _ties(scores, relevant):
        below = others - (before - hits) - (size - own)
        won += own * (below + (size - own) / 2)
    return won / (len(relevant) * others) if relevant and others else None


def _ties(scores: Sequence[float], relevant: Collection[int]) -> Iterator[tuple[int, int, int, int]]:
    """Groups of equal scores from the highest on: items and hits before, its size, its own hits."""
    _inside(scores, relevant)
    before = hits = 0
    held = set(relevant)
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    for _, group in groupby(order, key=lambda i: scores[i]):
        members = list(group)
        own = sum(i in held for i in members)
        yield before, hits, len(members), own
        before, hits = before + len(members), hits + own


def _inside(scores: Sequence[float], relevant: Collection[int]) -> None:
    if len(set(relevant)) != len(relevant):
        raise UsageError("a relevant index is named twice")
    outside = [i for i in relevant if not 0 <= i < len(scores)]
    if outside:
        raise UsageError(f"item {outside[0]} is relevant, but there are {len(scores)}")


def _positive(k: int) -> None:
    if k < 1:
        raise UsageError(f"a ranking is looked at from 1 place on, not {k}")
