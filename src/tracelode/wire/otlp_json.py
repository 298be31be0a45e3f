"""How do JSON bytes become spans and log records? One value, one a line, or one after another.

Requests of OTLP are opened without decoding their records at once, so that memory follows one record and
a broken or hostile one costs itself alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode.wire import message, shapes
from tracelode.wire.message import Limits, Origin, Record, Reject
from tracelode.wire.shapes import Reader

_MOST_COMMAS = 20_000_000
"""More commas than any message within the size limit has: it would unpack to many times its size."""
_MOST_PLAIN = 5_000_000
"""The same for a value that is decoded as a whole."""
_MOST_DEEP = 16 * 1024 * 1024
"""Bytes of a value that is looked at again when something in it nests too deep."""
_DEEPEST = 96
"""Nesting of JSON below which nothing is kept then: values nest a third as deep."""
_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_DEPTH = 5
"""How deep records are looked for in a value that is no request."""
_SPACE = b" \t\r\n"

_Raws = list[msgspec.Raw] | None


class _Scope(msgspec.Struct):
    scope: msgspec.Raw = msgspec.Raw(b"null")
    instrumentationLibrary: msgspec.Raw = msgspec.Raw(b"null")
    spans: _Raws = None
    logRecords: _Raws = None
    log_records: _Raws = None
    metrics: _Raws = None


_Scopes = list[_Scope] | None


class _Resource(msgspec.Struct):
    resource: msgspec.Raw = msgspec.Raw(b"null")
    scopeSpans: _Scopes = None
    scope_spans: _Scopes = None
    instrumentationLibrarySpans: _Scopes = None
    instrumentation_library_spans: _Scopes = None
    scopeLogs: _Scopes = None
    scope_logs: _Scopes = None
    scopeMetrics: _Scopes = None
    scope_metrics: _Scopes = None


_Resources = list[_Resource] | None


class _Request(msgspec.Struct):
    resourceSpans: _Resources = None
    resource_spans: _Resources = None
    batches: _Resources = None
    resourceLogs: _Resources = None
    resource_logs: _Resources = None
    resourceMetrics: _Resources = None
    resource_metrics: _Resources = None


_REQUEST = msgspec.json.Decoder(_Request)
_RAW = msgspec.json.Decoder(msgspec.Raw)
_ANY = msgspec.json.Decoder()
_RESOURCES = (*shapes.TRACES, *shapes.LOGS, *shapes.METRICS)
_SCOPES = _Resource.__struct_fields__[1:]


def decode_json(data: bytes, limits: Limits = message.FILE, line: int = 1) -> Iterator[Record]:
    """Records of JSON bytes.

    Args:
        data: a request of OTLP/JSON, an array of spans, one of these a line, or several one after another.
        limits: how much is looked at.
        line: 1-based line at which the bytes begin.

    Returns:
        Spans, log records and rejects in the order of the bytes.

    Source:
        OTLP 1.10, JSON protobuf encoding; formats: OpenTelemetry.
    """
    if len(data) > limits.bytes:
        yield Reject(message.TOO_LONG, line)
        return
    text = data.removeprefix(b"\xef\xbb\xbf")
    found = _lines(text, limits, line) if _by_line(text) else _whole(text, limits, line)
    yield from _counted(found, limits)


def _counted(records: Iterator[Record], limits: Limits) -> Iterator[Record]:
    """Records up to the limit; the rest is counted without being kept."""
    count = over = 0
    for record in records:
        if not isinstance(record, Reject):
            count += 1
            if count > limits.records:
                over += 1
                continue
        yield record
    if over:
        yield Reject(message.TOO_MANY, count=over)


def _by_line(text: bytes) -> bool:
    """Is there a value a line? One of the first two lines is a value of its own; the other may be broken."""
    at = 0
    for _ in range(2):
        end = text.find(b"\n", at)
        part = text[at : end if end >= 0 else len(text)].strip(_SPACE)
        if part[:1] in (b"{", b"[") and (at or end >= 0):
            try:
                _RAW.decode(part)
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                return True
        if end < 0:
            return False
        at = end + 1
    return False


def _lines(text: bytes, limits: Limits, line: int) -> Iterator[Record]:
    at = 0
    while at < len(text):
        end = text.find(b"\n", at)
        last = end < 0
        part = text[at : len(text) if last else end]
        if part.strip(_SPACE + b"\x00"):
            yield from _whole(part, limits, line, cut=last)
        at = len(text) if last else end + 1
        line += 1


def _whole(text: bytes, limits: Limits, line: int, cut: bool = True) -> Iterator[Record]:
    """Records of one value, or of several without a mark between them."""
    commas = text.count(b",") if len(text) > _MOST_PLAIN else 0
    if commas > _MOST_COMMAS:
        yield Reject(message.TOO_MANY, line)
        return
    try:
        request = _REQUEST.decode(text)
    except RecursionError:
        yield Reject(message.TOO_DEEP, line)
        shallow = _shallow(text) if len(text) <= _MOST_DEEP else text
        if shallow != text:
            yield from _whole(shallow, limits, line, cut)
        return
    except msgspec.DecodeError:
        request = _Request()
    if any(getattr(request, name) for name in _RESOURCES):
        yield from _request(request, limits, line)
        return
    if commas > _MOST_PLAIN:
        yield Reject(message.TOO_MANY, line)
        return
    for value, reason in _values(text, cut):
        if reason:
            yield Reject(reason, line)
        else:
            yield from _found(value, limits, line)


def _shallow(text: bytes) -> bytes:
    """JSON without the values that nest too deep to be decoded."""
    kept: list[bytes] = []
    depth = at = 0
    for match in _STRUCTURE.finditer(text):
        token = match[0]
        if token in (b"{", b"["):
            depth += 1
            if depth == _DEEPEST:
                kept.append(text[at : match.start()])
                kept.append(b"null")
        elif token in (b"}", b"]"):
            if depth == _DEEPEST:
                at = match.end()
            depth -= 1
    if depth < _DEEPEST:
        kept.append(text[at:])
    return b"".join(kept)


def _request(request: _Request, limits: Limits, line: int) -> Iterator[Record]:
    reader = Reader(limits, line)
    for kind in _RESOURCES:
        for resource in getattr(request, kind) or ():
            around, _ = _raw(resource.resource)
            for name in _SCOPES:
                for scope in getattr(resource, name) or ():
                    yield from _scope(scope, around, reader)


def _scope(scope: _Scope, resource: Any, reader: Reader) -> Iterator[Record]:
    named = _raw(scope.scope)[0] or _raw(scope.instrumentationLibrary)[0]
    try:
        origin = reader.origin(resource, named)
    except shapes.Broken as broken:
        yield Reject(str(broken), reader.line)
        origin = Origin()
    for raw in scope.spans or ():
        found, reason = _raw(raw)
        if isinstance(found, dict):
            yield from reader.span(found, origin)
        else:
            yield Reject(reason or message.NO_IDS, reader.line)
    for raw in (*(scope.logRecords or ()), *(scope.log_records or ())):
        found, reason = _raw(raw)
        if isinstance(found, dict):
            yield reader.log(found, origin)
        else:
            yield Reject(reason or message.NOTHING, reader.line)
    if scope.metrics:
        yield Reject(message.METRICS, reader.line, len(scope.metrics))


def _raw(raw: msgspec.Raw) -> tuple[Any, str]:
    """A decoded value and why there is none."""
    try:
        return _ANY.decode(raw), ""
    except RecursionError:
        return None, message.TOO_DEEP
    except msgspec.DecodeError:
        return next(iter(_values(bytes(raw), cut=False)), (None, message.NOT_JSON))


def _values(text: bytes, cut: bool) -> Iterator[tuple[Any, str]]:
    """(value, "") of each JSON value, (None, closed words) of what is none."""
    try:
        yield _ANY.decode(text), ""
        return
    except RecursionError:
        yield None, message.TOO_DEEP
        return
    except msgspec.DecodeError:
        pass
    # slower and more lenient: NaN, lone surrogates, several values, a value that was cut off
    scanner = json.JSONDecoder(parse_constant=lambda _: None)
    whole = text.decode("utf-8", "replace")
    at = 0
    while True:
        while at < len(whole) and whole[at] in " \t\r\n,\x00":
            at += 1
        if at == len(whole):
            return
        try:
            value, at = scanner.raw_decode(whole, at)
        except RecursionError:
            yield None, message.TOO_DEEP
            return
        except ValueError:
            yield None, message.CUT if cut and whole[at] in "{[" else message.NOT_JSON
            return
        yield value, ""


def _found(value: Any, limits: Limits, line: int) -> Iterator[Record]:
    """Records anywhere near the top of a decoded value."""
    reader = Reader(limits, line)
    seen = False
    waiting: list[tuple[Any, Origin, int]] = [(value, Origin(), 0)]
    while waiting:
        one, origin, depth = waiting.pop()
        inner: list[Any] = []
        if isinstance(one, list):
            inner = one
        elif not isinstance(one, dict):
            continue
        elif not one.keys().isdisjoint(_RESOURCES) and any(isinstance(one.get(n), list) for n in _RESOURCES):
            seen = True
            yield from _plain_request(one, reader)
        elif shapes.is_span(one):
            seen = True
            yield from reader.span(one, origin)
        elif shapes.is_log(one):
            seen = True
            yield reader.log(one, origin)
        else:
            origin = _around(one, origin, reader)
            inner = list(one.values())
        if depth < _DEPTH:
            waiting.extend((v, origin, depth + 1) for v in reversed(inner) if isinstance(v, dict | list))
    if not seen:
        yield Reject(message.NOTHING, line)


def _around(found: dict[str, Any], origin: Origin, reader: Reader) -> Origin:
    """Resource and scope that an object names for the spans inside it."""
    if not isinstance(found.get("resource"), dict) and not isinstance(found.get("scope"), dict):
        return origin
    try:
        return reader.origin(found.get("resource"), found.get("scope"))
    except shapes.Broken:
        return origin


def _plain_request(found: dict[str, Any], reader: Reader) -> Iterator[Record]:
    """Records of a request whose form is not quite OTLP's."""
    for kind in _RESOURCES:
        given = found.get(kind)
        for resource in given if isinstance(given, list) else ():
            if not isinstance(resource, dict):
                yield Reject(message.NOTHING, reader.line)
                continue
            for scope in shapes.scopes_of(resource):
                named = shapes.first(scope, ("scope", "instrumentationLibrary"))
                try:
                    origin = reader.origin(resource.get("resource"), named)
                except shapes.Broken:
                    origin = Origin()
                yield from _plain_scope(scope, origin, reader)


def _plain_scope(scope: dict[str, Any], origin: Origin, reader: Reader) -> Iterator[Record]:
    for name in ("spans", "logRecords", "log_records", "metrics"):
        given = scope.get(name)
        for one in given if isinstance(given, list) else ():
            if name == "metrics":
                yield Reject(message.METRICS, reader.line)
            elif not isinstance(one, dict):
                yield Reject(message.NO_IDS if name == "spans" else message.NOTHING, reader.line)
            elif name == "spans":
                yield from reader.span(one, origin)
            else:
                yield reader.log(one, origin)
