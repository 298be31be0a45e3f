"""Does the OpenTelemetry source count right where others are known to have counted wrong? One test a case."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from otlp import Record, Telemetry, pairs
from tracelode.model.operation import Operation
from tracelode.model.ports import Item, Line, Skip
from tracelode.sources.otel import Otel
from written import added, every


def items(data: bytes) -> list[Item]:
    source = Otel()
    return list(source.read([Line(1, 0, data)], source.fresh(), "x.json"))


def skipped(data: bytes) -> dict[str, int]:
    return {i.reason: i.count for i in items(data) if isinstance(i, Skip)}


def operations(data: bytes) -> list[Operation]:
    return [i for i in items(data) if isinstance(i, Operation)]


def tokens(data: bytes) -> dict[str, int]:
    """Sums of the token measures, and of calls."""
    found: dict[str, int] = {}
    for o in operations(data):
        for name, value in o.measures.items():
            if name.startswith("tokens.") or name == "calls":
                found[name.removeprefix("tokens.")] = found.get(name.removeprefix("tokens."), 0) + value
    return found


def spent(data: bytes) -> int:
    """Tokens of all kinds."""
    return sum(count for name, count in tokens(data).items() if name != "calls")


def naive(records: list[Record]) -> int:
    """Every count of tokens that spans or log records tell, added up."""
    told = [a for record in records for a in record["attributes"] if a["key"].lower().endswith("tokens")]
    return sum(int(a["value"]["intValue"]) for a in told)


def chat(**counts: Any) -> bytes:
    t = Telemetry()
    t.chat(0, 1, **counts)
    return t.json()


def span(attributes: dict[str, Any], name: str = "chat", scope: str = "test") -> bytes:
    t = Telemetry(scope=scope)
    t.span(name, {"gen_ai.request.model": "m", **attributes})
    return t.json()


# C1 ---------------------------------------------------------------------------------------------


def test_c1_input_includes_cache_17903_is_not_35720() -> None:
    found = tokens(chat(input=17_903, read=17_817, output=211))
    assert found == {"cache_read": 17_817, "input_fresh": 86, "output": 211, "calls": 1}
    assert (found["input_fresh"] + found["cache_read"], 17_903 + found["cache_read"]) == (17_903, 35_720)


def test_c1_input_includes_reads_and_writes_130213_is_not_260421() -> None:
    found = tokens(chat(input=130_213, read=120_000, write=10_208, output=5))
    assert found == {
        "cache_read": 120_000,
        "cache_write_5m": 10_208,
        "input_fresh": 5,
        "output": 5,
        "calls": 1,
    }
    assert skipped(chat(input=130_213, read=120_000, write=10_208)) == {}
    within = found["cache_read"] + found["cache_write_5m"]
    assert (found["input_fresh"] + within, 130_213 + within) == (130_213, 260_421)


@pytest.mark.parametrize(
    ("names", "figures"),
    [
        (("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"), {}),
        (
            ("llm.token_count.prompt", "llm.token_count.completion"),
            {"llm.token_count.prompt_details.cache_read": 60},
        ),
        (
            ("llm.usage.prompt_tokens", "llm.usage.completion_tokens"),
            {"llm.usage.cache_read_input_tokens": 60},
        ),
        (("ai.usage.promptTokens", "ai.usage.completionTokens"), {"ai.usage.cachedInputTokens": 60}),
        (
            ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
            {"gen_ai.usage.details.cache_read_tokens": 60},
        ),
        (
            ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
            {"gen_ai.usage.input_tokens.cached": 60},
        ),
        (
            ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
            {"gen_ai.usage.cache_read_input_tokens": 60},
        ),
        (
            ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
            {"gen_ai.usage.input_cached_tokens": 60},
        ),
    ],
)
def test_c1_every_writers_names_tell_100_input_tokens(
    names: tuple[str, str], figures: dict[str, int]
) -> None:
    found = tokens(span({names[0]: 100, names[1]: 7, **figures}))
    assert found.pop("cache_read", 0) == sum(figures.values())
    assert found == {"input_fresh": 100 - sum(figures.values()), "output": 7, "calls": 1}


def test_c1_a_total_with_the_cache_on_top_shows_input_without_it_200_tokens_not_110() -> None:
    apart = span({
        "llm.token_count.prompt": 100, "llm.token_count.completion": 10,
        "llm.token_count.prompt_details.cache_read": 60, "llm.token_count.prompt_details.cache_write": 30,
        "llm.token_count.total": 200,
    })  # fmt: skip
    assert tokens(apart) == {
        "input_fresh": 100, "cache_read": 60, "cache_write_5m": 30, "output": 10, "calls": 1,
    }  # fmt: skip
    assert list(skipped(apart)) == ["input smaller than its total says, cached tokens taken as beside it"]
    within = span({
        "llm.token_count.prompt": 100, "llm.token_count.completion": 10,
        "llm.token_count.prompt_details.cache_read": 60, "llm.token_count.total": 110,
    })  # fmt: skip
    assert tokens(within) == {"input_fresh": 40, "cache_read": 60, "output": 10, "calls": 1}
    assert (spent(apart), spent(within)) == (200, 110)


def test_c1_claude_code_and_langfuse_write_input_without_cache_7458_tokens_not_3958() -> None:
    t = Telemetry("claude-code", "com.anthropic.claude_code.tracing")
    t.span("claude_code.llm_request", {
        "session.id": "s", "model": "claude-haiku-4-5", "input_tokens": 3550, "output_tokens": 408,
        "cache_read_tokens": 3000, "cache_creation_tokens": 500, "request_id": "req_1",
    })  # fmt: skip
    wanted = {"input_fresh": 3550, "cache_read": 3000, "cache_write_5m": 500, "output": 408, "calls": 1}
    assert tokens(t.json()) == wanted
    assert skipped(t.json()) == {}
    assert (spent(t.json()), wanted["input_fresh"] + wanted["output"]) == (7_458, 3_958)
    usage = {
        "input": 3550,
        "input_cache_read": 3000,
        "input_cache_creation": 500,
        "output": 408,
        "total": 7458,
    }
    own = {"langfuse.observation.type": "generation", "langfuse.observation.usage_details": json.dumps(usage)}
    assert tokens(span(own)) == wanted
    usage = {
        "prompt_tokens": 3550,
        "completion_tokens": 408,
        "prompt_tokens_details": {"cached_tokens": 3000},
    }
    own["langfuse.observation.usage_details"] = json.dumps(usage)
    assert tokens(span(own)) == {"input_fresh": 550, "cache_read": 3000, "output": 408, "calls": 1}


# C2 ---------------------------------------------------------------------------------------------


def test_c2_an_agent_that_repeats_its_calls_124_is_not_248() -> None:
    t = Telemetry()
    root = t.agent("run", 0, 9, gen__ai_usage_input__tokens=113, gen__ai_usage_output__tokens=11)
    t.chat(1, 2, root, input=56, output=5)
    t.chat(3, 4, root, input=57, output=6)
    assert tokens(t.json()) == {"input_fresh": 113, "output": 11, "calls": 2}
    assert (spent(t.json()), naive(t.spans)) == (124, 248)


def test_c2_trail_agent_of_16054_tokens_counts_its_calls_19788_tokens_not_35842() -> None:
    """The agent tells the sum of its steps; what it planned is in no step and counts as well."""

    def node(name: str, kind: str | None, count: int | None, *inside: dict[str, Any]) -> dict[str, Any]:
        node.number += 1  # type: ignore[attr-defined]
        attributes = {"openinference.span.kind": kind} if kind else {}
        if count is not None:
            attributes |= {"llm.token_count.prompt": str(count - 100), "llm.token_count.completion": "100"}
        return {
            "trace_id": "ab" * 16, "span_id": f"{node.number:016x}", "span_name": name,  # type: ignore[attr-defined]
            "timestamp": f"2025-03-19T17:33:{node.number:02d}Z", "duration": "PT1S",  # type: ignore[attr-defined]
            "span_attributes": attributes, "status_code": "Ok", "child_spans": list(inside),
        }  # fmt: skip

    node.number = 0  # type: ignore[attr-defined]
    steps = [
        node(f"Step {i}", "CHAIN", None, node("Model", "LLM", n)) for i, n in enumerate((4988, 4742, 6324))
    ]
    plans = [node("Model", "LLM", n) for n in (2188, 1546)]
    agent = node("CodeAgent.run", "AGENT", 16_054, *plans, *steps)
    data = json.dumps({"trace_id": "ab" * 16, "spans": [node("main", None, None, agent)]}).encode()
    found = tokens(data)
    assert found["calls"] == 5
    assert found["input_fresh"] + found["output"] == 4988 + 4742 + 6324 + 2188 + 1546 == 19_788
    assert sum(map(int, re.findall(rb'"llm.token_count.\w+": "(\d+)"', data))) == 35_842


def test_c2_an_agent_without_calls_inside_counts_itself_55_tokens_not_154() -> None:
    t = Telemetry()
    root = t.agent("outer", 0, 9, gen__ai_usage_input__tokens=90, gen__ai_usage_output__tokens=9)
    t.agent("inner", 1, 8, root, gen__ai_usage_input__tokens=50, gen__ai_usage_output__tokens=5)
    assert tokens(t.json()) == {"input_fresh": 50, "output": 5, "calls": 1}
    assert (spent(t.json()), naive(t.spans)) == (55, 154)
    t.chat(2, 3, t.spans[1], input=40, output=4)
    assert tokens(t.json()) == {"input_fresh": 40, "output": 4, "calls": 1}


def test_c2_calls_that_tell_no_tokens_leave_them_to_the_agent_99_tokens_not_0() -> None:
    t = Telemetry()
    root = t.agent("run", 0, 9, gen__ai_usage_input__tokens=90, gen__ai_usage_output__tokens=9)
    t.chat(1, 2, root)
    t.chat(3, 4, root)
    assert tokens(t.json()) == {"input_fresh": 90, "output": 9, "calls": 2}
    assert (spent(t.json()), naive(t.spans[1:])) == (99, 0)


def test_c2_one_call_under_two_instrumentations_counts_once_110_tokens_not_220() -> None:
    t = Telemetry()
    outer = t.chat(0, 5, input=100, output=10, model="gpt-5")
    inner = t.chat(1, 4, outer, input=100, output=10)
    assert tokens(t.json()) == {"input_fresh": 100, "output": 10, "calls": 1}
    assert (spent(t.json()), naive(t.spans)) == (110, 220)
    inner["attributes"] = pairs({"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"})
    assert tokens(t.json()) == {"input_fresh": 100, "output": 10, "calls": 1}


def test_c2_a_call_in_a_tool_that_a_call_started_is_another_143_tokens_not_33() -> None:
    t = Telemetry()
    outer = t.chat(0, 9, input=100, output=10)
    tool = t.tool("ask", 1, 8, outer)
    t.chat(2, 7, t.agent("helper", 1.5, 7.5, tool), input=30, output=3)
    assert tokens(t.json()) == {"input_fresh": 130, "output": 13, "calls": 2}
    assert (spent(t.json()), naive(t.spans[-1:])) == (143, 33)


def test_c2_vercel_counts_its_inner_spans_93_tokens_not_186() -> None:
    t = Telemetry(scope="ai")
    outer = t.span("ai.generateText", {
        "ai.operationId": "ai.generateText", "ai.model.id": "gpt-4o-mini", "ai.usage.promptTokens": 64,
        "ai.usage.completionTokens": 29, "ai.prompt": json.dumps({"prompt": "Sum up"}),
    }, 0, 9)  # fmt: skip
    own = {"ai.operationId": "ai.generateText.doGenerate", "gen_ai.request.model": "gpt-4o-mini"}
    for start, given, made in ((1, 14, 20), (5, 50, 9)):
        counts = {"gen_ai.usage.input_tokens": given, "gen_ai.usage.output_tokens": made}
        t.span("ai.generateText.doGenerate", own | counts, start, start + 2, outer)
    name = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "look", "ai.toolCall.args": "{}"}
    t.span("ai.toolCall", name, 3, 5, outer)
    assert tokens(t.json()) == {"input_fresh": 64, "output": 29, "calls": 2}
    assert (spent(t.json()), naive(t.spans)) == (93, 186)
    prompt, note, first, tool, _ = operations(t.json())
    assert (prompt.arguments, note.name, tool.name) == ("Sum up", "ai.generateText", "look")
    assert (tool.fields["call"], tool.fields["otel.link"]) == (first.id, "order")


# C3 ---------------------------------------------------------------------------------------------


def told_twice(**extra: Any) -> Telemetry:
    t = Telemetry()
    call = t.chat(1, 4, t.agent("run", 0, 9), input=100, output=10, gen__ai_response_id="resp-1", **extra)
    t.log("gen_ai.client.inference.operation.details", {
        "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5", "gen_ai.response.id": "resp-1",
        "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10,
    }, 4, call)  # fmt: skip
    return t


TWIN = "call or tool told by a log or message and by a span, the span counts"


def test_c3_a_call_as_span_and_log_counts_once_110_tokens_not_220() -> None:
    t = told_twice()
    assert tokens(t.json()) == {"input_fresh": 100, "output": 10, "calls": 1}
    assert (spent(t.json()), naive(t.spans + t.logs)) == (110, 220)
    assert skipped(t.json()) == {TWIN: 1}
    (call,) = [o for o in operations(t.json()) if o.kind == "model"]
    assert "told_by" not in call.fields
    only_log = t.json(logs=t.logs)
    assert tokens(only_log) == {"input_fresh": 100, "output": 10, "calls": 1}
    assert [o.fields["told_by"] for o in operations(only_log)] == ["log"]


@pytest.mark.parametrize("first", ["spans", "logs"])
@pytest.mark.parametrize("imports", [1, 2])
def test_c3_span_and_log_in_two_files_110_tokens_not_220(tmp_path: Path, first: str, imports: int) -> None:
    t = told_twice()
    files = {"b.jsonl": t.json(t.spans), "c.jsonl": t.json(logs=t.logs)}
    if first == "logs":
        files = {"a.jsonl": files["c.jsonl"], "b.jsonl": files["b.jsonl"]}
    if imports == 2:
        for name, data in files.items():
            workspace, _ = added(tmp_path, {name: data})
    else:
        workspace, _ = added(tmp_path, files)
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (1, 100, 10)
    assert [o.kind for o in every(workspace)] == ["note", "model"]
    assert (totals.total_tokens, naive(t.spans + t.logs)) == (110, 220)


def claude_both(request_id: str | None) -> Telemetry:
    t = Telemetry("claude-code")
    root = t.span("claude_code.interaction", {"session.id": "s", "user_prompt": "<REDACTED>"}, 0, 30)
    own = {"model": "claude-opus-4-5", "input_tokens": 5, "output_tokens": 40, "cache_read_tokens": 900}
    for number in range(3):
        ids = {"request_id": f"{request_id}{number}"} if request_id else {}
        spent = own | {"output_tokens": 40 + number, "cache_creation_tokens": 0}
        t.span(
            "claude_code.llm_request", {"session.id": "s", **spent, **ids}, 5 * number, 5 * number + 4, root
        )
        event = {
            "session.id": "s",
            **spent,
            **ids,
            "duration_ms": 4000,
            "cost_usd": 0.01,
            "event.sequence": number,
        }
        # the record is written later than the event, and in the wrong span
        t.log("claude_code.api_request", event, 5 * number + 4.2, root)
        use = {"session.id": "s", "tool_name": "Bash", "tool_use_id": f"toolu_{number}"}
        t.span("claude_code.tool", use, 5 * number + 4, 5 * number + 5, root)
        t.log("claude_code.tool_result", use | {"success": "true", "duration_ms": 900}, 5 * number + 5, root)
    t.log("claude_code.user_prompt", {"session.id": "s", "prompt": "<REDACTED>", "prompt.id": "p"}, 0.1, root)
    return t


@pytest.mark.parametrize("request_id", ["req_01", None])
def test_c3_claude_code_spans_and_events_count_once_2838_tokens_not_5676(request_id: str | None) -> None:
    t = claude_both(request_id)
    assert tokens(t.json()) == {
        "input_fresh": 15, "cache_read": 2700, "cache_write_5m": 0, "output": 123, "calls": 3,
    }  # fmt: skip
    assert (spent(t.json()), naive(t.spans + t.logs)) == (2_838, 5_676)
    kinds = [o.kind for o in operations(t.json())]
    assert (kinds.count("model"), kinds.count("tool"), kinds.count("prompt")) == (3, 3, 1)
    assert not [o for o in operations(t.json()) if o.fields.get("told_by")]


def test_c3_events_of_calls_that_no_span_tells_stay_3_calls_not_2() -> None:
    t = claude_both(None)
    del t.spans[5]  # the third request's span was not sampled
    found = tokens(t.json())
    assert (found["calls"], found["output"]) == (3, 123)
    assert sum(s["name"] == "claude_code.llm_request" for s in t.spans) == 2
