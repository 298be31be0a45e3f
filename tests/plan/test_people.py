"""Where and how do people step in? Decisions before, during and after work, with what they correct."""

from __future__ import annotations

from typing import Any

from plan.traces import measured, row, steps
from tracelode.plan.metrics.pooled import report


def said(place: int, decision: str, node: str = "A") -> dict[str, Any]:
    """A person's review."""
    return row(place, "review", node, "updated", actor="human", payload={"decision": decision})


def rows() -> list[dict[str, Any]]:
    """Goal, plan, an approval, work with a denial, a remark afterwards."""
    made = steps(
        "plan goal; plan A; plan B; plan X; start A; plan X; ok A; plan X; start B; ok B; plan X; "
        "complete goal"
    )
    made[0] |= {"actor": "human", "payload": {"op": "goal"}}
    for place, decision in ((3, "approve"), (5, "deny_tool"), (7, "prompt"), (10, "note")):
        made[place] = said(place, decision)
    return made


def test_what_is_decided_and_when() -> None:
    found = report([measured(rows()), measured([{**r, "session_id": "t"} for r in rows()])])
    told = {p.decision: (p.pre, p.mid, p.post, p.unknown, p.corrective) for p in found.people}
    assert told == {
        "approve": (2, 0, 0, 0, 0),
        "deny_tool": (0, 2, 0, 0, 2),
        "prompt": (0, 2, 0, 0, 2),
        "note": (0, 0, 2, 0, 0),
    }


def test_planning_and_correcting() -> None:
    one = measured(rows())
    assert (one.metric("planning").numerator, one.metric("planning").denominator) == (1, 4)
    assert (one.metric("corrective").numerator, one.metric("corrective").denominator) == (2, 4)
    assert one.metric("human_rate").denominator == one.metric("human_rate_seed").denominator - 1
    delays = [i.delay for i in one.interventions if i.decision == "prompt"]
    assert delays == [60_000_000], "from the end of the node it corrects"


def test_quantiles_stay_within_ones_own_history() -> None:
    small = measured(steps("plan A; start A; ok A"))
    large = measured(steps("plan A; plan B; plan C; start A; ok A"))
    pooled = next(p for p in report([small, large]).pooled if p.name == "node_count")
    assert (pooled.low, pooled.high) == (1.2, 2.8)
