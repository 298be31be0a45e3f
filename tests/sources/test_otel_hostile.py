"""Does hostile telemetry cost only itself: circles, times that run back, depth, width, anything anywhere?"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otlp import Telemetry, calls, pairs, said, value
from sources.test_otel_cases import items, operations, skipped, tokens
from tracelode.model.operation import Operation
from tracelode.model.ports import Tick
from written import added


def test_spans_that_are_their_own_ancestors_count_once_each() -> None:
    t = Telemetry()
    a, b, c = (t.chat(i, i + 1, input=10 + i) for i in range(3))
    for child, parent in ((a, c), (b, a), (c, b)):
        child["parentSpanId"] = parent["spanId"]
    own = t.chat(5, 6, input=1)
    own["parentSpanId"] = own["spanId"]
    found = operations(t.json())
    # the circle is cut at its first span: the innermost call counts
    assert [o.kind for o in found] == ["note", "note", "model", "model"]
    assert found[0].parent is None
    assert found[3].parent is None
    assert tokens(t.json()) == {"input_fresh": 13, "calls": 2}
    assert skipped(t.json()) == {"span that is its own ancestor, taken as a root": 2}


def test_an_end_before_the_start_is_no_end(tmp_path: Path) -> None:
    t = Telemetry()
    root = t.agent("run", 0, 20)
    t.chat(9, 4, root, input=10)
    (call,) = [o for o in operations(t.json()) if o.kind == "model"]
    assert (call.ended, call.status) == (None, "ok")
    assert skipped(t.json()) == {"span that ends before it starts, end left out": 1}
    workspace, _ = added(tmp_path, {"a.json": t.json()})
    assert workspace.totals().time_us["unknown"] == 20_000_000


def test_open_spans_and_spans_without_times() -> None:
    t = Telemetry()
    root = t.agent("run", 0, 20)
    t.tool("open", 1, 2, root).pop("endTimeUnixNano")
    t.tool("never", 1, 2, root, startTimeUnixNano="0", endTimeUnixNano="18446744073709551615")
    found = {o.name: o for o in operations(t.json())}
    assert (found["open"].status, found["open"].ended) == ("running", None)
    assert (found["never"].started, found["never"].ended) == (None, None)


def test_a_chain_of_5_000_spans_and_5_000_siblings(tmp_path: Path) -> None:
    begun = time.process_time()
    deep = Telemetry()
    above: Any = None
    for number in range(5_000):
        above = deep.span("step", {"openinference.span.kind": "CHAIN"}, number * 0.001, 40, above)
    deep.chat(21, 22, above, input=7)
    wide = Telemetry(trace=2)
    root = wide.agent("run", 0, 100)
    for number in range(5_000):
        wide.chat(number * 0.001, 90, root, input=1)
    assert tokens(deep.json()) == {"input_fresh": 7, "calls": 1}
    found = items(wide.json())
    assert sum(o.measures.get("tokens.input_fresh", 0) for o in found if isinstance(o, Operation)) == 5_000
    assert sum(isinstance(i, Tick) for i in found) < 17 * 5_003
    assert time.process_time() - begun < 8


def test_a_circle_of_5_000_spans() -> None:
    t = Telemetry()
    for number in range(5_000):
        t.chat(number, number + 1, input=1)
    for number, span in enumerate(t.spans):
        span["parentSpanId"] = t.spans[number - 1]["spanId"]
    begun = time.process_time()
    assert tokens(t.json()) == {"input_fresh": 1, "calls": 1}
    assert time.process_time() - begun < 6


def test_a_span_told_twice_is_one(tmp_path: Path) -> None:
    t = Telemetry()
    fuller = t.chat(0, 5, input=10, output=2)
    t.spans.insert(0, {**fuller, "attributes": fuller["attributes"][:2], "endTimeUnixNano": "0"})
    assert tokens(t.json()) == {"input_fresh": 10, "output": 2, "calls": 1}
    assert skipped(t.json()) == {"span told twice, the fuller one kept": 1}


def test_telemetry_of_something_else_is_counted_and_left_out(tmp_path: Path) -> None:
    t = Telemetry()
    t.span("GET /", {"http.request.method": "GET"}, 0, 1)
    t.log("db.slow", {"query": "select 1"}, 2)
    workspace, report = added(tmp_path, {"a.json": t.json()})
    assert {s.reason: s.count for s in report.skipped} == {
        "span of a trace without model, tool or agent": 1,
        "log record of no known event": 1,
    }
    assert workspace.sessions() == []


def rich() -> Telemetry:
    """Telemetry that uses everything the source reads."""
    t = Telemetry("claude-code")
    asks = calls(("c-1", "bash", {"command": "ls"}), ("c-2", "read", {"path": "a"}))
    root = t.agent("run", 0, 50, gen__ai_conversation_id="talk", gen__ai_usage_input__tokens=9)
    more = {"gen__ai_input_messages": said("go", "user"), "gen__ai_output_messages": asks}
    t.chat(1, 2, root, input=100, read=60, write=10, output=20, reasoning=5, operation_cost=0.5, **more)
    t.tool("bash", 3, 4, root, {"command": "ls"}, "a", "c-1")
    t.span(
        "Model",
        {
            "openinference.span.kind": "LLM",
            "llm.token_count.prompt": 5,
            "llm.output_messages.0.message.role": "a",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "x",
            "session.id": "talk",
        },
        5,
        6,
        root,
    )
    t.span(
        "generate",
        {
            "langfuse.observation.type": "generation",
            "langfuse.observation.usage_details": '{"input": 5}',
            "langfuse.observation.cost_details": '{"total": 1}',
            "langfuse.observation.input": '[{"role":"user"}]',
        },
        6,
        7,
        root,
    )
    tool = t.span("claude_code.tool", {"tool_name": "Bash", "agent_id": "a-1", "session.id": "s"}, 8, 9)
    t.span("claude_code.tool.blocked_on_user", {"decision": "reject"}, 8, 9, tool)
    for event, own in {
        "claude_code.user_prompt": {"prompt": "x", "prompt.id": "p"},
        "claude_code.api_request": {"input_tokens": "5", "duration_ms": "10", "cost_usd": "1", "model": "m"},
        "claude_code.tool_result": {
            "tool_name": "Bash",
            "tool_use_id": "t",
            "tool_parameters": "{}",
            "success": "true",
        },
        "claude_code.tool_decision": {"tool_name": "Bash", "decision": "reject", "source": "user_reject"},
        "codex.sse_event": {
            "event.kind": "response.completed",
            "input_token_count": "5",
            "conversation.id": "c",
        },
        "gen_ai.user.message": {"content": "x"},
        "gen_ai.client.inference.operation.details": {"gen_ai.usage.input_tokens": 4},
    }.items():
        t.log(event, {"session.id": "s", "event.timestamp": "2026-09-21T14:13:30Z", **own}, 10, root)
    return t


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def sound(found: list[Any]) -> None:
    for item in found:
        if isinstance(item, Operation):
            item.arguments.encode()
            item.output.encode()
            assert all(isinstance(k, str) and isinstance(v, str) for k, v in item.fields.items())
            assert all(isinstance(v, int) and v >= 0 for v in item.measures.values())


RICH = rich().request()


def test_the_rich_sample_is_sound() -> None:
    found = items(json.dumps(RICH).encode())
    sound(found)
    assert {o.kind for o in found if isinstance(o, Operation)} == {"note", "model", "tool", "prompt"}


@given(data=st.data(), wrong=json_values)
@settings(max_examples=150, deadline=None)
def test_any_field_may_hold_anything(data: st.DataObject, wrong: Any) -> None:
    request = json.loads(json.dumps(RICH))
    spots: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
            spots.append((node, key))
            if isinstance(child, dict | list):
                collect(child)

    collect(request)
    node, key = data.draw(st.sampled_from(spots))
    node[key] = wrong
    sound(items(json.dumps(request).encode()))


@given(data=st.data(), wrong=json_values)
@settings(max_examples=150, deadline=None)
def test_any_attribute_may_hold_anything(data: st.DataObject, wrong: Any) -> None:
    t = rich()
    record = data.draw(st.sampled_from(t.spans + t.logs))
    pair = data.draw(st.sampled_from(record["attributes"]))
    text = json.dumps(wrong) if data.draw(st.booleans()) else None
    pair["value"] = {"stringValue": text} if text is not None else value(wrong if wrong is not None else {})
    sound(items(t.json()))


@pytest.mark.parametrize(
    "name", ["gen_ai.input.messages", "gen_ai.output.messages", "input.value", "gen_ai.prompt"]
)
def test_messages_that_nest_10_000_deep(name: str) -> None:
    t = Telemetry()
    t.chat(0, 1, input=5)["attributes"] += pairs({name: "[" * 10_000 + "]" * 10_000})
    assert tokens(t.json()) == {"input_fresh": 5, "calls": 1}
