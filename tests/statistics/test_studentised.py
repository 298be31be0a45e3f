"""Do bootstrap-t bounds hold their level where percentiles do not, and is it told where none do?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelode.statistics.bootstrap import quantile
from tracelode.statistics.cluster import Rate, drawn, rate


def by_hand(values: list[float], times: int, seed: int) -> tuple[float, float]:
    """Bounds of a mean of values, one a cluster, on the scale of logarithms."""
    n = len(values)

    def log_error(chosen: list[float]) -> float:
        mean = sum(chosen) / n
        return math.sqrt(sum((v - mean) ** 2 for v in chosen) / (n - 1) / n) / mean

    mean, found = sum(values) / n, []
    for block in drawn(n, times, seed):
        for row in block:
            chosen = [v for v, count in zip(values, row, strict=True) for _ in range(count)]
            if (error := log_error(chosen)) > 0:
                found.append((math.log(sum(chosen) / n) - math.log(mean)) / error)
    found.sort()
    unit = log_error(values)
    return mean * math.exp(-quantile(found, 0.975) * unit), mean * math.exp(-quantile(found, 0.025) * unit)


def test_as_by_hand() -> None:
    values = np.random.default_rng(3).lognormal(3, 0.8, 12).tolist()
    found = rate([Rate(i, v, 1) for i, v in enumerate(values)], times=1_000, seed=5)
    assert found.method == "student"
    assert found.interval == pytest.approx(by_hand(values, 1_000, 5))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30),
    st.booleans(),
)
def test_bounds_of_shares_are_shares_around_the_figure(rows: list[tuple[int, int, int]], more: bool) -> None:
    units = [Rate(c, float(k), float(k + rest)) for c, k, rest in rows]
    if more:
        units += [Rate(100 + c, k, k + rest) for c, (_, k, rest) in enumerate(rows)]
    found = rate(units, times=200)
    if found.interval is None:
        assert (found.method, found.narrow) == ("", "")
        return
    assert found.value is not None
    assert 0 <= found.interval.low <= found.interval.high <= 1
    assert found.interval.low - 1e-9 <= found.value <= found.interval.high + 1e-9


def test_skewed_means_of_few_clusters_hold_their_level() -> None:
    """Percentiles hold .90 here."""
    source, held, times = np.random.default_rng(9), 0, 600
    true = math.exp(0.4**2 / 2 + 0.6**2 / 2)
    for trial in range(times):
        units = [Rate(t, v, 1) for t in range(10) for v in source.lognormal(source.normal(0, 0.4), 0.6, 4)]
        found = rate(units, times=600, seed=trial).interval
        assert found is not None
        held += found.low <= true <= found.high
    assert 0.915 <= held / times <= 0.975, held / times


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([0.5] * 20, "no spread"),
        ([1.0] * 20, "no spread"),
        ([0.2, 0.4, 0.3, 0.5, 0.6, 0.7], "few clusters"),
        ([0.0] * 30 + [0.1] * 9, "few clusters"),
        ([1.0] * 30 + [0.9] * 9, "few clusters"),
        ([0.0] * 30 + [0.1, 0.2] * 5, ""),
        ([60.0 * (i + 1) for i in range(12)], ""),
        ([3.0**i for i in range(12)], "long tails"),
        ([0.1, 0.9] * 10, ""),
    ],
)
def test_what_is_too_narrow_is_told(values: list[float], told: str) -> None:
    assert rate([Rate(i, v, 1) for i, v in enumerate(values)]).narrow == told


def test_what_has_a_sign_keeps_its_method() -> None:
    assert rate([Rate(i, i - 5, 1) for i in range(12)]).method == "percentile"
    assert rate([Rate(i, i - 5, 1) for i in range(40)]).method == "bca"
    assert rate([Rate(i, 0.5 + i / 100, 1) for i in range(40)]).method == "bca"
    # a resample in three holds none of the one that differs: distances tell nothing
    assert rate([Rate(i, float(i == 0), 1) for i in range(6)]).method == "percentile"
