"""Does the OpenHands source read both generations of events, in one file and in many?"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tracelode
from shared import need
from strange import VALUES, survives
from tracelode.sources.openhands import OpenHands
from written import added, every

CONVERSATION = "5d1f0000aaaa4bbbcccc0123456789ab"


def v0(n: int, second: float, source: str, **more: Any) -> dict[str, Any]:
    return {"id": n, "timestamp": f"2026-10-08T11:00:{second:09.6f}", "source": source} | more


def response(ident: str, usage: dict[str, Any] | None = None, created: int = 1_791_450_006) -> dict[str, Any]:
    usage = usage or {"prompt_tokens": 1_000, "completion_tokens": 10}
    found = {"id": f"chatcmpl-{ident}", "created": created, "model": "gpt-5-mini", "usage": usage}
    return {
        "tool_call_metadata": {
            "function_name": "execute_bash",
            "tool_call_id": ident,
            "model_response": found,
        }
    }


def run(n: int, second: float, ident: str, command: str = "make", **more: Any) -> dict[str, Any]:
    return v0(
        n, second, "agent", action="run", args={"command": command, "thought": "t"}, **response(ident, **more)
    )


def ran(n: int, second: float, cause: int, code: int = 0, kind: str = "run") -> dict[str, Any]:
    extras = {"metadata": {"exit_code": code, "working_dir": "/workspace/app"}}
    return v0(n, second, "agent", observation=kind, cause=cause, content="out", extras=extras)


def v1(n: int, second: float, kind: str, **more: Any) -> tuple[str, dict[str, Any]]:
    ident = f"{n:08d}-0000-4000-8000-000000000000"
    event = {"id": ident, "timestamp": f"2026-10-08T11:00:{second:09.6f}", "source": "agent", "kind": kind}
    return f"conversations/{CONVERSATION}/events/event-{n:05d}-{ident}.json", event | more


def action(
    n: int, second: float, response: str, tool: str, call: str, **given: Any
) -> tuple[str, dict[str, Any]]:
    written = {"id": call, "name": tool, "arguments": json.dumps(given), "origin": "completion"}
    more = {"tool_call": written, "llm_response_id": response, "action": {"kind": "X"} | given}
    thought = [{"type": "text", "text": "so"}]
    return v1(n, second, "ActionEvent", thought=thought, tool_name=tool, tool_call_id=call, **more)


def result(
    n: int, second: float, tool: str, call: str, text: str = "ok", **more: Any
) -> tuple[str, dict[str, Any]]:
    found = {
        "content": [{"type": "text", "text": text}],
        "is_error": False,
        "kind": "TerminalObservation",
    } | more
    return v1(n, second, "ObservationEvent", source="environment", tool_name=tool, tool_call_id=call,
              action_id="whatever", observation=found)  # fmt: skip


def usage(
    response: str, prompt: int, output: int, read: int = 0, write: int = 0, reasoning: int = 0
) -> dict[str, Any]:
    return {
        "model": "gpt-5-mini", "prompt_tokens": prompt, "completion_tokens": output,
        "cache_read_tokens": read, "cache_write_tokens": write,
        "reasoning_tokens": reasoning, "response_id": response,
    }  # fmt: skip


def state(*usages: dict[str, Any], costs: list[float] | None = None) -> tuple[str, dict[str, Any]]:
    told = [{"model": "gpt-5-mini", "cost": c, "timestamp": 1_791_457_300.5} for c in costs or []]
    metrics = {"model_name": "gpt-5-mini", "token_usages": list(usages), "costs": told}
    found = {
        "id": "5d1f0000-aaaa-4bbb-cccc-0123456789ab",
        "execution_status": "idle",
        "persistence_dir": "/x",
    }
    found |= {"workspace": {"working_dir": "/workspace"}, "stats": {"usage_to_metrics": {"agent": metrics}}}
    return f"conversations/{CONVERSATION}/base_state.json", found


def test_v0_actions_of_one_response_are_one_call(tmp_path: Path) -> None:
    used = {"prompt_tokens": 3_900, "completion_tokens": 30, "cache_creation_input_tokens": 400,
            "cache_read_input_tokens": 3_400}  # fmt: skip
    events = [run(1, 6, "a", usage=used), ran(2, 7, 1), run(3, 7.1, "a", usage=used), ran(4, 9.1, 3, 2)]
    workspace, report = added(tmp_path, {"trajectory.json": events})
    totals = workspace.totals()
    assert report.skipped == []
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["cache_read"]) == (1, 100, 3_400)
    assert [o.status for o in every(workspace) if o.kind == "tool"] == ["ok", "nonzero"]
    assert totals.time_us["tool"] == 3_000_000


def test_v0_messages_without_a_response_take_what_the_running_sums_grew_by(tmp_path: Path) -> None:
    def metrics(prompt: int, output: int, cost: float) -> dict[str, Any]:
        sums = {"prompt_tokens": prompt, "completion_tokens": output, "cache_read_tokens": prompt // 2}
        return {"llm_metrics": {"accumulated_cost": cost, "accumulated_token_usage": sums}}

    events = [
        run(1, 6, "a", usage={"prompt_tokens": 1_000, "completion_tokens": 10}) | metrics(1_000, 10, 0.5),
        ran(2, 7, 1),
        v0(3, 9, "agent", action="message", args={"content": "hi"}) | metrics(1_800, 17, 0.75),
    ]
    calls = [o for o in every(added(tmp_path, {"t.json": events})[0]) if o.kind == "model"]
    assert calls[1].measures["tokens.input_fresh"] == 400
    assert (calls[1].measures["tokens.cache_read"], calls[1].measures["tokens.output"]) == (400, 7)
    assert [c.measures["cost.reported"] for c in calls] == [500_000_000_000, 250_000_000_000]
    assert calls[1].fields["model"] == "gpt-5-mini"


def test_v0_the_zone_is_told_by_the_first_response(tmp_path: Path) -> None:
    # 1,791,450,006 is 09:00:06 UTC, the events say eleven
    workspace, _ = added(tmp_path, {"t.json": [run(1, 6, "a"), ran(2, 7, 1)]})
    assert workspace.sessions()[0].started == 1_791_450_006_000_000
    silent = [v0(1, 6, "agent", action="message", args={"content": "x"})]
    workspace, report = added(tmp_path / "b", {"t.json": silent})
    assert [s.reason for s in report.skipped] == ["times without a zone, read as UTC"]
    assert workspace.sessions()[0].started == 1_791_457_206_000_000


def test_v0_a_growing_list_stays_one_session(tmp_path: Path) -> None:
    events = [v0(0, 1, "user", action="message", args={"content": "go"}), run(1, 6, "a"), ran(2, 7, 1)]
    added(tmp_path, {"t.json": events[:2]})
    workspace, _ = added(tmp_path, {"t.json": events})
    assert (workspace.totals().sessions, workspace.totals().calls) == (1, 1)
    assert workspace.totals().time_us["tool"] == 1_000_000


def test_v0_one_event_a_file_is_put_in_order_by_number(tmp_path: Path) -> None:
    events = [v0(0, 1, "user", action="message", args={"content": "go"})]
    for n in range(1, 12, 2):
        events += [run(n, n * 2, f"r{n}"), ran(n + 1, n * 2 + 1, n)]
    files = {f"sessions/abc/events/{e['id']}.json": e for e in events}
    workspace, report = added(tmp_path, files)
    assert report.skipped == []
    assert (workspace.totals().sessions, workspace.totals().calls) == (1, 6)
    times = [o.started for o in every(workspace)]
    assert times == sorted(t for t in times if t is not None)
    assert {o.status for o in every(workspace) if o.kind == "tool"} == {"ok"}
    assert workspace.totals().time_us["tool"] == 6_000_000


@pytest.mark.parametrize(
    ("observation", "status", "human"),
    [
        ({"observation": "run", "extras": {"exit_code": 3}}, "nonzero", None),
        ({"observation": "run", "extras": {"metadata": {"exit_code": -1}}}, "running", None),
        ({"observation": "error", "content": "bad"}, "error", None),
        ({"observation": "user_rejected", "content": "no"}, "denied", "denial"),
        ({"observation": "browse", "extras": {"error": True}}, "error", None),
        ({"observation": "edit", "content": "fine"}, "ok", None),
    ],
)
def test_v0_how_tools_end(
    tmp_path: Path, observation: dict[str, Any], status: str, human: str | None
) -> None:
    events = [run(1, 6, "a"), v0(2, 9, "agent", cause=1, **observation)]
    (tool,) = [o for o in every(added(tmp_path, {"t.json": events})[0]) if o.kind == "tool"]
    assert (tool.status, tool.fields.get("human")) == (status, human)


def conversation() -> dict[str, Any]:
    prompt = {"role": "user", "content": [{"type": "text", "text": "fix it"}]}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "done"}]}
    return dict(
        [
            v1(0, 0, "SystemPromptEvent"),
            v1(1, 1, "MessageEvent", source="user", llm_message=prompt),
            action(2, 6, "resp-1", "terminal", "call_a", command="pytest -q"),
            action(3, 6.1, "resp-1", "file_editor", "call_b", command="view", path="/workspace/a.py"),
            result(4, 9, "terminal", "call_a", "1 failed", exit_code=1),
            result(5, 9.5, "file_editor", "call_b"),
            action(6, 12, "resp-2", "terminal", "call_c", command="rm -r x"),
            v1(7, 20, "UserRejectObservation", tool_name="terminal", tool_call_id="call_c",
               rejection_reason="no"),
            action(8, 25, "resp-3", "terminal", "call_d", command="oops"),
            v1(9, 26, "AgentErrorEvent", tool_name="terminal", tool_call_id="call_d", error="no such tool"),
            v1(10, 27, "Condensation", source="environment", llm_response_id="resp-c", summary="so far"),
            v1(11, 30, "MessageEvent", llm_message=answer, llm_response_id="resp-4"),
            v1(12, 31, "PauseEvent", source="user"),
            v1(13, 32, "NewKindOfEvent"),
            state(
                usage("resp-1", 1_000, 50, read=600, write=100, reasoning=20),
                usage("resp-2", 1_200, 5, read=900),
                usage("resp-3", 1_300, 5, read=1_000), usage("resp-c", 700, 60), usage("resp-4", 400, 9),
                costs=[0.1, 0.2, 0.3, 0.4, 0.5],
            ),
        ]
    )  # fmt: skip


def test_v1_a_folder_of_events_is_one_session_with_the_tokens_of_its_state(tmp_path: Path) -> None:
    workspace, report = added(tmp_path, conversation())
    totals = workspace.totals()
    assert sorted((s.reason, s.count) for s in report.skipped) == [
        ("times without a zone, read as UTC", 1), ("unknown kind of event", 1),
    ]  # fmt: skip
    assert (totals.sessions, totals.calls) == (1, 5)
    assert totals.tokens["input_fresh"] == 300 + 300 + 300 + 700 + 400
    assert (totals.tokens["cache_read"], totals.tokens["cache_write_5m"]) == (2_500, 100)
    assert (totals.tokens["output"], totals.tokens["reasoning"]) == (109, 20)
    found = [(o.kind, o.name, o.status) for o in every(workspace)]
    call = ("model", "model call", "ok")
    assert found == [
        ("prompt", "prompt", "ok"), call, ("tool", "terminal", "nonzero"), ("tool", "file_editor", "ok"),
        call, ("tool", "terminal", "denied"), call, ("tool", "terminal", "error"),
        call, ("note", "compaction", "ok"), call, ("note", "interrupt", "interrupted"),
    ]  # fmt: skip
    tools = [o for o in every(workspace) if o.kind == "tool"]
    assert {o.fields["model"] for o in tools} == {"gpt-5-mini"}
    assert [o.measures["tokens.output"] for o in tools[:2]] == [15, 15]
    assert totals.time_us["tool"] == 3_500_000 + 1_000_000
    assert sum(o.measures.get("cost.reported", 0) for o in every(workspace)) == 1_500_000_000_000


def test_v1_a_conversation_that_goes_on_keeps_what_was_told_of_its_calls(tmp_path: Path) -> None:
    files = conversation()
    late = [name for name in files if name > f"conversations/{CONVERSATION}/events/event-00004"]
    early = {name: content for name, content in files.items() if name not in late}
    early |= dict([state(usage("resp-1", 1_000, 50, read=600, write=100, reasoning=20))])
    added(tmp_path, early)
    workspace, report = added(tmp_path, files)
    fresh, _ = added(tmp_path / "fresh", files)
    assert {s.reason for s in report.skipped} == {
        "times without a zone, read as UTC",
        "unknown kind of event",
    }
    want, got = fresh.totals(), workspace.totals()
    assert (got.calls, got.tokens, got.operations) == (want.calls, want.tokens, want.operations)
    view = next(o for o in every(workspace) if o.name == "file_editor")
    assert (view.status, view.output, view.fields["path"]) == ("ok", "ok", "/workspace/a.py")
    assert view.measures["bytes.arguments"] > 20


@given(seed=st.integers(0, 2**32), value=VALUES)
@settings(max_examples=200, deadline=None)
def test_any_field_of_an_event_may_hold_anything(seed: int, value: Any) -> None:
    record = random.Random(seed).choice(list(conversation().values()))
    survives(OpenHands(), [record], seed, value, "x/events/3.json")


def meter(folder: Path) -> tuple[int, int, Counter[str]]:
    """(sessions, calls, tokens) of V0 lists straight from the files."""
    calls: dict[str, dict[str, Any]] = {}
    messages = sessions = 0
    for file in sorted(folder.rglob("trajs/*.json")):
        sessions += 1
        for event in json.loads(file.read_text()):
            if "action" in event and event["source"] == "agent":
                found = (event.get("tool_call_metadata") or {}).get("model_response")
                if found:
                    calls[found["id"]] = found["usage"]
                elif event["action"] == "message":
                    messages += 1
    sums = Counter[str]()
    for used in calls.values():
        read = used.get("cache_read_input_tokens") or used["prompt_tokens_details"]["cached_tokens"]
        write = used.get("cache_creation_input_tokens", 0)
        sums["fresh"] += used["prompt_tokens"] - read - write
        sums["read"] += read
        sums["write"] += write
        sums["output"] += used["completion_tokens"]
    return sessions, len(calls) + messages, sums


def test_real_files_agree_with_an_independent_meter(tmp_path: Path) -> None:
    folder = need("data", "native", "openhands")
    sessions, calls, sums = meter(folder)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(folder, source="openhands")
    totals = workspace.totals()
    assert {s.reason for s in report.skipped} == {"not of the format asked for"}  # logs of single completions
    assert (totals.sessions, totals.calls) == (sessions, calls)
    tokens = totals.tokens
    assert (tokens["input_fresh"], tokens["cache_read"]) == (sums["fresh"], sums["read"])
    assert (tokens["cache_write_5m"], tokens["output"]) == (sums["write"], sums["output"])
