"""How large is a paired difference, and could it be luck? Exact on few pairs, without a normal assumption."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, median
from typing import NamedTuple

from tracelode.statistics.bootstrap import Interval
from tracelode.statistics.signs import SignTest, flip_signs

GRAIN = 1e-9
"""Differences are tested as whole multiples of this part of the largest one, so that ties are exact."""
_EXACT = 25
"""Ranked differences up to which the signed-rank statistic is counted exactly."""


class Shift(NamedTuple):
    """How far one set lies above another."""

    value: float
    """Hodges-Lehmann estimate: median of the means of all pairs of differences."""
    interval: Interval | None
    """Bounds by inverting the signed-rank test, None where no bounds of the level exist."""


def signs(differences: Sequence[float], seed: int = 0) -> SignTest:
    """Sign-flip permutation test of paired differences.

    Args:
        differences: one a pair.
        seed: of flips that are drawn.

    Returns:
        The test: exact up to 16 differences that are not 0.

    Source:
        plan rules, section 9.1.

    Example:
        >>> signs([0.5, 0.25, 1.0, 0.5, 0.5, 0.75]).p
        0.03125
    """
    most = max((abs(gap) for gap in differences), default=0.0)
    unit = most * GRAIN or 1.0
    return flip_signs([round(gap / unit) for gap in differences], seed=seed)


def hodges_lehmann(differences: Sequence[float], level: float = 0.95) -> Shift | None:
    """The typical paired difference.

    Args:
        differences: n of them.
        level: of the bounds.

    Returns:
        Estimate and bounds, None of no differences. O(n * n) time.

    Source:
        Hodges and Lehmann (1963); bounds: Hollander and Wolfe (1999), 3.3.

    Example:
        >>> hodges_lehmann([1.0, 2.0, 3.0]).value
        2.0
    """
    n = len(differences)
    if not n:
        return None
    walsh = sorted((differences[i] + differences[j]) / 2 for i in range(n) for j in range(i, n))
    cut = _critical(n, level)
    bounds = Interval(walsh[cut - 1], walsh[len(walsh) - cut]) if cut else None
    return Shift(median(walsh), bounds)


def wilcoxon(differences: Sequence[float]) -> float | None:
    """Two-sided p value of the signed-rank test.

    Args:
        differences: n of them; zeros are left out.

    Returns:
        The p value, exact without ties up to 25 differences, else by the normal with the correction for
        ties; None where all are 0.

    Source:
        Wilcoxon (1945).

    Example:
        >>> wilcoxon([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        0.03125
    """
    moved = [gap for gap in differences if gap]
    n = len(moved)
    if not n:
        return None
    ranks = ranked([abs(gap) for gap in moved])
    above = sum(rank for rank, gap in zip(ranks, moved, strict=True) if gap > 0)
    low = min(above, n * (n + 1) / 2 - above)
    tied = len(set(ranks)) < n
    if n <= _EXACT and not tied:
        return float(min(1.0, 2 * sum(_ways(n)[: int(low) + 1]) / 2**n))
    ties = [ranks.count(rank) for rank in set(ranks)]
    spread = n * (n + 1) * (2 * n + 1) / 24 - sum(t**3 - t for t in ties) / 48
    z = (low - n * (n + 1) / 4 + 0.5) / math.sqrt(spread)
    return float(min(1.0, 2 * NormalDist().cdf(z)))


def ranked(values: Sequence[float]) -> list[float]:
    """Ranks from 1, equal values share their mean.

    Args:
        values: n numbers.

    Example:
        >>> ranked([10, 30, 10])
        [1.5, 3.0, 1.5]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        stop = start
        while stop < len(order) and values[order[stop]] == values[order[start]]:
            stop += 1
        for place in order[start:stop]:
            ranks[place] = (start + 1 + stop) / 2
        start = stop
    return ranks


def _ways(n: int) -> list[int]:
    """Ways of giving signs to the ranks 1..n by the sum of the positive ones."""
    ways = [1]
    for rank in range(1, n + 1):
        longer = [*ways, *([0] * rank)]
        for total, count in enumerate(ways):
            longer[total + rank] += count
        ways = longer
    return ways


def _critical(n: int, level: float) -> int:
    """How many of the sorted pair means lie outside on each side; 0 where no bounds hold the level."""
    tail = (1 - level) / 2
    if n <= _EXACT:
        share, cut = 0, 0
        for count in _ways(n):
            share += count
            if share / 2**n > tail:
                break
            cut += 1
        return cut
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, int(n * (n + 1) / 4 + NormalDist().inv_cdf(tail) * spread))
