"""Are the sums that get resampled those of the two metrics, and are methods compared in pairs?"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import UsageError
from tracelode.profile.score import b3, boundary
from tracelode.profile.score.assess import (
    Sample,
    assess,
    b3_f1,
    best_window,
    boundary_f1,
    lift,
    window_tallies,
)
from tracelode.profile.score.partition import cuts
from tracelode.profile.score.permutation import exchange, scattered, shuffled
from tracelode.profile.score.tally import Figures, Tally, average, figures, tally, total
from tracelode.statistics.bootstrap import Interval, interval, quantile, resamples

PAIR = st.integers(0, 15).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2)
)
SESSIONS = st.lists(PAIR, max_size=6)
Sessions = list[tuple[list[int], list[int]]]


def same(one: object, other: object) -> bool:
    return one == (other if other is None else pytest.approx(other))


@given(SESSIONS)
def test_figures_of_sums_are_those_of_the_metrics(sessions: Sessions) -> None:
    found = figures(total(tally(*pair) for pair in sessions))
    groups = [b3.b3(*pair) for pair in sessions]
    exact = [boundary.boundaries(*pair) for pair in sessions]
    near = [boundary.boundaries(*pair, 1) for pair in sessions]
    wanted = (b3.pooled(groups), b3.macro(groups), boundary.pooled(exact), boundary.pooled(near))
    for ours, theirs in zip(found[:4], wanted, strict=True):
        assert same(ours.precision, theirs.precision)
        assert same(ours.recall, theirs.recall)
        assert same(ours.f1, theirs.f1)
    assert same(found.exact_macro, boundary.macro(exact).f1)
    assert same(found.near_macro, boundary.macro(near).f1)


def test_nothing_has_no_figures() -> None:
    nothing = b3.pooled([])
    assert figures(total([])) == Figures(nothing, nothing, nothing, nothing, None, None)
    assert total([tally("", "")]) == Tally(*[0] * len(Tally._fields))


def test_weights_count_a_session_so_often() -> None:
    one, other = tally("aab", "xyy"), tally("ab", "xx")
    assert total([one, other], [2, 1]) == pytest.approx(total([one, one, other]))
    with pytest.raises(UsageError, match="1 weights for 2 sessions"):
        total([one, other], [1])


def test_an_average_of_draws_counts_as_one_session() -> None:
    found = average([tally("aa", "xx"), tally("ab", "xx"), tally("ab", "xx")])
    assert (found.sessions, found.operations) == (1, 2)
    assert found.recall == pytest.approx((2 + 1 + 1) / 3)
    with pytest.raises(UsageError, match="at least one draw"):
        average([])


def test_resamples_come_again_by_their_seed() -> None:
    assert resamples(5, 20, seed=3) == resamples(5, 20, seed=3) != resamples(5, 20, seed=4)
    assert all(sum(row) == 5 and min(row) >= 0 for row in resamples(5, 20))
    assert resamples(0, 2) == [[], []]


def test_resamples_draw_every_session_alike() -> None:
    drawn = resamples(4, 2_000, seed=1)
    shares = [sum(row[place] for row in drawn) / 8_000 for place in range(4)]
    assert shares == [pytest.approx(0.25, abs=0.02)] * 4
    # all different about 4! / 4^4 of the time
    assert sum(max(row) == 1 for row in drawn) / 2_000 == pytest.approx(24 / 256, abs=0.02)


def test_quantiles_by_hand() -> None:
    assert [quantile([1, 2, 4, 8], share) for share in (0, 0.5, 1, 1 / 6)] == pytest.approx([1, 3, 8, 1.5])
    assert quantile([7], 0.3) == 7
    for values, share in (([], 0.5), ([1.0], 1.5)):
        with pytest.raises(UsageError):
            quantile(values, share)


def test_an_interval_leaves_out_what_is_not_known() -> None:
    assert interval([None, 3.0, None, 1.0], level=1) == Interval(1.0, 3.0)
    assert interval([None]) is None


def sets(kind: str) -> list[Tally]:
    """Thirty sessions of two stages under a better and a worse method."""
    return [
        tally("a" * (4 if kind == "good" and i % 3 else 2) + "b" * (6 if kind == "good" and i % 3 else 8),
              "x" * 4 + "y" * 6)
        for i in range(30)
    ]  # fmt: skip


def test_an_assessment_holds_its_figure_and_comes_again() -> None:
    drawn = resamples(30, 200, seed=5)
    found = assess(Sample(sets("good"), drawn))
    assert found == assess(Sample(sets("good"), resamples(30, 200, seed=5)))
    for bounds, value in (
        (found.b3, found.figures.b3.f1),
        (found.b3_macro, found.figures.b3_macro.f1),
        (found.exact, found.figures.exact.f1),
        (found.near, found.figures.near.f1),
    ):
        assert bounds is not None
        assert value is not None
        assert 0 <= bounds.low <= value <= bounds.high <= 1
    assert found.figures.exact.f1 == pytest.approx(2 / 3)


def test_a_lift_is_paired() -> None:
    drawn = resamples(30, 300, seed=2)
    good, bad = Sample(sets("good"), drawn), Sample(sets("bad"), drawn)
    found = lift(good, bad, boundary_f1)
    assert found.value == pytest.approx(2 / 3)
    assert found.interval is not None
    assert 0 < found.interval.low < found.value < found.interval.high
    assert found.p == pytest.approx(1 / 301)
    none = lift(good, good)
    assert none == (0.0, Interval(0.0, 0.0), 1.0)
    other = lift(bad, good, boundary_f1)
    assert (other.value, other.p) == (pytest.approx(-2 / 3), found.p)


def test_an_exchange_counts_the_observed_order() -> None:
    one, other = [tally("ab", "xy"), tally("ab", "xx")], [tally("aa", "xy"), tally("aa", "xx")]
    # the second session is the same under both, so every exchange leaves a gap of one
    p = exchange(one, other, lambda sums: sums.precision, times=4_000, seed=1)
    assert p == pytest.approx(1.0)
    # of the eight exchanges of three sessions two are as far apart as the observed order
    p = exchange([one[0]] * 3, [other[0]] * 3, lambda sums: sums.precision, times=4_000, seed=1)
    assert p == pytest.approx(2 / 8, abs=0.03)
    assert exchange([], [], b3_f1) is None
    with pytest.raises(UsageError, match="2 sessions beside 1"):
        exchange(one, other[:1], b3_f1)


@given(st.lists(st.integers(0, 3), max_size=20), st.integers(0, 5))
def test_shuffled_groups_keep_their_lengths(labels: list[int], seed: int) -> None:
    dealt = shuffled(labels, random.Random(seed))
    assert dealt == shuffled(labels, random.Random(seed))
    assert len(dealt) == len(labels)
    places = [0, *cuts(labels), len(labels)]
    lengths = sorted(stop - start for start, stop in pairwise(places))
    assert sorted(dealt.count(group) for group in set(dealt)) == [length for length in lengths if length]


def test_scattered_cuts_have_their_rate() -> None:
    held = scattered(20_000, 0.2, random.Random(1))
    assert len(cuts(held)) / 19_999 == pytest.approx(0.2, abs=0.01)
    assert scattered(4, 0, random.Random(1)) == [0] * 4
    with pytest.raises(UsageError, match=r"not at 1\.5"):
        scattered(3, 1.5, random.Random(1))


def test_the_best_window_is_found() -> None:
    truth = ["aaabbbccc", "aaabbb"]
    assert best_window(truth) == best_window(truth, boundary_f1) == 3
    assert figures(total(window_tallies(truth, 3))).b3.f1 == pytest.approx(1)
    # without a true cut all windows but the whole session are wrong; of equals the smallest
    assert best_window(["aaaa"]) == 4
    with pytest.raises(UsageError, match="a size to choose from"):
        best_window(truth, sizes=())
