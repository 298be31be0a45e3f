"""Is deviation counted as the rules say? The second worked example, dependencies, and what explains it."""

from __future__ import annotations

import pytest

from plan.traces import measured, steps

PLAN = "plan A; plan B; plan C; plan D; "
EXAMPLE = PLAN + "start B; ok B; start A; ok A; start A; ok A; start D; ok D; start E; ok E"


def test_the_second_worked_example() -> None:
    one = measured(steps(EXAMPLE))
    figures = {m.name: m for m in one.metrics}
    assert (figures["deviation"].numerator, figures["deviation"].denominator) == (3, 5)
    assert [figures[n].numerator for n in ("displaced", "repeated", "unplanned")] == [1, 1, 1]
    assert figures["kendall_distance"].value == pytest.approx(1 / 3)
    assert (figures["alignment_cost"].value, figures["log_moves"].value) == (5, 3)
    assert figures["model_moves"].value == 2
    assert figures["alignment_fitness"].value == pytest.approx(0.444, abs=0.0005)
    assert figures["order_only"].numerator == 1


def test_dependencies_replace_the_order_of_the_list() -> None:
    plan = "plan A; plan B < A; plan C < A; plan D < B,C; "
    bad = measured(steps(plan + "start B; ok B; start A; ok A; start A; ok A; start D; ok D; start E; ok E"))
    assert bad.metric("precedence_violations").numerator == 1
    good = measured(steps(plan + "start A; ok A; start C; ok C; start B; ok B; start D; ok D"))
    assert good.metric("displaced").numerator == 1
    assert good.metric("precedence_violations").numerator == 0
    assert good.metric("deviation").value == 0


def test_a_review_explains_a_start() -> None:
    # of two starts that changed places the first one is displaced
    told = measured(steps("plan A; plan B; human review B; start B; ok B; start A; ok A"))
    assert told.metric("displaced").events == ("e003",)
    assert told.metric("deviation_explained").value == 1
    silent = measured(steps("plan A; start A; ok A; start A; ok A"))
    assert silent.metric("deviation_explained").value == 0
    failed = measured(steps("plan A; start A; bad A; start A; ok A"))
    assert failed.metric("deviation_explained").value == 1


def test_a_list_put_into_another_order_before_work() -> None:
    rows = steps("plan A; plan B; reorder A; start B; ok B; start A; ok A")
    rows[2]["payload"]["diff"] = {"before": ["A", "B"], "after": ["B", "A"]}
    assert measured(rows).metric("displaced").numerator == 0


def test_parents_are_order_only_in_a_chain_or_where_it_is_said() -> None:
    rows = steps("plan A; plan B; start B; ok B; start A; ok A")
    rows[1]["parent_node_id"] = "A"
    assert measured(rows).metric("deviation_seed").value is None
    assert measured(rows, chained=True).metric("deviation_seed").value == 0.5


def test_without_a_plan_nothing_is_zero() -> None:
    one = measured(steps("start A; ok A"))
    for name in ("node_count", "coverage", "coverage_seed", "completion", "deviation", "kendall_distance"):
        assert one.metric(name).value is None, name
        assert one.metric(name).reason


@pytest.mark.parametrize("payload", [{}, {"tool": "sh"}, {"tool": "sh", "input_summary": "make"}])
def test_starts_that_no_end_follows_are_starts_all_the_same(payload: dict[str, str]) -> None:
    rows = steps(PLAN + "start B; start A; start A; start D; start E")
    for one in rows[4:]:
        one["payload"] = dict(payload)
    found = measured(rows)
    figures = [found.metric(n).numerator for n in ("displaced", "repeated", "unplanned")]
    assert figures == [1, 1, 1]
    assert found.metric("deviation").denominator == 5
    assert found.metric("completion").value == 0, "a start is no result"
    assert not found.rollbacks, "what never succeeded is not repeated"


def test_a_result_inside_an_attempt_is_no_start() -> None:
    for payload in ({"tool": "sh", "result_summary": "3 rows"}, {"measures": {"rows": 3}},
                    {"tool": "sh", "attempt": 1}):  # fmt: skip
        rows = steps("plan A; start A; start A; ok A")
        rows[1]["payload"], rows[2]["payload"] = {"tool": "sh", "input_summary": "a"}, payload
        assert measured(rows).metric("repeated").denominator == 1, payload


def test_a_result_on_a_node_nobody_started_is_an_implied_start() -> None:
    rows = steps("plan A; start A; ok A")
    rows[1]["payload"] = {"tool": "sh", "result_summary": "3 rows"}
    found = measured(rows)
    assert found.metric("coverage").value == 1
    assert found.metric("node_duration").value is None
    assert "1 implied left out" in found.metric("node_duration").reason


def test_a_call_that_start_and_end_both_name_is_one() -> None:
    rows = steps("plan A; start A; ok A")
    rows[1]["payload"] = {"tool": "sh", "input_summary": "make"}
    rows[2]["payload"] = {"tool": "sh", "result_summary": "done"}
    assert measured(rows).metric("work_in_plan").denominator == 1
