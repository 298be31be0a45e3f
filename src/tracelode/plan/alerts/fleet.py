"""Does a session stand out from the ones before it? Bands and moving averages over a team's sessions."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, lgamma, log, sqrt
from statistics import fmean, stdev

import msgspec


class Part(msgspec.Struct, frozen=True):
    """One session's part in a figure of the fleet."""

    top: float
    """What is counted."""
    bottom: float
    """Of how many; 1 where it is no share."""
    weight: float = 1.0
    """Sessions for which it stands: 1 / the rate at which its like were kept."""


def pooled(parts: Sequence[Part]) -> float | None:
    """A figure of sessions together, corrected for those that were not kept.

    Args:
        parts: n sessions.

    Returns:
        Weighted sum of numerators over that of denominators (Horvitz-Thompson), None over 0.

    Example:
        >>> pooled([Part(1, 1, 10.0), Part(0, 1, 1.0)])
        0.9090909090909091
    """
    below = sum(p.bottom * p.weight for p in parts)
    return sum(p.top * p.weight for p in parts) / below if below else None


def band(history: Sequence[Part], trials: int, level: float) -> tuple[int, int]:
    """How many of so many events are to be expected, from sessions that scatter more than chance.

    Args:
        history: n sessions with counts of events.
        trials: events of the session that is looked at.
        level: probability inside.

    Returns:
        (lowest, highest) count of the central band of a beta-binomial fitted by moments.

    Source:
        plan rules, section 10.1.

    Example:
        >>> band([Part(10, 100)] * 20, 100, 0.99)
        (3, 18)
    """
    top = sum(p.top for p in history)
    bottom = sum(p.bottom for p in history)
    # half an event keeps a team that was never corrected from being certain of it
    mean = (top + 0.5) / (bottom + 1)
    spread = _intraclass(history, mean)
    tail = (1 - level) / 2
    chances = _chances(trials, mean, spread)
    low, below = 0, chances[0]
    while below <= tail and low < trials:
        low += 1
        below += chances[low]
    high, above = trials, chances[trials]
    while above <= tail and high > low:
        high -= 1
        above += chances[high]
    return low, high


def _intraclass(history: Sequence[Part], mean: float) -> float:
    """Correlation of events of one session, by moments; 0 where sessions scatter no more than chance.

    Source:
        analysis of variance estimator for unequal sizes.
    """
    sizes = [p.bottom for p in history if p.bottom]
    total, count = sum(sizes), len(sizes)
    if count < 2 or total <= count:
        return 0.0
    rate = sum(p.top for p in history if p.bottom) / total
    between = sum(p.bottom * (p.top / p.bottom - rate) ** 2 for p in history if p.bottom) / (count - 1)
    within = sum(p.top * (1 - p.top / p.bottom) for p in history if p.bottom) / (total - count)
    size = (total - sum(n * n for n in sizes) / total) / (count - 1)
    below = between + (size - 1) * within
    return min(max((between - within) / below, 0.0), 0.99) if below > 0 else 0.0


def _chances(trials: int, mean: float, spread: float) -> list[float]:
    """Probabilities of 0 to trials."""
    choose = [lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) for k in range(trials + 1)]
    if spread < 1e-9:
        return [exp(c + k * log(mean) + (trials - k) * log(1 - mean)) for k, c in enumerate(choose)]
    scale = 1 / spread - 1
    a, b = mean * scale, (1 - mean) * scale
    whole = lgamma(a) + lgamma(b) - lgamma(a + b)
    return [
        exp(c + lgamma(k + a) + lgamma(trials - k + b) - lgamma(trials + a + b) - whole)
        for k, c in enumerate(choose)
    ]


class Average:
    """An exponentially weighted moving average with its limits.

    Args:
        weight: of the newest value.
        sigmas: standard deviations of the average at which a limit lies.
        first: values of which centre and spread are taken before anything is said.
    """

    def __init__(self, weight: float, sigmas: float, first: int) -> None:
        self.weight, self.sigmas, self.first = weight, sigmas, max(2, first)
        self._base: list[float] = []
        self._centre = self._spread = self._now = 0.0
        self._seen = 0

    def take(self, value: float) -> tuple[float, tuple[float, float]] | None:
        """The next value.

        Args:
            value: of a session.

        Returns:
            (the average, its limits), None while values are gathered.

        Source:
            Roberts 1959; variance w / (2 - w) (1 - (1 - w)^(2 n)).
        """
        if len(self._base) < self.first:
            self._base.append(value)
            if len(self._base) == self.first:
                self._centre, self._spread = fmean(self._base), stdev(self._base)
                self._now = self._centre
            return None
        self._seen += 1
        w = self.weight
        self._now = w * value + (1 - w) * self._now
        if not self._spread:
            # values that never differed tell no spread: nothing can be said to be far from them
            return self._now, (-inf, inf)
        reach = self.sigmas * self._spread * sqrt(w / (2 - w) * (1 - (1 - w) ** (2 * self._seen)))
        return self._now, (self._centre - reach, self._centre + reach)
