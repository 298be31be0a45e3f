"""Do the SWE-agent and mini-swe-agent sources read old and new trajectories, and count what those tell?"""

from __future__ import annotations

import json
import re
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tracelode
from shared import need
from tracelode.workspace import Workspace
from written import added, every

Record = dict[str, Any]


def step(action: str, observation: str = "", **more: Any) -> Record:
    base = {"action": action, "observation": observation, "response": f"I run {action}", "thought": "hm"}
    return base | {"state": '{"open_file": "n/a", "working_dir": "/shop"}\n'} | more


def run(*steps: Record, sent: int = 100, received: int = 11, calls: int = 2, cost: float = 0.3) -> Record:
    stats = {"instance_cost": cost, "tokens_sent": sent, "tokens_received": received, "api_calls": calls}
    history = [{"role": "system", "content": "You fix."}, {"role": "user", "content": "Fix it."}]
    info = {"exit_status": "submitted", "model_stats": stats}
    return {"environment": "main", "trajectory": list(steps), "history": history, "info": info}


def test_swe_agent_sums_of_the_run_are_shared_by_its_calls(tmp_path: Path) -> None:
    workspace, report = added(tmp_path, {"shop__total-7.traj": run(step("ls"), step("submit"))})
    assert report.skipped == []
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (2, 100, 11)
    assert workspace.profile(stack=["task"], measure="cost.reported").totals == {
        ("shop__total-7",): (300_000_000_000,)
    }
    shares = [o.measures.get("tokens.output") for o in every(workspace) if o.kind == "tool"]
    assert shares == [6, 5]
    assert {o.fields.get("usage_quality") for o in every(workspace) if o.kind == "model"} == {"shared"}


def test_swe_agent_calls_without_a_turn_count(tmp_path: Path) -> None:
    workspace, _ = added(tmp_path, {"a.traj": run(step("ls"), step("submit"), calls=5)})
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"]) == (5, 100)


def test_swe_agent_replayed_turns_are_no_calls(tmp_path: Path) -> None:
    record = run(step("ls"), step("submit"), sent=0, received=0, calls=0, cost=0)
    workspace, _ = added(tmp_path, {"a.traj": record})
    assert (workspace.totals().calls, workspace.totals().operations) == (0, 6)


def test_swe_agent_oldest_files_have_turns_alone(tmp_path: Path) -> None:
    workspace, report = added(tmp_path, {"a.traj": {"trajectory": [step("ls", "a.py"), step("submit")]}})
    assert report.skipped == []
    assert (workspace.totals().calls, workspace.totals().total_tokens) == (2, 0)
    assert [o.kind for o in every(workspace)] == ["model", "tool", "model", "tool"]


def test_swe_agent_demonstrations_may_be_a_history_alone(tmp_path: Path) -> None:
    history = [
        {"role": "system", "content": "You fix.", "agent": "main"},
        {"role": "user", "content": "Fix it.", "agent": "main"},
        {"role": "assistant", "content": "I look.", "action": "open a.py", "agent": "main"},
        {"role": "tool", "content": "[File: a.py]", "agent": "main", "tool_call_ids": ["c1"]},
    ]
    workspace, _ = added(tmp_path, {"demo.traj": {"history": history}})
    assert [(o.kind, o.name, o.output) for o in every(workspace)][2:] == [
        ("model", "unknown model", "I look."),
        ("tool", "open", "[File: a.py]"),
    ]


def test_swe_agent_commands_of_its_own_are_tools_and_the_rest_is_a_shell(tmp_path: Path) -> None:
    opened = '{"open_file": "/shop/src/a.py", "working_dir": "/shop"}'
    steps = [
        step('open "src/a.py" 3', state=opened),
        step(
            "edit 3:3\nreturn 1\nend_of_edit",
            "Your proposed edit has introduced new syntax error(s).",
            state=opened,
        ),
        step("str_replace_editor view /shop/src/b.py"),
        step("cd src && python -m pytest -q", "1 passed"),
        step("", "exit"),
    ]
    workspace, _ = added(tmp_path, {"a.traj": run(*steps, calls=5)})
    tools = [
        (o.name, o.fields.get("path"), o.fields["frame"], o.fields["verb"], o.status)
        for o in every(workspace)
        if o.kind == "tool"
    ]
    assert tools == [
        ("open", "src/a.py", "open", "explore", "unknown"),
        ("edit", "src/a.py", "edit", "edit", "error"),
        ("str_replace_editor", "src/b.py", "str_replace_editor", "explore", "unknown"),
        ("bash", None, "Bash:pytest", "test", "unknown"),
    ]


def test_swe_agent_configuration_tells_model_and_task(tmp_path: Path) -> None:
    config = {"agent": {"model": {"name": "acme-1"}}, "problem_statement": {"id": "shop__total-9"}}
    for number, kept in enumerate((config, json.dumps(config))):
        record = run(step("ls"), step(f"echo {number}")) | {"replay_config": kept}
        workspace, _ = added(tmp_path / str(number), {"a.traj": record})
        assert set(workspace.totals().by["model"]) >= {"acme-1"}
        assert workspace.sessions()[0].task == "shop__total-9"


# mini-swe-agent --------------------------------------------------------------------------------


def said(text: str, **extra: Any) -> Record:
    return {"role": "assistant", "content": text, **({"extra": extra} if extra else {})}


def block(command: str, fence: str = "bash") -> str:
    return f"THOUGHT: hm\n\n```{fence}\n{command}\n```"


def test_mini_oldest_files_are_bare_lists_with_bash_blocks(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "One ```bash\nblock\n``` an answer."},
        {"role": "user", "content": "Fix it. Write ```bash\ncommand\n```"},
        said(block("ls src")),
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\na.py\n</output>"},
        said(block("cat b.py", "mswea_bash_command")),
        {"role": "user", "content": "<returncode>1</returncode>\n<output>\nno such file\n</output>"},
        said("two ```bash\na\n``` and ```bash\nb\n```"),
        {"role": "user", "content": "Please always provide EXACTLY ONE action."},
        said(block("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")),
        {"role": "user", "content": ""},
    ]
    workspace, report = added(tmp_path, {"a.traj.json": messages})
    assert report.skipped == []
    assert workspace.totals().calls == 4
    tools = [(o.fields["command"], o.status, o.output[-13:]) for o in every(workspace) if o.kind == "tool"]
    assert tools == [
        ("ls src", "ok", ".py\n</output>"),
        ("cat b.py", "nonzero", "ile\n</output>"),
        ("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "unknown", ""),
    ]
    kinds = Counter((o.kind, o.name) for o in every(workspace))
    assert kinds[("prompt", "prompt")] == 1
    assert kinds[("note", "harness message")] == 1


def mini(*messages: Record, calls: int, cost: float = 1.0, **info: Any) -> Record:
    config = {"model": {"model_name": "acme/acme-1"}, "environment": {"cwd": "/shop"}}
    stats = {"instance_cost": cost, "api_calls": calls}
    return {
        "info": {"model_stats": stats, "config": config, "mini_version": "2.0.0", **info},
        "messages": [
            {"role": "system", "content": "You fix."},
            {"role": "user", "content": "Fix it."},
            *messages,
        ],
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "shop__total-7",
    }


def test_mini_one_point_x_tells_usage_by_call_and_cost_by_run(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 50, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 20}}
    turn = said(block("ls"), response={"usage": usage, "created": 1_780_000_000})
    answer = {"role": "user", "content": "<returncode>0</returncode>"}
    workspace, _ = added(tmp_path, {"a.traj.json": mini(turn, answer, turn, answer, calls=2)})
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["cache_read"]) == (2, 60, 40)
    assert workspace.profile(stack=["task"], measure="cost.reported").totals == {
        ("shop__total-7",): (10**12,)
    }
    # the server's moments say which day it was; spans between them are nobody's
    assert set(totals.by["day"]) == {"2026-05-28", "(none)"}
    assert sum(totals.time_us.values()) == 0


def test_mini_answers_without_a_command_are_calls_too(tmp_path: Path) -> None:
    lost = {
        "role": "user",
        "content": "Every answer needs a command.",
        "extra": {"interrupt_type": "FormatError", "model_response": "well", "timestamp": 1_780_000_002.0},
    }
    turn = said("x", actions=[{"command": "ls", "tool_call_id": "c1"}], cost=0.25, timestamp=1_780_000_004.0)
    done = {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "shown",
        "extra": {"raw_output": "kept", "returncode": 0, "timestamp": 1_780_000_005.5},
    }
    workspace, report = added(tmp_path, {"a.traj.json": mini(lost, turn, done, calls=4)})
    assert report.skipped == []
    totals = workspace.totals()
    # one asked again, one with a command, two that no message holds
    assert totals.calls == 4
    assert workspace.profile(stack=["agent"], measure="cost.reported").total() == 10**12
    assert (totals.time_us["model"], totals.time_us["tool"]) == (2_000_000, 1_500_000)
    assert next(o.output for o in every(workspace) if o.kind == "tool") == "kept"


def test_mini_messages_of_the_responses_api(tmp_path: Path) -> None:
    turn = {
        "object": "response",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "I look."}]}],
        "usage": {
            "input_tokens": 90,
            "output_tokens": 9,
            "input_tokens_details": {"cached_tokens": 80},
            "output_tokens_details": {"reasoning_tokens": 4},
        },
        "extra": {"actions": [{"command": "ls", "tool_call_id": "c1"}], "cost": 0.1},
    }
    done = {"type": "function_call_output", "call_id": "c1", "output": "a.py", "extra": {"returncode": 3}}
    workspace, report = added(tmp_path, {"a.traj.json": mini(turn, done, calls=1, cost=0.1)})
    assert report.skipped == []
    tokens = workspace.totals().tokens
    assert (tokens["input_fresh"], tokens["cache_read"], tokens["output"], tokens["reasoning"]) == (
        10,
        80,
        5,
        4,
    )
    assert [(o.output, o.status) for o in every(workspace) if o.kind == "tool"] == [("a.py", "nonzero")]


@pytest.mark.parametrize(
    ("word", "status", "blocked"), [("UserRejection", "denied", 30), ("UserInterruption", "interrupted", 0)]
)
def test_mini_a_person_stops_the_agent(tmp_path: Path, word: str, status: str, blocked: int) -> None:
    turn = said("x", actions=[{"command": "rm -r src"}], cost=0.1, timestamp=1_780_000_000.0)
    stop = {"role": "user", "content": "no", "extra": {"interrupt_type": word, "timestamp": 1_780_000_030.0}}
    workspace, _ = added(tmp_path, {"a.traj.json": mini(turn, stop, calls=1)})
    assert [o.status for o in every(workspace) if o.kind == "tool"] == [status]
    assert workspace.totals().time_us["blocked"] == blocked * 1_000_000
    assert [o.actor for o in every(workspace)][-1] == "human"


# real files, counted by a reader of their own --------------------------------------------------


def imported(folder: Path, path: Path) -> tuple[Workspace, Any]:
    workspace = tracelode.open(folder / "store", tz="UTC")
    return workspace, workspace.add(path)


def test_real_swe_agent(tmp_path: Path) -> None:
    path = need("data", "native", "swe_agent")
    workspace, report = imported(tmp_path, path)
    count: Counter[str] = Counter()
    for file in path.rglob("*.traj"):
        record = json.loads(file.read_text())
        turns = record.get("trajectory") or [h for h in record["history"] if h["role"] == "assistant"]
        stats = record.get("info", {}).get("model_stats", {})
        count["turns"] += len(turns)
        count["calls"] += stats.get("api_calls", len(turns))
        count["sent"] += stats.get("tokens_sent", 0)
        count["received"] += stats.get("tokens_received", 0)
        count["cost"] += round(stats.get("instance_cost", 0) * 10**12)
        count["files"] += 1
    # predictions beside a trajectory are no trajectory
    assert Counter(s.reason for s in report.skipped) == {"unknown format": 1}
    totals = workspace.totals()
    assert (totals.sessions, totals.calls) == (count["files"], count["calls"]) == (22, 62)
    assert (totals.tokens["input_fresh"], totals.tokens["output"]) == (count["sent"], count["received"])
    assert totals.by["kind"]["model"].operations == totals.by["kind"]["tool"].operations == count["turns"]
    assert workspace.profile(stack=["agent"], measure="cost.reported").total() == count["cost"]


def test_real_mini_swe_agent(tmp_path: Path) -> None:
    path = need("data", "native", "mini_swe_agent")
    workspace, report = imported(tmp_path, path)
    commands = answers = 0
    codes: Counter[str] = Counter()
    for file in path.rglob("*.traj.json"):
        messages = json.loads(file.read_text())
        mine = [m["content"] for m in messages if m["role"] == "assistant"]
        answers += len(mine)
        commands += sum(len(re.findall(r"```\w+\n", text)) == 1 for text in mine)
        found = [re.match(r"<returncode>(\d+)", m["content"]) for m in messages if m["role"] == "user"]
        codes.update("ok" if m[1] == "0" else "nonzero" for m in found if m)
    assert Counter(s.reason for s in report.skipped) == {"unknown format": 1}
    totals = workspace.totals()
    assert (totals.sessions, totals.calls) == (2, answers) == (2, 12)
    tools = Counter(o.status for o in every(workspace) if o.kind == "tool")
    assert sum(tools.values()) == commands
    assert {status: tools[status] for status in codes} == codes


@pytest.mark.parametrize("name", ["swe-agent.traj", "mini-swe-agent.traj.json"])
def test_the_number_of_calls_that_a_file_tells_takes_no_memory(tmp_path: Path, name: str) -> None:
    data = (Path(__file__).parent / "samples" / name).read_bytes()
    spoiled = re.sub(rb'"api_calls": ?\d+', b'"api_calls": %d' % 10**15, data)
    assert spoiled != data
    (tmp_path / name).write_bytes(spoiled)
    tracemalloc.start()
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    workspace.add(tmp_path / name)
    assert tracemalloc.get_traced_memory()[1] < 60_000_000
    tracemalloc.stop()
    assert 0 < workspace.totals().calls < 100
