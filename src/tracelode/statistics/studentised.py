"""How far off could a skewed figure be? Its distance in units of its error, on a scale that fits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tracelode.statistics.bootstrap import Interval

DEGENERATE = 0.01
"""Share of resamples without an error of their own from which distances tell nothing."""
FEWEST = 10
"""Clusters that must tell something else than 0 or all: below, intervals are too narrow."""
SPREAD = 1.0
"""Standard deviation of logarithms above which bounds of a mean are too narrow."""


class Scale(NamedTuple):
    """Where a figure is about as far off upwards as downwards."""

    there: Callable[[Any], Any]
    """To the scale."""
    slope: Callable[[Any], Any]
    """Its derivative."""
    back: Callable[[float], float]
    """From the scale."""


def _odds(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0


def _grown(value: float) -> float:
    return math.exp(min(value, 700))


SHARES = Scale(lambda x: np.log(x / (1 - x)), lambda x: 1 / (x * (1 - x)), _odds)
"""Shares of a whole: log odds."""
AMOUNTS = Scale(np.log, lambda x: 1 / x, _grown)
"""Durations, counts: logarithms."""


def columns(sums: Any) -> Any:
    """What the error of a ratio in a resample is made of.

    Args:
        sums: n clusters, numerator and denominator.

    Returns:
        n rows: numerator, denominator, their squares and product.
    """
    top, bottom = sums[:, 0], sums[:, 1]
    return np.stack([top, bottom, top * top, top * bottom, bottom * bottom], axis=1)


def errors(totals: Any, clusters: int) -> tuple[Any, Any]:
    """Ratios and their standard errors over clusters.

    Args:
        totals: m rows, sums of columns().
        clusters: n.

    Returns:
        m ratios, m errors.

    Source:
        Cochran (1977), Sampling Techniques, 6.13: linearised variance of a ratio.
    """
    ratio = totals[:, 0] / totals[:, 1]
    square = totals[:, 2] - 2 * ratio * totals[:, 3] + ratio**2 * totals[:, 4]
    return ratio, np.sqrt(np.maximum(square, 0) * clusters / (clusters - 1)) / totals[:, 1]


def studentised(sums: Any, totals: Any, clusters: int, scale: Scale, level: float) -> Interval | None:
    """The bootstrap-t interval of a ratio on a scale.

    Args:
        sums: n clusters, numerator and denominator.
        totals: m resamples, sums of columns(); denominators above 0.
        clusters: those of n that tell the figure.
        scale: SHARES or AMOUNTS.
        level: share that the interval is to hold.

    Returns:
        The bounds; None where the figure is at the end of its scale, or resamples have no error.

    Source:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, 12.5 and 12.6.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        own, error = errors(columns(sums).sum(axis=0, keepdims=True), clusters)
        ratios, wide = errors(totals, clusters)
        at, unit = scale.there(own)[0], (error * scale.slope(own))[0]
        far = (scale.there(ratios) - at) / (wide * scale.slope(ratios))
    known = far[np.isfinite(far)]
    if not np.isfinite(at) or not unit > 0 or len(known) < (1 - DEGENERATE) * len(far):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return Interval(scale.back(float(at - high * unit)), scale.back(float(at - low * unit)))


def narrow(sums: Any, values: Any, *, shares: bool) -> str:
    """Why is an interval likely to be too narrow?

    Args:
        sums: n clusters that tell the figure, numerator and denominator.
        values: numerators over denominators of units.
        shares: is the figure a share of a whole?

    Returns:
        "no spread", "few clusters", "long tails", or "" where simulation finds that it holds its level.

    Source:
        docs/decisions/0038-narrow-intervals.md.
    """
    top, bottom = sums[:, 0], sums[:, 1]
    ratios = top / bottom
    if np.ptp(ratios) == 0:
        return "no spread"
    same = max(int((ratios == end).sum()) for end in ((0, 1) if shares else (0,)))
    if len(ratios) - same < FEWEST:
        return "few clusters"
    above = values[values > 0]
    return "long tails" if not shares and len(above) > 1 and np.log(above).std(ddof=1) > SPREAD else ""
