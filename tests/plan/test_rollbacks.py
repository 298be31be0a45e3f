"""What is a rollback, and what is only a retry, a check that comes again, or work that moves on?"""

from __future__ import annotations

from plan.traces import events, measured, row, steps
from tracelode.plan.metrics import measure
from tracelode.plan.sequence import ordered
from tracelode.plan.work import Call, Span, Work


def marks(text: str) -> list[tuple[str, str]]:
    return [(b.to_node, "+".join(b.detectors)) for b in measured(steps(text)).rollbacks]


def test_a_retry_after_a_failure_is_none() -> None:
    assert marks("plan A; start A; bad A; start A; ok A") == []


def test_a_repeat_is_one() -> None:
    assert marks("plan A; start A; ok A; start A; ok A") == [("A", "D1")]


def test_a_return_that_is_said_and_then_done_is_one() -> None:
    assert marks("plan A; start A; ok A; reopen A; start A; ok A") == [("A", "D1+D2")]
    assert marks("plan A; start A; ok A; backtrack A") == [("A", "D2")]
    assert marks("plan A; backtrack A; start A; ok A") == []


def test_upstream_after_something_later_began() -> None:
    assert marks("plan A; plan B; start A; bad A; start B; bad B; start A; ok A") == [("A", "D3")]
    assert marks("plan A; plan B; start B; bad B; start A; ok A; start B; ok B") == []
    # dependencies say what lies upstream, not the list
    text = "plan A; plan B; plan C < B; start A; bad A; start C; ok C; start A; ok A"
    assert marks(text) == []


def test_who_and_why() -> None:
    one = measured(steps("plan A; start A; ok A; human review A; start A; ok A"))
    assert one.rollbacks[0].initiator == "human"
    assert measured(steps("plan A; start A; ok A; start A; ok A")).rollbacks[0].initiator == "agent"


def again() -> list[dict[str, object]]:
    rows = steps("plan T; start T; ok T; start T; ok T")
    rows[0]["payload"] = {"description": "Run tests and lint"}
    return rows


def test_a_check_comes_again_only_after_an_edit() -> None:
    listed = ordered(events(again()))
    spans = (
        Span(node="T", start=1, stop=2, implied=False, succeeded=True),
        Span(node="T", start=5, stop=6, implied=False, succeeded=True),
    )
    for writes, count in ((True, 1), (False, 0)):
        work = Work(calls=(Call(id="c", place=3, writes=writes),), spans=spans)
        assert len(measure(listed, work).rollbacks) == count
    blind = measured(again())
    assert not blind.rollbacks
    assert "left out" in blind.metric("rollback_rate").reason


def test_a_tool_call_inside_a_node_is_no_second_start() -> None:
    rows = steps("plan A; start A; ok A")
    rows.insert(2, row(9, "execute", "A", "running", timestamp=rows[1]["timestamp"], payload={"tool": "sh"}))
    one = measured(rows)
    assert one.metric("rollback_rate").denominator == 1
    assert one.metric("work_in_plan").value == 1
    assert one.metric("supported_completion").value == 1
