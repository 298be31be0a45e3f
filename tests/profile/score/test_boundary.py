"""Are cuts matched one to one, as many as can be, exactly or one place beside?"""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import UsageError
from tracelode.profile.score.boundary import Boundary, boundaries, macro, pooled
from tracelode.profile.score.partition import from_cuts
from tracelode.profile.score.ratio import Score

N = 12
BY_HAND = [
    # predicted cuts, true cuts, matched exactly, within one place
    ([], [], 0, 0),
    ([3], [], 0, 0),
    ([], [3], 0, 0),
    ([3], [3], 1, 1),
    ([3], [4], 0, 1),
    ([3], [5], 0, 0),
    # a true cut has one partner only
    ([3, 5], [4], 0, 1),
    ([4], [3, 5], 0, 1),
    ([3, 4, 5], [4], 1, 1),
    # exactly matched is not enough for all: 3-4 and 4-5 are two pairs, 4-4 leaves one
    ([3, 4], [4, 5], 1, 2),
    ([2, 3, 4], [3, 4, 5], 2, 3),
    ([4, 5], [3, 4], 1, 2),
    ([1, 6, 9], [2, 6, 11], 1, 2),
    ([1, 2, 3, 4, 5], [3], 1, 1),
]


def labels(cuts: list[int]) -> list[int]:
    return from_cuts(cuts, N)


@pytest.mark.parametrize(("predicted", "true", "exact", "near"), BY_HAND)
def test_by_hand(predicted: list[int], true: list[int], exact: int, near: int) -> None:
    assert boundaries(labels(predicted), labels(true)) == Boundary(exact, len(predicted), len(true))
    assert boundaries(labels(predicted), labels(true), 1) == Boundary(near, len(predicted), len(true))


def test_scores_by_hand() -> None:
    assert Boundary(2, 4, 5).score() == Score(0.5, 0.4, pytest.approx(4 / 9))
    assert Boundary(0, 0, 3).score() == Score(None, 0.0, 0.0)
    assert Boundary(0, 3, 0).score() == Score(0.0, None, 0.0)
    assert Boundary(0, 0, 0).score() == Score(None, None, None)


def test_pooled_counts_cuts_and_macro_counts_sessions() -> None:
    sessions = [Boundary(1, 1, 1), Boundary(1, 4, 5), Boundary(0, 0, 0)]
    assert pooled(sessions) == Score(2 / 5, 2 / 6, pytest.approx(4 / 11))
    # a session without any cut has no F1
    assert macro(sessions) == Score(0.625, 0.6, pytest.approx((1 + 2 / 9) / 2))
    assert pooled([]) == macro([]) == Score(None, None, None)


def test_a_group_that_comes_again_is_cut_again() -> None:
    assert boundaries("aabbaa", "xxyyyy") == Boundary(1, 2, 1)


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(UsageError, match="1 predicted labels beside 2"):
        boundaries("a", "xx")
    with pytest.raises(UsageError, match="not -1"):
        boundaries("aa", "xx", -1)


CUTS = st.sets(st.integers(1, N - 1), max_size=5).map(sorted)


@given(CUTS, CUTS, st.integers(0, 3))
def test_no_matching_has_more_pairs(predicted: list[int], true: list[int], tolerance: int) -> None:
    """Every one-to-one matching is tried."""
    few, many = sorted((predicted, true), key=len)
    best = max(
        sum(abs(a - b) <= tolerance for a, b in zip(few, order, strict=True))
        for chosen in combinations(many, len(few))
        for order in permutations(chosen)
    )
    assert boundaries(labels(predicted), labels(true), tolerance).matched == best


@given(CUTS, CUTS, st.integers(0, 2))
def test_exchange_bounds_and_perfection(predicted: list[int], true: list[int], tolerance: int) -> None:
    one = boundaries(labels(predicted), labels(true), tolerance)
    other = boundaries(labels(true), labels(predicted), tolerance)
    assert one == Boundary(other.matched, other.true, other.predicted)
    assert one.matched <= min(one.predicted, one.true)
    assert one.matched <= boundaries(labels(predicted), labels(true), tolerance + 1).matched
    perfect = boundaries(labels(true), labels(true), tolerance).score()
    assert perfect == (Score(1.0, 1.0, 1.0) if true else Score(None, None, None))
