"""Are figures null with a reason where a record is off, instead of wrong?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plan.traces import checked, codes, events, measured, row, steps
from tracelode.model.planning import PlanMetric
from tracelode.plan.circles import circles
from tracelode.plan.life import Story
from tracelode.plan.sequence import ordered

PAIR = "plan A; plan B; start A; ok A; start B; ok B; complete goal"
TOOL = {"tool": "Bash", "input_summary": "ls", "result_summary": "out"}


def figures(rows: list[dict[str, Any]]) -> dict[str, PlanMetric]:
    return {m.name: m for m in measured(rows).metrics}


def test_an_end_before_its_start_is_no_return(tmp_path: Path) -> None:
    rows = steps(PAIR)
    rows[3]["timestamp"] = "2026-03-02T08:00:00.000000Z"
    told = figures(rows)
    assert (told["rollback_rate"].value, told["repeated"].value, told["unplanned"].value) == (0, 0, 0)
    assert told["node_duration"].numerator == 60
    assert "1 of negative length left out" in told["node_duration"].reason
    assert "PT072" in codes(checked(tmp_path, rows))


@pytest.mark.parametrize("order", [slice(None, None, -1), slice(None)])
def test_lines_in_another_order_change_nothing(order: slice, tmp_path: Path) -> None:
    rows = steps(PAIR + "; start A; ok A")
    told, moved = figures(rows), figures(rows[order])
    assert moved == told
    assert "PT072" not in codes(checked(tmp_path, rows[order]))
    shuffled = [rows[i] for i in (7, 3, 2, 8, 0, 1, 5, 4, 6)]
    assert figures(shuffled) == told
    assert "PT072" not in codes(checked(tmp_path, shuffled))


@pytest.mark.parametrize("node", ["unbound", ""])
def test_what_is_outside_of_every_node_is_no_node(node: str) -> None:
    rows = steps(PAIR)
    for place in range(7, 27, 2):
        rows += [row(place, "execute", node, "running", payload={"tool": "Bash"}),
                 row(place + 1, "execute", node, "succeeded", payload=TOOL)]  # fmt: skip
    read = ordered(events(rows)) if node else None
    told = figures(rows)
    assert (told["rollback_rate"].value, told["node_duration"].numerator) == (0, 120)
    assert (told["work_in_plan"].numerator, told["work_in_plan"].denominator) == (0, 10)
    if node:
        assert [told[n].value for n in ("coverage", "deviation", "repeated", "unplanned")] == [1, 0, 0, 0]
        assert read is not None
        assert not Story(read).nodes["unbound"].tries
    else:
        # of 24 execute events 20 name no node
        for name in ("coverage", "completion", "deviation", "repeated", "unplanned"):
            assert told[name].value is None
            assert "name no node" in told[name].reason


def test_plans_without_a_node_are_not_counted() -> None:
    rows = steps(PAIR)
    rows[1]["node_id"] = ""
    told = figures(rows)
    for name in ("node_count", "coverage", "deviation"):
        assert (told[name].value, told[name].reason) == (None, "a plan event names no node")


@pytest.mark.parametrize(
    ("hour", "left"),
    [("08", "2 implied left out; 2 unclosed left out"), ("10", "2 of two clocks that differ left out")],
)
def test_clocks_that_differ_tell_no_order(hour: str, left: str, tmp_path: Path) -> None:
    rows = steps(PAIR)
    for place, one in enumerate(rows):
        one |= {"writer": f"w{place % 2}", "seq": place // 2}
        if place % 2:
            one["timestamp"] = f"2026-03-02T{hour}:{place:02}:00.000000Z"
    told = figures(rows)
    for name in ("deviation", "unplanned", "nodes_initial", "coverage_initial", "rollback_rate"):
        assert told[name].value is None
        assert "clocks of its writers differ" in told[name].reason
    assert (told["coverage"].value, told["node_count"].value) == (1, 2)
    assert (told["node_duration"].value, told["node_duration"].reason) == (None, left)
    assert "PT073" in codes(checked(tmp_path, rows))


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"])
def test_moments_of_no_clock_are_unknown(moment: str, tmp_path: Path) -> None:
    rows = steps(PAIR)
    rows[3]["timestamp"] = moment
    told = figures(rows)
    assert (told["node_duration"].numerator, told["rollback_rate"].value) == (60, 0)
    assert "1 without a moment left out" in told["node_duration"].reason
    assert "PT070" in codes(checked(tmp_path, rows))


def test_the_same_end_once_more_is_no_new_attempt() -> None:
    told = figures(steps("plan A; start A; ok A; ok A"))
    assert (told["repeated"].value, told["rollback_rate"].value) == (0, 0)
    # a failure that became a success was tried again, whatever was told of it
    told = figures(steps("plan A; start A; bad A; ok A"))
    assert (told["repeated"].value, told["rollback_rate"].value) == (0.5, 0)
    told = figures(steps("plan A; start A; ok A; reopen A; ok A"))
    assert told["repeated"].value == 0.5


def test_nodes_on_a_circle_do_not_break_each_others_order() -> None:
    rows = steps("plan A < B; plan B < A; plan C < A; start A; ok A; start B; ok B; start C; ok C")
    told = figures(rows)
    assert (told["deviation"].value, told["precedence_violations"].value) == (0, 0)
    rows = steps("plan A < B; plan B < A; plan C < A; start C; ok C; start A; ok A; start B; ok B")
    assert figures(rows)["precedence_violations"].numerator == 1


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefg"), max_size=4)))
def test_circles_are_where_one_comes_back(before: dict[str, list[str]]) -> None:
    def reached(start: str) -> set[str]:
        found: set[str] = set()
        waiting = list(before.get(start, ()))
        while waiting:
            name = waiting.pop()
            if name in before and name not in found:
                found.add(name)
                waiting += before[name]
        return found

    told = circles(before)
    assert set(told) == {name for name in before if name in reached(name)}
    for one in told:
        for other in told:
            assert (told[one] == told[other]) is (other in reached(one) and one in reached(other))
