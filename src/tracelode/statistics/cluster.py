"""How far could a rate of many sessions be off? Clusters resampled: sessions of one task are not apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from tracelode.statistics.bootstrap import LEVEL, TIMES, Interval, interval, quantile
from tracelode.statistics.student import widened
from tracelode.statistics.studentised import AMOUNTS, SHARES, columns, narrow, studentised

CLUSTERS = 5
"""Clusters below which nothing but the figure is told: so few resample to too few different sets."""
ACCELERATED = 30
"""Clusters from which the interval is corrected for bias and skew."""
_BLOCK = 1_000_000
"""Drawn numbers held at once."""
_ROUNDING = 1e-9
"""By how much a weighted share may be above its whole."""


class Rate(NamedTuple):
    """One unit's share of a figure."""

    cluster: Hashable
    """What it is drawn with, such as its task."""
    top: float
    """Numerator."""
    bottom: float
    """Denominator; 1 for a plain mean."""


class Bounded(NamedTuple):
    """A figure with its interval."""

    value: float | None
    """Sum of numerators over sum of denominators, None where that divides by nothing."""
    interval: Interval | None
    """Bounds, None below 5 clusters."""
    method: str
    """student, percentile, bca, or "" without bounds."""
    clusters: int
    """Clusters that were drawn."""
    narrow: str
    """Why the interval is likely to be too narrow; "" where it holds its level, or without bounds."""


def drawn(clusters: int, times: int = TIMES, seed: int = 0) -> Any:
    """How often each cluster is drawn in each resample.

    Args:
        clusters: n clusters, at least one.
        times: number of resamples.
        seed: the same seed gives the same draws.

    Returns:
        Blocks of rows of n counts, times rows in all; a row sums to n.
    """
    chance = np.random.default_rng(seed)
    rows = max(1, min(times, _BLOCK // clusters))
    share = np.full(clusters, 1 / clusters)
    for start in range(0, times, rows):
        yield chance.multinomial(clusters, share, size=min(rows, times - start))


def rate(rates: Sequence[Rate], *, times: int = TIMES, level: float = LEVEL, seed: int = 0) -> Bounded:
    """A ratio of sums, or with denominators of 1 a mean, and its interval over clusters.

    Args:
        rates: n units.
        times: resamples.
        level: share of sets of clusters whose interval holds the true figure.
        seed: of the draws.

    Returns:
        The figure, as together() gives it.

    Example:
        >>> found = rate([Rate(i, i % 2, 1) for i in range(40)])
        >>> found.value, found.method, found.clusters
        (0.5, 'bca', 40)
    """
    return together([rates], times=times, level=level, seed=seed)[0]


def together(
    figures: Sequence[Sequence[Rate]], *, times: int = TIMES, level: float = LEVEL, seed: int = 0
) -> list[Bounded]:
    """Several figures of the same clusters, over the same draws.

    Args:
        figures: m figures, each of as many units as tell it.
        times: resamples.
        level: share of sets of clusters whose interval holds the true figure.
        seed: of the draws.

    Returns:
        One each, from 5 clusters that tell it on: bootstrap-t for what is never below 0. Shares from 30
        clusters on, and what has a sign, have bounds corrected for bias and acceleration, below 30
        percentiles, widened for few clusters; so has what has no error in too many resamples.

    Source:
        plan rules, section 9.1; docs/decisions/0038-narrow-intervals.md; Efron (1987), BCa;
        Hesterberg (2015), expanded percentile.
    """
    places: dict[Hashable, int] = {}
    for units in figures:
        for one in units:
            places.setdefault(one.cluster, len(places))
    sums = [_sums(units, places) for units in figures]
    found: list[list[Any]] = [[] for _ in figures]
    told = [len({one.cluster for one in units}) for units in figures]
    wanted = [m for m, count in enumerate(told) if count >= CLUSTERS and float(sums[m][:, 1].sum()) > 0]
    if wanted:
        table = np.concatenate([columns(sums[m]) for m in wanted], axis=1)
        width = table.shape[1] // len(wanted)
        for block in drawn(len(places), times, seed):
            totals = block @ table
            for at, m in enumerate(wanted):
                one_figure = totals[:, width * at : width * (at + 1)]
                found[m].append(one_figure[one_figure[:, 1] > 0])
    return [_bounded(units, sums[m], found[m], told[m], level) for m, units in enumerate(figures)]


def _bounded(
    units: Sequence[Rate], sums: Any, drawn_sums: Sequence[Any], clusters: int, level: float
) -> Bounded:
    bottom = float(sums[:, 1].sum()) if len(sums) else 0.0
    value = float(sums[:, 0].sum()) / bottom if bottom else None
    totals = np.concatenate(drawn_sums) if drawn_sums else np.zeros((0, 2))
    if value is None or not len(totals):
        return Bounded(value, None, "", clusters, "")
    values = np.array([one.top / one.bottom for one in units if one.bottom > 0])
    positive = all(one.top >= 0 for one in units)
    shares = positive and all(one.top <= one.bottom * (1 + _ROUNDING) for one in units)
    why = narrow(sums[sums[:, 1] > 0], values, shares=shares)
    if positive and not (shares and clusters >= ACCELERATED):
        held = studentised(sums, totals, clusters, SHARES if shares else AMOUNTS, level)
        if held is not None:
            return Bounded(value, held, "student", clusters, why)
    found = (totals[:, 0] / totals[:, 1]).tolist()
    if clusters < ACCELERATED:
        return Bounded(value, interval(found, widened(clusters, level)), "percentile", clusters, why)
    rest = sums.sum(0) - sums
    left = [float(a / b) for a, b in rest if b > 0]
    return Bounded(value, corrected(value, found, left, widened(clusters, level)), "bca", clusters, why)


def _sums(rates: Sequence[Rate], places: dict[Hashable, int]) -> Any:
    """Numerator and denominator of each cluster."""
    sums = np.zeros((len(places), 2))
    for one in rates:
        sums[places[one.cluster]] += one.top, one.bottom
    return sums


def corrected(value: float, found: Sequence[float], left: Sequence[float], level: float = LEVEL) -> Interval:
    """The bias-corrected and accelerated interval.

    Args:
        value: the figure.
        found: the figure in each resample, at least one.
        left: the figure without each cluster.
        level: share that the interval is to hold.

    Returns:
        The bounds.

    Source:
        Efron (1987), Better bootstrap confidence intervals.
    """
    normal = NormalDist()
    listed = sorted(found)
    low, same = sum(x < value for x in listed), sum(x == value for x in listed)
    below = (low + same / 2) / len(listed)
    edge = 0.5 / len(listed)
    bias = normal.inv_cdf(min(1 - edge, max(edge, below)))
    gaps = np.mean(left) - np.asarray(left)
    spread = float((gaps**2).sum())
    skew = float((gaps**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0

    def place(share: float) -> float:
        z = bias + normal.inv_cdf(share)
        return normal.cdf(bias + z / (1 - skew * z)) if skew * z < 1 else float(z > 0)

    tail = (1 - level) / 2
    return Interval(quantile(listed, place(tail)), quantile(listed, place(1 - tail)))


def statistic(
    clusters: Sequence[Any],
    figure: Callable[[Any], float | None],
    *,
    times: int = TIMES,
    level: float = LEVEL,
    seed: int = 0,
) -> Interval | None:
    """Percentile interval of any figure of weighted clusters.

    Args:
        clusters: n things; only their number counts here.
        figure: takes n counts, how often each cluster was drawn.
        times: resamples.
        level: share that the interval is to hold.
        seed: of the draws.

    Returns:
        The bounds, widened for few clusters; None below 5, or where the figure is never known.

    Source:
        Efron and Tibshirani (1993), percentile interval.
    """
    n = len(clusters)
    if n < CLUSTERS:
        return None
    found = (figure(row) for block in drawn(n, times, seed) for row in block)
    return interval(found, widened(n, level) if n < ACCELERATED else level)


def shuffles(
    values: Sequence[Rate], sides: Sequence[bool], *, times: int = TIMES, seed: int = 0
) -> float | None:
    """Unpaired permutation test: is the gap of two ratios wider than with clusters dealt at random?

    Args:
        values: n units of both sets.
        sides: the set of each unit; all units of a cluster are of one set.
        times: deals.
        seed: of the deals.

    Returns:
        Two-sided p value, at least 1 / (times + 1); None below 5 clusters in either set, or where a ratio
        divides by nothing.

    Source:
        plan rules, section 9.1: unpaired, cluster permutation.
    """
    of: dict[Hashable, bool] = {}
    for one, side in zip(values, sides, strict=True):
        of.setdefault(one.cluster, side)
    places = {cluster: place for place, cluster in enumerate(of)}
    sums, flags = _sums(values, places), np.array(list(of.values()))
    if min(int(flags.sum()), int((~flags).sum())) < CLUSTERS:
        return None

    def gap(here: Any) -> float | None:
        one, two = sums[here].sum(0), sums[~here].sum(0)
        return float(one[0] / one[1] - two[0] / two[1]) if one[1] and two[1] else None

    observed = gap(flags)
    if observed is None:
        return None
    chance = np.random.default_rng(seed)
    far = known = 1
    for _ in range(times):
        dealt = gap(chance.permutation(flags))
        if dealt is not None:
            known += 1
            far += abs(dealt) >= abs(observed) - 1e-12
    return far / known


def gap(
    one: Sequence[Rate], other: Sequence[Rate], *, times: int = TIMES, level: float = LEVEL, seed: int = 0
) -> Interval | None:
    """Bounds of the difference of two ratios whose clusters are drawn apart.

    Args:
        one: units of one set.
        other: units of the other.
        times: resamples.
        level: share of sets of clusters whose interval holds the true difference.
        seed: of the draws.

    Returns:
        Bounds of other - one, None below 5 clusters in either set.
    """
    held = [{cluster: i for i, cluster in enumerate(dict.fromkeys(u.cluster for u in side))}
            for side in (one, other)]  # fmt: skip
    fewest = min(map(len, held))
    if fewest < CLUSTERS:
        return None
    sides = []
    for place, (units, places) in enumerate(zip((one, other), held, strict=True)):
        sums = _sums(units, places)
        totals = np.concatenate([block @ sums for block in drawn(len(places), times, 2 * seed + place)])
        with np.errstate(divide="ignore", invalid="ignore"):
            sides.append(totals[:, 0] / totals[:, 1])
    found = sides[1] - sides[0]
    return interval(found[np.isfinite(found)].tolist(), widened(fewest, level))
