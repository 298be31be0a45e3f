"""The article's own trace in other words: 21 events, one a minute."""

from __future__ import annotations

from typing import Any

STEPS: tuple[tuple[str, str, str, str | None, str, dict[str, Any]], ...] = (
    ("human", "plan", "task_0", None, "planned", {"description": "classify with AUC of 0.85"}),
    ("agent", "plan", "plan_1", None, "planned", {"description": "look at the data"}),
    ("agent", "plan", "plan_2", "plan_1", "planned", {"description": "fill what is missing"}),
    ("agent", "plan", "plan_3", "plan_2", "planned", {"description": "derive features"}),
    ("agent", "plan", "plan_4", "plan_3", "planned", {"description": "fit a baseline"}),
    ("human", "review", "plan_4", None, "updated", {"description": "logistic regression first"}),
    ("agent", "execute", "plan_1", None, "running", {}),
    ("agent", "execute", "plan_1", None, "succeeded", {"rows": 10000, "missing_rate": 0.2}),
    ("agent", "execute", "plan_2", None, "running", {}),
    ("agent", "execute", "plan_2", None, "succeeded", {"strategy": "median"}),
    ("human", "review", "plan_2", None, "updated", {"description": "a business rule, not the median"}),
    ("agent", "execute", "plan_2", None, "running", {}),
    ("agent", "execute", "plan_2", None, "succeeded", {"strategy": "business_rule"}),
    ("agent", "execute", "plan_3", None, "running", {}),
    ("agent", "execute", "plan_3", None, "succeeded", {}),
    ("agent", "execute", "plan_4", None, "running", {}),
    ("agent", "execute", "plan_4", None, "succeeded", {"model": "logistic", "auc": 0.82}),
    ("agent", "plan", "plan_5", None, "planned", {"description": "try boosted trees"}),
    ("agent", "execute", "plan_5", None, "running", {}),
    ("agent", "execute", "plan_5", None, "succeeded", {"model": "boosted", "auc": 0.86}),
    ("system", "complete", "task_0", None, "succeeded", {"final_auc": 0.86}),
)


def row(place: int, session: str = "ml_project_001") -> dict[str, Any]:
    """One line of it."""
    actor, event_type, node, parent, status, payload = STEPS[place]
    return {
        "session_id": session,
        "event_id": f"e{place + 1:02}",
        "timestamp": f"2026-03-02T09:{place:02}:00.000000Z",
        "actor": actor,
        "event_type": event_type,
        "node_id": node,
        "parent_node_id": parent,
        "status": status,
        "payload": payload,
    }


def rows(session: str = "ml_project_001") -> list[dict[str, Any]]:
    """All of it."""
    return [row(place, session) for place in range(len(STEPS))]


if __name__ == "__main__":
    import json

    for one in rows():
        print(json.dumps(one))
