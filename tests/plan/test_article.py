"""Does the article's own trace give its table, in both readings, and the findings on its record?"""

from __future__ import annotations

from pathlib import Path

import pytest

from plan.article import rows
from plan.traces import checked, measured

TABLE = (
    ("node_count_seed", 6, None, 6),
    ("node_count", 5, None, 5),
    ("nodes_initial", 4, None, 4),
    ("nodes_added", 1, None, 1),
    ("coverage_seed", 5, 6, 0.833),
    ("coverage", 5, 5, 1.0),
    ("coverage_initial", 4, 4, 1.0),
    ("completion", 5, 5, 1.0),
    ("deviation_seed", 0, 12, 0.0),
    ("deviation", 2, 6, 0.333),
    ("displaced", 0, 6, 0.0),
    ("unplanned", 1, 6, 0.167),
    ("repeated", 1, 6, 0.167),
    ("deviation_explained", 1, 2, 0.5),
    ("kendall_distance", 0, 6, 0.0),
    ("alignment_cost", 2, None, 2),
    ("alignment_fitness", 8, 10, 0.8),
    ("human_rate_seed", 3, 21, 0.143),
    ("human_rate", 2, 20, 0.1),
    ("human_pre", 1, 2, 0.5),
    ("human_mid", 1, 2, 0.5),
    ("node_duration_seed", 360.0, 5, 72.0),
    ("node_duration", 360.0, 5, 72.0),
    ("attempt_duration", 360.0, 6, 60.0),
    ("rollback_rate_seed", 1, 12, 0.083),
    ("rollback_rate", 1, 6, 0.167),
    ("rollback_cost", 60.0, 360.0, 0.167),
    ("detection_delay", 60.0, 1, 60.0),
)


@pytest.mark.parametrize(("name", "numerator", "denominator", "value"), TABLE)
def test_the_table(name: str, numerator: float, denominator: float | None, value: float) -> None:
    found = measured(rows()).metric(name)
    assert (found.numerator, found.denominator) == (numerator, denominator)
    assert found.value == pytest.approx(value, abs=0.0005)


def test_what_is_counted() -> None:
    one = measured(rows())
    assert one.counts == {"plan": 6, "execute": 12, "review": 2, "revise": 0, "complete": 1}
    assert one.actors == {"agent": 17, "human": 3, "system": 1}
    assert [(n.id, n.time) for n in one.nodes if n.id == "plan_2"] == [("plan_2", 120_000_000)]


def test_the_one_rollback() -> None:
    (back,) = measured(rows()).rollbacks
    assert (back.event_id, back.to_node, back.detectors) == ("e12", "plan_2", ("D1",))
    assert (back.trigger, back.initiator, back.corrected, back.diff) == ("e11", "human", True, False)
    assert (back.cost, back.delay) == (60_000_000, 60_000_000)


def test_people_before_and_during_work() -> None:
    found = [(i.event_id, i.position, i.decision, i.corrective) for i in measured(rows()).interventions]
    assert found == [
        ("e01", "pre", "goal", False),
        ("e06", "pre", "constraint", False),
        ("e11", "mid", "request_changes", True),
    ]


def test_nothing_observed_is_no_figure() -> None:
    for name in ("work_in_plan", "supported_completion", "observed_rework", "rollback_D6"):
        found = measured(rows()).metric(name)
        assert found.value is None
        assert found.reason


def test_the_findings(tmp_path: Path) -> None:
    found = checked(tmp_path, rows())
    told = {(f.code, f.severity): (f.count, f.examples) for f in found.findings}
    assert told == {
        ("PT002", "warning"): (1, ()),
        ("PT031", "warning"): (3, ("e03", "e04", "e05")),
        ("PT032", "info"): (3, ("e01", "e02", "e18")),
        ("PT062", "info"): (1, ()),
        ("PT080", "error"): (2, ("e06", "e11")),
        ("PT090", "warning"): (6, ("e08", "e10", "e13", "e15", "e17")),
    }
    (never,) = [f for f in found.findings if f.code == "PT002"]
    assert "revise" in never.message


def test_the_checklist(tmp_path: Path) -> None:
    found = checked(tmp_path, rows())
    assert len(found.checklist) == 11
    assert [c.item for c in found.checklist if c.passed is False] == [1, 8, 9]
    assert [c.item for c in found.checklist if c.passed is None] == [7]
    assert [t.name for t in found.troubles if t.seen] == ["no access to reasoning"]


def test_figures_name_their_events() -> None:
    one = measured(rows())
    assert one.metric("human_rate").events == ("e06", "e11")
    assert one.metric("unplanned").events == ("e19",)
    assert one.metric("repeated").events == ("e12",)
    assert one.metric("rollback_rate").evidence == {"declared": 6}
    assert sum(1 for row in one.rows() if row["name"] == "coverage") == 1
