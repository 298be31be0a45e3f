"""Is protobuf read as the official library writes it, and do hostile messages cost only themselves?"""

from __future__ import annotations

import json
import tracemalloc

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from otlp import Telemetry, moment, protobuf
from tracelode.wire import message, otlp_protobuf
from tracelode.wire.decode import decode, looks_like
from tracelode.wire.message import Limits, Log, Record, Reject, Span
from tracelode.wire.otlp_protobuf import export_response, fields, kind_of


def shop() -> Telemetry:
    t = Telemetry()
    root = t.agent("seller", 0, 9)
    t.chat(1, 4, root, input=100, output=7, read=60)
    t.tool(
        "weigh", 4, 5, root, {"what": "apples"}, "2 kg", "call-1", status={"code": 2, "message": "no scale"}
    )
    t.spans[1]["events"] = [{"timeUnixNano": moment(2), "name": "first token", "attributes": []}]
    t.log("shop.sold", {"count": 2, "list": [1, {"a": 2.5}]}, 3, root)
    return t


def rejects(data: bytes, limits: Limits = message.FILE) -> list[tuple[str, int, int]]:
    return [(r.reason, r.line, r.count) for r in decode(data, limits) if isinstance(r, Reject)]


def names(data: bytes, limits: Limits = message.FILE) -> list[str]:
    return [r.name for r in decode(data, limits) if isinstance(r, Span)]


def test_protobuf_and_json_say_the_same() -> None:
    t = shop()
    assert list(decode(t.protobuf())) == [r for r in decode(t.json()) if isinstance(r, Span)]
    assert list(decode(t.protobuf_logs())) == [r for r in decode(t.json()) if isinstance(r, Log)]


def framed() -> dict[str, bytes]:
    """Two messages in every framing."""
    parts = [shop().protobuf(shop().spans[:1]), shop().protobuf(shop().spans[1:])]
    texts = [shop().json(shop().spans[:1]), shop().json(shop().spans[1:])]
    packed = [zstandard.compress(p) for p in parts]

    def long(data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + data

    def short(data: bytes) -> bytes:
        size, head = len(data), b""
        while size > 127:
            head += bytes([size & 127 | 128])
            size >>= 7
        return head + bytes([size]) + data

    return {
        "one message": b"".join(parts),  # repeated fields of two messages join
        "four bytes": b"".join(map(long, parts)),
        "varint": b"".join(map(short, parts)),
        "four bytes, compressed": b"".join(map(long, packed)),
        "four bytes, JSON": b"".join(map(long, texts)),
    }


@pytest.mark.parametrize("name", framed())
def test_every_framing(name: str) -> None:
    data = framed()[name]
    found = [msgspec.structs.replace(r, line=1) for r in decode(data) if isinstance(r, Span)]
    assert found == [r for r in decode(shop().json()) if isinstance(r, Span)]
    if "JSON" not in name:
        assert looks_like(data[:65536]) == 1.0


@pytest.mark.parametrize("size", [64, 200, 500])
def test_it_is_known_by_its_beginning(size: int) -> None:
    t = Telemetry()
    for number in range(50):
        t.span(f"span {number}", {"text": "x" * 100})
        t.log("shop.sold", {"text": "x" * 100}, number)
    assert looks_like(t.protobuf()[:size]) == (1.0 if size > 64 else looks_like(t.protobuf()[:size]))
    assert looks_like(t.protobuf_logs()[: size * 2]) == 1.0


def test_other_protobuf_is_not_taken_for_it() -> None:
    from tracelode.exports.profile_pb2 import Profile  # type: ignore[attr-defined]

    profile = Profile()
    for number in range(20):
        profile.sample_type.add(type=number, unit=number)
        profile.string_table.append(f"text {number}")
    assert looks_like(profile.SerializeToString()) < 0.5


def test_metrics_are_counted_not_read() -> None:
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

    request = ExportMetricsServiceRequest()
    metric = request.resource_metrics.add().scope_metrics.add().metrics.add(name="tokens", unit="1")
    metric.sum.data_points.add(as_int=5)
    data = request.SerializeToString()
    assert rejects(data) == [(message.METRICS, 1, 1)]
    assert looks_like(data) == 1.0


def wrapped(record: bytes, number: int = 2) -> bytes:
    """A record inside a scope inside a resource."""

    def field(n: int, data: bytes) -> bytes:
        head, size = bytes([n << 3 | 2]), len(data)
        while size > 127:
            head += bytes([size & 127 | 128])
            size >>= 7
        return head + bytes([size]) + data

    return field(1, field(number, field(2, record)))


GOOD = shop().protobuf()
ABSURD = {
    "length beyond the end": b"\x0a\xff\xff\xff\xff\x0f" + b"x" * 20,
    "length of 2^63": b"\x0a" + b"\xff" * 9 + b"\x7f",
    "varint without an end": b"\x0a" + b"\xff" * 30,
    "tag without a value": b"\x0a",
    "group": b"\x0b\x0a\x00",
    "field number 0": b"\x02\x01x",
    "inner length beyond the outer": wrapped(b"\x0a\x10" + b"t" * 16 + b"\x12\xff\xff\xff\x7f"),
    "only zeros in front": b"\x00\x00\x00\x00" * 8,
    "frame beyond the end": b"\x00\xff\xff\xff" + GOOD,
    "span of nothing": wrapped(b""),
    "bytes that are no span": wrapped(b"\xff" * 40),
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_lengths_allocate_nothing_and_are_counted(name: str) -> None:
    tracemalloc.start()
    reasons = rejects(ABSURD[name])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert reasons
    assert peak < 4_000_000
    assert all(r[0] in vars(message).values() for r in reasons)


def test_a_broken_part_costs_itself() -> None:
    assert names(GOOD + b"\x0a\xff\xff\x03") == ["invoke_agent seller", "chat gpt-5", "execute_tool weigh"]
    assert rejects(GOOD + b"\x0a\xff\xff\x03") == [(message.CUT, 1, 1)]
    bad = wrapped(b"\x0a\x10" + b"t" * 16 + b"\x12\x08" + b"s" * 8 + b"\x39" + b"\x01" * 8 + b"\x2a\x7f")
    assert len(names(bad + GOOD)) == 3
    assert rejects(bad + GOOD) == [(message.NOT_PROTOBUF, 1, 1)]


def test_spans_without_ids_are_rejected_alone() -> None:
    t = shop()
    t.spans[1]["traceId"] = "00" * 16
    t.spans[2]["spanId"] = ""
    assert names(t.protobuf()) == ["invoke_agent seller"]
    assert rejects(t.protobuf()) == [(message.NO_IDS, 1, 1), (message.NO_IDS, 1, 1)]


def nested(depth: int) -> dict[str, object]:
    found: dict[str, object] = {"intValue": "1"}
    for _ in range(depth):
        found = {"arrayValue": {"values": [found]}}
    return found


@pytest.mark.parametrize("depth", [34, 40])
def test_values_that_nest_too_deep_cost_one_span(depth: int) -> None:
    t = shop()
    t.spans[1]["attributes"] = [{"key": "x", "value": nested(depth)}]
    assert names(t.protobuf()) == ["invoke_agent seller", "execute_tool weigh"]
    assert rejects(t.protobuf()) == [(message.TOO_DEEP, 1, 1)]


def test_nesting_of_10_000_costs_one_span() -> None:
    value = b"\x18\x01"
    for _ in range(10_000):  # AnyValue { array_value { values { ... } } }
        for tag in (b"\x0a", b"\x2a"):
            size, head = len(value), b""
            while size > 127:
                head += bytes([size & 127 | 128])
                size >>= 7
            value = tag + head + bytes([size]) + value
    span = bytes.fromhex("0a10") + b"t" * 16 + bytes.fromhex("1208") + b"s" * 8 + b"\x39" + b"\x01" * 8
    pair = value_field(2, value)
    data = wrapped(span + value_field(9, pair))
    assert rejects(data) in ([(message.TOO_DEEP, 1, 1)], [(message.NOT_PROTOBUF, 1, 1)])
    assert len(names(data + GOOD)) == 3


def value_field(number: int, data: bytes) -> bytes:
    size, head = len(data), bytes([number << 3 | 2])
    while size > 127:
        head += bytes([size & 127 | 128])
        size >>= 7
    return head + bytes([size]) + data


def test_a_million_empty_parts_are_refused_before_they_are_unpacked() -> None:
    span = bytes.fromhex("0a10") + b"t" * 16 + bytes.fromhex("1208") + b"s" * 8 + b"\x39" + b"\x01" * 8
    data = wrapped(span + b"\x4a\x00" * 1_000_000)
    assert rejects(data) == [(message.TOO_MANY_PARTS, 1, 1)]


def test_limits_of_size_and_records() -> None:
    t = Telemetry()
    for number in range(6):
        t.span(f"s{number}")
    assert rejects(t.protobuf(), Limits(bytes=50)) == [(message.TOO_LONG, 1, 1)]
    assert names(t.protobuf(), Limits(records=2)) == ["s0", "s1"]
    assert rejects(t.protobuf(), Limits(records=2)) == [(message.TOO_MANY, 1, 4)]


def test_a_small_frame_that_unpacks_to_more_than_the_limit_is_refused() -> None:
    bomb = zstandard.compress(b"\x0a" + b"\x00" * 50_000_000)
    data = len(bomb).to_bytes(4, "big") + bomb
    assert rejects(data, Limits(bytes=1_000_000)) == [(message.TOO_LONG, 1, 1)]


@given(place=st.integers(0, len(GOOD)), cut=st.integers(0, 40), extra=st.binary(max_size=40))
@settings(max_examples=300)
def test_damaged_bytes_anywhere(place: int, cut: int, extra: bytes) -> None:
    found: list[Record] = list(decode(GOOD[:place] + extra + GOOD[place + cut :]))
    assert all(isinstance(r, Span | Log | Reject) for r in found)


@given(st.binary(max_size=120))
def test_fields_end_inside_or_complain(data: bytes) -> None:
    from tracelode.wire.shapes import Broken

    found = []
    reason = ""
    try:
        found.extend(fields(data, 0, len(data)))
    except Broken as broken:
        reason = str(broken)
    assert reason in ("", message.CUT, message.NOT_PROTOBUF)
    assert all(0 < start <= end <= len(data) for _, _, start, end in found)


def test_the_answer_of_a_receiver() -> None:
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

    assert export_response() == b""
    traces = ExportTraceServiceResponse.FromString(export_response(3, "span without ids"))
    assert (traces.partial_success.rejected_spans, traces.partial_success.error_message) == (
        3,
        "span without ids",
    )
    logs = ExportLogsServiceResponse.FromString(export_response(2, "x", "logs"))
    assert logs.partial_success.rejected_log_records == 2


def test_the_helper_writes_what_the_library_reads() -> None:
    assert protobuf(shop().request(shop().spans)) == GOOD
    assert json.loads(shop().json())["resourceSpans"]


def records() -> dict[str, bytes]:
    """One record of each kind, alone."""
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric

    spans = ExportTraceServiceRequest.FromString(shop().protobuf())
    logs = ExportLogsServiceRequest.FromString(shop().protobuf_logs())
    # a name and a description as long as the ids of a span
    metric = Metric(name="n" * 16, description="d" * 8, unit="1")
    metric.sum.data_points.add(as_int=5)
    return {
        "span": spans.resource_spans[0].scope_spans[0].spans[0].SerializeToString(),
        "log": logs.resource_logs[0].scope_logs[0].log_records[0].SerializeToString(),
        "metric": metric.SerializeToString(),
    }


@pytest.mark.parametrize("kind", ["span", "log", "metric"])
def test_the_first_fields_of_a_record_tell_what_all_of_them_tell(kind: str) -> None:
    data = records()[kind]
    assert otlp_protobuf._shown(data, 0, len(data)) == kind_of(data, 0, len(data)) == kind
    # a record without fields ends where the next one begins
    assert otlp_protobuf._shown(data, 0, 0) == ""


@pytest.mark.parametrize("kind", ["span", "log"])
def test_a_record_with_a_broken_end_is_rejected_as_a_whole(kind: str) -> None:
    damaged = records()[kind] + b"\x07" * 9
    assert rejects(wrapped(damaged)) == [(message.NO_IDS, 1, 1)]
    cut = records()[kind] + b"\x0a\x7f"
    assert rejects(wrapped(cut)) == [(message.NOT_PROTOBUF, 1, 1)]


def test_messages_are_in_memory_one_after_another() -> None:
    t = Telemetry()
    t.span("chat", {"text": "x" * 200_000})
    data = b"".join(len(m).to_bytes(4, "big") + m for m in [t.protobuf()] * 40)
    sum(1 for _ in decode(data))
    tracemalloc.start()
    count = sum(1 for _ in decode(data))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 40
    assert peak < 8 * 200_000
