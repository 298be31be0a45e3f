"""Are spans of frameworks read as each of them writes? OpenLLMetry, OpenInference, Langfuse and others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ingest.test_planted import SECRETS
from otlp import Telemetry, calls, pairs, said
from sources.test_otel_cases import operations, skipped, tokens
from sources.test_otel_hostile import rich
from tracelode.model.operation import Operation
from written import added, every

MINUTE = 60 * 10**6


def by_kind(found: list[Operation], kind: str) -> list[Operation]:
    return [o for o in found if o.kind == kind]


def test_openllmetry() -> None:
    t = Telemetry(scope="opentelemetry.instrumentation.openai.v1")
    session = {"traceloop.association.properties.session_id": "talk"}
    root = t.span(
        "joke.workflow",
        {"traceloop.span.kind": "workflow", "traceloop.entity.name": "joke", **session},
        0,
        20,
    )
    t.span(
        "openai.chat",
        {
            "llm.request.type": "chat",
            "gen_ai.system": "OpenAI",
            "gen_ai.request.model": "gpt-4o",
            **session,
            "gen_ai.usage.prompt_tokens": 40,
            "gen_ai.usage.completion_tokens": 9,
            "llm.usage.total_tokens": 49,
            "gen_ai.prompt.0.role": "system",
            "gen_ai.prompt.0.content": "Be funny",
            "gen_ai.prompt.1.role": "user",
            "gen_ai.prompt.1.content": "Tell a joke",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.finish_reason": "tool_calls",
            "gen_ai.completion.0.tool_calls.0.id": "c-1",
            "gen_ai.completion.0.tool_calls.0.name": "search",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"q":"jokes"}',
        },
        1,
        5,
        root,
    )
    tool = {"traceloop.span.kind": "tool", "traceloop.entity.name": "search", **session}
    tool |= {
        "traceloop.entity.input": '{"inputs":{"url":"https://example.org/a"}}',
        "traceloop.entity.output": "ten",
    }
    t.span("search.tool", tool, 6, 9, root)
    note, prompt, call, search = operations(t.json())
    assert (prompt.arguments, note.name) == ("Tell a joke", "joke.workflow")
    assert call.measures == {"tokens.input_fresh": 40, "tokens.output": 9, "calls": 1}
    assert (search.name, search.output, search.fields["domain"]) == ("search", "ten", "example.org")
    # the span has no id of the call, the answer asks for a tool of this name
    assert (search.fields["call"], search.fields["otel.link"], search.session) == (call.id, "order", "talk")


def test_openinference_flattened_messages() -> None:
    t = Telemetry(scope="openinference.instrumentation.smolagents")
    root = t.span(
        "CodeAgent.run",
        {"openinference.span.kind": "AGENT", "input.value": '{"task": "Count the papers"}'},
        0,
        20,
    )
    t.span(
        "Model",
        {
            "openinference.span.kind": "LLM",
            "llm.model_name": "o3-mini",
            "llm.token_count.prompt": 40,
            "llm.token_count.completion": 9,
            "llm.token_count.completion_details.reasoning": 4,
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.contents.0.message_content.type": "text",
            "llm.input_messages.0.message.contents.0.message_content.text": "long instructions",
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": "Searching.",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "visit",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"url": "https://openreview.net"}',
        },
        1,
        5,
        root,
    )
    tool = {"openinference.span.kind": "TOOL", "tool.name": "visit", "output.value": "page"}
    tool["input.value"] = '{"args": [], "sanitize": true, "kwargs": {"url": "https://openreview.net"}}'
    t.span("VisitTool", tool, 6, 9, root, status={"code": 2})
    t.span("Retriever", {"openinference.span.kind": "RETRIEVER", "input.value": "papers"}, 10, 11, root)
    prompt, agent, call, visit, retriever = operations(t.json())
    assert prompt.arguments == "Count the papers"
    assert (call.output, call.measures["tokens.reasoning"], call.measures["tokens.output"]) == (
        "Searching.",
        4,
        5,
    )
    assert (visit.name, visit.status, visit.fields["domain"]) == ("visit", "error", "openreview.net")
    assert (visit.fields["call"], retriever.fields.get("call")) == (call.id, None)
    assert agent.fields["otel.scope"] == "openinference.instrumentation.smolagents"


def test_pydantic_ai_agent_with_messages_in_one_attribute() -> None:
    t = Telemetry(scope="pydantic-ai")
    told = [
        {"role": "user", "parts": [{"type": "text", "content": "What is the weather?"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "Sunny."}]},
    ]
    root = t.span(
        "agent run",
        {
            "model_name": "gpt-4o",
            "agent_name": "forecast",
            "pydantic_ai.all_messages": json.dumps(told),
            "gen_ai.aggregated_usage.input_tokens": 50,
            "gen_ai.aggregated_usage.output_tokens": 5,
        },
        0,
        9,
    )
    prompt, _, total = operations(t.json())
    assert prompt.arguments == "What is the weather?"
    assert total.fields["told_by"] == "total"
    assert tokens(t.json()) == {"input_fresh": 50, "output": 5, "calls": 1}
    t.chat(1, 2, root, input=50, output=5, operation_cost=0.00025)
    assert tokens(t.json()) == {"input_fresh": 50, "output": 5, "calls": 1}
    assert by_kind(operations(t.json()), "model")[0].measures["cost.reported"] == 250_000_000


def test_langfuse_attributes() -> None:
    t = Telemetry(scope="langfuse-sdk")
    root = t.span("handle", {"langfuse.observation.type": "agent", "langfuse.session.id": "talk"}, 0, 9)
    t.span(
        "generate",
        {
            "langfuse.observation.type": "generation",
            "langfuse.observation.model.name": "claude-sonnet-4-5",
            "langfuse.observation.input": json.dumps([{"role": "user", "content": "Hello there"}]),
            "langfuse.observation.output": json.dumps({"role": "assistant", "content": "Hi!"}),
            "langfuse.observation.usage_details": json.dumps(
                {"input": 5, "output": 6, "output_reasoning": 2, "total": 13}
            ),
            "langfuse.observation.cost_details": json.dumps({"input": 0.1, "total": 0.25}),
        },
        1,
        2,
        root,
    )
    _, prompt, call = operations(t.json())
    assert (prompt.arguments, call.output, call.name) == ("Hello there", "Hi!", "claude-sonnet-4-5")
    assert call.measures == {
        "tokens.input_fresh": 5,
        "tokens.output": 6,
        "tokens.reasoning": 2,
        "calls": 1,
        "cost.reported": 250_000_000_000,
    }


def test_messages_as_events_of_older_conventions() -> None:
    t = Telemetry()
    call = t.chat(1, 5, input=5)
    call["events"] = [
        {"name": "gen_ai.user.message", "attributes": pairs({"content": "Is it open?"})},
        {"name": "gen_ai.choice", "attributes": pairs({"message": json.dumps({"content": "Until six."})})},
    ]
    prompt, made = operations(t.json())
    assert (prompt.arguments, made.output) == ("Is it open?", "Until six.")
    call["events"] = []
    t.log(
        "gen_ai.user.message",
        {},
        1,
        call,
        body={"kvlistValue": {"values": pairs({"content": "Is it open?"})}},
    )
    t.log(
        "gen_ai.choice",
        {},
        4,
        call,
        body={"kvlistValue": {"values": pairs({"message": {"content": "Until six."}})}},
    )
    prompt, made = operations(t.json())
    assert (prompt.arguments, made.output) == ("Is it open?", "Until six.")
    alone = t.json(logs=t.logs)
    assert skipped(alone) == {"message of a span that is not in the file": 2}


def test_tool_calls_that_only_messages_tell() -> None:
    t = Telemetry()
    asks = calls(("c-1", "bash", {"command": "make"}), ("c-2", "read_file", {"path": "a.py"}))
    answer = [
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c-1", "response": "built"}]},
    ]
    t.chat(0, 5, input=10, gen__ai_output_messages=asks)
    t.chat(7, 9, input=20, gen__ai_input_messages=json.dumps(answer), gen__ai_output_messages=said("Done."))
    first, bash, read, second = operations(t.json())
    assert [(o.name, o.status, o.output) for o in (bash, read)] == [
        ("bash", "ok", "built"),
        ("read_file", "unknown", ""),
    ]
    assert {o.fields["told_by"] for o in (bash, read)} == {"message"}
    assert {o.fields["call"] for o in (bash, read)} == {first.id}
    assert (bash.started, bash.ended, second.output) == (first.ended, None, "Done.")
    t.tool("bash", 5, 6, call="c-1")
    assert [o.fields.get("told_by") for o in operations(t.json()) if o.fields.get("tool") == "bash"] == [None]


def test_a_tool_is_not_charged_to_an_answer_that_asked_for_others() -> None:
    t = Telemetry()
    root = t.agent("run", 0, 30)
    t.chat(1, 3, root, input=10, gen__ai_output_messages=calls(("c-1", "bash", {})))
    t.tool("cron", 4, 5, root)
    t.tool("bash", 5, 6, root, call="c-1")
    found = {o.name: o for o in operations(t.json())}
    assert "call" not in found["cron"].fields
    assert found["bash"].fields["otel.link"] == "id"


def test_calls_at_once_and_a_tool_share_the_time(tmp_path: Path) -> None:
    t = Telemetry()
    root = t.agent("run", 0, 100)
    t.chat(0, 40, root, input=1)
    t.chat(20, 40, root, input=1)
    t.tool("slow", 30, 60, root)
    workspace, _ = added(tmp_path, {"a.json": t.json()})
    times = [o.measures.get("time.model", 0) + o.measures.get("time.tool", 0) for o in every(workspace)]
    # 0..20 one call, 20..30 two, 30..40 two and the tool, 40..60 the tool, 60..100 nobody knows
    third = 10_000_000 / 3
    assert [t for t in times if t] == [
        pytest.approx(25_000_000 + third, abs=2),
        pytest.approx(5_000_000 + third, abs=2),
        pytest.approx(20_000_000 + third, abs=2),
    ]
    assert workspace.totals().time_us["unknown"] == 40_000_000
    assert sum(workspace.totals().time_us.values()) == 100_000_000


def test_the_wait_between_two_turns_is_a_persons(tmp_path: Path) -> None:
    t = Telemetry()
    for turn in range(2):
        t.trace = turn + 1
        root = t.agent("run", turn * 100, turn * 100 + 10, gen__ai_conversation_id="talk")
        t.chat(turn * 100, turn * 100 + 10, root, input=5, gen__ai_input_messages=said("Go on", "user"))
    workspace, _ = added(tmp_path, {"a.json": t.json()})
    assert workspace.totals().time_us == {
        "model": 20_000_000,
        "tool": 0,
        "blocked": 90_000_000,
        "idle": 0,
        "unknown": 0,
    }
    assert [o.kind for o in every(workspace)].count("prompt") == 2


def test_an_exit_code_is_told() -> None:
    t = Telemetry()
    t.tool("bash", 0, 1, t.agent("run", 0, 2), status={"code": 2})["attributes"] += pairs({"exit_code": 2})
    assert [o.status for o in operations(t.json())] == ["ok", "nonzero"]


@pytest.mark.parametrize("kind", SECRETS)
def test_secrets_in_any_text_stay_out(tmp_path: Path, kind: str) -> None:
    """Every text of the telemetry, names and ids among them, holds a secret of its own."""
    plant, sought = SECRETS[kind]
    request = rich().request()
    count = 0

    def spoil(node: Any) -> None:
        nonlocal count
        for key, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if isinstance(child, dict | list):
                spoil(child)
            elif isinstance(child, str) and key in ("stringValue", "name"):
                count += 1
                # words that decide what a record is stay, the others have company
                plain = key == "stringValue" and re.fullmatch(r"[a-z_.]+(?: [a-z]+)?", child)
                node[key] = child if plain else f"{child} {plant.format(n=count)}"

    spoil(request)
    workspace, report = added(tmp_path, {"a.json": request})
    assert count > 60
    assert workspace.totals().operations > 10
    held = b"".join(p.read_bytes() for p in sorted((tmp_path / "store").rglob("*")) if p.is_file())
    shown = held + repr((report, every(workspace), workspace.sessions())).encode()
    assert not [n for n in range(count + 1) if sought.format(n=n).encode() in shown]
