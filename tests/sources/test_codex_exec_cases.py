"""Is the stream of `codex exec --json` read as what it is: another grammar, without moments?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tracelode
from rollouts import CHILD, PARENT, tokens
from shared import need
from written import added, every, lines

Event = dict[str, Any]


def started(thread: str = PARENT) -> list[Event]:
    return [{"type": "thread.started", "thread_id": thread}, {"type": "turn.started"}]


def item(number: int, kind: str, state: str = "completed", **fields: Any) -> Event:
    return {"type": f"item.{state}", "item": {"id": f"item_{number}", "type": kind} | fields}


def completed(input: int, cached: int, output: int, **more: int) -> Event:
    usage = {"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output} | more
    return {"type": "turn.completed", "usage": usage}


def command(number: int, code: int | None, status: str) -> list[Event]:
    known = {
        "command": "bash -lc 'pytest -q'",
        "aggregated_output": "",
        "exit_code": None,
        "status": "in_progress",
    }
    ended = known | {"aggregated_output": "done", "exit_code": code, "status": status}
    return [item(number, "command_execution", "started", **known), item(number, "command_execution", **ended)]


def test_b11_usage_is_the_threads_since_its_start_3195_tokens_not_6825(tmp_path: Path) -> None:
    events = [*started(), item(0, "agent_message", text="a"), completed(1_000, 600, 50)]
    events += [{"type": "turn.started"}, item(1, "agent_message", text="b"), completed(2_500, 1_600, 80)]
    # the thread is resumed and its output appended; then another one
    events += [*started(), item(0, "agent_message", text="c"), completed(3_000, 2_000, 90)]
    events += [*started(CHILD), item(0, "agent_message", text="d"), completed(100, 0, 5)]
    workspace, report = added(tmp_path, {"run.jsonl": lines(events)})
    assert report.skipped == []
    assert tokens(workspace, PARENT) == 3_090
    assert tokens(workspace, CHILD) == 105
    assert tokens(workspace) == 3_195
    told = [e["usage"] for e in events if "usage" in e]
    assert sum(usage["input_tokens"] + usage["output_tokens"] for usage in told) == 6_825
    assert workspace.totals().calls == 4
    assert {o.started for o in every(workspace)} == {None}


@pytest.mark.parametrize(
    ("code", "state", "status"),
    [
        (0, "completed", "ok"),
        (1, "failed", "nonzero"),
        (None, "declined", "denied"),
        (None, "failed", "error"),
    ],
)
def test_b12_a_command_says_how_it_ended(tmp_path: Path, code: int | None, state: str, status: str) -> None:
    events = [*started(), *command(0, code, state), item(1, "agent_message", text="a"), completed(10, 0, 1)]
    workspace, _ = added(tmp_path, {"run.jsonl": lines(events)})
    call, tool = every(workspace)
    assert (tool.status, tool.output, tool.fields["call"]) == (status, "done", call.id)
    assert tool.measures["tokens.input_fresh"] == 10


def test_a_command_that_never_ends_is_running(tmp_path: Path) -> None:
    workspace, _ = added(tmp_path, {"run.jsonl": lines([*started(), *command(0, None, "completed")[:1]])})
    assert [o.status for o in every(workspace)] == ["ok", "running"]


def test_runs_of_one_thread_in_two_files_are_told_apart_and_a_copy_is_not(tmp_path: Path) -> None:
    one = lines([*started(), *command(0, 0, "completed"), completed(10, 0, 1)])
    two = lines([*started(), item(0, "agent_message", text="again"), completed(30, 0, 2)])
    workspace, _ = added(tmp_path, {"one.jsonl": one, "two.jsonl": two, "copy.jsonl": one})
    assert workspace.totals().calls == 2
    assert tokens(workspace) == 11 + 32  # what ran before in another file cannot be known


def test_sub_agents_plans_and_failures(tmp_path: Path) -> None:
    spawn = {"tool": "spawn_agent", "prompt": "look", "receiver_thread_ids": [CHILD], "status": "completed"}
    events = [*started(), item(0, "collab_tool_call", **spawn), item(1, "error", message="no network")]
    events += [item(2, "todo_list", "started", items=[{"text": "a", "completed": False}])]
    events += [{"type": "turn.failed", "error": {"message": "503"}}, {"type": "tomorrow"}]
    workspace, report = added(tmp_path, {"run.jsonl": lines(events)})
    assert [(o.kind, o.name, o.status) for o in every(workspace)] == [
        ("model", "unknown model", "error"),
        ("subagent", "spawn_agent", "ok"),
        ("note", "api error", "error"),
        ("plan", "update_plan", "ok"),
    ]
    assert every(workspace)[1].fields["spawns"] == CHILD
    assert [(s.reason, s.line) for s in report.skipped] == [("unknown event", 7)]


def test_real_streams_sum_to_their_usage(tmp_path: Path) -> None:
    folder = need("data", "native", "codex_exec_json")
    workspace = tracelode.open(tmp_path, tz="UTC")
    report = workspace.add(folder)
    assert report.skipped == []
    wanted = 0
    for path in folder.rglob("*.jsonl"):
        for line in path.read_text().splitlines():
            usage = json.loads(line).get("usage", {})
            wanted += usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
    assert (tokens(workspace), workspace.totals().calls) == (wanted, 5)
