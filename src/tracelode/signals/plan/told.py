"""How does an event that was recorded as one get into the store and out again? Redacted, and as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from tracelode.model.operation import Operation
from tracelode.model.plan import DECISIONS, OPS, STATUSES, PlanEvent
from tracelode.model.plan_schema import ACTORS, DESCRIPTION, EVIDENCE, NAME, SUMMARY
from tracelode.signals.plan.kept import FIELD, unpacked

Start: TypeAlias = Callable[[str, int], str]
"""Gives the first characters of a redacted text, in every mode."""
Text: TypeAlias = Callable[[str], str]
"""Gives a redacted text; "" where texts are not kept."""

KEYS = 60
"""Keys kept of an object of a payload."""
DEPTH = 4
"""Levels kept of a payload."""
_BOUNDS = {"description": DESCRIPTION}
_IDS = frozenset({"order", "in_session", "plan_hash"})
_NAMES = ("event_id", "node_id", "parent_node_id", "task_id", "actor_id", "writer")
_MARKS = '"event":{'


def event_again(row: dict[str, Any], start: Start, text: Text) -> dict[str, Any]:
    """An event past the redactor.

    Args:
        row: its published form, without session, moment and place.
        start: the redactor's start().
        text: the redactor's text().

    Returns:
        The same with closed words checked, ids and texts redacted and bounded; where texts are not kept,
        only ids, closed words and numbers.
    """
    made: dict[str, Any] = {
        key: start(row[key], NAME) for key in _NAMES if isinstance(row.get(key), str) and row[key]
    }
    for key, words in (("actor", ACTORS), ("event_type", tuple(STATUSES)), ("evidence", EVIDENCE),
                       ("status", STATUSES["review"])):  # fmt: skip
        if isinstance(row.get(key), str) and row[key] in words:
            made[key] = row[key]
    if isinstance(row.get("seq"), int):
        made["seq"] = row["seq"]
    after = row.get("depends_on")
    if isinstance(after, list):
        made["depends_on"] = [start(name, NAME) for name in after if isinstance(name, str)]
    payload = row.get("payload")
    made["payload"] = _object(payload, start, text, 0) if isinstance(payload, dict) else {}
    return made


def _object(given: dict[str, Any], start: Start, text: Text, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in list(given.items())[:KEYS]:
        closed = {"op": OPS, "decision": DECISIONS}.get(key) if not depth else None
        if closed is not None and value in closed:
            made[key] = value
            continue
        name = start(key, 80)
        kept = _value(key, value, start, text, depth)
        if kept is not None and name:
            made[name] = kept
    return made


def _value(key: str, value: Any, start: Start, text: Text, depth: int) -> Any:
    if isinstance(value, str):
        if key in _IDS:
            return start(value, NAME)
        return text(start(value, _BOUNDS.get(key, SUMMARY))) or None
    if isinstance(value, bool | int | float) or value is None:
        return value
    if depth >= DEPTH:
        return None
    if isinstance(value, list):
        parts = [_value(key, item, start, text, depth + 1) for item in value[:200]]
        return [part for part in parts if part is not None]
    return _object(value, start, text, depth + 1) if isinstance(value, dict) else None


def told_event(operation: Operation) -> PlanEvent | None:
    """The event that an operation was recorded as.

    Args:
        operation: a stored operation.

    Returns:
        The event, None where it was not recorded as one.
    """
    field = operation.fields.get(FIELD, "")
    if _MARKS not in field or operation.inherited:
        return None
    row = unpacked(field).event
    event_type, status = row.get("event_type"), row.get("status")
    if event_type not in STATUSES or not isinstance(status, str):
        return None
    return PlanEvent(
        session_id=operation.session,
        event_id=row.get("event_id") or operation.id,
        timestamp=operation.started,
        actor=row.get("actor", "system"),
        event_type=event_type,
        node_id=row.get("node_id", ""),
        parent_node_id=row.get("parent_node_id"),
        status=status,  # type: ignore[arg-type]
        payload=row.get("payload", {}),
        seq=row.get("seq", 0),
        writer=row.get("writer", ""),
        task_id=row.get("task_id"),
        actor_id=row.get("actor_id"),
        depends_on=tuple(row.get("depends_on", ())),
        evidence=row.get("evidence", "declared"),
        source=operation.origin,
    )
