"""Which JSON objects are spans, log records or requests, and what do they say? Every spelling in one place.

OTLP/JSON is camelCase with attributes as a list of keys and values; its protobuf names, the consoles of the
SDKs, Phoenix, TRAIL and others write the same facts in other words, mostly with attributes as an object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode.wire.message import NO_IDS, TOO_DEEP, TOO_MANY_PARTS, Event, Limits, Log, Origin, Reject, Span
from tracelode.wire.values import duration, ident, nanoseconds, status

TRACES = ("resourceSpans", "resource_spans", "batches")
LOGS = ("resourceLogs", "resource_logs")
METRICS = ("resourceMetrics", "resource_metrics")
_SCOPES = (
    "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans",
    "scopeLogs", "scope_logs", "scopeMetrics", "scope_metrics",
)  # fmt: skip
_CONTEXTS = ("spanContext", "context", "span_context", "_spanContext")
_TRACE = ("traceId", "trace_id", "traceID", "context.trace_id")
_SPAN = ("spanId", "span_id", "spanID", "context.span_id")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id", "parentId", "parentSpanContext")
_NAME = ("name", "span_name", "spanName", "operationName")
_START = ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time", "start", "timestamp")
_END = ("endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time", "end")
_AT = ("timeUnixNano", "time_unix_nano", "timestamp", "time", "Timestamp")
_STATUS = ("status", "status_code", "statusCode")
_CODE = ("code", "status_code")
_MESSAGE = ("message", "description")
_INNER = ("child_spans", "childSpans")
_LENGTH = ("duration", "durationNanos", "duration_ns")
_ATTRIBUTES = ("attributes", "span_attributes", "spanAttributes")
_RESOURCE = ("resource", "resource_attributes", "resourceAttributes")
_SCOPE = (
    "scope", "instrumentationScope", "instrumentation_scope", "instrumentationLibrary", "scope_name",
    "scopeName",
)  # fmt: skip
_OWN = (*_RESOURCE, *_SCOPE)
_NAMED = (*_NAME, *_ATTRIBUTES)
_LASTED = (*_START, *_END)
_TIMES = ("timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "observed_time_unix_nano")
_VALUES = (
    "stringValue", "string_value", "intValue", "int_value", "doubleValue", "double_value", "boolValue",
    "bool_value", "bytesValue", "bytes_value",
)  # fmt: skip
_LISTS = ("arrayValue", "array_value")
_MAPS = ("kvlistValue", "kvlist_value")
_NESTED = (dict, list)
_SCALARS = frozenset(_VALUES)
_TYPED = (*_VALUES, *_LISTS, *_MAPS)


class Broken(Exception):
    """A record that is not taken; the text is one of the closed reasons."""


def first(found: dict[str, Any], names: tuple[str, ...]) -> Any:
    """The first of some keys that is there and not null.

    Args:
        found: a decoded object.
        names: keys in order of preference.
    """
    for name in names:
        value = found.get(name)
        if value is not None:
            return value
    return None


class Reader:
    """Turns decoded objects into records within limits.

    Args:
        limits: how much of a record is looked at.
        line: 1-based line the objects stand in.
    """

    def __init__(self, limits: Limits, line: int = 1) -> None:
        self.limits = limits
        self.line = line
        self._left = limits.parts

    def origin(self, resource: Any, scope: Any) -> Origin:
        """Who wrote a record.

        Args:
            resource: a resource object, or its attributes.
            scope: a scope object, or its name.
        """
        self._left = self.limits.parts
        given = resource.get("attributes", resource) if isinstance(resource, dict) else None
        named = scope if isinstance(scope, dict) else {"name": scope}
        return Origin(
            self.attributes(given), _text(named.get("name"))[:200], _text(named.get("version"))[:200]
        )

    def span(self, found: dict[str, Any], origin: Origin) -> Iterator[Span | Reject]:
        """A span, and the spans that stand in it.

        Args:
            found: the decoded object.
            origin: resource and scope around it, where the object names none of its own.
        """
        waiting: list[tuple[dict[str, Any], Origin, str | None]] = [(found, origin, None)]
        while waiting:
            one, around, above = waiting.pop()
            own = self._own(one, around)
            try:
                made = self._span(one, own)
                if made.parent is None and above is not None:
                    made = msgspec.structs.replace(made, parent=above)
                above = made.id
                yield made
            except Broken as broken:
                yield Reject(str(broken), self.line)
            inner = first(one, _INNER)
            if isinstance(inner, list):
                waiting.extend((child, own, above) for child in reversed(inner) if isinstance(child, dict))

    def _own(self, found: dict[str, Any], origin: Origin) -> Origin:
        if found.keys().isdisjoint(_OWN):
            return origin
        resource = first(found, _RESOURCE)
        scope = first(found, _SCOPE)
        if resource is None and scope is None:
            return origin
        try:
            own = self.origin(resource, scope)
        except Broken:
            return origin
        if not own.attributes and found.get("service_name"):
            return Origin({"service.name": _text(found["service_name"])}, own.scope, own.version)
        return own

    def _span(self, found: dict[str, Any], origin: Origin) -> Span:
        self._left = self.limits.parts
        context = first(found, _CONTEXTS)
        near = context if isinstance(context, dict) else {}
        trace = ident(first(found, _TRACE) or first(near, _TRACE), 16)
        own = ident(first(found, _SPAN) or first(near, _SPAN), 8)
        if trace is None or own is None:
            raise Broken(NO_IDS)
        parent = first(found, _PARENT)
        if isinstance(parent, dict):
            parent = first(parent, _SPAN)
        started = nanoseconds(first(found, _START))
        ended = nanoseconds(first(found, _END))
        length = duration(first(found, _LENGTH)) if ended is None else None
        if started is not None and length is not None:
            ended = started + length
        code = first(found, _STATUS)
        near = code if isinstance(code, dict) else {"code": code}
        return Span(
            trace=trace,
            id=own,
            parent=ident(parent, 8),
            name=_text(first(found, _NAME)),
            started=started,
            ended=ended,
            attributes=self.attributes(self._flat(found)),
            events=tuple(self._events(found.get("events"))),
            status=status(first(near, _CODE)),
            message=_text(first(near, _MESSAGE) or found.get("status_message")),
            origin=origin,
            line=self.line,
        )

    def _flat(self, found: dict[str, Any]) -> Any:
        given = first(found, _ATTRIBUTES)
        if given is not None:
            return given
        # a table's row: one column an attribute
        return {k[11:]: v for k, v in found.items() if k.startswith("attributes.") and v is not None}

    def _events(self, given: Any) -> Iterator[Event]:
        for one in given if isinstance(given, list) else ():
            self._take()
            if isinstance(one, dict):
                attributes = self.attributes(first(one, ("attributes", "Attributes")))
                yield Event(_text(first(one, ("name", "Name"))), nanoseconds(first(one, _AT)), attributes)

    def log(self, found: dict[str, Any], origin: Origin) -> Log | Reject:
        """A log record.

        Args:
            found: the decoded object.
            origin: resource and scope around it.
        """
        self._left = self.limits.parts
        try:
            attributes = self.attributes(found.get("attributes"))
            body = self.value(found.get("body"), 0)
        except Broken as broken:
            return Reject(str(broken), self.line)
        at = nanoseconds(first(found, ("timeUnixNano", "time_unix_nano", "timestamp")))
        if at is None:
            at = nanoseconds(first(found, ("observedTimeUnixNano", "observed_time_unix_nano")))
        return Log(
            at=at,
            name=_text(first(found, ("eventName", "event_name")) or attributes.get("event.name")),
            body=body,
            attributes=attributes,
            trace=ident(first(found, _TRACE), 16),
            span=ident(first(found, _SPAN), 8),
            origin=origin,
            line=self.line,
        )

    # values -------------------------------------------------------------------------------------

    def attributes(self, given: Any) -> dict[str, Any]:
        """Attributes by key.

        Args:
            given: a list of keys and values, or an object; an object inside it is spread over dotted keys.

        Raises:
            Broken: too many or too deep.
        """
        if isinstance(given, list):
            return self._paired(given)
        found: dict[str, Any] = {}
        for key, value in given.items() if isinstance(given, dict) else ():
            self._left -= 2
            if self._left < 0:
                raise Broken(TOO_MANY_PARTS)
            if not key.isascii():
                key = _text(key)
            if isinstance(value, str):
                found[key] = value if value.isascii() else _text(value)
            elif isinstance(value, _NESTED):
                self._left += 1
                found[key] = self._plain(value, 0)
                if isinstance(value, dict) and "." not in key:
                    self._spread(key, found[key], found)
            else:
                found[key] = value
        return found

    def _paired(self, given: list[Any]) -> dict[str, Any]:
        """Attributes as OTLP/JSON writes them. Nearly all are texts, so these are taken without a call."""
        found: dict[str, Any] = {}
        for pair in given:
            key = pair.get("key") if isinstance(pair, dict) else None
            if not isinstance(key, str):
                self._take()
                continue
            value = pair.get("value")
            text = value.get("stringValue") if isinstance(value, dict) else None
            if isinstance(text, str):
                self._left -= 2
                if self._left < 0:
                    raise Broken(TOO_MANY_PARTS)
                found[_text(key)] = text if text.isascii() else _text(text)
            else:
                self._take()
                found[_text(key)] = self.value(value, 0)
        return found

    def _spread(self, prefix: str, value: Any, found: dict[str, Any]) -> None:
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in inner:
            path = f"{prefix}.{key}"
            if isinstance(child, dict | list):
                self._spread(path, child, found)
            found.setdefault(path, child)

    def value(self, given: Any, depth: int) -> Any:
        """A value of OTLP/JSON, or a plain one.

        Args:
            given: an object that names the type of its value, or the value itself.
            depth: nesting around it.

        Raises:
            Broken: too many parts or too deep.
        """
        if depth > self.limits.depth:
            raise Broken(TOO_DEEP)
        if not isinstance(given, dict):
            return self._plain(given, depth)
        self._take()
        text = given.get("stringValue")
        if isinstance(text, str):
            return _text(text)
        # a value has one type, and so one key; where it has more, the first of ours counts
        for name in given if len(given) == 1 else _VALUES:
            if name in _SCALARS and given.get(name) is not None:
                return _scalar(name, given[name])
        inner = first(given, _LISTS)
        if isinstance(inner, dict):
            values = inner.get("values")
            return [self.value(v, depth + 1) for v in values] if isinstance(values, list) else []
        inner = first(given, _MAPS)
        if isinstance(inner, dict):
            values = inner.get("values")
            pairs = [p for p in values if isinstance(p, dict)] if isinstance(values, list) else []
            return {_text(pair.get("key")): self.value(pair.get("value"), depth + 1) for pair in pairs}
        return self._plain(given, depth) if given and given.keys().isdisjoint(_TYPED) else None

    def _plain(self, given: Any, depth: int) -> Any:
        if depth > self.limits.depth:
            raise Broken(TOO_DEEP)
        self._take()
        if isinstance(given, str):
            return given if given.isascii() else _text(given)
        if isinstance(given, list):
            return [self._plain(v, depth + 1) for v in given]
        if isinstance(given, dict):
            return {_text(k): self._plain(v, depth + 1) for k, v in given.items()}
        return given

    def _take(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Broken(TOO_MANY_PARTS)


def _scalar(name: str, value: Any) -> Any:
    if name in ("intValue", "int_value"):
        # 64-bit integers are text in protobuf's JSON
        if isinstance(value, str):
            text = value.strip()
            value = int(text) if len(text) < 21 and text.removeprefix("-").isdecimal() else None
        return value if isinstance(value, int) and not isinstance(value, bool) else None
    if name in ("doubleValue", "double_value"):
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if name in ("boolValue", "bool_value"):
        return value if isinstance(value, bool) else None
    return _text(value) if isinstance(value, str) else None


def _text(value: Any) -> str:
    """A text without lone surrogates; "" for anything else."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace").decode()
    return value


def is_span(found: dict[str, Any]) -> bool:
    """Does an object look like a span by its own keys?

    Args:
        found: a decoded object.
    """
    context = first(found, _CONTEXTS)
    near = context if isinstance(context, dict) else found
    keys, inner = found.keys(), near.keys()
    if keys.isdisjoint(_NAMED) or keys.isdisjoint(_LASTED):
        return False
    # a log record has both ids too
    return "body" not in found and not (
        (inner.isdisjoint(_TRACE) and keys.isdisjoint(_TRACE))
        or (inner.isdisjoint(_SPAN) and keys.isdisjoint(_SPAN))
    )


def is_log(found: dict[str, Any]) -> bool:
    """Does an object look like a log record by its own keys?

    Args:
        found: a decoded object.
    """
    if not found.keys().isdisjoint(_TIMES):
        return "body" in found or "attributes" in found
    return all(name in found for name in ("timestamp", "body", "attributes"))


def scopes_of(resource: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The scopes inside a resource's entry.

    Args:
        resource: an entry of resourceSpans, resourceLogs or resourceMetrics.
    """
    for name in _SCOPES:
        inner = resource.get(name)
        for scope in inner if isinstance(inner, list) else ():
            if isinstance(scope, dict):
                yield scope
