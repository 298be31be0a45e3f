"""How far could a figure be off because other sessions might have been drawn? Resamples and percentiles."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tracelode.errors import UsageError

TIMES = 2_000
"""Resamples of the evaluation protocol."""
LEVEL = 0.95
"""Share of the resamples inside an interval."""


class Interval(NamedTuple):
    """Bounds of a percentile interval."""

    low: float
    """Lower bound."""
    high: float
    """Upper bound."""


def resamples(n: int, times: int = TIMES, seed: int = 0) -> list[list[int]]:
    """Draw sessions with replacement, again and again.

    Args:
        n: number of sessions.
        times: number of resamples.
        seed: the same seed gives the same resamples, so that methods can be compared in pairs.

    Returns:
        times rows; row[i] is how often session i was drawn, and a row sums to n.

    Source:
        Efron and Tibshirani (1993), bootstrap; evaluation protocol, segmentation: over sessions, 2,000.

    Example:
        >>> [sum(row) for row in resamples(4, times=3)]
        [4, 4, 4]
    """
    chance = random.Random(seed)
    found = []
    for _ in range(times):
        row = [0] * n
        for _ in range(n):
            row[int(chance.random() * n)] += 1
        found.append(row)
    return found


def quantile(values: Sequence[float], share: float) -> float:
    """A quantile of sorted values, by linear interpolation between neighbours.

    Args:
        values: at least one, ascending.
        share: 0..1.

    Returns:
        The value at place share * (len - 1).

    Raises:
        UsageError: no value, or share outside 0..1.

    Source:
        Hyndman and Fan (1996), definition 7.

    Example:
        >>> quantile([1.0, 2.0, 4.0], 0.75)
        3.0
    """
    if not values or not 0 <= share <= 1:
        raise UsageError("a quantile needs a value and a share from 0 to 1")
    place = share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def interval(values: Iterable[float | None], level: float = LEVEL) -> Interval | None:
    """Percentile interval of a figure over its resamples.

    Args:
        values: the figure in each resample; those in which it is not known are left out.
        level: share of the resamples inside, 0..1.

    Returns:
        The bounds, None where the figure is known in no resample.

    Source:
        Efron and Tibshirani (1993), percentile interval.

    Example:
        >>> interval([float(i) for i in range(101)], level=0.5)
        Interval(low=25.0, high=75.0)
    """
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    tail = (1 - level) / 2
    return Interval(quantile(known, tail), quantile(known, 1 - tail))
