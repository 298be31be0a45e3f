"""Are differences what a hand reckons, whatever the order of runs, and the same with the sets swapped?"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelode.errors import QueryError, UsageError
from tracelode.model.difference import Difference, bound_text, each_text
from tracelode.profile.diff import difference
from tracelode.profile.pairs import Run, weigh

A, B, C = ("fix", "Bash"), ("fix", "Edit"), ("test",)

runs = st.lists(
    st.builds(
        Run,
        root=st.uuids().map(str),
        task=st.sampled_from([None, "t1", "t2", "t3", "t4", "t5", "t6"]),
        stacks=st.dictionaries(st.sampled_from([A, B, C]), st.integers(0, 10**15), max_size=3),
    ),
    max_size=8,
)


def diff(base: list[Run], other: list[Run], **more: object) -> Difference:
    return difference(base, other, **{"measure": "calls", "least": (1, 1), **more})  # type: ignore[arg-type]


def values(found: Difference) -> dict[tuple[str, ...], tuple[Fraction, Fraction]]:
    return {
        row.stack: (Fraction(row.base, found.scale), Fraction(row.other, found.scale)) for row in found.rows
    }


BASE = [
    Run("a", "t1", {A: 6, C: 2}),
    Run("b", "t1", {A: 2}),
    Run("c", "t2", {B: 10}),
    Run("d", "t9", {A: 1_000}),
    Run("e", None, {A: 1_000}),
]
OTHER = [
    Run("f", "t1", {A: 9}),
    Run("g", "t2", {B: 1}),
    Run("h", "t2", {B: 2, C: 3}),
    Run("i", "t2", {}),
]


def test_each_task_weighs_one() -> None:
    found = diff(BASE, OTHER)
    # t1: base (6 + 2) / 2, other 9; t2: base 10, other (1 + 2 + 0) / 3; both over two tasks
    assert values(found) == {
        A: (Fraction(4, 2), Fraction(9, 2)),
        B: (Fraction(10, 2), Fraction(1, 2)),
        C: (Fraction(1, 2), Fraction(1, 2)),
    }
    assert (found.tasks, found.pairs, found.sessions) == (2, 2 + 3, (3, 4))
    assert dict(found.left_out) == {"without a task": 1, "of tasks on one side only": 1}


def test_per_session_and_in_total() -> None:
    mean = diff(BASE, OTHER, per="session")
    assert values(mean)[A] == (Fraction(2_008, 5), Fraction(9, 4))
    assert (mean.sessions, mean.left_out) == ((5, 4), ())
    total = diff(BASE, OTHER, per="total")
    assert values(total)[A] == (2_008, 9)
    assert (total.scale, total.weight) == (1, 1)


def test_files_sum_to_the_tasks() -> None:
    found = diff(BASE, OTHER)
    bases, others = found.integers()
    assert dict(zip([row.stack for row in found.rows], zip(bases, others, strict=True), strict=True)) == {
        A: (4, 9), B: (10, 1), C: (1, 1),
    }  # fmt: skip
    profile = found.signed()
    assert profile.totals == {A: (5,), B: (-9,), C: (0,)}
    assert {s.labels for s in profile.samples if s.totals[0] < 0} == {(("pprof::base", "true"),)}


def test_support_counts_sessions_and_tasks_of_every_frame() -> None:
    found = diff(BASE, OTHER, least=(3, 2))
    shown = found.support[("fix",)]
    assert (shown.base, shown.other, shown.tasks) == (3, 3, 2)
    assert (found.support[A].sessions, found.support[A].tasks) == (3, 1)
    assert found.supported(("fix",))
    assert not found.supported(A)
    assert not found.supported(("nothing",))
    # what is too thinly supported comes after what is not
    assert [found.supported(row.stack) for row in found.rows] == [False, False, False]


def test_supported_rows_come_first() -> None:
    base = [Run(f"a{i}", f"t{i}", {A: 1}) for i in range(3)]
    other = [Run(f"b{i}", f"t{i}", {A: 2, **({C: 500} if not i else {})}) for i in range(3)]
    found = diff(base, other, least=(3, 2))
    assert [row.stack for row in found.rows] == [A, C]


def test_intervals_hold_constant_gaps_and_need_five_tasks() -> None:
    base = [Run(f"a{i}", f"t{i}", {A: i}) for i in range(5)]
    other = [Run(f"b{i}", f"t{i}", {A: i + 7}) for i in range(5)]
    found = diff(base, other)
    assert found.interval == pytest.approx((7.0, 7.0))
    assert (found.rows[0].low, found.rows[0].high) == pytest.approx((7.0, 7.0))
    assert diff(base[:4], other[:4]).interval is None
    assert diff(base, other, headline=0).rows[0].low is None


def test_per_session_intervals_resample_sessions_without_tasks() -> None:
    base = [Run(f"a{i}", None, {A: 10}) for i in range(6)]
    other = [Run(f"b{i}", None, {A: 30}) for i in range(6)]
    found = diff(base, other, per="session")
    assert found.interval == pytest.approx((20.0, 20.0))
    assert found.tasks == 12


def test_what_one_side_has_alone() -> None:
    found = diff(BASE, [Run("f", "t1", {C: 9}), Run("g", "t2", {B: 10})])
    assert {row.stack: row.only for row in found.rows} == {A: "base", B: None, C: None}


@pytest.mark.parametrize(
    ("base", "other", "least", "words"),
    [
        ([], OTHER, 1, "no session matches"),
        (BASE, [], 1, "no session matches"),
        ([Run("a", None, {})], [Run("b", None, {})], 1, "none of the sessions has a task"),
        ([Run("a", "x", {})], [Run("b", "y", {})], 1, "no two sessions share a task across the sets"),
        ([Run("a", "x", {})], [Run("b", "x", {})], 2, "only 1 task has sessions on both sides, 2 are needed"),
    ],
)
def test_no_pairs_is_said(base: list[Run], other: list[Run], least: int, words: str) -> None:
    with pytest.raises(QueryError, match=words):
        diff(base, other, least=(1, least), names=("succeeded", "failed"))


def test_an_unknown_per() -> None:
    with pytest.raises(UsageError, match="per task, session, total"):
        weigh([], [], "week")


@settings(deadline=None)
@given(runs, runs, st.sampled_from(["task", "session", "total"]))
def test_swapped_sets_change_the_sign_and_nothing_else(base: list[Run], other: list[Run], per: str) -> None:
    try:
        one, two = diff(base, other, per=per), diff(other, base, per=per)
    except QueryError:
        return
    assert {row.stack: row.net for row in one.rows} == {row.stack: -row.net for row in two.rows}
    assert {row.stack: row.width for row in one.rows} == {row.stack: row.width for row in two.rows}
    assert one.scale == two.scale
    assert one.weight == two.weight
    ours, theirs = one.signed().totals, two.signed().totals
    assert ours == {stack: (-values[0],) for stack, values in theirs.items()}
    if one.interval and two.interval:
        assert one.interval == pytest.approx((-two.interval[1], -two.interval[0]))


@settings(deadline=None)
@given(runs, runs, st.sampled_from(["task", "session", "total"]))
def test_each_side_reconciles_with_its_runs(base: list[Run], other: list[Run], per: str) -> None:
    try:
        found = diff(base, other, per=per, headline=0)
    except QueryError:
        return
    weights = weigh([r.task for r in base], [r.task for r in other], per)
    for side, held, total, whole in zip(
        (base, other), (weights.base, weights.other), found.totals, found.integers(), strict=True
    ):
        assert total == sum(w * sum(r.stacks.values()) for r, w in zip(side, held, strict=True))
        exact = Fraction(total * found.weight, found.scale)
        assert abs(sum(whole) - exact) <= Fraction(1, 2)
        if per == "task" or (per == "session" and base and other):
            assert sum(held) == weights.scale


@settings(deadline=None)
@given(runs, runs, st.randoms(use_true_random=False))
def test_order_does_not_matter(base: list[Run], other: list[Run], chance: object) -> None:
    mixed = [list(side) for side in (base, other)]
    for side in mixed:
        chance.shuffle(side)  # type: ignore[attr-defined]
    try:
        one = diff(base, other)
    except QueryError:
        return
    two = diff(mixed[0], mixed[1])
    assert (one.rows, one.support) == (two.rows, two.support)


@pytest.mark.parametrize(
    ("measure", "value", "divisor", "text"),
    [
        ("calls", 7, 2, "+3.5"),
        ("calls", -700, 2, "-350"),
        ("calls", 0, 3, "0.0"),
        ("cost", 3 * 10**12, 2, "+$1.50"),
        ("tokens", 1, 3, "0"),
        ("time.tool", -120_000_000, 1, "-2 min"),
    ],
)
def test_signed_texts(measure: str, value: int, divisor: int, text: str) -> None:
    assert each_text(measure, value, divisor, sign=True) == text
    assert bound_text("tokens", -2_000.0) == "-2k"
