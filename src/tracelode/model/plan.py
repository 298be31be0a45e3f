"""What is planned work? Nodes that people and agents plan, and every event that happened to one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import msgspec

from tracelode.errors import ModelError
from tracelode.model.operation import Actor, Origin

EventType = Literal["plan", "execute", "review", "revise", "complete"]
NodeStatus = Literal["planned", "running", "succeeded", "failed", "updated"]
Evidence = Literal["declared", "human", "observed", "inferred"]
AttemptEnd = Literal["running", "succeeded", "failed", "paused", "removed"]

STATUSES: dict[str, tuple[str, ...]] = {
    "plan": ("planned", "updated"),
    "execute": ("running", "succeeded", "failed"),
    "review": ("planned", "running", "succeeded", "failed", "updated"),
    "revise": ("updated", "planned"),
    "complete": ("succeeded", "failed"),
}
"""Statuses that an event of each type may have."""

OPS: tuple[str, ...] = (
    "goal", "create", "add", "rename", "remove", "reorder", "depend", "pause", "reopen", "backtrack",
    "plan_proposed", "rescope",
)  # fmt: skip
"""What a plan or revise event did to a node (payload key op)."""

DECISIONS: tuple[str, ...] = (
    "approve", "approve_in_new_session", "request_changes", "reject", "answer", "decline_question",
    "deny_tool", "interrupt", "prompt", "note",
)  # fmt: skip
"""What a review event decided (payload key decision)."""

SCHEMA_VERSION = 1
"""Of the published form."""

GOAL = "goal"
"""Node id of what a session is for."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class PlanEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened to a plan node; the first nine fields are never left out."""

    session_id: str
    """Key of the session in which it happened."""
    event_id: str
    """32 hex digits, for imported traces a hash of where it was found: the same at every import."""
    timestamp: int | None
    """UTC microseconds since the epoch, None if unknown."""
    actor: Actor
    """Who did it."""
    event_type: EventType
    """plan, execute, review, revise or complete."""
    node_id: str
    """The node: "goal", or generation "/" native id or counter; a node of a list that another session
    owns has that list's key and a colon in front."""
    parent_node_id: str | None
    """The node it is part of; "call/" and an operation id above the goal of a sub-agent; None for none."""
    status: NodeStatus
    """Life cycle of the node as of this event; updated where only its description changed or nothing."""
    payload: dict[str, Any]
    """op or decision, description, reason, diff, attempt, plan_epoch, tool and what else is known."""
    seq: int = 0
    """0-based place among the session's events."""
    task_id: str | None = None
    """What joins sessions that work on one plan, None where nothing does."""
    actor_id: str | None = None
    """Sub-agent, None for the main thread."""
    depends_on: tuple[str, ...] = ()
    """Nodes that must be finished first."""
    evidence: Evidence = "declared"
    """declared by a plan tool, said by a human, observed in the trace, or inferred by a rule."""
    source: Origin | None = None
    """Where it was read."""
    writer: str = ""
    """Host, process and run that wrote it ("host-pid-rand"), "" where nothing says; seq counts within it."""

    def check(self) -> None:
        """Assert that the event keeps the rules of its type.

        Raises:
            ModelError: an unknown type, a status the type cannot have, a change without a kind.
        """
        if self.event_type not in STATUSES:
            raise ModelError(f"a plan event's type is one of {', '.join(STATUSES)}")
        if self.status not in STATUSES[self.event_type]:
            allowed = ", ".join(STATUSES[self.event_type])
            raise ModelError(f"the status of a {self.event_type} event is one of {allowed}")
        if self.event_type == "revise" and self.payload.get("op") not in OPS:
            raise ModelError(f"a revise event says what it changed: op is one of {', '.join(OPS)}")

    def record(self) -> dict[str, Any]:
        """The event as a row of its published form.

        Returns:
            A JSON-ready object; the timestamp is text of fixed precision, so that texts sort as moments
            do. Optional fields without a value are left out.
        """
        row: dict[str, Any] = {name: getattr(self, name) for name in REQUIRED}
        if self.timestamp is not None:
            moment = _EPOCH + timedelta(microseconds=self.timestamp)
            row["timestamp"] = f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"
        row |= {"schema": SCHEMA_VERSION, "seq": self.seq, "evidence": self.evidence}
        optional = {
            "writer": self.writer,
            "task_id": self.task_id,
            "actor_id": self.actor_id,
            "depends_on": list(self.depends_on),
        }
        row |= {name: value for name, value in optional.items() if value}
        if self.source is not None:
            at = self.source
            row["source"] = {"adapter": at.adapter, "file": at.path, "line": at.line}
        return row


REQUIRED: tuple[str, ...] = PlanEvent.__struct_fields__[:9]
"""Fields that every event has, in the order of the published form."""


class Attempt(msgspec.Struct, frozen=True):
    """One stretch in which a node was in progress."""

    start: int
    """Index of the operation that declared the start."""
    stop: int | None
    """Index of the operation that declared the end, None while it is open."""
    started: int | None
    """UTC microseconds, None if unknown."""
    ended: int | None
    """UTC microseconds, None if unknown or open."""
    end: AttemptEnd
    """How it ended; running while it is open."""
    implied: bool = False
    """True where no start was declared: the duration is unknown, not zero."""


class PlanNode(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a plan, followed through every rewriting of its list."""

    id: str
    """As in the events of its session."""
    session: str
    """Session that made it."""
    parent: str | None
    """The node it is part of, None for none."""
    epoch: int
    """Generation of the plan it belongs to, from 1; 0 for the goal."""
    text: str
    """Its latest wording, redacted and bounded; "" where texts are not kept."""
    verb: str | None
    """Closed verb of the wording, None if it leads with none."""
    status: NodeStatus
    """planned, running, succeeded or failed."""
    removed: bool
    """True: taken out of the plan before it was finished."""
    created: int
    """Index of the operation that made it."""
    attempts: tuple[Attempt, ...] = ()
    """Every time it was in progress, in order."""
    depends_on: tuple[str, ...] = ()
    """Nodes that must be finished first."""
    evidence: Evidence = "declared"
    """inferred where the plan tool's call that made it is not in the trace."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What one session planned: its nodes, and the events of everyone on them."""

    session: str
    """Session key."""
    nodes: tuple[PlanNode, ...]
    """The goal first, then the nodes in the order in which they were made."""
    events: tuple[PlanEvent, ...]
    """In the order of the session's operations."""
    epochs: int
    """Generations of its lists."""
