"""Does the LangSmith source merge what belongs together and count it once?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tracelode
from shared import need
from written import added, every, lines


def uid(n: int) -> str:
    return f"3f0c1d2e-0000-4000-8000-{n:012d}"


def run(
    n: int, kind: str, start: float, end: float | None, parent: int | None = None, **more: Any
) -> dict[str, Any]:
    found = {"id": uid(n), "trace_id": uid(1), "parent_run_id": parent and uid(parent), "run_type": kind}
    found |= {"name": f"run {n}", "start_time": f"2026-10-10T08:00:{start:09.6f}", "session_name": "billing"}
    return found | {"end_time": None if end is None else f"2026-10-10T08:00:{end:09.6f}", "inputs": {}} | more


def used(input: int, output: int, **details: Any) -> dict[str, Any]:
    usage = {"input_tokens": input, "output_tokens": output, "total_tokens": input + output} | details
    return {"outputs": {"usage_metadata": usage}}


def test_posts_and_patches_of_one_run_are_one_call(tmp_path: Path) -> None:
    order = f"20261010T080000000000Z{uid(1)}"
    post = run(1, "llm", 0, None, dotted_order=order)
    patch = {"dotted_order": order, "trace_id": uid(1), "end_time": "2026-10-10T08:00:03+00:00"} | used(9, 4)
    workspace, report = added(tmp_path, {"batch.json": {"post": [post], "patch": [patch]}})
    (call,) = every(workspace)
    assert report.skipped == []
    assert (call.status, call.measures["tokens.input_fresh"], call.measures["tokens.output"]) == ("ok", 9, 4)
    assert workspace.totals().time_us["model"] == 3_000_000


def test_posts_and_patches_in_two_files_are_one_call(tmp_path: Path) -> None:
    order = f"20261010T080000000000Z{uid(1)}"
    patch = {"dotted_order": order, "trace_id": uid(1), "end_time": "2026-10-10T08:00:03Z"} | used(9, 4)
    files = {
        "a/1.json": {"post": [run(1, "llm", 0, None, dotted_order=order)], "patch": []},
        "a/2.json": {"post": [], "patch": [patch]},
    }
    totals = added(tmp_path, files)[0].totals()
    assert (totals.sessions, totals.calls, totals.tokens["input_fresh"]) == (1, 1, 9)


def test_details_are_parts_of_input_and_output(tmp_path: Path) -> None:
    details = {"input_token_details": {"cache_read": 5_000, "cache_creation": 250},
               "output_token_details": {"reasoning": 40}}  # fmt: skip
    tokens = added(tmp_path, {"r.json": run(1, "llm", 0, 1, **used(5_300, 90, **details))})[0].totals().tokens
    assert (tokens["input_fresh"], tokens["cache_read"], tokens["cache_write_5m"]) == (50, 5_000, 250)
    assert (tokens["output"], tokens["reasoning"]) == (50, 40)


def test_cache_writes_of_an_hour_are_told_apart(tmp_path: Path) -> None:
    parts = {"cache_read": 10, "ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 30}
    tokens = (
        added(tmp_path, {"r.json": run(1, "llm", 0, 1, **used(100, 1, input_token_details=parts))})[0]
        .totals()
        .tokens
    )
    assert [tokens[k] for k in ("input_fresh", "cache_read", "cache_write_5m", "cache_write_1h")] == [
        40,
        10,
        20,
        30,
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"usage_metadata": {"input_tokens": 9, "output_tokens": 4}},
        {"extra": {"metadata": {"usage_metadata": {"input_tokens": 9, "output_tokens": 4}}}},
        used(9, 4),
        {"outputs": {"llm_output": {"token_usage": {"prompt_tokens": 9, "completion_tokens": 4}}}},
        {"outputs": {"usage": {"prompt_tokens": 9, "completion_tokens": 4}}},
        {"outputs": {"generations": [[{"message": {"kwargs": used(9, 4)["outputs"]}}]]}},
        {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    ],
)
def test_usage_is_found_wherever_writers_put_it(tmp_path: Path, more: dict[str, Any]) -> None:
    tokens = added(tmp_path, {"r.json": [run(1, "llm", 0, 1, **more)]})[0].totals().tokens
    assert (tokens["input_fresh"], tokens["output"]) == (9, 4)


def test_c2_outer_runs_repeat_the_tokens_of_inner_ones_36_tokens_not_96(tmp_path: Path) -> None:
    runs = [
        run(1, "chain", 0, 9, prompt_tokens=30, completion_tokens=6, total_cost="0.9"),
        run(2, "llm", 0, 3, 1, prompt_tokens=10, completion_tokens=2, total_cost="0.3"),
        run(3, "chain", 3, 9, 1, prompt_tokens=20, completion_tokens=4),
        run(4, "llm", 3, 8, 3, prompt_tokens=20, completion_tokens=4, total_cost=0.6),
    ]
    workspace, report = added(tmp_path, {"runs.jsonl": lines(runs)})
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (2, 30, 6)
    told = sum(r["prompt_tokens"] + r["completion_tokens"] for r in runs)
    assert (totals.total_tokens, told) == (36, 96)
    assert sum(o.measures.get("cost.reported", 0) for o in every(workspace)) == 900_000_000_000
    assert [s.count for s in report.skipped] == [2]
    alone, _ = added(tmp_path / "alone", {"runs.jsonl": lines(runs[:1])})
    assert (alone.totals().calls, alone.totals().tokens["input_fresh"]) == (1, 30)


def test_traces_of_one_thread_are_one_session(tmp_path: Path) -> None:
    extra = {"metadata": {"thread_id": "t"}}
    runs = [
        run(1, "chain", 0, 2, extra=extra, inputs={"input": "first"}),
        run(2, "llm", 0, 1, 1, **used(1, 1)),
    ]
    later = [r | {"trace_id": uid(5), "id": uid(i)} for i, r in ((5, runs[0]), (6, runs[1]))]
    later[1] |= {"parent_run_id": uid(5)}
    workspace, _ = added(tmp_path, {"a.json": runs, "b.json": {"runs": later}})
    assert [s.key for s in workspace.sessions()] == ["t"]
    assert [o.arguments for o in every(workspace) if o.kind == "prompt"] == ["first", "first"]


def test_tools_models_and_runs_inside_runs(tmp_path: Path) -> None:
    calls = [{"id": "c1", "function": {"name": "look"}}]
    asks: dict[str, Any] = {"choices": [{"message": {"content": "hm", "tool_calls": calls}}]}
    asks |= {"model": "gpt-5-mini-2026", "usage_metadata": {"input_tokens": 8, "output_tokens": 4}}
    inner = [
        run(2, "llm", 0, 1, outputs=asks, extra={"metadata": {"ls_model_name": "gpt-5-mini"}}),
        run(
            3, "tool", 1, 4, name="look", inputs={"input": '{"path": "a.py"}'}, outputs={"tool_call_id": "c1"}
        ),
        run(4, "tool", 4, 5, error="boom", outputs=None),
    ]
    whole = run(1, "chain", 0, 5) | {
        "child_runs": [r | {"parent_run_id": None, "trace_id": None} for r in inner]
    }
    workspace, report = added(tmp_path, {"r.json": whole})
    model, look, broken = every(workspace)
    assert report.skipped == []
    assert (model.name, model.output) == ("gpt-5-mini-2026", "hm")
    assert (look.fields["call"], look.fields["path"], look.measures["tokens.output"]) == (model.id, "a.py", 2)
    assert (broken.status, broken.output) == ("error", "boom")
    assert workspace.totals().time_us["tool"] == 4_000_000


def test_unknown_and_broken_runs_are_counted(tmp_path: Path) -> None:
    runs = [run(1, "oracle", 0, 1), {"run_type": "llm"}, {"trace_id": uid(9), "id": uid(9)}, 7]
    runs += [run(3, "llm", 5, 4), run(4, "llm", 0, 1, start_time="soon")]
    _, report = added(tmp_path, {"r.json": runs})
    assert sorted(s.reason for s in report.skipped) == [
        "record is not an object", "run without an id", "step that ends before it starts, end left out",
        "timestamp is not a moment", "unknown type of run", "update of a run that the file does not hold",
    ]  # fmt: skip


def meter(folder: Path) -> tuple[set[str], Counter[str]]:
    """(traces, tokens) straight from the files."""
    traces, sums = set(), Counter[str]()
    for file in sorted(folder.rglob("*.json")):
        found = json.loads(file.read_text())
        traces |= {r["trace_id"] for r in found["post"]}
        for patch in found["patch"]:
            usage = (patch.get("outputs") or {}).get("usage_metadata") or {}
            read = (usage.get("input_token_details") or {}).get("cache_read") or 0
            sums["fresh"] += usage.get("input_tokens", 0) - read
            sums["read"] += read
            sums["output"] += usage.get("output_tokens", 0)
            sums["unknown"] += not usage
    return traces, sums


def test_real_batches_agree_with_an_independent_meter(tmp_path: Path) -> None:
    folder = need("data", "native", "langsmith")
    traces, sums = meter(folder)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(folder)
    totals = workspace.totals()
    assert report.skipped == []
    assert (totals.sessions, totals.calls) == (len(traces), len(traces))
    assert (totals.tokens["input_fresh"], totals.tokens["cache_read"]) == (sums["fresh"], sums["read"])
    assert (totals.tokens["output"] or 0) + (totals.tokens["reasoning"] or 0) == sums["output"]
    bounds = [o for o in every(workspace) if o.fields.get("usage_quality") == "lower_bound"]
    assert len(bounds) == sums["unknown"]
