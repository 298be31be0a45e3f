"""Is one method better than another on the same sessions? Intervals and tests that keep a task together."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence

from tracelode.statistics.bootstrap import TIMES, interval, resamples


def _sums(gaps: Sequence[float], groups: Sequence[Hashable]) -> list[tuple[float, int]]:
    found: dict[Hashable, tuple[float, int]] = {}
    for gap, group in zip(gaps, groups, strict=True):
        total, count = found.get(group, (0.0, 0))
        found[group] = (total + gap, count + 1)
    return list(found.values())


def cluster_interval(
    gaps: Sequence[float], groups: Sequence[Hashable], seed: int, times: int = TIMES
) -> tuple[float, float]:
    """95 % interval of a mean difference, groups drawn whole.

    Args:
        gaps: differences of n sessions.
        groups: n labels; sessions of one task are drawn together.
        seed: of the resamples.
        times: resamples.
    """
    sums = _sums(gaps, groups)

    def means() -> list[float | None]:
        found: list[float | None] = []
        for row in resamples(len(sums), times, seed):
            count = sum(w * n for w, (_, n) in zip(row, sums, strict=True))
            found.append(sum(w * s for w, (s, _) in zip(row, sums, strict=True)) / count if count else None)
        return found

    bounds = interval(means())
    return (bounds.low, bounds.high) if bounds else (float("nan"), float("nan"))


def sign_flip(gaps: Sequence[float], groups: Sequence[Hashable], seed: int, times: int = TIMES) -> float:
    """Two-sided p of a mean difference under exchanges of the methods, group by group.

    Args:
        gaps: differences of n sessions.
        groups: n labels.
        seed: of the exchanges.
        times: exchanges.

    Source:
        Noreen (1989), approximate randomisation, the observed order counted as one.
    """
    sums = [total for total, _ in _sums(gaps, groups)]
    chance = random.Random(seed)
    observed = abs(sum(sums))
    far = 1 + sum(
        abs(sum(s if chance.random() < 0.5 else -s for s in sums)) >= observed - 1e-12 for _ in range(times)
    )
    return far / (times + 1)


def resampled(
    n: int, groups: Sequence[Hashable], figure: Callable[[list[int]], float | None], seed: int, times: int
) -> tuple[float, float]:
    """95 % interval of any figure of items, groups drawn whole.

    Args:
        n: items.
        groups: n labels.
        figure: of the places of the items drawn, each as often as drawn; None where it is not known.
        seed: of the resamples.
        times: resamples.
    """
    members: dict[Hashable, list[int]] = {}
    for i in range(n):
        members.setdefault(groups[i], []).append(i)
    rows = list(members.values())

    def values() -> list[float | None]:
        return [
            figure([i for row, weight in zip(rows, drawn, strict=True) for i in row * weight])
            for drawn in resamples(len(rows), times, seed)
        ]

    bounds = interval(values())
    return (bounds.low, bounds.high) if bounds else (float("nan"), float("nan"))
