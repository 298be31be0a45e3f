"""Is every spelling of OTLP/JSON read alike, and does broken or hostile JSON cost only itself?"""

from __future__ import annotations

import base64
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlp import START, Telemetry, moment, pairs, value
from tracelode.wire import message
from tracelode.wire.decode import decode, looks_like
from tracelode.wire.message import Limits, Log, Reject, Span

TRACE, SPAN = f"{1:032x}", f"{1001:016x}"


def one() -> Telemetry:
    t = Telemetry()
    t.span(
        "chat",
        {"text": "hé", "count": 7, "share": 0.5, "yes": True, "list": [1, "a"], "shop.map": {"k": 1}},
        1,
        2.5,
    )
    return t


def spans(data: bytes, limits: Limits = message.FILE) -> list[Span]:
    return [r for r in decode(data, limits) if isinstance(r, Span)]


def rejects(data: bytes, limits: Limits = message.FILE) -> list[tuple[str, int, int]]:
    return [(r.reason, r.line, r.count) for r in decode(data, limits) if isinstance(r, Reject)]


def snake(node: Any) -> Any:
    """The same request under protobuf's own names."""
    if isinstance(node, dict):
        return {"".join(f"_{c.lower()}" if c.isupper() else c for c in k): snake(v) for k, v in node.items()}
    return [snake(v) for v in node] if isinstance(node, list) else node


def test_a_request_of_otlp_json() -> None:
    (span,) = spans(one().json())
    assert (span.trace, span.id, span.parent, span.name) == (TRACE, SPAN, None, "chat")
    assert (span.started, span.ended) == (int(moment(1)), int(moment(2.5)))
    assert span.attributes == {
        "text": "hé",
        "count": 7,
        "share": 0.5,
        "yes": True,
        "list": [1, "a"],
        "shop.map": {"k": 1},
    }
    assert span.origin.attributes == {"service.name": "shop"}
    assert (span.origin.scope, span.origin.version) == ("test.instrumentation", "1")


def plain() -> dict[str, Any]:
    """The span as an object with plain attributes."""
    attributes = {"text": "hé", "count": 7, "share": 0.5, "yes": True, "list": [1, "a"], "shop.map": {"k": 1}}
    return {
        "name": "chat",
        "trace_id": TRACE,
        "span_id": SPAN,
        "start_time": int(moment(1)),
        "end_time": int(moment(2.5)),
        "attributes": attributes,
        "resource": {"attributes": {"service.name": "shop"}},
        "scope": {"name": "test.instrumentation", "version": "1"},
    }


def spelled() -> dict[str, bytes]:
    """The same span in every spelling."""
    request = one().request()
    based = json.loads(json.dumps(request))
    found = based["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    found["traceId"] = base64.b64encode(bytes.fromhex(TRACE)).decode()
    found["spanId"] = base64.b64encode(bytes.fromhex(SPAN)).decode()
    old = json.loads(json.dumps(request).replace("scopeSpans", "instrumentationLibrarySpans"))
    library = old["resourceSpans"][0]["instrumentationLibrarySpans"][0]
    library["instrumentationLibrary"] = library.pop("scope")
    console = {k: v for k, v in plain().items() if not k.endswith("_id")}
    console["context"] = {"trace_id": f"0x{TRACE}", "span_id": f"0x{SPAN}"}
    iso = "2026-09-21T14:13:2{}Z"
    console |= {"start_time": iso.format("1.000000"), "end_time": iso.format("2.500000"), "parent_id": None}
    hrtime = plain() | {"startTime": [START + 1, 0], "endTime": [START + 2, 500_000_000]}
    hrtime["spanContext"] = {"traceId": hrtime.pop("trace_id"), "spanId": hrtime.pop("span_id")}
    del hrtime["start_time"], hrtime["end_time"]
    lines = json.dumps(request).encode()
    return {
        "camelCase": lines,
        "snake_case": json.dumps(snake(request)).encode(),
        "indented": json.dumps(request, indent=2).encode(),
        "array of requests": json.dumps([request]).encode(),
        "one a line": lines + b"\n" + json.dumps({"resourceSpans": []}).encode() + b"\n",
        "byte order mark": b"\xef\xbb\xbf" + lines,
        "base64 ids": json.dumps(based).encode(),
        "before scopes": json.dumps(old).encode(),
        "array of spans": json.dumps([plain()]).encode(),
        "span a line": json.dumps(plain()).encode() + b"\n",
        "console of Python": json.dumps(console, indent=4).encode(),
        "console of JavaScript": json.dumps([hrtime]).encode(),
        "nested": json.dumps({"trace": {"spans": [plain()]}}).encode(),
    }


@pytest.mark.parametrize("name", spelled())
def test_every_spelling_gives_the_same_span(name: str) -> None:
    data = spelled()[name]
    (span,) = spans(data)
    (wanted,) = spans(one().json())
    assert msgspec.structs.replace(span, line=1) == wanted
    assert looks_like(data[:65536]) >= 0.9


def test_spans_one_after_another_without_lines() -> None:
    data = json.dumps(plain(), indent=2) + "\n" + json.dumps(plain() | {"span_id": "ab"}, indent=2)
    assert [s.id for s in spans(data.encode())] == [SPAN, "ab"]


def test_trail_spans_stand_in_each_other() -> None:
    inner = {
        "timestamp": "2026-09-21T14:13:21.5Z",
        "trace_id": TRACE,
        "span_id": "b2",
        "parent_span_id": SPAN,
        "span_name": "inner",
        "duration": "PT1M11.3S",
        "status_code": "Error",
        "status_message": "no",
        "span_attributes": {"llm.token_count.prompt": 5},
        "child_spans": [],
        "events": [{"Timestamp": "2026-09-21T14:13:22Z", "Name": "exception", "Attributes": {"a": "b"}}],
    }
    outer = {
        "timestamp": "2026-09-21T14:13:20Z",
        "trace_id": TRACE,
        "span_id": SPAN,
        "parent_span_id": "",
        "span_name": "outer",
        "duration": "PT2M",
        "status_code": "Unset",
        "span_attributes": {},
        "service_name": "bench",
        "child_spans": [inner],
    }
    data = json.dumps({"trace_id": TRACE, "spans": [outer]}).encode()
    first, second = spans(data)
    assert (first.parent, second.parent) == (None, SPAN)
    assert (second.ended or 0) - (second.started or 0) == 71_300_000_000
    assert (second.status, second.message, second.attributes) == (
        "error",
        "no",
        {"llm.token_count.prompt": 5},
    )
    assert second.events[0].attributes == {"a": "b"}
    assert second.events[0].at == int(moment(2))


def test_a_table_row_and_nested_attributes() -> None:
    row = {
        "name": "x",
        "context.trace_id": TRACE,
        "context.span_id": SPAN,
        "parent_id": None,
        "start_time": "2026-09-21T14:13:21Z",
        "attributes.llm.token_count.prompt": 9,
        "attributes.empty": None,
    }
    nested = plain() | {"attributes": {"llm": {"token_count": {"prompt": 9}, "input_messages": [{"a": 1}]}}}
    (one_row,) = spans(json.dumps([row]).encode())
    (deep,) = spans(json.dumps([nested]).encode())
    assert one_row.attributes == {"llm.token_count.prompt": 9}
    assert deep.attributes["llm.token_count.prompt"] == 9
    assert deep.attributes["llm.input_messages.0.a"] == 1


def test_log_records() -> None:
    t = Telemetry()
    span = t.span("chat")
    t.log("shop.sold", {"count": 2}, 3, span)
    t.logs.append(
        {
            "observedTimeUnixNano": moment(4),
            "eventName": "new",
            "body": {"kvlistValue": {"values": pairs({"a": 1})}},
        }
    )
    first, second = (r for r in decode(t.json(logs=t.logs)) if isinstance(r, Log))
    assert (first.name, first.body, first.trace, first.span) == ("shop.sold", "shop.sold", TRACE, SPAN)
    assert first.attributes == {"event.name": "shop.sold", "count": 2}
    assert (second.name, second.body, second.at, second.trace) == ("new", {"a": 1}, int(moment(4)), None)


def test_metrics_are_counted_not_read() -> None:
    data = b'{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a"},{"name":"b"}]}]}]}'
    assert rejects(data) == [(message.METRICS, 1, 2)]
    assert looks_like(data) == 1.0


def test_an_integer_beyond_64_bits_and_wrong_types_are_no_values() -> None:
    t = Telemetry()
    given = [
        {"key": "huge", "value": {"intValue": "9" * 30}},
        {"key": "text", "value": {"intValue": "seven"}},
        {"key": "flag", "value": {"boolValue": "true"}},
        {"key": "none", "value": {}},
        {"key": "bare", "value": 5},
        {"key": 7, "value": {"intValue": "1"}},
        "no pair",
    ]
    t.spans.append({"traceId": TRACE, "spanId": SPAN, "name": "x", "attributes": given})
    (span,) = spans(t.json())
    assert span.attributes == {"huge": None, "text": None, "flag": None, "none": None, "bare": 5}


BAD_IDS = ("", "0" * 32, None, 0, [], {"a": 1})


@pytest.mark.parametrize("bad", BAD_IDS)
@pytest.mark.parametrize("key", ["traceId", "spanId"])
def test_a_span_without_ids_is_rejected_alone(bad: Any, key: str) -> None:
    t = one()
    t.span("bad")
    t.spans[1][key] = bad
    assert [s.name for s in spans(t.json())] == ["chat"]
    assert rejects(t.json()) == [(message.NO_IDS, 1, 1)]


def test_a_broken_line_costs_itself_and_is_located() -> None:
    good = one().json()
    data = b"\n".join([good, b'{"resourceSpans":[{', b"", b"garbage", good, good[:-9]])
    assert [s.line for s in spans(data)] == [1, 5]
    assert rejects(data) == [(message.NOT_JSON, 2, 1), (message.NOT_JSON, 4, 1), (message.CUT, 6, 1)]
    first_broken = b"\n".join([b'{"resourceSpans":[{', good, good])
    assert [s.line for s in spans(first_broken)] == [2, 3]


def test_two_requests_on_one_line() -> None:
    t = one()
    t.span("second")
    data = t.json(t.spans[:1]) + t.json(t.spans[1:]) + b"\n" + t.json() + b"\n"
    assert [s.name for s in spans(data)] == ["chat", "second", "chat", "second"]


def deep(depth: int) -> str:
    return '{"arrayValue":{"values":[' * depth + "]}}" * depth


def test_nesting_of_10_000_costs_one_span() -> None:
    t = one()
    t.span("deep", {"x": "MARK"})
    t.span("after")
    data = t.json().replace(b'{"stringValue": "MARK"}', deep(10_000).encode())
    assert [s.name for s in spans(data)] == ["chat", "deep", "after"]
    assert rejects(data) == [(message.TOO_DEEP, 1, 1)]
    flat = b'{"a":' * 10_000 + b"1" + b"}" * 10_000
    assert rejects(flat)[0] == rejects(b"[" * 200_000)[0] == (message.TOO_DEEP, 1, 1)


def test_values_deeper_than_the_limit_cost_one_span() -> None:
    t = one()
    t.span("deep", {"x": "MARK"})
    data = t.json().replace(b'{"stringValue": "MARK"}', deep(message.FILE.depth + 2).encode())
    assert [s.name for s in spans(data)] == ["chat"]
    assert rejects(data) == [(message.TOO_DEEP, 1, 1)]


def test_limits_of_size_records_and_parts() -> None:
    t = Telemetry()
    for number in range(5):
        t.span(f"s{number}", {f"k{i}": i for i in range(4)})
    t.span("wide", {f"k{i}": i for i in range(400)})
    assert rejects(t.json(), Limits(bytes=100)) == [(message.TOO_LONG, 1, 1)]
    few = Limits(records=3, parts=200)
    assert [s.name for s in spans(t.json(), few)] == ["s0", "s1", "s2"]
    assert rejects(t.json(), few) == [(message.TOO_MANY_PARTS, 1, 1), (message.TOO_MANY, 1, 2)]
    commas = b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + b"1," * 20_000_001 + b"1]}]}]}"
    assert rejects(commas) == [(message.TOO_MANY, 1, 1)]


@pytest.mark.parametrize(
    "form",
    [
        {"resourceSpans": 5},
        {"resourceSpans": [5]},
        {"resourceSpans": [{"scopeSpans": 5}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": 5}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [5, None]}]}]},
        {"resourceSpans": [{"resource": 5, "scopeSpans": [{"scope": [], "spans": [{}]}]}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [5]}]}]},
        {"resourceSpans": [None]},
        {"spans": [[[[[[[]]]]]]]},
    ],
)
def test_requests_of_a_wrong_form_hold_nothing_and_break_nothing(form: dict[str, Any]) -> None:
    found = list(decode(json.dumps(form).encode()))
    assert all(isinstance(r, Reject) for r in found)


def test_a_request_with_one_wrong_part_keeps_the_others() -> None:
    request = one().request()
    request["resourceSpans"].insert(0, {"scopeSpans": 7})
    request["resourceSpans"][1]["scopeSpans"].append({"spans": "no"})
    (span,) = spans(json.dumps(request).encode())
    assert span.name == "chat"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(data=st.data(), wrong=json_values)
def test_any_field_may_hold_anything(data: st.DataObject, wrong: Any) -> None:
    t = one()
    t.log("shop.sold", {"count": 2}, 3, t.spans[0])
    request = t.request()
    spots: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
            spots.append((node, key))
            if isinstance(child, dict | list):
                collect(child)

    collect(request)
    node, key = data.draw(st.sampled_from(spots))
    node[key] = wrong
    for record in decode(json.dumps(request).encode()):
        assert isinstance(record, Span | Log | Reject)
        if isinstance(record, Span):
            assert record.trace
            assert record.id
            record.name.encode()


@given(st.binary(max_size=200))
def test_any_bytes_give_records_or_rejects(data: bytes) -> None:
    for start in (b"", b"{", b'{"resourceSpans":[', b"[{", b"\x0a", b"\x00\x00\x00\x05\x0a"):
        for record in decode(start + data):
            assert isinstance(record, Span | Log | Reject)


@pytest.mark.parametrize(
    "strange",
    [b"", b"{}\n", b"[]", b"hello\n", b"\x00\xff" * 50, b'{"type":"user","sessionId":"x"}\n', b"\x1f\x8b"],
)
def test_what_is_not_of_opentelemetry_is_not_taken_for_it(strange: bytes) -> None:
    assert looks_like(strange) < 0.5


def test_a_chat_that_speaks_of_telemetry_is_no_telemetry() -> None:
    text = json.dumps({"type": "user", "text": one().json().decode()}).encode()
    assert looks_like(text) < 0.5
    assert value(True) == {"boolValue": True}


@pytest.mark.parametrize("attributes", [pairs({"a": "x", "b": "é"}), {"a": "x", "b": 7}])
def test_an_attribute_has_two_parts_its_name_and_its_value(attributes: Any) -> None:
    data = json.dumps({**plain(), "attributes": attributes, "resource": None, "scope": None}).encode()
    assert rejects(data, Limits(parts=4)) == []
    assert rejects(data, Limits(parts=3)) == [(message.TOO_MANY_PARTS, 1, 1)]


def test_of_a_value_with_two_types_the_first_of_ours_counts() -> None:
    t = Telemetry()
    values = [
        {"intValue": "5", "stringValue": "text"},
        {"boolValue": True, "intValue": 5},
        {"stringValue": 5},
        {"stringValue": None, "doubleValue": 0.5},
        {"kvlistValue": {"values": []}, "arrayValue": {"values": [{"intValue": 1}]}},
    ]
    t.span("x")["attributes"] = [{"key": str(n), "value": v} for n, v in enumerate(values)]
    (span,) = spans(t.json())
    assert list(span.attributes.values()) == ["text", 5, None, 0.5, [1]]
