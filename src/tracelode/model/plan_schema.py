"""Which lines are plan events? The JSON Schema of the published form: one JSON object a line."""

from __future__ import annotations

from typing import Any

from tracelode.model.plan import DECISIONS, OPS, REQUIRED, SCHEMA_VERSION, STATUSES

TIMESTAMP = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"
"""Fixed precision: the order of texts is the order of moments."""
DESCRIPTION = 2_000
"""Characters of payload.description at most."""
SUMMARY = 500
"""Characters of payload.input_summary and result_summary at most."""
NAME = 200
"""Characters of an id at most."""

ACTORS = ("human", "agent", "system")
EVIDENCE = ("declared", "human", "observed", "inferred")
OPTIONAL: tuple[str, ...] = (
    "schema", "seq", "writer", "task_id", "actor_id", "depends_on", "evidence", "source",
)  # fmt: skip
"""Fields that an event may have beside the required ones."""


def _name(*, empty: bool = False) -> dict[str, Any]:
    return {"type": "string", "minLength": 0 if empty else 1, "maxLength": NAME}


def _status_rule(event_type: str) -> dict[str, Any]:
    return {
        "if": {"properties": {"event_type": {"const": event_type}}, "required": ["event_type"]},
        "then": {"properties": {"status": {"enum": list(STATUSES[event_type])}}},
    }


def schema() -> dict[str, Any]:
    """The schema of one line.

    Returns:
        JSON Schema 2020-12; closed at the top, open in payload.

    Source:
        plan rules, section 5.1.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "plan event",
        "type": "object",
        "required": list(REQUIRED),
        "additionalProperties": False,
        "properties": {
            "session_id": _name(),
            "event_id": _name(),
            "timestamp": {"type": "string", "pattern": TIMESTAMP},
            "actor": {"enum": list(ACTORS)},
            "event_type": {"enum": list(STATUSES)},
            "node_id": _name(),
            "parent_node_id": {"anyOf": [_name(), {"type": "null"}]},
            "status": {"enum": list(STATUSES["review"])},
            "payload": _payload(),
            "schema": {"const": SCHEMA_VERSION},
            "seq": {"type": "integer", "minimum": 0},
            "writer": _name(empty=True),
            "task_id": _name(),
            "actor_id": _name(),
            "depends_on": {"type": "array", "items": _name()},
            "evidence": {"enum": list(EVIDENCE)},
            "source": {
                "type": "object",
                "properties": {
                    "adapter": {"type": "string"},
                    "file": {"type": "string"},
                    "line": {"type": "integer", "minimum": 0},
                    "ref": {"type": "string"},
                },
            },
        },
        "allOf": [*map(_status_rule, STATUSES), _CHANGE_RULE],
    }


_CHANGE_RULE: dict[str, Any] = {
    "if": {"properties": {"event_type": {"const": "revise"}}, "required": ["event_type"]},
    "then": {"properties": {"payload": {"required": ["op"]}}},
}


def _payload() -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "type": "object",
        "properties": {
            "op": {"enum": list(OPS)},
            "decision": {"enum": list(DECISIONS)},
            "description": {**text, "maxLength": DESCRIPTION},
            "reason": text,
            "order": {"type": "array", "items": _name()},
            "plan_epoch": {"type": "integer", "minimum": 0},
            "attempt": {"type": "integer", "minimum": 1},
            "diff": {"type": "object", "required": ["before", "after"]},
            "tool": text,
            "input_summary": {**text, "maxLength": SUMMARY},
            "result_summary": {**text, "maxLength": SUMMARY},
            "measures": {"type": "object", "additionalProperties": {"type": "number"}},
        },
    }
