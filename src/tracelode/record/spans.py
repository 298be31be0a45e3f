"""How do plan events and OpenTelemetry spans become each other? The SDK is loaded only to make its spans."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from tracelode.record.event import GOAL, TraceEvent, moment_of, stamp

Row = Mapping[str, Any]
_OPERATION = "gen_ai.operation.name"


def spans_of(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Spans of the events of one session: the goal, each attempt of a node, its tools; plans are spans too.

    Args:
        rows: events as their lines hold them, in order.

    Returns:
        name, trace_id, span_id, parent_id (hex, parent "" for none), start, end (UTC microseconds),
        attributes, events (name, at, attributes), links (span ids), failed.

    Source:
        plan rules, section 6.5.
    """
    listed = [row for row in rows if isinstance(row, Mapping)]
    if not listed:
        return []
    return _Out(listed).spans()


class _Out:
    """Builds spans."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.session = str(rows[0]["session_id"])
        self.trace = hashlib.sha256(self.session.encode("utf-8", "replace")).hexdigest()[:32]
        moments = [moment_of(row["timestamp"]) for row in rows]
        goal = next((r["payload"].get("description", "") for r in rows if r["node_id"] == GOAL), "")
        self.root = self._span(
            "invoke_agent", GOAL, "", moments[0], {_OPERATION: "invoke_agent", "description": goal}
        )
        self.root["end"] = moments[-1]
        self.open: dict[str, dict[str, Any]] = {}
        self.last: dict[str, dict[str, Any]] = {GOAL: self.root}
        self.edges: dict[str, list[str]] = {}
        self.made = [self.root]

    def spans(self) -> list[dict[str, Any]]:
        for place, row in enumerate(self.rows):
            self._take(place, row, moment_of(row["timestamp"]))
        return self.made

    def _take(self, place: int, row: Row, at: int) -> None:
        node, kind, status = row["node_id"], row["event_type"], row["status"]
        payload = row["payload"]
        if row.get("depends_on"):
            self.edges[node] = list(row["depends_on"])
        if kind == "plan" and node != GOAL:
            span = self._span("plan", f"plan {place}", self.root["span_id"], at, {_OPERATION: "plan"})
            span["attributes"] |= self._told(row)
            self.made.append(span)
        elif kind == "execute" and status == "running" and node in self.open and "tool" in payload:
            span = self._span(
                f"execute_tool {payload['tool']}", f"tool {place}", self.open[node]["span_id"], at,
                {_OPERATION: "execute_tool", "gen_ai.tool.name": str(payload["tool"])},
            )  # fmt: skip
            span["attributes"] |= self._told(row)
            self.made.append(span)
        elif kind == "execute" and status == "running":
            above = self.open.get(row["parent_node_id"] or "", self.root)
            span = self._span(f"node {node}", f"{node} {place}", above["span_id"], at, self._told(row))
            span["links"] = [self.last[n]["span_id"] for n in self.edges.get(node, ()) if n in self.last]
            self.open[node] = self.last[node] = span
            self.made.append(span)
        elif kind == "execute":
            span = self.open.pop(node, self.last.get(node, self.root))
            span["end"], span["failed"] = at, status == "failed"
            span["events"].append({"name": status, "at": at, "attributes": self._told(row)})
        else:
            span = self.open.get(node, self.last.get(node, self.root))
            span["events"].append({"name": kind, "at": at, "attributes": self._told(row)})
            if kind == "complete":
                self.root["failed"] = status == "failed"

    def _span(self, name: str, key: str, parent: str, at: int, more: dict[str, Any]) -> dict[str, Any]:
        digest = hashlib.sha256(f"{self.session}\0{key}".encode("utf-8", "replace")).hexdigest()[:16]
        return {
            "name": name, "trace_id": self.trace, "span_id": digest, "parent_id": parent, "start": at,
            "end": at, "attributes": {**more, "gen_ai.conversation.id": self.session}, "events": [],
            "links": [], "failed": False,
        }  # fmt: skip

    def _told(self, row: Row) -> dict[str, Any]:
        """An event in our own names: semantic conventions have none for a plan's content."""
        told = {f"tracelode.{name}": row[name] for name in _SAME if row.get(name) is not None}
        told["tracelode.payload"] = json.dumps(row["payload"], ensure_ascii=False, separators=(",", ":"))
        if row.get("depends_on"):
            told["tracelode.depends_on"] = list(row["depends_on"])
        return told


_SAME = (
    "event_id", "actor", "event_type", "node_id", "parent_node_id", "status", "evidence", "task_id",
    "actor_id", "seq", "writer",
)  # fmt: skip


def readable(spans: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Spans of the OpenTelemetry SDK, for any of its exporters.

    Args:
        spans: what spans_of() gave.

    Returns:
        n opentelemetry.sdk.trace.ReadableSpan.

    Raises:
        ImportError: opentelemetry-sdk is not installed.
    """
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

    def context(span: Mapping[str, Any], span_id: str) -> SpanContext:
        flags = TraceFlags(TraceFlags.SAMPLED)
        return SpanContext(int(span["trace_id"], 16), int(span_id, 16), is_remote=False, trace_flags=flags)

    return [
        ReadableSpan(
            name=span["name"],
            context=context(span, span["span_id"]),
            parent=context(span, span["parent_id"]) if span["parent_id"] else None,
            attributes=span["attributes"],
            events=[
                Event(one["name"], attributes=one["attributes"], timestamp=one["at"] * 1_000)
                for one in span["events"]
            ],
            links=[Link(context(span, one)) for one in span["links"]],
            kind=SpanKind.INTERNAL,
            status=Status(StatusCode.ERROR if span["failed"] else StatusCode.OK),
            start_time=span["start"] * 1_000,
            end_time=span["end"] * 1_000,
        )
        for span in spans
    ]


def events_of(spans: Iterable[Any]) -> tuple[list[TraceEvent], int]:
    """Plan events of spans: our own come back as they were, spans of operation plan become plan events.

    Args:
        spans: ReadableSpan of the SDK, or what spans_of() gave.

    Returns:
        (events by moment, spans that tell nothing of a plan). A tool below a node's span is an event of that
        node; without one it is not counted as anything.
    """
    found: list[tuple[int, TraceEvent]] = []
    ignored = 0
    listed = [_plain(span) for span in spans]
    nodes = {
        s["span_id"]: s["attributes"]["tracelode.node_id"]
        for s in listed
        if "tracelode.node_id" in s["attributes"]
    }
    for span in listed:
        before = len(found)
        for at, attributes in [
            (span["start"], span["attributes"]),
            *((e["at"], e["attributes"]) for e in span["events"]),
        ]:
            if "tracelode.event_type" in attributes:
                found.append((at, _own(span, at, attributes)))
        if len(found) == before:
            event = _foreign(span, nodes)
            if event is None:
                ignored += span["attributes"].get(_OPERATION) != "invoke_agent"
            else:
                found.append((span["start"], event))
    found.sort(key=lambda pair: (pair[0], pair[1].writer, pair[1].seq))
    return [event for _, event in found], ignored


def _own(span: Mapping[str, Any], at: int, attributes: Mapping[str, Any]) -> TraceEvent:
    told = {name: attributes[f"tracelode.{name}"] for name in _SAME if f"tracelode.{name}" in attributes}
    return TraceEvent(
        session_id=str(span["attributes"].get("gen_ai.conversation.id") or span["trace_id"]),
        timestamp=stamp(at),
        payload=json.loads(attributes.get("tracelode.payload") or "{}"),
        depends_on=tuple(attributes.get("tracelode.depends_on") or ()),
        **told,
    )


def _foreign(span: Mapping[str, Any], nodes: Mapping[str, str]) -> TraceEvent | None:
    """An event of a span that others wrote."""
    told = span["attributes"]
    operation = told.get(_OPERATION)
    common: dict[str, Any] = {
        "session_id": str(told.get("gen_ai.conversation.id") or span["trace_id"]),
        "timestamp": stamp(span["start"]),
        "actor": "agent", "event_id": f"{span['trace_id']}"[:15] + span["span_id"], "evidence": "observed",
    }  # fmt: skip
    if operation == "plan":
        payload = {"op": "plan_proposed", "description": str(span["name"])}
        return TraceEvent(event_type="plan", node_id=f"span/{span['span_id']}", payload=payload, **common)
    if operation == "execute_tool" and span["parent_id"] in nodes:
        payload = {"tool": str(told.get("gen_ai.tool.name") or span["name"])}
        node = nodes[span["parent_id"]]
        return TraceEvent(event_type="execute", status="running", node_id=node, payload=payload, **common)
    return None


def _plain(span: Any) -> dict[str, Any]:
    """A span of the SDK in the form of spans_of()."""
    if isinstance(span, dict):
        return span
    parent = getattr(span, "parent", None)
    return {
        "name": span.name,
        "trace_id": f"{span.context.trace_id:032x}",
        "span_id": f"{span.context.span_id:016x}",
        "parent_id": f"{parent.span_id:016x}" if parent is not None else "",
        "start": (span.start_time or 0) // 1_000,
        "attributes": dict(span.attributes or {}),
        "events": [
            {"at": (one.timestamp or 0) // 1_000, "attributes": dict(one.attributes or {})}
            for one in span.events
        ],
    }
