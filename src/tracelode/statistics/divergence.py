"""How unlike are two distributions over the same few words?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tracelode.statistics.bootstrap import TIMES, Interval, interval
from tracelode.statistics.cluster import CLUSTERS, drawn


class Apart(NamedTuple):
    """How far two distributions lie apart."""

    value: float
    """Jensen-Shannon divergence in bits, 0 for the same, 1 for no word in common."""
    interval: Interval | None
    """Bounds over resampled clusters, None below 5; never below 0, so read it against chance."""
    chance: float | None
    """What deals of the same clusters to two sets give on average."""
    p: float | None
    """Share of the deals that lie as far apart."""


def divergence(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Jensen-Shannon divergence.

    Args:
        one: counts by word.
        other: counts of the same words.

    Returns:
        Bits, 0..1; None where either is empty.

    Source:
        Lin (1991).

    Example:
        >>> divergence([1, 1], [2, 2]), divergence([1, 0], [0, 1])
        (0.0, 1.0)
    """
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if a.sum() <= 0 or b.sum() <= 0:
        return None
    p, q = a / a.sum(), b / b.sum()
    middle = (p + q) / 2

    def gain(x: Any) -> float:
        used = x > 0
        return float((x[used] * np.log2(x[used] / middle[used])).sum())

    return min(1.0, max(0.0, (gain(p) + gain(q)) / 2))


def apart(
    one: Mapping[Any, Sequence[float]],
    other: Mapping[Any, Sequence[float]],
    *,
    times: int = TIMES,
    seed: int = 0,
) -> Apart | None:
    """How far apart two sets of clusters lie.

    Args:
        one: cluster to counts by word.
        other: the same of the other set. Clusters that are in both make pairs: they are drawn together, and
            dealt by changing places.
        times: resamples and deals.
        seed: of both.

    Returns:
        Divergence with interval and chance, None where either set is empty.

    Source:
        plan rules, section 9.1.
    """
    names = sorted({*one, *other}, key=repr)
    if not names:
        return None
    words = len(next(iter((one or other).values())))
    nothing = [0.0] * words
    left = np.array([one.get(name, nothing) for name in names], dtype=float)
    right = np.array([other.get(name, nothing) for name in names], dtype=float)
    value = divergence(left.sum(0), right.sum(0))
    if value is None:
        return None
    if min(int((left.sum(1) > 0).sum()), int((right.sum(1) > 0).sum())) < CLUSTERS:
        return Apart(value, None, None, None)
    paired = len({*one} & {*other}) * 2 >= len(names)
    bounds = interval(
        divergence(row @ left, row @ right) for block in drawn(len(names), times, seed) for row in block
    )
    return Apart(value, bounds, *_chance(left, right, paired, value, times, seed))


def _chance(
    left: Any, right: Any, paired: bool, value: float, times: int, seed: int
) -> tuple[float | None, float | None]:
    """Mean divergence of deals, and the share of them as far apart as was seen."""
    source = np.random.default_rng(seed + 1)
    deal: Callable[[], tuple[Any, Any]]
    if paired:

        def deal() -> tuple[Any, Any]:
            stay = source.random(len(left))[:, None] < 0.5
            return np.where(stay, left, right).sum(0), np.where(stay, right, left).sum(0)
    else:
        both = np.concatenate([left[left.sum(1) > 0], right[right.sum(1) > 0]])
        first = int((left.sum(1) > 0).sum())

        def deal() -> tuple[Any, Any]:
            order = source.permutation(len(both))
            return both[order[:first]].sum(0), both[order[first:]].sum(0)

    found = [gap for _ in range(times) if (gap := divergence(*deal())) is not None]
    if not found:
        return None, None
    far = sum(gap >= value - 1e-12 for gap in found)
    return float(np.mean(found)), (far + 1) / (len(found) + 1)
