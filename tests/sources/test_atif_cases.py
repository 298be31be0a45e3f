"""Does the ATIF source count right where others are known to have counted wrong?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tracelode
from shared import need
from written import added, every

SESSION = "7c1b5f60-0000-4000-8000-00000000a71f"


def agent(n: int, second: int, prompt: int | None = None, output: int = 0, **more: Any) -> dict[str, Any]:
    step = {
        "step_id": n,
        "timestamp": f"2026-10-07T09:00:{second:02d}Z",
        "source": "agent",
        "message": f"say {n}",
    }
    if prompt is not None:
        step["metrics"] = {"prompt_tokens": prompt, "completion_tokens": output}
    return step | more


def user(n: int, second: int, text: str = "go") -> dict[str, Any]:
    return {"step_id": n, "timestamp": f"2026-10-07T09:00:{second:02d}Z", "source": "user", "message": text}


def tool(ident: str, result: str | None = "fine", **answer: Any) -> dict[str, Any]:
    calls = [{"tool_call_id": ident, "function_name": "bash", "arguments": {"command": "make"}}]
    if result is None:
        return {"tool_calls": calls}
    results = [{"source_call_id": ident, "content": result} | answer]
    return {"tool_calls": calls, "observation": {"results": results}}


def whole(*steps: dict[str, Any], version: str = "ATIF-v1.6", **more: Any) -> dict[str, Any]:
    who = {"name": "terminus-2", "version": "2", "model_name": "gpt-5-mini"}
    return {"schema_version": version, "session_id": SESSION, "agent": who, "steps": list(steps)} | more


def naive(*trajectories: dict[str, Any]) -> int:
    """Tokens of all steps that tell some, added up."""
    metrics = [s["metrics"] for t in trajectories for s in t["steps"] if "metrics" in s]
    return sum(m["prompt_tokens"] + m["completion_tokens"] for m in metrics)


def test_d6_copied_context_is_left_out_and_totals_counted_anew_1380_tokens_not_1710(tmp_path: Path) -> None:
    first = whole(user(1, 0), agent(2, 5, 100, 10), agent(3, 9, 200, 20))
    copies = [s | {"is_copied_context": True} for s in first["steps"]]
    totals = {"total_prompt_tokens": 1_300, "total_completion_tokens": 80, "total_steps": 77}
    more = whole(*copies, agent(4, 20, 1_000, 50), final_metrics=totals)
    workspace, report = added(tmp_path, {"t/trajectory.json": first, "t/trajectory.cont-1.json": more})
    found = workspace.totals()
    assert (found.sessions, found.calls) == (1, 3)
    assert (found.tokens["input_fresh"], found.tokens["output"]) == (1_300, 80)
    assert (found.total_tokens, naive(first, more)) == (1_380, 1_710)
    assert [(s.reason, s.count) for s in report.skipped] == [
        ("copied context, counted in the trajectory it comes from", 3)
    ]


def test_d6_a_continuation_without_marks_counts_its_repeats_once_330_tokens_not_440(tmp_path: Path) -> None:
    steps = [user(1, 0), agent(2, 5, 100, 10)]
    files = {
        "t/trajectory.json": whole(*steps, version="ATIF-v1.2"),
        "t/trajectory.cont-1.json": whole(*steps, agent(3, 9, 200, 20), version="ATIF-v1.2"),
    }
    found = added(tmp_path, files)[0].totals()
    assert (found.calls, found.tokens["input_fresh"]) == (2, 300)
    assert (found.total_tokens, naive(*files.values())) == (330, 440)


def test_d6_totals_that_differ_are_counted_and_the_steps_hold_110_tokens_not_1009(tmp_path: Path) -> None:
    told = {"total_prompt_tokens": 999, "total_completion_tokens": 10}
    workspace, report = added(tmp_path, {"t.json": whole(agent(1, 1, 100, 10), final_metrics=told)})
    assert [s.reason for s in report.skipped] == ["totals differ from the sum of the steps, steps kept"]
    assert workspace.totals().tokens["input_fresh"] == 100
    assert (workspace.totals().total_tokens, sum(told.values())) == (110, 1_009)


def test_cached_tokens_are_part_of_the_prompt_and_writes_are_in_extra(tmp_path: Path) -> None:
    extra = {"cache_creation_input_tokens": 70, "cache_creation": {"ephemeral_1h_input_tokens": 30}}
    metrics = {"prompt_tokens": 1_000, "completion_tokens": 5, "cached_tokens": 600, "extra": extra}
    workspace, _ = added(tmp_path, {"t.json": whole(agent(1, 1) | {"metrics": metrics | {"cost_usd": 0.25}})})
    (call,) = every(workspace)
    assert call.measures["tokens.input_fresh"] == 1_000 - 600 - 70
    assert (call.measures["tokens.cache_write_5m"], call.measures["tokens.cache_write_1h"]) == (40, 30)
    assert call.measures["cost.reported"] == 250_000_000_000


def test_calls_are_told_or_the_steps_with_metrics_or_all_agent_steps(tmp_path: Path) -> None:
    told = [agent(1, 1, 10, 1, llm_call_count=3), agent(2, 2, llm_call_count=0, **tool("a"))]
    metered = [agent(1, 1, 10, 1), agent(2, 1, **tool("a")), agent(3, 9, 10, 1)]
    bare = [agent(1, 1), agent(2, 1, **tool("a")), agent(3, 9)]
    counts = []
    for number, steps in enumerate((told, metered, bare)):
        counts.append(added(tmp_path / str(number), {"t.json": whole(*steps)})[0].totals().calls)
    assert counts == [3, 2, 3]


def test_tools_in_steps_of_their_own_belong_to_the_call_before(tmp_path: Path) -> None:
    steps = [user(1, 0), agent(2, 5, 100, 10), agent(3, 5, **tool("a")), agent(4, 5, **tool("a"))]
    workspace, _ = added(tmp_path, {"t.json": whole(*steps)})
    call, *tools = [o for o in every(workspace) if o.kind in ("model", "tool")]
    assert [t.fields["call"] for t in tools] == [call.id, call.id]
    assert [t.measures["tokens.output"] for t in tools] == [5, 5]


def test_totals_alone_are_shared_by_the_calls_and_marked(tmp_path: Path) -> None:
    told = {"total_prompt_tokens": 1_001, "total_completion_tokens": 11, "total_cached_tokens": 500}
    workspace, _ = added(tmp_path, {"t.json": whole(agent(1, 1), agent(2, 2), final_metrics=told)})
    tokens = workspace.totals().tokens
    assert (tokens["input_fresh"], tokens["cache_read"], tokens["output"]) == (501, 500, 11)
    assert {o.fields["usage_quality"] for o in every(workspace)} == {"shared"}


def test_sub_agents_inside_the_file_are_followed_at_any_depth(tmp_path: Path) -> None:
    inner = whole(user(1, 2), agent(2, 3, 30, 3), version="ATIF-v1.7", trajectory_id="deep")
    ref = {"subagent_trajectory_ref": [{"trajectory_id": "deep"}]}
    middle = whole(
        agent(1, 2, 20, 2, **tool("b", "x", **ref)), trajectory_id="mid", subagent_trajectories=[inner]
    )
    ref = {"subagent_trajectory_ref": [{"trajectory_id": "mid"}]}
    main = whole(user(1, 0), agent(2, 1, 10, 1, **tool("a", "x", **ref)), subagent_trajectories=[middle])
    workspace, report = added(tmp_path, {"t.json": main})
    sessions = {s.key: s for s in workspace.sessions()}
    assert report.skipped == []
    assert (workspace.totals().sessions, workspace.totals().tokens["input_fresh"]) == (1, 60)
    assert {s.role for s in sessions.values()} == {"main", "subagent"}
    assert all(s.parent_operation for s in sessions.values() if s.role == "subagent")
    prompts = [o.name for o in every(workspace) if o.kind == "prompt"]
    assert sorted(prompts) == ["prompt", "task prompt"]


@pytest.mark.parametrize("name", ["trajectory.a.json", "trajectory.z.json"])
def test_sub_agents_in_files_beside_it_are_followed_in_any_order(tmp_path: Path, name: str) -> None:
    ref = {"subagent_trajectory_ref": [{"session_id": "sub-1", "trajectory_path": name}]}
    main = whole(user(1, 0), agent(2, 1, 10, 1, **tool("a", "x", **ref)))
    sub = whole(agent(1, 2, 20, 2)) | {"session_id": "sub-1"}
    workspace, report = added(tmp_path, {"t/trajectory.json": main, f"t/{name}": sub})
    assert report.skipped == []
    assert (workspace.totals().sessions, workspace.totals().tokens["input_fresh"]) == (1, 30)
    child = next(s for s in workspace.sessions() if s.key == "sub-1")
    assert (child.root, child.role) == (SESSION, "subagent")


def test_a_verdict_counts_where_the_trajectory_itself_tells_it(tmp_path: Path) -> None:
    found = {}
    for reward in (1.0, 0.0, 0.5, None):
        extra = {} if reward is None else {"verifier_result": {"rewards": {"reward": reward}}}
        folder = tmp_path / str(reward)
        workspace, _ = added(folder, {"t.json": whole(agent(1, 1, 1, 1), extra=extra), "reward.txt": b"1"})
        (session,) = workspace.sessions()
        found[reward] = (session.outcome, session.agent)
    assert found == {
        1.0: ("success", "terminus-2"), 0.0: ("failure", "terminus-2"),
        0.5: (None, "terminus-2"), None: (None, "terminus-2"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("result", "answer", "status"),
    [
        ("fine", {}, "unknown"),
        ("fine", {"extra": {"is_error": False}}, "ok"),
        ("Exit code 2\nboom", {"extra": {"is_error": True}}, "nonzero"),
        ("gone", {"extra": {"status": "failed"}}, "error"),
        ("The user doesn't want to proceed with this tool use.", {}, "denied"),
        (None, {}, "unknown"),
    ],
)
def test_how_tools_end(tmp_path: Path, result: str | None, answer: dict[str, Any], status: str) -> None:
    workspace, _ = added(tmp_path, {"t.json": whole(agent(1, 1, 1, 1, **tool("a", result, **answer)))})
    assert [o.status for o in every(workspace) if o.kind == "tool"] == [status]


def test_time_that_is_not_told_apart_is_unknown(tmp_path: Path) -> None:
    steps = [user(1, 0), agent(2, 5, 1, 1, **tool("a")), agent(3, 15, 1, 1), agent(4, 18, 1, 1)]
    time = added(tmp_path, {"t.json": whole(*steps)})[0].totals().time_us
    assert (time["model"], time["unknown"], time["tool"]) == (8_000_000, 10_000_000, 0)


def test_old_parts_of_a_message_and_arguments_as_text_are_read(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "image", "source": {"path": "a.png"}}]
    call = {"tool_call_id": "a", "function_name": "bash", "arguments": '{"command": "ls"}'}
    workspace, report = added(
        tmp_path, {"t.json": whole(agent(1, 1, 1, 1, message=parts, tool_calls=[call]))}
    )
    model, use = every(workspace)
    assert report.skipped == []
    assert (model.output, use.fields["command"]) == ("look", "ls")


def meter(folder: Path) -> tuple[int, int, Counter[str]]:
    """(sessions, calls, tokens) straight from the files."""
    calls, sums, sessions = 0, Counter[str](), set()
    for file in sorted(folder.rglob("*.json")):
        found = json.loads(file.read_text())
        if "ATIF" not in str(found.get("schema_version")):
            continue
        sessions.add(found["session_id"])
        metered = any(s.get("metrics") for s in found["steps"] if s["source"] == "agent")
        if not metered:
            for name in ("prompt_tokens", "completion_tokens", "cached_tokens"):
                sums[name] += (found.get("final_metrics") or {}).get(f"total_{name}") or 0
        for step in found["steps"]:
            if step["source"] != "agent" or step.get("is_copied_context"):
                continue
            metrics = step.get("metrics")
            calls += step.get("llm_call_count", 1 if metrics or not metered else 0)
            for name in ("prompt_tokens", "completion_tokens", "cached_tokens"):
                sums[name] += (metrics or {}).get(name) or 0
            sums["write"] += ((metrics or {}).get("extra") or {}).get("cache_creation_input_tokens") or 0
    return len(sessions), calls, sums


def test_real_trajectories_agree_with_an_independent_meter(tmp_path: Path) -> None:
    folder = need("data", "native", "atif")
    sessions, calls, sums = meter(folder)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(folder)
    totals = workspace.totals()
    reasons = Counter(s.reason for s in report.skipped for _ in range(s.count))
    assert set(reasons) == {"unknown format", "timestamp is not a moment", "unknown step source"}
    assert reasons["unknown step source"] == 5  # one fixture's sources are masked
    assert (totals.sessions, totals.calls) == (sessions, calls)
    cached = sums["cached_tokens"]
    assert totals.tokens["input_fresh"] == sums["prompt_tokens"] - cached - sums["write"]
    assert (totals.tokens["cache_read"], totals.tokens["output"]) == (cached, sums["completion_tokens"])
