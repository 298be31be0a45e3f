"""Which encoding do some bytes have, how are messages framed in them, and what records do they hold?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tracelode.wire import message
from tracelode.wire.message import Limits, Record, Reject
from tracelode.wire.otlp_json import decode_json
from tracelode.wire.otlp_protobuf import decode_protobuf, fields, kind_of
from tracelode.wire.shapes import LOGS, METRICS, TRACES, Broken

_ZSTD = b"\x28\xb5\x2f\xfd"
_KEYS = rb"|".join(name.encode() for name in (*TRACES, *LOGS, *METRICS))
_START = rb"^[\s\[]*\{\s*"
_REQUEST = re.compile(_START + rb'"(?:' + _KEYS + rb')"\s*:\s*\[')
_BODY = re.compile(
    rb'"(?:resource|scopeSpans|scope_spans|scopeLogs|scope_logs|scopeMetrics|scope_metrics|'
    rb'instrumentationLibrarySpans)"\s*:'
)
_ID = rb'(?:"(?:0[xX])?[^"\\]{1,64}"|\d{1,20})'
_TRACE_ID = re.compile(rb'(?<!\\)"(?:trace_id|traceId|traceID|context\.trace_id)"\s*:\s*' + _ID)
_SPAN_ID = re.compile(rb'(?<!\\)"(?:span_id|spanId|spanID|context\.span_id)"\s*:\s*' + _ID)
_TIMES = re.compile(
    rb'(?<!\\)"(?:start_?[tT]ime(?:_?[uU]nix_?[nN]ano)?|timestamp|startTimeUnixNano)"\s*:\s*["\d\[]'
)
_SAID = re.compile(
    rb'(?<!\\)"(?:(?:span_?)?[aA]ttributes|attributes\.[\w.]+|span_attributes|span_name|child_spans)"\s*:'
)


def looks_like(head: bytes) -> float:
    """How sure is it that bytes are of OpenTelemetry?

    Args:
        head: the first bytes, up to 64 KiB; may end anywhere.

    Returns:
        1.0 for a request in JSON or protobuf, 0.9 for spans in other words, 0.0 otherwise.
    """
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] in b"{[" and text:
        if _REQUEST.match(text) and _BODY.search(text):
            return 1.0
        marks = (_TRACE_ID, _SPAN_ID, _TIMES, _SAID)
        return 0.9 if all(mark.search(text) for mark in marks) else 0.0
    return 1.0 if any(_records(frame) for frame in _first_frames(head)) else 0.0


def _first_frames(head: bytes) -> Iterator[bytes]:
    """What the first message would be under each framing."""
    if len(head) > 8:
        yield head
        size = int.from_bytes(head[:4], "big")
        if 0 < size < 1 << 28:
            part = head[4 : 4 + size]
            yield _unpacked(part, 1 << 20) if part.startswith(_ZSTD) else part
        prefix = _prefix(head, 0)
        if prefix is not None:
            yield head[prefix[0] : prefix[1]]


def _records(data: bytes) -> bool:
    """Is there a span, log record or metric in the envelopes at the start of a message?"""
    edges = [(0, len(data))]
    for level, wanted in enumerate((1, 2, 2)):
        found: list[tuple[int, int]] = []
        for start, end in edges:
            found += _inside(data, start, end, wanted, strict=level == 0)
        edges = found
    return any(kind_of(data, start, end) for start, end in edges)


def _inside(data: bytes, start: int, end: int, wanted: int, strict: bool) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = start
    try:
        for number, kind, begin, stop in fields(data, start, end):
            if kind != 2 or (strict and number != 1) or (number > 3 and number != 1000):
                return []
            if number == wanted:
                found.append((begin, stop))
            at = stop
            if len(found) > 8:
                break
    except Broken as broken:
        if str(broken) != message.CUT:
            return []
        found += _cut_off(data, at, end, wanted)
    return found


def _cut_off(data: bytes, at: int, end: int, wanted: int) -> list[tuple[int, int]]:
    """The part that is there of a field that goes on beyond the end of what was read."""
    if end != len(data) or at >= end or data[at] != wanted << 3 | 2:
        return []
    prefix = _length(data, at + 1)
    return [] if prefix is None or prefix[1] > 1 << 28 else [(prefix[0], end)]


def _length(data: bytes, at: int) -> tuple[int, int] | None:
    """(place after a length, the length); None where there is none."""
    value = shift = 0
    for place in range(at, min(len(data), at + 5)):
        value |= (data[place] & 127) << shift
        if data[place] < 128:
            return place + 1, value
        shift += 7
    return None


def _prefix(data: bytes, at: int) -> tuple[int, int] | None:
    """(start, end) of a message behind its length as a varint."""
    found = _length(data, at)
    if found is None or found[1] == 0 or data[found[0] : found[0] + 1] != b"\x0a":
        return None
    return found[0], found[0] + found[1]


def decode(data: bytes, limits: Limits = message.FILE) -> Iterator[Record]:
    """Records of a file or body in any known encoding.

    Args:
        data: JSON, JSON Lines, one protobuf message, or protobuf or JSON messages behind their lengths (four
            bytes, big end first, as the Collector's file exporter writes them, perhaps compressed each; or a
            varint).
        limits: how much is looked at.

    Returns:
        Spans, log records and rejects in the order of the bytes.

    Source:
        OTLP 1.10; Collector, file exporter.
    """
    empty = True
    for record in _decoded(data, limits):
        empty = False
        yield record
    if empty and data:
        yield Reject(message.NOTHING)


def _decoded(data: bytes, limits: Limits) -> Iterator[Record]:
    text = data.lstrip(b"\xef\xbb\xbf \t\r\n") if data[:1] in b"\xef \t\r\n{[" else b""
    if text[:1] in (b"{", b"["):
        yield from decode_json(data, limits)
        return
    frames = _frames(data)
    if frames is None:
        yield from decode_protobuf(data, limits)
        return
    left = limits.bytes
    for number, frame in enumerate(frames, 1):
        if isinstance(frame, str):
            yield Reject(frame, number)
            continue
        if frame.startswith(_ZSTD):
            frame = _unpacked(frame, left + 1)
        left -= len(frame)
        if left < 0:
            yield Reject(message.TOO_LONG, number)
            return
        if frame[:1] in b"{[" and frame:
            yield from decode_json(frame, limits, number)
        else:
            yield from decode_protobuf(frame, limits, number)


def _frames(data: bytes) -> Iterator[bytes | str] | None:
    """The messages behind their lengths, a reason for one that is cut off; None for a single message."""
    if data[:1] == b"\x00":
        return _cut(data, lambda at: (at + 4, at + 4 + int.from_bytes(data[at : at + 4], "big")))
    if data[:1] == b"\x0a" and _plain(data):
        return None
    if _prefix(data, 0) is not None:
        return _cut(data, lambda at: _prefix(data, at) or (at, len(data) + 1))
    return None


def _plain(data: bytes) -> bool:
    try:
        number, kind, begin, end = next(fields(data, 0, len(data)))
        return (number, kind) == (1, 2) and all(f[0] in (1, 2, 3) for f in fields(data, begin, end))
    except (Broken, StopIteration):
        return _prefix(data, 0) is None


def _cut(data: bytes, place: Callable[[int], tuple[int, int]]) -> Iterator[bytes | str]:
    """One message after another: all at once would be the file in memory once more."""
    at = 0
    while at < len(data):
        start, end = place(at)
        if end > len(data) or start > len(data):
            yield message.CUT
            return
        yield data[start:end]
        at = end


def _unpacked(data: bytes, most: int) -> bytes:
    """A compressed message, at most so many bytes of it; b"" for a damaged one."""
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as stream:
            return bytes(stream.read(most))
    except zstandard.ZstdError:
        return b""
