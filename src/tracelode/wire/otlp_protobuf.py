"""How do protobuf bytes become spans and log records? Envelopes are walked by hand, records by the library.

A message is walked down to its records without decoding it, so that lengths are checked before anything is
allocated, a broken record costs itself alone, and memory follows one record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tracelode.wire import message
from tracelode.wire.message import Event, Limits, Log, Origin, Record, Reject, Span
from tracelode.wire.shapes import Broken
from tracelode.wire.values import ident, status

if TYPE_CHECKING:
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
    from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage

_SMALL = 64 * 1024
"""A record below this many bytes cannot unpack to much, whatever is in it."""
_CODES = {0: "unset", 1: "ok", 2: "error"}

Field = tuple[int, int, int, int]
"""Number, wire type, start and end of a field's value."""
_Schema = dict[int, "_Schema"]

_ANY: _Schema = {}
_PAIR: _Schema = {2: _ANY}
_ANY.update({5: {1: _ANY}, 6: {1: _PAIR}})
_SPAN: _Schema = {9: _PAIR, 11: {3: _PAIR}, 13: {4: _PAIR}}
_LOG: _Schema = {5: _ANY, 6: _PAIR}


def fields(data: bytes, start: int, end: int) -> Iterator[Field]:
    """The fields of one message, by their tags and lengths alone.

    Args:
        data: bytes that hold the message.
        start: where it begins.
        end: where it ends.

    Raises:
        Broken: no protobuf, or a length beyond the end.

    Source:
        Protocol Buffers, encoding.
    """
    at = start
    while at < end:
        tag = data[at]
        if tag < 128:  # nearly always: a number below 16
            at += 1
        else:
            tag, at = _varint(data, at, end)
        number, kind = tag >> 3, tag & 7
        if number == 0 or number > 536_870_911:
            raise Broken(message.NOT_PROTOBUF)
        if kind == 0:
            begin = at
            _, at = _varint(data, at, end)
        elif kind == 2:
            if at < end and data[at] < 128:
                begin = at + 1
                at = begin + data[at]
            else:
                size, begin = _varint(data, at, end)
                at = begin + size
        elif kind in (1, 5):
            begin, at = at, at + (8 if kind == 1 else 4)
        else:
            # groups: no message of OTLP has any
            raise Broken(message.NOT_PROTOBUF)
        if at > end:
            raise Broken(message.CUT)
        yield number, kind, begin, at


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise Broken(message.NOT_PROTOBUF)
    raise Broken(message.CUT)


def kind_of(data: bytes, start: int, end: int) -> str:
    """What a record is, by the fields that only one kind has.

    Args:
        data: bytes that hold the record; may end inside it.
        start: where it begins.
        end: where it ends.

    Returns:
        span, log or metric; "" for something else or nothing.
    """
    seen: set[tuple[int, int]] = set()
    try:
        for number, kind, begin, stop in fields(data, start, end):
            if (number, kind) == (1, 2) and stop - begin != 16:
                number = 0
            seen.add((number, kind))
    except Broken as broken:
        if str(broken) != message.CUT:
            return ""
    if (7, 1) in seen or ({(1, 2), (2, 2), (5, 2)} <= seen and (8, 1) in seen):
        return "span"
    if seen & {(1, 1), (11, 1)}:
        return "log"
    return "metric" if seen & {(n, 2) for n in (5, 7, 9, 10, 11)} else ""


def _shown(data: bytes, start: int, end: int) -> str:
    """What a record is, where its first fields show it already; else as of kind_of()."""
    head = data[start : min(start + 2, end)]
    if head[:1] == b"\x09":
        return "log"
    if head == b"\x0a\x10":
        try:
            for number, kind, _, _ in fields(data, start, end):
                if number >= 7:
                    if (number, kind) == (7, 1):
                        return "span"
                    break
        except Broken:
            pass
    return kind_of(data, start, end)


def decode_protobuf(data: bytes, limits: Limits = message.FILE, line: int = 1) -> Iterator[Record]:
    """Records of one export request, or of the data a file exporter writes.

    Args:
        data: one message: traces, logs or metrics share an envelope and are told apart by their records.
        limits: how much is looked at.
        line: 1-based number of the message in its file.

    Returns:
        Spans, log records and rejects in the order of the bytes.

    Source:
        opentelemetry-proto 1.10: TracesData, LogsData, ExportTraceServiceRequest.
    """
    if len(data) > limits.bytes:
        yield Reject(message.TOO_LONG, line)
        return
    count = over = 0
    reader = Reader(data, limits, line)
    try:
        for number, kind, start, end in fields(data, 0, len(data)):
            if (number, kind) != (1, 2):
                continue
            for record in reader.resource(start, end):
                if not isinstance(record, Reject):
                    count += 1
                    if count > limits.records:
                        over += 1
                        continue
                yield record
    except Broken as broken:
        yield Reject(str(broken), line)
    if over:
        yield Reject(message.TOO_MANY, line, over)


class Reader:
    """Reads the records of one message.

    Args:
        data: the message.
        limits: how much of a record is looked at.
        line: number of the message in its file.
    """

    def __init__(self, data: bytes, limits: Limits, line: int) -> None:
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
        from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
        from opentelemetry.proto.resource.v1.resource_pb2 import Resource
        from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage

        self.data, self.limits, self.line = data, limits, line
        self._error = DecodeError
        self._scope, self._resource = InstrumentationScope, Resource
        self._span, self._log = SpanMessage, LogRecord

    def resource(self, start: int, end: int) -> Iterator[Record]:
        """Records of one resource's entry.

        Args:
            start: where the entry begins.
            end: where it ends.
        """
        try:
            parts = [f for f in fields(self.data, start, end) if f[1] == 2]
        except Broken as broken:
            yield Reject(str(broken), self.line)
            return
        try:
            attributes = self._attributes_of(parts)
        except Broken as broken:
            yield Reject(str(broken), self.line)
            attributes = {}
        for number, _, begin, stop in parts:
            if number == 2:
                yield from self._scoped(begin, stop, attributes)

    def _attributes_of(self, parts: list[Field]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for number, _, begin, stop in parts:
            if number == 1:
                resource = self._parsed(self._resource(), begin, stop, {1: _PAIR})
                found.update(self._attributes(resource.attributes))
        return found

    def _scoped(self, start: int, end: int, attributes: dict[str, Any]) -> Iterator[Record]:
        try:
            parts = [f for f in fields(self.data, start, end) if f[1] == 2]
            origin = Origin(attributes)
            for number, _, begin, stop in parts:
                if number == 1:
                    scope = self._parsed(self._scope(), begin, stop, {3: _PAIR})
                    origin = Origin(attributes, scope.name[:200], scope.version[:200])
        except Broken as broken:
            yield Reject(str(broken), self.line)
            return
        for number, _, begin, stop in parts:
            if number == 2:
                yield self._record(begin, stop, origin)

    def _record(self, start: int, end: int, origin: Origin) -> Record:
        kind = _shown(self.data, start, end)
        try:
            if kind == "span":
                return self._made_span(self._parsed(self._span(), start, end, _SPAN), origin)
            if kind == "log":
                return self._made_log(self._parsed(self._log(), start, end, _LOG), origin)
        except Broken as broken:
            if kind_of(self.data, start, end):
                return Reject(str(broken), self.line)
            kind = ""
        if kind == "metric":
            return Reject(message.METRICS, self.line)
        return Reject(message.NO_IDS if start < end else message.NOT_PROTOBUF, self.line)

    def _parsed(self, made: Any, start: int, end: int, schema: _Schema) -> Any:
        if end - start > _SMALL:
            _count(self.data, start, end, schema, self.limits)
        try:
            made.ParseFromString(self.data[start:end])
        except self._error as error:
            raise Broken(message.NOT_PROTOBUF) from error
        return made

    def _made_span(self, given: SpanMessage, origin: Origin) -> Span:
        trace, own = ident(given.trace_id, 16), ident(given.span_id, 8)
        if trace is None or own is None:
            raise Broken(message.NO_IDS)
        return Span(
            trace=trace,
            id=own,
            parent=ident(given.parent_span_id, 8),
            name=given.name,
            started=_moment(given.start_time_unix_nano),
            ended=_moment(given.end_time_unix_nano),
            attributes=self._attributes(given.attributes),
            events=tuple(
                Event(event.name, _moment(event.time_unix_nano), self._attributes(event.attributes))
                for event in given.events
            ),
            status=_CODES.get(given.status.code, status(None)),
            message=given.status.message,
            origin=origin,
            line=self.line,
        )

    def _made_log(self, given: LogRecord, origin: Origin) -> Log:
        attributes = self._attributes(given.attributes)
        named = given.event_name or attributes.get("event.name")
        return Log(
            at=_moment(given.time_unix_nano) or _moment(given.observed_time_unix_nano),
            name=named if isinstance(named, str) else "",
            body=self._value(given.body, 0),
            attributes=attributes,
            trace=ident(given.trace_id, 16),
            span=ident(given.span_id, 8),
            origin=origin,
            line=self.line,
        )

    def _attributes(self, given: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for pair in given:
            value = pair.value
            # nearly all are texts, and to ask for one is cheaper than to ask which of seven it is
            found[pair.key] = value.string_value or self._value(value, 0)
        return found

    def _value(self, given: AnyValue, depth: int) -> Any:
        if depth > self.limits.depth:
            raise Broken(message.TOO_DEEP)
        text = given.string_value
        if text:
            return text
        kind = given.WhichOneof("value")
        if kind == "array_value":
            return [self._value(inner, depth + 1) for inner in given.array_value.values]
        if kind == "kvlist_value":
            return {pair.key: self._value(pair.value, depth + 1) for pair in given.kvlist_value.values}
        return getattr(given, kind) if kind else None


def _moment(value: int) -> int | None:
    return value if 0 < value < 2**63 else None


def _count(data: bytes, start: int, end: int, schema: _Schema, limits: Limits) -> None:
    """Refuse a record with so many parts, or so deep, that decoding it would take many times its size."""
    left = limits.parts
    waiting: list[tuple[int, int, _Schema, int]] = [(start, end, schema, 0)]
    while waiting:
        begin, stop, known, depth = waiting.pop()
        if depth > 4 * limits.depth:
            raise Broken(message.TOO_DEEP)
        for number, kind, inner, last in fields(data, begin, stop):
            left -= 1
            if left < 0:
                raise Broken(message.TOO_MANY_PARTS)
            if kind == 2 and number in known:
                waiting.append((inner, last, known[number], depth + 1))


def export_response(rejected: int = 0, reason: str = "", signal: str = "spans") -> bytes:
    """What a receiver answers to an export request.

    Args:
        rejected: records that were not taken, 0 where all were.
        reason: closed words on why.
        signal: spans or logs.

    Returns:
        An ExportTraceServiceResponse or ExportLogsServiceResponse.

    Source:
        OTLP 1.10, partial success.
    """
    made: Any
    if signal == "logs":
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

        made = ExportLogsServiceResponse()
        if rejected:
            made.partial_success.rejected_log_records = rejected
    else:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

        made = ExportTraceServiceResponse()
        if rejected:
            made.partial_success.rejected_spans = rejected
    if rejected:
        made.partial_success.error_message = reason
    return bytes(made.SerializeToString())
