"""What is one plan event as it is written? Nine fields that are never left out, one JSON object a line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

SCHEMA_VERSION = 1
ACTORS = ("human", "agent", "system")
STATUSES: dict[str, tuple[str, ...]] = {
    "plan": ("planned", "updated"),
    "execute": ("running", "succeeded", "failed"),
    "review": ("planned", "running", "succeeded", "failed", "updated"),
    "revise": ("updated", "planned"),
    "complete": ("succeeded", "failed"),
}
"""Statuses that an event of each type may have."""
OPS = (
    "goal", "create", "add", "rename", "remove", "reorder", "depend", "pause", "reopen", "backtrack",
    "plan_proposed", "rescope",
)  # fmt: skip
"""What a plan or revise event did (payload key op)."""
DECISIONS = (
    "approve", "approve_in_new_session", "request_changes", "reject", "answer", "decline_question",
    "deny_tool", "interrupt", "prompt", "note",
)  # fmt: skip
"""What a review event decided (payload key decision)."""
EVIDENCE = ("declared", "human", "observed", "inferred")
REQUIRED = (
    "session_id", "event_id", "timestamp", "actor", "event_type", "node_id", "parent_node_id", "status",
    "payload",
)  # fmt: skip
"""Fields that every event has, in their order."""
GOAL = "goal"
"""Node of what a session is for."""
UNBOUND = "unbound"
"""Node of what was recorded outside every node: no plan event has it, so that a check finds it."""
LONGEST_ID = 200
"""Characters of an id; longer ones are hashed."""

_second = (0, "")
_quoting: Callable[[str], str] | None = None


class TraceEvent:
    """One thing that happened to a plan node.

    Args:
        session_id: the session.
        event_id: unique; made where it is left out.
        timestamp: UTC with six digits and Z; now where it is left out.
        actor: human, agent or system.
        event_type: plan, execute, review, revise or complete.
        node_id: the node.
        parent_node_id: the node it is part of, None for none.
        status: planned, running, succeeded, failed or updated.
        payload: description, op or decision, tool, summaries, measures and what else is known.
        task_id: what joins sessions, None for nothing.
        actor_id: sub-agent, None for the main one.
        depends_on: nodes that must be finished first.
        evidence: declared, human, observed or inferred.
        seq: place among the writer's events.
        writer: host, process and run that wrote it.

    Raises:
        ValueError: a word that the field cannot have.
    """

    __slots__ = (
        "actor", "actor_id", "depends_on", "event_id", "event_type", "evidence", "node_id", "parent_node_id",
        "payload", "seq", "session_id", "status", "task_id", "timestamp", "writer",
    )  # fmt: skip

    def __init__(
        self,
        *,
        event_type: str,
        session_id: str = "session_001",
        event_id: str | None = None,
        timestamp: str | None = None,
        actor: str = "system",
        node_id: str = UNBOUND,
        parent_node_id: str | None = None,
        status: str = "planned",
        payload: dict[str, Any] | None = None,
        task_id: str | None = None,
        actor_id: str | None = None,
        depends_on: tuple[str, ...] = (),
        evidence: str = "declared",
        seq: int = 0,
        writer: str = "",
    ) -> None:
        self.session_id = session_id
        self.event_id = event_id or new_id()
        self.timestamp = timestamp or stamp(time.time_ns() // 1_000)
        self.actor = actor
        self.event_type = event_type
        self.node_id = node_id or UNBOUND
        self.parent_node_id = parent_node_id or None
        self.status = status
        self.payload = {} if payload is None else payload
        self.task_id = task_id
        self.actor_id = actor_id
        self.depends_on = depends_on
        self.evidence = evidence
        self.seq = seq
        self.writer = writer
        fault = self.fault()
        if fault:
            raise ValueError(fault)

    def fault(self) -> str:
        """What keeps the event from being one, "" for nothing."""
        allowed = STATUSES.get(self.event_type) if isinstance(self.event_type, str) else None
        if allowed is None:
            return f"event_type is one of {', '.join(STATUSES)}"
        if self.status not in allowed:
            return f"the status of a {self.event_type} event is one of {', '.join(allowed)}"
        if self.actor not in ACTORS:
            return f"actor is one of {', '.join(ACTORS)}"
        if not isinstance(self.payload, dict):
            return "payload is a dict"
        if self.evidence not in EVIDENCE:
            return f"evidence is one of {', '.join(EVIDENCE)}"
        op, decision = self.payload.get("op"), self.payload.get("decision")
        if (op is not None or self.event_type == "revise") and op not in OPS:
            return f"payload.op is one of {', '.join(OPS)}"
        if decision is not None and decision not in DECISIONS:
            return f"payload.decision is one of {', '.join(DECISIONS)}"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """The event's nine fields, and the others that are set."""
        row: dict[str, Any] = {name: getattr(self, name) for name in REQUIRED}
        row |= {"schema": SCHEMA_VERSION, "seq": self.seq, "evidence": self.evidence}
        more = {
            "writer": self.writer,
            "task_id": self.task_id,
            "actor_id": self.actor_id,
            "depends_on": list(self.depends_on),
        }
        return row | {name: value for name, value in more.items() if value}

    def line(self, payload: str) -> bytes:
        """The event as it is written.

        Args:
            payload: the payload as JSON text, redacted.

        Returns:
            One line of UTF-8 with its end.
        """
        quoted = _quoting or _load()
        parent = "null" if self.parent_node_id is None else quoted(self.parent_node_id)
        text = (
            f'{{"session_id":{quoted(self.session_id)},"event_id":{quoted(self.event_id)},'
            f'"timestamp":"{self.timestamp}","actor":"{self.actor}","event_type":"{self.event_type}",'
            f'"node_id":{quoted(self.node_id)},"parent_node_id":{parent},"status":"{self.status}",'
            f'"payload":{payload},"schema":{SCHEMA_VERSION},"seq":{self.seq}'
        )
        if self.writer:
            text += f',"writer":{quoted(self.writer)}'
        if self.evidence != "declared":
            text += f',"evidence":"{self.evidence}"'
        if self.task_id:
            text += f',"task_id":{quoted(self.task_id)}'
        if self.actor_id:
            text += f',"actor_id":{quoted(self.actor_id)}'
        if self.depends_on:
            text += f',"depends_on":[{",".join(map(quoted, self.depends_on))}]'
        # a lone surrogate has no UTF-8
        return (text + "}\n").encode("utf-8", "replace")


def _load() -> Callable[[str], str]:
    """The encoder of texts: json is loaded with the first event, not with the recorder."""
    global _quoting
    from json.encoder import encode_basestring

    _quoting = encode_basestring
    return encode_basestring


def new_id() -> str:
    """A random UUID of version 4, as 32 hex digits."""
    digits = os.urandom(16).hex()
    return f"{digits[:12]}4{digits[13:16]}a{digits[17:]}"


def stamp(moment: int) -> str:
    """A moment as text of fixed precision: texts sort as moments do.

    Args:
        moment: UTC microseconds since the epoch.

    Returns:
        `2026-01-01T00:00:00.000000Z`.
    """
    global _second
    seconds, rest = divmod(moment, 1_000_000)
    known, text = _second
    if known != seconds:
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
        _second = (seconds, text)
    return f"{text}.{rest:06}Z"


def moment_of(timestamp: str) -> int:
    """UTC microseconds of a text made by stamp().

    Args:
        timestamp: the text.
    """
    import calendar

    seconds = calendar.timegm(time.strptime(timestamp[:19], "%Y-%m-%dT%H:%M:%S"))
    return seconds * 1_000_000 + int(timestamp[20:26])


def fitting(name: str) -> str:
    """An id of at most LONGEST_ID characters.

    Args:
        name: any id.

    Returns:
        The same, or its beginning and a hash of it.
    """
    if len(name) <= LONGEST_ID:
        return name
    import hashlib

    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]
    return f"{name[: LONGEST_ID - 33]}-{digest}"
