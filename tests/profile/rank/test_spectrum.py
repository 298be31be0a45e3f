"""Spectrum scores: cases worked out by hand."""

from __future__ import annotations

from math import inf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.profile.rank.spectrum import dstar, ochiai, spectrum, wilson


def test_ochiai_by_hand() -> None:
    assert ochiai(3, 1, 4) == pytest.approx(3 / sqrt(4 * 4))
    assert ochiai(4, 0, 4) == 1.0
    assert ochiai(0, 5, 4) == 0.0
    assert ochiai(0, 0, 4) == 0.0


def test_dstar_by_hand() -> None:
    assert dstar(3, 1, 4) == 9 / (1 + 1)
    assert dstar(3, 1, 4, star=3) == 27 / 2
    assert dstar(4, 0, 4) == inf
    assert dstar(0, 0, 4) == 0.0


def test_wilson_by_hand() -> None:
    # 3 of 4 by Wilson's formula with z = 1.96: (0.75 + 0.4802 - 1.96 * sqrt(...)) / 1.9604
    assert wilson(3, 4) == pytest.approx(0.3006, abs=1e-4)
    assert wilson(0, 9) == 0.0
    assert wilson(0, 0) is None


def test_all_failed_and_none_failed() -> None:
    everything = spectrum(5, 0, 5, 0)
    assert (everything.ochiai, everything.dstar) == (1.0, None)
    nothing = spectrum(0, 3, 0, 5)
    assert (nothing.ochiai, nothing.dstar, nothing.wilson) == (None, None, 0.0)
    assert spectrum(0, 0, 0, 0).wilson is None


counts = st.integers(0, 40)


@given(counts, counts, counts, counts)
def test_bounds_and_order(failed: int, others: int, passed: int, more: int) -> None:
    found = spectrum(failed, passed, failed + others, passed + more)
    if found.ochiai is not None:
        assert 0 <= found.ochiai <= 1 + 1e-12
        fewer = spectrum(failed, passed + 1, failed + others, passed + more + 1)
        assert fewer.ochiai is not None
        assert fewer.ochiai <= found.ochiai
    if found.wilson is not None:
        assert 0 <= found.wilson <= failed / (failed + passed) + 1e-12
