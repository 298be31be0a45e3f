"""Does the sweep of our ticks give what runs at once equal shares, and everything else its due?"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tracelode.activities import Activity, Moment, ticks
from tracelode.ingest.timeline import marks_of, pieces_of, sweep

SECOND = 10**6
MEASURE = {"model": "time.model", "tool": "time.tool", "human": "time.blocked"}


def swept(activities: list[Activity], moments: list[Moment] = []) -> Counter[tuple[str, str]]:  # noqa: B006
    """(operation, measure) to microseconds, as ingest has it."""
    names = sorted({a.operation for a in activities} | {m.operation for m in moments if m.operation})
    found = list(ticks(activities, moments))
    assert [t.at for t in found] == sorted(t.at for t in found)
    marks = marks_of(found, {name: i for i, name in enumerate(names)})
    charged: Counter[tuple[str, str]] = Counter()
    for (_, index), times in sweep([pieces_of(marks)]).items():
        for measure, amount in times.items():
            charged[(names[index] if index >= 0 else "", measure)] += amount
    return charged


def test_one_after_another() -> None:
    found = swept([Activity(0, 4, "model", "a"), Activity(4, 9, "tool", "b"), Activity(10, 12, "human", "c")])
    assert found == {
        ("a", "time.model"): 4,
        ("b", "time.tool"): 5,
        ("c", "time.unknown"): 1,
        ("c", "time.blocked"): 2,
    }


def test_a_tool_around_a_call_waits_for_it() -> None:
    found = swept([Activity(0, 10, "tool", "outer"), Activity(2, 8, "model", "inner", around="outer")])
    assert found == {("outer", "time.tool"): 4, ("inner", "time.model"): 6}
    nested = [Activity(0, 10, "tool", "a"), Activity(2, 8, "tool", "b", around="a")]
    assert swept(nested) == {("a", "time.tool"): 4, ("b", "time.tool"): 6}


def test_a_wait_for_a_person_inside_its_tool_is_no_work_of_the_tool() -> None:
    found = swept([Activity(0, 10, "tool", "a"), Activity(1, 7, "human", "a", around="a")])
    assert found == {("a", "time.tool"): 4, ("a", "time.blocked"): 6}


def test_moments_end_what_nothing_fills() -> None:
    moments = [
        Moment(0, "other", None),
        Moment(5, "human", "p"),
        Moment(5, "other", "x"),
        Moment(9, "model", "m"),
    ]
    assert swept([], moments) == {("p", "time.blocked"): 5, ("m", "time.model"): 4}


def test_many_at_once_are_bounded() -> None:
    many = [Activity(i, 10**6, "model", f"m{i:04}") for i in range(2_000)]
    assert sum(1 for _ in ticks(many, [])) < 17 * 2_001
    assert sum(swept(many).values()) == 10**6


@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(1, 60), st.sampled_from(sorted(MEASURE))),
        min_size=1,
        max_size=8,
    )
)
def test_shares_of_what_runs_at_once(given: list[tuple[int, int, str]]) -> None:
    activities = [
        Activity(start * SECOND, (start + length) * SECOND, kind, f"{kind}{number}")
        for number, (start, length, kind) in enumerate(given)
    ]
    wanted: Counter[tuple[str, str]] = Counter()
    borders = sorted({a.start for a in activities} | {a.end for a in activities})
    gap = 0
    for left, right in pairwise(borders):
        active = [a for a in activities if a.start <= left and a.end >= right]
        for a in active:
            wanted[(a.operation, MEASURE[a.kind])] += (right - left) // len(active)
        gap += 0 if active else right - left
    found = swept(activities)
    assert sum(found.values()) == borders[-1] - borders[0]
    assert sum(v for (_, name), v in found.items() if name in ("time.unknown", "time.idle")) == gap
    for key, amount in wanted.items():
        assert abs(found[key] - amount) <= 8 * len(borders), key
