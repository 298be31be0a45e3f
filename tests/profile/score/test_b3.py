"""Is B-cubed what a hand would compute, whatever the labels are called?"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import UsageError
from tracelode.profile.score.b3 import B3, b3, macro, pooled
from tracelode.profile.score.ratio import Score

BY_HAND = [
    # predicted, true, precision, recall
    ("aaaa", "xxxx", 1, 1),
    # one group: every operation finds 3 of 4 or 1 of 4 of its group to be its own: (3 * 3/4 + 1/4) / 4
    ("aaaa", "xxxy", Fraction(5, 8), 1),
    # each its own group: recall is groups / operations
    ("abcd", "xxyy", 1, Fraction(1, 2)),
    # groups {0,1} {2,3} against {0,1,2} {3}: precision 1 1 1/2 1/2; recall 2/3 2/3 1/3 1
    ("aabb", "xxxy", Fraction(3, 4), Fraction(2, 3)),
    # a group need not be adjacent: {0,2} {1,3} against {0,1} {2,3}
    ("abab", "xxyy", Fraction(1, 2), Fraction(1, 2)),
    # the textbook's three groups: {5} {2} {5} elements against {5} {7}
    ("aaaaabbccccc", "vvvvvwwwwwww", 1, Fraction(5 * 7 + 2 * 2 + 5 * 5, 7 * 12)),
    ("a", "x", 1, 1),
]


@pytest.mark.parametrize(("predicted", "true", "precision", "recall"), BY_HAND)
def test_by_hand(predicted: str, true: str, precision: Fraction, recall: Fraction) -> None:
    score = b3(predicted, true).score()
    assert score.precision == pytest.approx(float(precision))
    assert score.recall == pytest.approx(float(recall))
    assert score.f1 == pytest.approx(float(2 * precision * recall / (precision + recall)))


def test_pooled_counts_operations_and_macro_counts_sessions() -> None:
    long, short = b3("aaaaaa", "xxxxxx"), b3("ab", "xx")
    assert pooled([long, short]) == Score(1.0, 7 / 8, pytest.approx(2 * 7 / 8 / (1 + 7 / 8)))
    assert macro([long, short]) == Score(1.0, 0.75, pytest.approx((1 + 2 / 3) / 2))


def test_the_f1_of_a_set_is_not_the_mean_of_its_sessions() -> None:
    sessions = [b3("aa", "xy"), b3("ab", "xx")]
    assert pooled(sessions).f1 == pytest.approx(0.75)
    assert macro(sessions).f1 == pytest.approx(2 / 3)


def test_groups_of_different_sessions_are_different() -> None:
    # the label a means nothing across sessions
    apart = pooled([b3("aa", "xx"), b3("aa", "xx")])
    assert apart == Score(1.0, 1.0, 1.0)


def test_nothing_has_no_score() -> None:
    assert b3("", "") == B3(0, 0, 0)
    assert b3("", "").score() == pooled([]) == macro([]) == macro([b3("", "")]) == Score(None, None, None)
    assert pooled([b3("", ""), b3("ab", "xx")]).recall == 0.5


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(UsageError, match="2 predicted labels beside 3 true ones"):
        b3("ab", "xxx")


PAIRS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2)
)
Pair = tuple[list[int], list[int]]


@given(PAIRS)
def test_it_is_the_mean_over_operations(pair: Pair) -> None:
    """The definition, operation by operation, in quadratic time."""
    predicted, true = pair
    n = len(true)
    ours = [{j for j in range(n) if predicted[j] == predicted[i]} for i in range(n)]
    theirs = [{j for j in range(n) if true[j] == true[i]} for i in range(n)]
    held = list(zip(ours, theirs, strict=True))
    score = b3(predicted, true).score()
    assert score.precision == pytest.approx(sum(len(a & b) / len(a) for a, b in held) / n)
    assert score.recall == pytest.approx(sum(len(a & b) / len(b) for a, b in held) / n)


@given(PAIRS)
def test_exchanging_the_two_exchanges_precision_and_recall(pair: Pair) -> None:
    one, other = b3(*pair).score(), b3(*reversed(pair)).score()
    assert one.precision == pytest.approx(other.recall)
    assert one.recall == pytest.approx(other.precision)
    assert one.f1 == pytest.approx(other.f1)


@given(PAIRS, st.permutations(range(6)))
def test_what_labels_are_called_does_not_matter(pair: Pair, names: list[int]) -> None:
    predicted, true = pair
    renamed = [f"group {names[label]}" for label in predicted]
    assert b3(renamed, true).score() == b3(predicted, true).score()
    assert b3(true, renamed).score().f1 == pytest.approx(b3(true, predicted).score().f1)


@given(PAIRS)
def test_bounds_and_perfection(pair: Pair) -> None:
    predicted, true = pair
    score = b3(predicted, true).score()
    assert score.precision is not None
    assert score.recall is not None
    assert score.f1 is not None
    assert 0 < score.precision <= 1 + 1e-12
    assert 0 < score.recall <= 1 + 1e-12
    assert (
        min(score.precision, score.recall) - 1e-12 <= score.f1 <= max(score.precision, score.recall) + 1e-12
    )
    assert b3(true, true).score() == Score(pytest.approx(1.0), pytest.approx(1.0), pytest.approx(1.0))


@given(PAIRS)
def test_the_two_ends_have_closed_forms(pair: Pair) -> None:
    true, n = pair[1], len(pair[1])
    steps, whole = b3(range(n), true).score(), b3([0] * n, true).score()
    assert steps.precision == pytest.approx(1)
    assert steps.recall == pytest.approx(len(set(true)) / n)
    assert whole.recall == pytest.approx(1)
    assert whole.precision == pytest.approx(sum((true.count(g) / n) ** 2 for g in set(true)))
