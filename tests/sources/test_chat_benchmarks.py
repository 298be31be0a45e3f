"""Does the chat source read the benchmarks' files, and count the agent's work alone?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tracelode
from shared import need
from tracelode.workspace import Workspace
from written import added, every, lines

Record = dict[str, Any]


def talk(answer: str) -> list[Record]:
    """A prompt, a call, its result and an answer."""
    call = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    return [
        {"role": "user", "content": "how many?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": answer},
        {"role": "assistant", "content": "so many"},
    ]


def shape(workspace: Workspace) -> list[tuple[str, str, str, str]]:
    """(actor, kind, name, status) of all operations."""
    return [(o.actor, o.kind, o.name, o.status) for o in every(workspace)]


def tau(reward: float, *messages: Record) -> Record:
    return {"task_id": 4, "reward": reward, "info": {}, "traj": list(messages), "trial": 0}


def test_tau_bench_runs_have_a_task_an_outcome_and_failed_calls(tmp_path: Path) -> None:
    runs = [tau(0.0, *talk("Error: user not found")), tau(1.0, *talk("here")), tau(0.0)]
    workspace, report = added(tmp_path, {"results.json": runs})
    assert [(s.reason, s.count) for s in report.skipped] == [("conversation without messages", 1)]
    profile = workspace.profile(stack=["agent", "task", "outcome"], measure="calls")
    assert profile.totals == {("tau-bench", "4", "failure"): (2,), ("tau-bench", "4", "success"): (2,)}
    assert Counter(o.status for o in every(workspace) if o.kind == "tool") == {"error": 1, "ok": 1}
    assert {s.task for s in workspace.sessions()} == {"4"}
    only = workspace.profile(stack=["tool"], measure="operations", where={"outcome": "failure"})
    assert only.totals[("find",)] == (1,)


def moment(second: float) -> str:
    """On a clock that is seven hours behind UTC."""
    return f"2026-05-28T13:26:{second:06.3f}"


def tau2(**more: Any) -> Record:
    """A tau2 run: a canned greeting, a user who has a tool of their own, an agent who pays."""
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    server = {"created": 1_780_000_006, "usage": {**usage, "prompt_tokens_details": {"cached_tokens": 60}}}
    theirs = {"id": "u1", "name": "open_app", "arguments": {"a": 1}, "requestor": "user"}
    ours = {"id": "a1", "name": "look", "arguments": {}, "requestor": "assistant"}
    much = {"prompt_tokens": 9_999, "completion_tokens": 999}
    messages = [
        {"role": "assistant", "content": "Hi!", "timestamp": moment(40.5), "cost": 0.0},
        {"role": "user", "tool_calls": [theirs], "timestamp": moment(42.5), "cost": 0.5, "usage": much},
        {"role": "tool", "id": "u1", "content": "opened", "error": False, "timestamp": moment(43)},
        {"role": "user", "content": "It is open.", "timestamp": moment(44), "cost": 0.25},
        {
            "role": "assistant",
            "tool_calls": [ours],
            "timestamp": moment(47),
            "cost": 0.0005404,
            "usage": usage,
            "raw_data": server,
        },
        {"role": "tool", "id": "a1", "content": "Error: no", "error": True, "timestamp": moment(49)},
    ]
    run = {
        "id": "06ebfd3c-9e15-4662-bc20-adf15ce275b4",
        "task_id": "t7",
        "trial": 2,
        "reward_info": {"reward": 1.0},
        "termination_reason": "user_stop",
        "agent_cost": 0.0005404,
        "messages": messages,
    }
    info = {"agent_info": {"llm": "openai/gpt-4.1-mini"}, "environment_info": {"domain_name": "phone"}}
    return {"timestamp": "2026-05-28T13:00:00", "info": info, "tasks": [], "simulations": [{**run, **more}]}


def test_d7_tools_of_the_simulated_user_are_the_users_110_tokens_not_11108(tmp_path: Path) -> None:
    workspace, report = added(tmp_path, {"results.json": tau2()})
    assert report.skipped == []
    assert shape(workspace) == [
        ("agent", "model", "openai/gpt-4.1-mini", "ok"),
        ("human", "tool", "open_app", "ok"),
        ("human", "prompt", "prompt", "ok"),
        ("agent", "model", "openai/gpt-4.1-mini", "ok"),
        ("agent", "tool", "look", "error"),
    ]
    totals = workspace.totals()
    # neither the user's calls nor what they cost are the agent's
    assert (totals.calls, totals.total_tokens, totals.tokens["cache_read"]) == (2, 110, 60)
    usages = [m["usage"] for m in tau2()["simulations"][0]["messages"] if "usage" in m]
    assert sum(u["prompt_tokens"] + u["completion_tokens"] for u in usages) == 11_108
    assert workspace.profile(stack=["task"], measure="cost.reported").totals == {
        ("phone/t7",): (540_400_000,)
    }
    (session,) = workspace.sessions()
    assert (session.key, session.agent, session.outcome) == (
        "06ebfd3c-9e15-4662-bc20-adf15ce275b4",
        "tau2",
        "success",
    )


def test_tau2_clocks_without_a_zone_are_set_by_the_servers_answer(tmp_path: Path) -> None:
    workspace, _ = added(tmp_path, {"results.json": tau2()})
    # 13:26:47 on the file's clock is 20:26:46 UTC and a second: seven hours apart
    assert workspace.sessions()[0].started == 1_780_000_000_500_000
    times = workspace.totals().time_us
    assert times == {
        "model": 3_000_000,
        "tool": 500_000 + 2_000_000,
        "blocked": 2_000_000 + 1_000_000,
        "idle": 0,
        "unknown": 0,
    }


def test_tau2_clocks_that_nothing_sets_are_read_as_utc_and_counted(tmp_path: Path) -> None:
    record = tau2()
    for message in record["simulations"][0]["messages"]:
        message.pop("raw_data", None)
    workspace, report = added(tmp_path, {"results.json": record})
    assert [(s.reason, s.count) for s in report.skipped] == [("times without a zone, read as UTC", 1)]
    assert workspace.sessions()[0].started == 1_779_974_800_500_000


def test_tau2_cost_of_the_run_counts_where_no_message_tells_one(tmp_path: Path) -> None:
    record = tau2()
    for message in record["simulations"][0]["messages"]:
        message.pop("cost", None)
    workspace, _ = added(tmp_path, {"results.json": record})
    assert workspace.profile(stack=["agent"], measure="cost.reported").total() == 540_400_000


DOJO = {"suite_name": "bank", "pipeline_name": "p", "user_task_id": "user_task_1", "attack_type": None}


def dojo(arguments: Any, form: str) -> Record:
    """A call and its result as AgentDojo and exports of it write them."""
    call = {"function": "pay", "args": arguments, "id": None, "placeholder_args": None}
    if form == "export":
        call = {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": arguments}}
    text: Any = [{"type": "text", "content": "paid"}] if form == "native" else "paid"
    result = {"role": "tool", "content": text, "tool_call_id": call["id"], "tool_call": call, "error": None}
    return {
        "messages": [
            {"role": "user", "content": "pay"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            result,
        ]
    }


@pytest.mark.parametrize("arguments", [{"to": "Ada"}, '{"to": "Ada"}'])
@pytest.mark.parametrize("form", ["native", "export"])
def test_d8_arguments_as_object_or_text_are_1_tool_call_of_1_session(
    tmp_path: Path, arguments: Any, form: str
) -> None:
    if form == "native":
        content = json.dumps({**DOJO, **dojo(arguments, form), "utility": True, "security": False}).encode()
    else:
        run = {**dojo(arguments, form), "metadata": {**DOJO, "success": True, "security": False}}
        content = lines([{"metadata": {"benchmark": "agent-dojo"}}, run])
    workspace, report = added(tmp_path, {"a.json": content})
    assert report.skipped == []
    (tool,) = [o for o in every(workspace) if o.kind == "tool"]
    assert (tool.arguments, tool.output, tool.status) == ('{"to":"Ada"}', "paid", "ok")
    assert workspace.totals().sessions == 1
    first = every(workspace)[0].fields
    assert first["agentdojo.security"] == "false"
    assert first["agentdojo.utility" if form == "native" else "agentdojo.success"] == "true"
    assert (workspace.sessions()[0].task, workspace.sessions()[0].outcome) == ("bank/user_task_1", "success")


def test_magentic_one_agents_are_called_by_the_orchestrator(tmp_path: Path) -> None:
    team = [
        ("human", "find it"),
        ("Orchestrator (thought)", "a plan"),
        ("Orchestrator (-> WebSurfer)", "look there"),
        ("WebSurfer", "found"),
        ("Orchestrator (thought)", "done"),
        ("Orchestrator (termination condition)", "end"),
        ("Stranger", "hello"),
    ]
    messages = [{"role": role, "content": text} for role, text in team]
    workspace, report = added(tmp_path, {"a.json": messages})
    assert shape(workspace) == [
        ("human", "prompt", "prompt", "ok"),
        ("agent", "model", "unknown model", "ok"),
        ("agent", "subagent", "WebSurfer", "unknown"),
        ("agent", "model", "unknown model", "ok"),
        ("system", "note", "termination", "ok"),
    ]
    assert every(workspace)[2].output == "found"
    assert [(s.reason, s.count) for s in report.skipped] == [("message with an unknown role", 1)]


# real files, counted by a reader of their own --------------------------------------------------


def test_real_tau_bench(tmp_path: Path) -> None:
    path = need("data", "native", "tau_bench", "sierra-research+tau-bench", "historical_trajectories")
    runs = json.loads((path / "gpt-4o-airline.json").read_text())
    workspace, report = imported(tmp_path, path)
    meter = Counter(m["role"] for run in runs for m in run["traj"])
    asked = sum(len(m.get("tool_calls") or []) for run in runs for m in run["traj"])
    totals = workspace.totals()
    assert report.skipped == []
    assert (totals.sessions, totals.calls) == (len(runs), meter["assistant"]) == (200, 2454)
    kinds = {kind: row.operations for kind, row in totals.by["kind"].items()}
    assert kinds == {
        "model": meter["assistant"],
        "tool": asked,
        "prompt": meter["user"],
        "note": meter["system"],
    }
    solved = sum(run["reward"] == 1 for run in runs)
    outcomes = Counter(s.outcome for s in workspace.sessions())
    assert outcomes == {"success": solved, "failure": len(runs) - solved} == {"success": 84, "failure": 116}


def test_real_tau2(tmp_path: Path) -> None:
    path = need("data", "native", "tau2_bench")
    workspace, report = imported(tmp_path, path)
    count: Counter[str] = Counter()
    for file in path.rglob("*.json"):
        for run in json.loads(file.read_text()).get("simulations", []):
            count["sessions"] += 1
            count[str(run["reward_info"]["reward"] == 1)] += 1
            for message in run["messages"]:
                usage, role = message.get("usage") or {}, message["role"]
                count[role] += 1
                for call in message.get("tool_calls") or []:
                    count[f"tool of {call['requestor']}"] += 1
                if role == "assistant":
                    count["input"] += usage.get("prompt_tokens", 0)
                    count["output"] += usage.get("completion_tokens", 0)
                    count["cost"] += round((message.get("cost") or 0) * 10**12)
                    details = ((message.get("raw_data") or {}).get("usage") or {}).get(
                        "prompt_tokens_details"
                    )
                    count["cached"] += (details or {}).get("cached_tokens", 0)
    totals = workspace.totals()
    # the leaderboard's own description of a submission is no run
    assert Counter(s.reason for s in report.skipped) == {"unknown format": 1}
    assert (totals.sessions, totals.calls) == (count["sessions"], count["assistant"]) == (193, 1839)
    tokens = totals.tokens
    assert (tokens["input_fresh"] or 0) + (tokens["cache_read"] or 0) == count["input"] == 624_009
    assert tokens["cache_read"] == count["cached"] == 501_120
    assert (tokens["output"] or 0) + (tokens["reasoning"] or 0) == count["output"]
    assert workspace.profile(stack=["agent"], measure="cost.reported").total() == count["cost"]
    assert Counter(s.outcome for s in workspace.sessions()) == {
        "success": count["True"],
        "failure": count["False"],
    }
    tools = Counter(o.actor for o in every(workspace) if o.kind == "tool")
    assert tools == {"agent": count["tool of assistant"], "human": count["tool of user"]}
    assert tools["human"] == 8


def test_real_magentic_one(tmp_path: Path) -> None:
    path = need("data", "native", "autogen")
    workspace, report = imported(tmp_path, path)
    roles: Counter[str] = Counter()
    for file in path.rglob("magentic-one/trajectories/*.json"):
        roles.update(m["role"] for m in json.loads(file.read_text()))
    totals = workspace.totals()
    assert Counter(s.reason for s in report.skipped) == {"unknown format": 1}
    assert (totals.sessions, totals.calls) == (10, roles["Orchestrator (thought)"]) == (10, 235)
    handed = sum(n for role, n in roles.items() if role.startswith("Orchestrator (->"))
    assert totals.by["kind"]["subagent"].operations == handed


def imported(folder: Path, path: Path) -> tuple[Workspace, Any]:
    workspace = tracelode.open(folder / "store", tz="UTC")
    return workspace, workspace.add(path)
