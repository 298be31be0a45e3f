"""Are rankings scored as the mean over every order of equal scores?"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import UsageError
from tracelode.profile.score.ranking import auc, average_precision, hit_at, precision_at, within


def test_by_hand() -> None:
    scores, relevant = [9.0, 8.0, 7.0, 6.0, 5.0], {0, 2, 4}
    assert average_precision(scores, relevant) == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert [precision_at(k, scores, relevant) for k in (1, 2, 5, 6)] == pytest.approx(
        [1, 1 / 2, 3 / 5, 1 / 2]
    )
    assert [hit_at(k, scores, {3}) for k in (1, 3, 4)] == [0, 0, 1]
    assert [within(d, scores, {3}) for d in (0, 2, 3)] == [0, 0, 1]
    # three of six pairs are in order
    assert auc(scores, relevant) == pytest.approx(3 / 6)


def test_all_equal_is_chance() -> None:
    assert auc([1.0] * 6, {1, 2}) == 0.5
    assert average_precision([1.0] * 2, {0}) == pytest.approx((1 + 1 / 2) / 2)
    assert within(1, [0.0] * 5, {0}) == pytest.approx(2 / 5)


def test_what_cannot_be_known() -> None:
    assert average_precision([1.0], ()) is None
    assert average_precision([], ()) is None
    assert auc([1.0], {0}) is auc([1.0], ()) is None
    assert within(1, [], ()) is None
    assert hit_at(3, [], ()) == precision_at(3, [], ()) == 0


def test_wrong_calls_are_refused() -> None:
    for call in (lambda: average_precision([1.0], {1}), lambda: within(1, [1.0], {-1})):
        with pytest.raises(UsageError, match="is relevant, but there are 1"):
            call()
    with pytest.raises(UsageError, match="named twice"):
        auc([1.0, 2.0], [0, 0])
    with pytest.raises(UsageError, match="not 0"):
        hit_at(0, [1.0], {0})
    with pytest.raises(UsageError, match="not -1"):
        within(-1, [1.0], {0})


RANKINGS = st.integers(1, 5).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 2), min_size=n, max_size=n), st.sets(st.integers(0, n - 1), min_size=1)
    )
)


def over_orders(scores: list[int], of: Callable[[tuple[int, ...]], float]) -> float:
    """Mean over all orders in which no lower score comes first."""
    orders = [o for o in permutations(range(len(scores))) if sorted(o, key=lambda i: -scores[i]) == list(o)]
    return sum(map(of, orders)) / len(orders)


@given(RANKINGS, st.integers(1, 6))
def test_every_order_of_equal_scores_counts_the_same(ranking: tuple[list[int], set[int]], k: int) -> None:
    scores, relevant = ranking

    def precision(order: tuple[int, ...]) -> float:
        places = [p for p, item in enumerate(order, 1) if item in relevant]
        return sum(hit / place for hit, place in enumerate(places, 1)) / len(places)

    assert average_precision(scores, relevant) == pytest.approx(over_orders(scores, precision))
    assert precision_at(k, scores, relevant) == pytest.approx(
        over_orders(scores, lambda order: sum(item in relevant for item in order[:k]) / k)
    )
    assert hit_at(k, scores, relevant) == pytest.approx(
        over_orders(scores, lambda order: float(any(item in relevant for item in order[:k])))
    )
    assert within(k - 1, scores, relevant) == pytest.approx(
        over_orders(scores, lambda order: float(any(abs(order[0] - i) < k for i in relevant)))
    )


@given(RANKINGS)
def test_auc_counts_pairs(ranking: tuple[list[int], set[int]]) -> None:
    scores, relevant = ranking
    others = set(range(len(scores))) - relevant
    pairs = [
        (scores[i] > scores[j]) + (scores[i] == scores[j]) / 2
        for i in sorted(relevant)
        for j in sorted(others)
    ]
    assert auc(scores, relevant) == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)
