"""How good are chances that a model gives? Order, calibration, worth against the base rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

BINS = 5
"""Groups of equal size in which chances are held against what came."""


class Bin(NamedTuple):
    """Cases whose chances are alike."""

    cases: int
    """How many."""
    said: float
    """Mean chance."""
    came: float
    """Share that came true."""


def auroc(
    chances: Sequence[float], came: Sequence[bool], weights: Sequence[float] | None = None
) -> float | None:
    """Share of pairs of a case that came true and one that did not which the chances put in order.

    Args:
        chances: n numbers.
        came: n flags.
        weights: how often each case counts, None for once.

    Returns:
        0..1, ties count half; None where all or none came true.

    Source:
        Mann and Whitney (1947).

    Example:
        >>> auroc([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
        0.75
    """
    x, y, w = _arrays(chances, came, weights)
    good, bad = float(w[y].sum()), float(w[~y].sum())
    if not good or not bad:
        return None
    _, places = np.unique(x, return_inverse=True)
    negative = np.bincount(places, weights=np.where(y, 0.0, w))
    below = np.concatenate([[0.0], np.cumsum(negative)[:-1]]) + negative / 2
    return float((w[y] * below[places[y]]).sum() / (good * bad))


def average_precision(
    chances: Sequence[float], came: Sequence[bool], weights: Sequence[float] | None = None
) -> float | None:
    """Precision at each case that came true, from the highest chance down, averaged.

    Args:
        chances: n numbers; equal ones are taken together.
        came: n flags.
        weights: how often each case counts, None for once.

    Returns:
        0..1, None where none came true.

    Example:
        >>> round(average_precision([0.1, 0.4, 0.35, 0.8], [False, False, True, True]), 3)
        0.833
    """
    x, y, w = _arrays(chances, came, weights)
    if not float(w[y].sum()):
        return None
    _, places = np.unique(-x, return_inverse=True)
    hits = np.cumsum(np.bincount(places, weights=np.where(y, w, 0.0)))
    seen = np.cumsum(np.bincount(places, weights=w))
    gains = np.diff(np.concatenate([[0.0], hits]))
    return float((gains * hits / np.where(seen > 0, seen, 1.0)).sum() / hits[-1])


def brier(chances: Sequence[float], came: Sequence[bool]) -> float:
    """Mean squared distance of chances from what came; 0 is best.

    Args:
        chances: n >= 1 numbers, 0..1.
        came: n flags.

    Source:
        Brier (1950).
    """
    x, y, _ = _arrays(chances, came, None)
    return float(((x - y) ** 2).mean())


def skill(chances: Sequence[float], base: Sequence[float], came: Sequence[bool]) -> float | None:
    """What part of the base rate's squared distance the chances save.

    Args:
        chances: n numbers, 0..1.
        base: what the base rate alone said of each case, known before it.
        came: n flags.

    Returns:
        1 is perfect, 0 as good as the base rate, below 0 worse; None where the base rate was perfect.
    """
    reference = brier(base, came)
    return 1 - brier(chances, came) / reference if reference else None


def reliability(chances: Sequence[float], came: Sequence[bool], bins: int = BINS) -> list[Bin]:
    """Chances held against what came, in groups of equal size.

    Args:
        chances: n numbers, 0..1.
        came: n flags.
        bins: groups.

    Returns:
        From the lowest chances up.

    Example:
        >>> reliability([0.1, 0.9], [False, True], 2)
        [Bin(cases=1, said=0.1, came=0.0), Bin(cases=1, said=0.9, came=1.0)]
    """
    x, y, _ = _arrays(chances, came, None)
    groups = np.array_split(np.argsort(x, kind="stable"), min(bins, len(x)))
    return [Bin(len(g), float(x[g].mean()), float(y[g].mean())) for g in groups if len(g)]


def calibration_error(chances: Sequence[float], came: Sequence[bool], bins: int = BINS) -> float:
    """Mean distance of chances from shares that came, over groups of equal size.

    Args:
        chances: n >= 1 numbers, 0..1.
        came: n flags.
        bins: groups.

    Source:
        Naeini, Cooper and Hauskrecht (2015), ECE; here with bins of equal mass.
    """
    found = reliability(chances, came, bins)
    return sum(b.cases * abs(b.said - b.came) for b in found) / sum(b.cases for b in found)


def _arrays(chances: Sequence[float], came: Sequence[bool], weights: Sequence[float] | None) -> Any:
    x, y = np.asarray(chances, dtype=float), np.asarray(came, dtype=bool)
    return x, y, np.ones(len(x)) if weights is None else np.asarray(weights, dtype=float)
