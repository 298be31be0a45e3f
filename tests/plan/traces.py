"""Small traces of plan events, written as a line of words a step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import PlanCheck, SessionPlan
from tracelode.plan.checks import check
from tracelode.plan.metrics import measure
from tracelode.plan.read import load
from tracelode.plan.sequence import ordered
from tracelode.signals.plan.lines import read_row

WORDS = {"start": "running", "ok": "succeeded", "bad": "failed"}


def row(place: int, event_type: str, node: str, status: str, **more: Any) -> dict[str, Any]:
    """One event, a minute after the one before."""
    return {
        "session_id": "s", "event_id": f"e{place:03}",
        "timestamp": f"2026-03-02T{9 + place // 60:02}:{place % 60:02}:00.000000Z",
        "actor": "agent", "event_type": event_type, "node_id": node, "parent_node_id": None, "status": status,
        "payload": {}, **more,
    }  # fmt: skip


def steps(text: str) -> list[dict[str, Any]]:
    """Events of steps such as "plan A; plan B < A; start A; ok A; human review A"."""
    found = []
    for place, step in enumerate(part.strip() for part in text.split(";") if part.strip()):
        words = step.split()
        more: dict[str, Any] = {}
        if words[0] == "human":
            more["actor"], words = "human", words[1:]
        if "<" in words:
            more["depends_on"] = words[words.index("<") + 1].split(",")
        node = words[1]
        if words[0] == "plan":
            found.append(row(place, "plan", node, "planned", **more))
        elif words[0] in WORDS:
            found.append(row(place, "execute", node, WORDS[words[0]], **more))
        elif words[0] == "review":
            found.append(row(place, "review", node, "updated", **more))
        elif words[0] == "complete":
            found.append(row(place, "complete", node, "succeeded", **more))
        else:
            found.append(row(place, "revise", node, "updated", payload={"op": words[0]}, **more))
    return found


def events(rows: Iterable[dict[str, Any]]) -> list[PlanEvent]:
    """The events of rows, which must all be ones."""
    readings = [read_row(one, place + 1, "trace.jsonl") for place, one in enumerate(rows)]
    found = [reading.event for reading in readings if reading.event is not None]
    assert len(found) == len(readings)
    return found


def measured(rows: Iterable[dict[str, Any]], **how: Any) -> SessionPlan:
    """The metrics of rows of one session."""
    return measure(ordered(events(rows)), **how)


def written(folder: Path, rows: Iterable[dict[str, Any] | str], name: str = "trace.jsonl") -> Path:
    """A file of rows and of lines as they are."""
    path = folder / name
    lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def checked(folder: Path, rows: Iterable[dict[str, Any] | str], **how: Any) -> PlanCheck:
    """What is off in rows."""
    return check(load([written(folder, rows)]), **how)


def codes(found: PlanCheck) -> set[str]:
    """Codes of a check's findings."""
    return {one.code for one in found.findings}
