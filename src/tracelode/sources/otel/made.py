"""What does a trace or log make, and what has every operation of it in common?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from tracelode.activities import Activity, Moment
from tracelode.making import Maker
from tracelode.model.operation import Kind, Operation, Status
from tracelode.sources.otel import words
from tracelode.sources.otel.tree import Node
from tracelode.sources.otel.usage import count


class Made(msgspec.Struct):
    """What a trace holds, or the log records of a session."""

    operations: list[Operation] = []
    """In the order they were made."""
    activities: list[tuple[str, Activity]] = []
    """(session, what ran)."""
    moments: list[tuple[str, Moment]] = []
    """(session, a point in time)."""
    threads: dict[str, str] = {}
    """Session key of a sub-agent to that of its root."""
    complaints: Counter[tuple[int, str]] = msgspec.field(default_factory=Counter)
    """(line, closed words) with how often."""


class Writer:
    """Makes operations of a trace's nodes.

    Args:
        maker: makes operations; its session and line are set here.
    """

    def __init__(self, maker: Maker) -> None:
        self.maker = maker
        self.made = Made()

    def place(self, node: Node) -> None:
        """The next operations are made where a node stands."""
        self.maker.session = node.session
        self.maker.line = msgspec.structs.replace(self.maker.line, number=node.span.line)

    def fields(self, node: Node) -> dict[str, str]:
        """Fields that every operation of a node has."""
        span = node.span
        found = {"trace": span.trace, "otel.role": node.role}
        service = span.origin.attributes.get("service.name")
        if isinstance(service, str) and not service.startswith("unknown_service"):
            found["otel.service"] = service
        if span.origin.scope:
            found["otel.scope"] = span.origin.scope
        if node.agent is not None:
            found["otel.agent"] = node.agent.get(words.AGENT_NAME) or node.agent.span.name
        return found

    def operation(
        self, node: Node, kind: Kind, name: str, *, ident: str = "", parent: str = "", **more: Any
    ) -> Operation:
        """Make and keep an operation.

        Args:
            node: its span.
            kind: what sort.
            name: tool name, model id or name of the span.
            ident: its id, "" for that of the span.
            parent: id of what lies around it, "" for the span around, in this file or another.
            more: further parts of an Operation.
        """
        self.place(node)
        span = node.span
        if not parent and span.parent and span.parent != span.id:
            parent = self.maker.ident(f"{span.trace}/{span.parent}")
        if node.parent is None and node.cut:
            parent = ""
        made = self.maker.operation(None, "agent", kind, name, status_of(node), node.started, **more)
        made = msgspec.structs.replace(made, id=ident or node.ident, ended=node.ended, parent=parent or None)
        self.made.operations.append(made)
        return made

    def run(self, node: Node, kind: str, made: Operation) -> None:
        """A span's stretch of time goes to an operation.

        Args:
            node: the span.
            kind: model, tool or human.
            made: the operation.
        """
        if node.started is not None and node.ended is not None:
            around = node.tool.ident if node.tool is not None else None
            activity = Activity(node.started, node.ended, kind, made.id, around)
            self.made.activities.append((node.session, activity))

    def complain(self, node: Node, reasons: Iterable[str]) -> None:
        """Count what is wrong with a span."""
        self.made.complaints.update((node.span.line, reason) for reason in reasons)


def status_of(node: Node) -> Status:
    """How a span ended.

    Args:
        node: the span in its tree: Claude Code tells some of it on the spans inside.
    """
    span = node.span
    told = span.attributes.get("success")
    parts = [c.span for c in node.children if c.role == "part"]
    if any(c.role == "wait" and c.span.attributes.get("decision") == "reject" for c in node.children):
        return "denied"
    if any(count(span.attributes.get(name)) for name in words.EXIT_CODES):
        return "nonzero"
    if span.status == "error" or any(p.status == "error" for p in parts):
        return "error"
    if any(str(s.attributes.get("success")).lower() == "false" for s in (span, *parts)):
        return "error"
    if span.attributes.get("error.type"):
        return "error"
    if span.status == "ok" or told is not None:
        return "ok"
    # the conventions leave the status unset where nothing went wrong
    return "running" if span.ended is None else "ok"
