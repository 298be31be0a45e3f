"""Does the Langfuse source count right where others are known to have counted twice?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tracelode
from shared import need
from written import added, every, lines


def step(
    n: int, kind: str, start: float, end: float | None, parent: int | None = None, **more: Any
) -> dict[str, Any]:
    def moment(second: float) -> str:
        return f"2026-10-09T12:00:{second:06.3f}Z"

    found = {"id": f"o{n}", "traceId": "t1", "type": kind, "name": f"step {n}", "startTime": moment(start)}
    found |= {"endTime": None if end is None else moment(end), "parentObservationId": parent and f"o{parent}"}
    return found | {"level": "DEFAULT", "statusMessage": None, "usageDetails": {}, "costDetails": {}} | more


def trace(*steps: dict[str, Any], ident: str = "t1", **more: Any) -> dict[str, Any]:
    own = [s | {"traceId": ident} for s in steps]
    return {
        "trace": {"id": ident, "timestamp": "2026-10-09T12:00:00Z", "input": "hi"} | more,
        "observations": own,
    }


def told(folder: Path, usage: dict[str, Any], **more: Any) -> tuple[dict[str, int | None], list[str]]:
    """(tokens, reasons) of a trace with one generation."""
    workspace, report = added(
        folder, {"t.json": trace(step(1, "GENERATION", 0, 1, usageDetails=usage, **more))}
    )
    return workspace.totals().tokens, [s.reason for s in report.skipped]


def otel(scope: str = "pydantic-ai", **attributes: Any) -> str:
    names = {f"gen_ai.usage.{key}": value for key, value in attributes.items()}
    return json.dumps({"scope": {"name": scope}, "attributes": names})


TAKEN = "input that includes cached tokens, taken out of it"


def test_c1_130213_input_tokens_through_opentelemetry_are_130213_and_not_260421(tmp_path: Path) -> None:
    usage = {"input": 130_213, "input_cache_read": 128_955, "input_cache_creation": 1_253, "output": 10}
    usage |= {"total": 260_431}
    tokens, reasons = told(tmp_path, usage, metadata=otel(input_tokens=130_213, output_tokens=10))
    assert (tokens["input_fresh"], tokens["cache_read"], tokens["cache_write_5m"]) == (5, 128_955, 1_253)
    assert (sum(v or 0 for v in tokens.values()), reasons) == (130_213 + 10, [TAKEN])
    assert sum(count for name, count in usage.items() if name.startswith("input")) == 260_421


def test_c1_17903_input_tokens_of_an_openai_wrapper_are_17903_and_not_35720(tmp_path: Path) -> None:
    usage = {"input": 17_903, "input_cached_tokens": 17_817, "output": 40, "total": 17_943}
    tokens, reasons = told(tmp_path, usage)
    assert (tokens["input_fresh"], tokens["cache_read"], reasons) == (86, 17_817, [TAKEN])
    assert sum(v or 0 for v in tokens.values()) == 17_903 + 40
    assert sum(count for name, count in usage.items() if name.startswith("input")) == 35_720


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"metadata": otel(input_tokens=130_213)},
        {"metadata": otel("langfuse-sdk", input_tokens=5)},
        {"metadata": json.dumps({"scope": {"name": "langfuse-sdk"}})},
    ],
)
def test_c1_keys_that_exclude_each_other_are_130213_input_tokens_not_130208(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    usage = {"input": 5, "input_cache_read": 128_955, "input_cache_creation": 1_253, "output": 10}
    tokens, reasons = told(tmp_path, usage | {"total": 130_223}, **more)
    assert (tokens["input_fresh"], tokens["cache_read"], reasons) == (5, 128_955, [])
    cached = usage["input_cache_read"] + usage["input_cache_creation"]
    found = sum(v or 0 for name, v in tokens.items() if name not in ("output", "reasoning"))
    assert (found, max(usage["input"] - cached, 0) + cached) == (130_213, 130_208)


def test_c1_an_exclusive_input_above_the_cache_stays_1000_input_tokens_not_900(tmp_path: Path) -> None:
    usage = {"input": 900, "input_cache_read": 100, "output": 10, "total": 1_010}
    tokens, reasons = told(tmp_path, usage, metadata=otel(input_tokens=1_000))
    assert (tokens["input_fresh"], tokens["cache_read"], reasons) == (900, 100, [])
    assert sum(v or 0 for v in tokens.values()) == 1_000 + 10


def test_reasoning_is_beside_output_or_taken_out_of_it(tmp_path: Path) -> None:
    beside, _ = told(tmp_path / "a", {"input": 5, "output": 30, "output_reasoning": 70, "total": 105})
    within, _ = told(tmp_path / "b", {"input": 5, "output": 100, "output_reasoning_tokens": 70, "total": 105})
    assert (beside["output"], beside["reasoning"]) == (within["output"], within["reasoning"]) == (30, 70)


def test_c4_kinds_of_input_are_added_15_tokens_not_5_and_bad_figures_flagged(tmp_path: Path) -> None:
    usage = {"input": 5, "input_audio": 7, "input_cache_creation_1h": 3, "output": -1, "ears": 9, "total": 15}
    tokens, reasons = told(tmp_path, usage)
    assert (tokens["input_fresh"], tokens["cache_write_1h"], tokens["output"]) == (12, 3, 0)
    assert (sum(v or 0 for v in tokens.values()), usage["input"]) == (15, 5)
    assert sorted(reasons) == ["negative token count left out", "unknown kind of usage, left out"]


def test_c2_steps_around_generations_repeat_their_tokens_16156_not_48464(tmp_path: Path) -> None:
    usage = {"input": 16_054, "output": 100, "total": 16_154}
    one, two = {"input": 8_000, "output": 60}, {"input": 8_054, "output": 40}
    steps = [
        step(1, "AGENT", 0, 9, usageDetails=usage),
        step(2, "GENERATION", 0, 9, 1, usageDetails=usage),
        step(3, "GENERATION", 1, 3, 2, usageDetails=one),
        step(4, "GENERATION", 4, 8, 2, usageDetails=two),
        step(5, "AGENT", 9, 10, usageDetails={"input": 1, "output": 1}),
    ]
    workspace, report = added(tmp_path, {"t.json": trace(*steps)})
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (3, 16_055, 101)
    told = [s["usageDetails"] for s in steps]
    assert (totals.total_tokens, sum(u["input"] + u["output"] for u in told)) == (16_156, 48_464)
    assert [(s.reason[:33], s.count) for s in report.skipped] == [("tokens of a step around others, c", 2)]


def test_money_is_kept_as_reported_and_never_priced(tmp_path: Path) -> None:
    costs = [{"total": "0.25", "input": 9}, {"input": 0.1, "output": 0.2}, {}]
    steps = [
        step(n, "GENERATION", n, n + 1, costDetails=c, usageDetails={"input": 1}) for n, c in enumerate(costs)
    ]
    steps[2] |= {"calculatedTotalCost": 0.5}
    workspace, _ = added(tmp_path, {"t.json": trace(*steps)})
    found = [o.measures["cost.reported"] for o in every(workspace) if o.kind == "model"]
    assert found == [250_000_000_000, 300_000_000_000, 500_000_000_000]
    assert workspace.totals().cost_picodollars == 0


def test_traces_of_one_session_in_several_files_are_one_session(tmp_path: Path) -> None:
    gen = step(1, "GENERATION", 1, 2, usageDetails={"input": 10, "output": 1})
    files = {f"{n}.json": trace(gen, ident=f"t{n}", sessionId="s") for n in range(3)}
    workspace, _ = added(tmp_path, files)
    assert (workspace.totals().sessions, workspace.totals().calls) == (1, 3)
    assert [o.kind for o in every(workspace)].count("prompt") == 3
    again, _ = added(tmp_path, files | {"4.json": trace(gen, ident="t4", sessionId="s")})
    assert (again.totals().sessions, again.totals().calls) == (1, 4)


def test_every_shape_of_export_gives_the_same(tmp_path: Path) -> None:
    steps = [
        step(1, "GENERATION", 0, 2, usageDetails={"input": 10, "output": 1}, model="m"),
        step(2, "TOOL", 2, 5, input={"command": "ls"}, output="a"),
    ]
    whole = trace(*steps)
    nested = whole["trace"] | {"observations": whole["observations"], "htmlPath": "/t"}
    bare = [s | {"input": None, "output": None} for s in whole["observations"]]
    batch = [{"type": "trace-create", "body": whole["trace"]}]
    for s in whole["observations"]:
        kind = "generation" if s["type"] == "GENERATION" else "span"
        body = {k: v for k, v in s.items() if k != "endTime"}
        batch += [{"type": f"{kind}-create", "body": body}]
        batch += [{"type": f"{kind}-update", "body": {"id": s["id"], "endTime": s["endTime"]}}]
    shapes: dict[str, Any] = {
        "page": {"trace": nested | {"observations": bare}, "observations": whole["observations"]},
        "api": nested,
        "list": [nested],
        "data": {"data": [nested], "meta": {}},
        "lines": lines([nested]),
        "batch": {"batch": batch},
    }
    found = {}
    for name, content in shapes.items():
        workspace, report = added(tmp_path / name, {"x.json": content})
        assert report.skipped == []
        found[name] = [(o.id, o.name, o.output, o.started, o.ended, o.measures) for o in every(workspace)]
    assert all(value == found["api"] for value in found.values())
    assert len(found["api"]) == 3


def test_tools_get_the_tokens_of_the_call_that_asked_for_them(tmp_path: Path) -> None:
    asks = {"tool_calls": [{"id": "call_1", "function": {"name": "look", "arguments": "{}"}}]}
    answers = json.dumps({"attributes": {"gen_ai.tool.call.id": "call_1", "gen_ai.tool.name": "look"}})
    steps = [
        step(1, "GENERATION", 0, 1, usageDetails={"input": 10, "output": 8}, output=asks),
        step(2, "GENERATION", 1, 2, usageDetails={"input": 20, "output": 2}),
        step(3, "SPAN", 3, 5, metadata=answers, input='{"path": "a.py"}', output="x"),
        step(4, "TOOL", 5, 6, level="ERROR", statusMessage="boom"),
    ]
    workspace, _ = added(tmp_path, {"t.json": trace(*steps)})
    look, other = [o for o in every(workspace) if o.kind == "tool"]
    assert (look.name, look.measures["tokens.output"], look.fields["path"]) == ("look", 8, "a.py")
    assert (other.measures["tokens.output"], other.status, other.output) == (2, "error", "boom")


def test_time_of_steps_side_by_side_is_shared(tmp_path: Path) -> None:
    steps = [step(1, "GENERATION", 0, 10), step(2, "GENERATION", 4, 6), step(3, "TOOL", 12, 15)]
    time = added(tmp_path, {"t.json": trace(*steps)})[0].totals().time_us
    assert (time["model"], time["tool"], time["unknown"]) == (10_000_000, 3_000_000, 2_000_000)


def test_parents_in_a_circle_and_strange_records_end_nothing(tmp_path: Path) -> None:
    steps = [step(1, "GENERATION", 0, 1, 2, usageDetails={"input": 1}), step(2, "GENERATION", 1, 2, 1)]
    steps += [step(3, "GENERATION", 5, 4), step(4, "HOLOGRAM", 0, 1)]
    found = trace(*steps)
    found["observations"] += [{"type": "SPAN"}, 7]
    workspace, report = added(tmp_path, {"t.json": found})
    assert workspace.totals().calls == 3
    assert sorted(s.reason for s in report.skipped) == [
        "observation without an id", "step that ends before it starts, end left out",
        "unknown type of observation",
    ]  # fmt: skip


def test_real_files_that_are_no_exports_are_not_taken_for_one(tmp_path: Path) -> None:
    folder = need("data", "native", "langfuse")
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(folder, source="langfuse")
    holds = [p for p in folder.rglob("*.json*") if b'"usageDetails"' in p.read_bytes()[:65_536]]
    assert (report.sessions, workspace.totals().calls) == (len(holds), len(holds))
    assert {s.reason for s in report.skipped} == {"not of the format asked for"}
