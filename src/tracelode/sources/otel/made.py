"""What does a trace or log make, and what has every operation of it in common?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from tracelode.activities import Activity, Moment
from tracelode.making import Maker
from tracelode.model.operation import Kind, Operation, Origin, Status
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


def move(maker: Maker, line: int) -> None:
    """The next operations are made where a line stands.

    Args:
        maker: changed in place.
        line: 1-based line of the file.
    """
    if maker.line.number != line:
        maker.line = msgspec.structs.replace(maker.line, number=line)


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
        move(self.maker, node.span.line)

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
        made = Operation(
            session=node.session,
            index=0,
            id=ident or node.ident,
            actor="agent",
            kind=kind,
            name=name,
            status=status_of(node),
            started=node.started,
            ended=node.ended,
            parent=parent or None,
            origin=Origin(self.maker.adapter, self.maker.path, span.line, self.maker.line.offset),
            **more,
        )
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
        for reason in reasons:
            self.made.complaints[(node.span.line, reason)] += 1


def status_of(node: Node) -> Status:
    """How a span ended.

    Args:
        node: the span in its tree: Claude Code tells some of it on the spans inside.
    """
    span = node.span
    parts = [span]
    for child in node.children:
        if child.role == "part":
            parts.append(child.span)
        elif child.role == "wait" and child.span.attributes.get("decision") == "reject":
            return "denied"
    for name in words.EXIT_CODES:
        if count(span.attributes.get(name)):
            return "nonzero"
    for part in parts:
        told = part.attributes.get("success")
        if part.status == "error" or (told is not None and str(told).lower() == "false"):
            return "error"
    if span.attributes.get("error.type"):
        return "error"
    if span.status == "ok" or span.attributes.get("success") is not None:
        return "ok"
    # the conventions leave the status unset where nothing went wrong
    return "running" if span.ended is None else "ok"
