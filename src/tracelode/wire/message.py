"""What is in an OpenTelemetry message? Spans, log records, and what had to be rejected."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a message is looked at; what is beyond is rejected and counted."""

    bytes: int = 256 * 1024 * 1024
    """Bytes of one message, compressed parts counted as they unpack."""
    records: int = 1_000_000
    """Spans and log records in one message."""
    parts: int = 200_000
    """Attributes, events, links and values in one record."""
    depth: int = 32
    """Nesting of one attribute's value."""


FILE = Limits()
"""Limits for a file that a person named."""
SOCKET = Limits(bytes=16 * 1024 * 1024, records=50_000, parts=20_000)
"""Limits for what anybody may send."""


class Origin(msgspec.Struct, frozen=True):
    """Who wrote a record: the resource and the scope around it."""

    attributes: dict[str, Any] = {}
    """Attributes of the resource."""
    scope: str = ""
    """Name of the instrumentation scope."""
    version: str = ""
    """Version of the scope."""


class Event(msgspec.Struct, frozen=True):
    """A moment inside a span."""

    name: str
    """Name of the event."""
    at: int | None
    """Nanoseconds since the epoch, None if unknown."""
    attributes: dict[str, Any]
    """Attributes."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """One span, whatever it was written in."""

    trace: str
    """Trace id, lower-case hexadecimal where it is one."""
    id: str
    """Span id, likewise."""
    parent: str | None = None
    """Id of the span around it, None for a root."""
    name: str = ""
    """Name of the span."""
    started: int | None = None
    """Nanoseconds since the epoch, None if unknown."""
    ended: int | None = None
    """Nanoseconds since the epoch, None if unknown or still open."""
    attributes: dict[str, Any] = {}
    """Attributes; values are str, int, float, bool, bytes, None, and lists and dicts of these."""
    events: tuple[Event, ...] = ()
    """Events in order."""
    status: str = "unset"
    """unset, ok or error."""
    message: str = ""
    """Message of the status."""
    origin: Origin = Origin()
    """Resource and scope."""
    line: int = 1
    """1-based line or frame of the file."""


class Log(msgspec.Struct, frozen=True, kw_only=True):
    """One log record."""

    at: int | None = None
    """Nanoseconds since the epoch, None if unknown."""
    name: str = ""
    """Name of the event, "" for a plain log line."""
    body: Any = None
    """Body: text or a structure."""
    attributes: dict[str, Any] = {}
    """Attributes, as of a span."""
    trace: str | None = None
    """Trace it was written in, None outside of any."""
    span: str | None = None
    """Span it was written in."""
    origin: Origin = Origin()
    """Resource and scope."""
    line: int = 1
    """1-based line or frame of the file."""


class Reject(msgspec.Struct, frozen=True):
    """Something that could not be read."""

    reason: str
    """Closed words, never content."""
    line: int = 1
    """1-based line or frame of the file."""
    count: int = 1
    """How many."""


Record: TypeAlias = Span | Log | Reject
"""What decoding yields."""

NO_IDS = "span without trace and span id"
NOT_JSON = "not valid JSON"
NOT_PROTOBUF = "not valid protobuf"
TOO_DEEP = "nested too deep"
TOO_LONG = "message above the size limit"
TOO_MANY = "more records than the limit"
TOO_MANY_PARTS = "record with more parts than the limit"
CUT = "message cut off"
METRICS = "metric, not read: its tokens are told by spans or logs"
NOTHING = "nothing of OpenTelemetry in it"
