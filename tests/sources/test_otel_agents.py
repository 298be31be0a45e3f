"""Are spans and events of coding agents read as they write them? Claude Code and Codex."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from otlp import Telemetry, pairs, stamp
from sources.test_otel_cases import items, operations, skipped
from tracelode.making import Maker
from tracelode.model.ports import About
from tracelode.sources.otel import words
from tracelode.sources.otel.logs import Logs
from written import added, every

MINUTE = 60 * 10**6


def claude() -> Telemetry:
    t = Telemetry("claude-code", "com.anthropic.claude_code.events")

    def log(name: str, at: float, **more: Any) -> None:
        own = {
            "session.id": "s-1",
            "prompt.id": "p-1",
            "event.timestamp": stamp(at),
            "event.sequence": len(t.logs),
        }
        # as Claude Code writes it: the full name in the body, the short one in the attribute
        t.log(f"claude_code.{name}", own | more | {"event.name": name}, at + 3)

    log("user_prompt", 0, prompt="Fix the login test", prompt_length=18)
    log(
        "api_request",
        10,
        model="claude-opus-4-5",
        input_tokens="5",
        output_tokens="100",
        cache_read_tokens="2000",
        cache_creation_tokens="300",
        cost_usd="0.0123",
        duration_ms="8000",
        request_id="req_1",
    )
    log("tool_decision", 25, tool_name="Bash", tool_use_id="t-1", decision="accept", source="user_temporary")
    log(
        "tool_result",
        31,
        tool_name="Bash",
        tool_use_id="t-1",
        success="true",
        duration_ms="6000",
        tool_parameters=json.dumps({"full_command": "pytest -q"}),
        tool_result_size_bytes="77",
    )
    log("tool_decision", 40, tool_name="Edit", tool_use_id="t-2", decision="reject", source="user_reject")
    log(
        "tool_result",
        41,
        tool_name="Edit",
        tool_use_id="t-2",
        success="false",
        duration_ms="5",
        decision_type="reject",
    )
    log("api_error", 50, model="claude-opus-4-5", error="overloaded", status_code="529", duration_ms="100")
    log("compaction", 60, trigger="auto")
    log("skill_activated", 61)
    log("something_new", 62)
    return t


def test_claude_code_events(tmp_path: Path) -> None:
    found = operations(claude().json())
    prompt, call, bash, edit, error, compaction = found
    assert (prompt.kind, prompt.actor, prompt.arguments) == ("prompt", "human", "Fix the login test")
    assert call.measures == {
        "tokens.input_fresh": 5,
        "tokens.cache_read": 2000,
        "tokens.cache_write_5m": 300,
        "tokens.output": 100,
        "calls": 1,
        "cost.reported": 12_300_000_000,
    }
    assert (call.ended or 0) - (call.started or 0) == 8_000_000
    assert (bash.status, bash.fields["command"], bash.measures) == ("ok", "pytest -q", {"bytes.output": 77})
    assert bash.fields["call"] == edit.fields["call"] == call.id
    assert (edit.status, edit.fields["human"]) == ("denied", "denial")
    assert (error.name, error.status, compaction.fields["compaction"]) == ("api error", "error", "auto")
    assert skipped(claude().json()) == {"log record of no known event": 1}
    (about,) = [i for i in items(claude().json()) if isinstance(i, About)]
    assert (about.session, about.agent) == ("otel-s-1", "claude-code")
    workspace, _ = added(tmp_path, {"a.json": claude().json()})
    assert workspace.totals().time_us == {
        # 2..10 the call, 10..25 a wait for the permission, 25..31 the tool, 31..40 a wait that ends in a no
        "model": 8_000_000,
        "tool": 6_000_000,
        "blocked": 24_005_000,
        "idle": 0,
        "unknown": 21_995_000,
    }


def test_claude_code_spans_with_a_sub_agent_and_a_permission(tmp_path: Path) -> None:
    t = Telemetry("claude-code", "com.anthropic.claude_code.tracing")

    def span(name: str, start: float, end: float, parent: Any = None, **more: Any) -> dict[str, Any]:
        attributes = {"session.id": "s-1", **{k.replace("__", "."): v for k, v in more.items()}}
        return t.span(f"claude_code.{name}", attributes, start, end, parent)

    root = span("interaction", 0, 60, user_prompt="Look around")
    counts = {"input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 0, "cache_creation_tokens": 0}
    span("llm_request", 0, 5, root, model="claude-opus-4-5", request_id="r-1", **counts)
    task = span("tool", 5, 45, root, tool_name="Agent", tool_use_id="t-1", subagent_type="Explore")
    span("tool.execution", 6, 45, task, success=True)
    span("llm_request", 10, 20, task, model="claude-haiku-4-5", agent_id="a-1", request_id="r-2", **counts)
    grep = span(
        "tool", 20, 40, task, tool_name="Bash", agent_id="a-1", full_command="ls src", tool_use_id="t-2"
    )
    span("tool.blocked_on_user", 20, 32, grep, decision="accept", source="user_temporary", agent_id="a-1")
    span("tool.execution", 32, 40, grep, success=False, error="boom", agent_id="a-1")
    grep["events"] = [
        {"name": "tool.output", "timeUnixNano": "1", "attributes": pairs({"output": "no such folder"})}
    ]
    workspace, report = added(tmp_path, {"a.json": t.json()})
    assert report.skipped == []
    sessions = {s.key: s for s in workspace.sessions()}
    assert sorted(sessions) == ["otel-s-1", "otel-s-1/a-1"]
    assert (sessions["otel-s-1/a-1"].role, sessions["otel-s-1"].agent) == ("subagent", "claude-code")
    main = {o.name: o for o in workspace.operations("otel-s-1")}
    inside = {o.name: o for o in workspace.operations("otel-s-1/a-1")}
    assert (main["Agent"].kind, main["Agent"].fields["spawns"]) == ("subagent", "otel-s-1/a-1")
    assert (inside["Bash"].status, inside["Bash"].output, inside["Bash"].fields["command"]) == (
        "error",
        "no such folder",
        "ls src",
    )
    assert main["prompt"].arguments == "Look around"
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.subagents) == (2, 20, 1)
    assert (totals.time_us["model"], totals.time_us["blocked"]) == (15_000_000, 12_000_000)
    assert sum(totals.time_us.values()) == 60_000_000


def test_records_that_were_sent_twice_count_once() -> None:
    t = claude()
    once = operations(t.json())
    t.logs += t.logs
    assert operations(t.json()) == once


def codex() -> Telemetry:
    t = Telemetry("codex_cli_rs", "codex_otel")

    def log(name: str, at: float, **more: Any) -> None:
        own = {
            "conversation.id": "c-1",
            "model": "gpt-5-codex",
            "slug": "gpt-5-codex",
            "event.timestamp": stamp(at),
        }
        t.log(f"codex.{name}", own | {k.replace("__", "."): v for k, v in more.items()}, at)

    log("conversation_starts", 0, provider_name="openai")
    log("user_prompt", 1, prompt_length="11", prompt="[REDACTED]")
    log("api_request", 3, duration_ms="1000", http__response__status_code=200, attempt=0)
    log("sse_event", 4, event__kind="response.created", duration_ms="3")
    log("sse_event", 8, event__kind="response.completed", duration_ms="1")
    log(
        "sse_event",
        8.001,
        event__kind="response.completed",
        input_token_count="1000",
        output_token_count="90",
        cached_token_count=800,
        reasoning_token_count=40,
        tool_token_count="1090",
    )
    log("tool_decision", 9, tool_name="shell", call_id="call-1", decision="approved", source="config")
    log(
        "tool_result",
        12,
        tool_name="shell",
        call_id="call-1",
        arguments='{"command":["bash","-lc","ls"]}',
        duration_ms="2500",
        success="false",
        output="ls: no such file",
    )
    log("tool_decision", 14, tool_name="apply_patch", call_id="call-2", decision="denied", source="user")
    log("sse_event", 20, event__kind="response.failed", error__message="overloaded")
    return t


def test_codex_events() -> None:
    found = operations(codex().json())
    prompt, call, shell, patch, error = found
    assert (prompt.kind, prompt.arguments) == ("prompt", "")
    assert call.measures == {
        "tokens.input_fresh": 200,
        "tokens.cache_read": 800,
        "tokens.output": 50,
        "tokens.reasoning": 40,
        "calls": 1,
    }
    assert (call.ended or 0) - (call.started or 0) == 6_001_000
    assert (shell.status, shell.fields["command"], shell.output) == ("error", "ls", "ls: no such file")
    assert shell.fields["call"] == call.id
    assert (patch.status, patch.fields["human"]) == ("denied", "denial")
    assert (error.name, error.output) == ("api error", "overloaded")
    assert skipped(codex().json()) == {}
    assert {o.session for o in found} == {"otel-c-1"}


def test_events_in_two_files_are_the_same_operations(tmp_path: Path) -> None:
    t = codex()
    workspace, _ = added(tmp_path, {"a.jsonl": t.json(), "b.pb": t.protobuf_logs()})
    assert workspace.totals().calls == 1
    assert len(every(workspace)) == 5


def test_an_event_of_no_session_is_counted() -> None:
    t = Telemetry("codex_cli_rs")
    t.log("codex.tool_result", {"tool_name": "shell"}, 1)
    t.log("codex.conversation_starts", {}, 1)
    t.log("shop.opened", {}, 1)
    assert skipped(t.json()) == {
        "log record without a session or trace": 1,
        "log record of no known event": 1,
    }


def test_the_tables_of_events_are_the_ones_that_are_read() -> None:
    assert set(Logs(Maker("otel", "otel", "x"), "s")._handlers) == words.EVENTS
    assert not words.EVENTS & words.QUIET
