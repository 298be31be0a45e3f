"""Does the Copilot CLI source count right where others are known to have counted wrong?"""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tracelode
from shared import need
from tracelode.model.operation import Operation
from tracelode.model.ports import Line
from tracelode.sources.copilot_cli import CopilotCli
from tracelode.sources.copilot_cli.usage import by_weight
from written import added, every, lines

SESSION = "0c8d2f00-2222-4333-8444-a55556666777"
MODEL = "claude-sonnet-4.6"


class Log:
    """An event log under construction; seconds since the start are given with each event."""

    def __init__(self, model: str | None = MODEL) -> None:
        self.events: list[dict[str, Any]] = []
        context = {"cwd": "/home/sam/src/app", "branch": "main"}
        self.add("session.start", 0, sessionId=SESSION, selectedModel=model, context=context)

    def add(self, kind: str, second: float, agent: str | None = None, **data: Any) -> Self:
        minute, rest = divmod(second, 60)
        event = {"type": kind, "data": data, "id": f"{len(self.events):08d}-0000-4000-8000-{SESSION[-12:]}"}
        event["timestamp"] = f"2026-10-06T08:{int(minute):02d}:{rest:06.3f}Z"
        event["parentId"] = self.events[-1]["id"] if self.events else None
        self.events.append(event | ({"agentId": agent} if agent else {}))
        return self

    def message(self, n: int, second: float, output: int, *tools: tuple[str, str], **more: Any) -> Self:
        requests = [{"toolCallId": i, "name": name, "arguments": {}} for i, name in tools]
        data = {"messageId": f"message-{n}", "apiCallId": f"chatcmpl-00000000000{n}", "model": MODEL}
        return self.add(
            "assistant.message", second, **(data | {"outputTokens": output, "toolRequests": requests} | more)
        )

    def shutdown(self, second: float, count: int, model: str = MODEL, **usage: int) -> Self:
        metric = {"requests": {"count": count, "cost": 1}, "usage": usage}
        return self.add("session.shutdown", second, modelMetrics={model: metric})

    def files(self) -> dict[str, bytes]:
        return {f"session-state/{SESSION}/events.jsonl": lines(self.events)}


def usage(input: int, output: int, read: int = 0, write: int = 0) -> dict[str, int]:
    return {"inputTokens": input, "outputTokens": output, "cacheReadTokens": read, "cacheWriteTokens": write}


def outputs(log: Log) -> list[int]:
    """Output of every message: all that a reader knows who looks at messages alone."""
    return [e["data"]["outputTokens"] for e in log.events if e["type"] == "assistant.message"]


def shutdowns(log: Log) -> list[int]:
    """Input and output of every shutdown."""
    metrics = [e["data"]["modelMetrics"].values() for e in log.events if e["type"] == "session.shutdown"]
    return [sum(m["usage"]["inputTokens"] + m["usage"]["outputTokens"] for m in found) for found in metrics]


def test_d4_the_sums_of_a_shutdown_are_the_tokens_of_its_calls_15579_not_45(tmp_path: Path) -> None:
    log = Log().message(1, 5, 30).message(2, 9, 15).shutdown(10, 2, **usage(15_534, 45, 14_848, 100))
    workspace, report = added(tmp_path, log.files())
    tokens = workspace.totals().tokens
    assert report.skipped == []
    assert (tokens["input_fresh"], tokens["cache_read"], tokens["cache_write_5m"]) == (586, 14_848, 100)
    assert (workspace.totals().calls, tokens["output"], tokens["reasoning"]) == (2, 45, None)
    calls = [o for o in every(workspace) if o.kind == "model"]
    assert {o.fields["usage_quality"] for o in calls} == {"shared"}
    assert [o.measures["tokens.output"] for o in calls] == [30, 15]
    assert (workspace.totals().total_tokens, sum(outputs(log))) == (15_579, 45)


def test_d4_several_shutdowns_are_added_6045_tokens_not_5015(tmp_path: Path) -> None:
    log = Log().message(1, 5, 30).shutdown(6, 1, **usage(1_000, 30))
    log.add("session.resume", 60).message(2, 65, 15).shutdown(66, 1, **usage(5_000, 15, 4_000))
    workspace, _ = added(tmp_path, log.files())
    tokens = workspace.totals().tokens
    assert (tokens["input_fresh"], tokens["cache_read"], tokens["output"]) == (2_000, 4_000, 45)
    assert (workspace.totals().total_tokens, shutdowns(log)[-1]) == (6_045, 5_015)


def test_d4_a_shutdown_that_counts_from_the_beginning_is_6045_tokens_not_7075(tmp_path: Path) -> None:
    log = Log().message(1, 5, 30).shutdown(6, 1, **usage(1_000, 30))
    log.add("session.resume", 60).message(2, 65, 15).shutdown(66, 2, **usage(6_000, 45, 4_000))
    tokens = added(tmp_path, log.files())[0].totals().tokens
    assert (tokens["input_fresh"], tokens["cache_read"], tokens["output"]) == (2_000, 4_000, 45)
    assert (sum(v or 0 for v in tokens.values()), sum(shutdowns(log))) == (6_045, 7_075)


def test_d4_without_a_shutdown_only_45_output_tokens_are_known_and_marked(tmp_path: Path) -> None:
    workspace, _ = added(tmp_path, Log().message(1, 5, 30).message(2, 9, 15).files())
    totals = workspace.totals()
    assert (totals.tokens["output"], totals.tokens["input_fresh"], totals.calls) == (45, 0, 2)
    assert [o.fields["usage_quality"] for o in every(workspace) if o.kind == "model"] == ["lower_bound"] * 2


def test_d4_after_a_crash_a_shutdown_of_700_input_tokens_is_of_1_call_not_2(tmp_path: Path) -> None:
    log = Log().message(1, 5, 30).add("session.resume", 60)
    log.message(2, 65, 15).shutdown(66, 1, **usage(700, 15))
    calls = [o for o in every(added(tmp_path, log.files())[0]) if o.kind == "model"]
    assert [o.measures.get("tokens.input_fresh") for o in calls] == [None, 700]
    assert len(outputs(log)) == 2
    assert [o.fields["usage_quality"] for o in calls] == ["lower_bound", "shared"]


def test_d4_reasoning_is_part_of_output_101_tokens_not_195(tmp_path: Path) -> None:
    log = Log().message(1, 5, 101).message(2, 9, 0)
    log.shutdown(10, 2, **usage(12_847, 101), reasoningTokens=94)
    tokens = added(tmp_path, log.files())[0].totals().tokens
    assert (tokens["output"], tokens["reasoning"]) == (7, 94)
    made = (tokens["output"] or 0) + (tokens["reasoning"] or 0)
    assert (made, sum(outputs(log)) + 94) == (101, 195)


def test_d4_a_model_no_message_names_is_a_call_of_its_own_42_output_tokens_not_30(tmp_path: Path) -> None:
    log = Log().message(1, 5, 30).shutdown(10, 3, model="gpt-5.4-mini", **usage(900, 12))
    workspace, _ = added(tmp_path, log.files())
    hidden = next(o for o in every(workspace) if o.name == "gpt-5.4-mini")
    assert (hidden.measures["calls"], hidden.measures["tokens.input_fresh"]) == (3, 900)
    assert (workspace.totals().tokens["output"], sum(outputs(log))) == (42, 30)


def test_d4_a_growing_log_gets_its_sums_when_they_are_written_700_tokens_not_0(tmp_path: Path) -> None:
    log = Log().message(1, 5, 30, ("toolu_1", "bash")).add("tool.execution_start", 5, toolCallId="toolu_1")
    assert added(tmp_path, log.files())[0].totals().tokens["input_fresh"] == 0
    done = {"success": True, "result": {"content": "ok"}}
    log.add("tool.execution_complete", 8, toolCallId="toolu_1", **done).shutdown(9, 1, **usage(700, 30))
    workspace, report = added(tmp_path, log.files())
    fresh, _ = added(tmp_path / "fresh", log.files())
    assert report.skipped == []
    assert workspace.totals() == fresh.totals()
    assert workspace.totals().tokens["input_fresh"] == 700


def test_a_compaction_is_a_call_with_figures_of_its_own(tmp_path: Path) -> None:
    used = {"inputTokens": 9_000, "outputTokens": 400, "cacheReadTokens": 8_000, "model": MODEL}
    log = (
        Log().message(1, 5, 30).add("session.compaction_complete", 8, success=True, compactionTokensUsed=used)
    )
    log.shutdown(10, 2, **usage(10_000, 430, 8_500))
    workspace, report = added(tmp_path, log.files())
    calls = [o for o in every(workspace) if o.kind == "model"]
    assert report.skipped == []
    assert [o.measures["tokens.input_fresh"] for o in calls] == [500, 1_000]
    assert [o.measures["tokens.cache_read"] for o in calls] == [500, 8_000]
    assert "usage_quality" not in calls[1].fields


def test_a20_the_wait_for_permission_is_a_persons_time_3_seconds_not_48(tmp_path: Path) -> None:
    log = Log().add("user.message", 0, content="go").message(1, 5, 3, ("toolu_1", "bash"))
    log.add("tool.execution_start", 5, toolCallId="toolu_1", toolName="bash")
    log.add("permission.requested", 5, requestId="r", permissionRequest={"toolCallId": "toolu_1"})
    log.add("permission.completed", 50, requestId="r", result={"kind": "approved"})
    log.add("tool.execution_complete", 53, toolCallId="toolu_1", success=True, result={"content": "ok"})
    time = added(tmp_path, log.files())[0].totals().time_us
    assert (time["model"], time["blocked"], time["tool"]) == (5_000_000, 45_000_000, 3_000_000)
    moments = [datetime.fromisoformat(e["timestamp"]) for e in log.events if "tool." in e["type"]]
    assert (moments[-1] - moments[0]).total_seconds() == 48


@pytest.mark.parametrize(
    ("done", "status"),
    [
        ({"success": True, "result": {"content": "x"}}, "ok"),
        ({"success": True, "result": {"content": "x\n<shellId: 4 completed with exit code 2>"}}, "nonzero"),
        ({"success": True, "result": {"content": "", "contents": [{"exitCode": 3}]}}, "nonzero"),
        ({"success": False, "error": {"message": "gone", "code": "failure"}}, "error"),
        ({"success": False, "error": {"message": "no", "code": "rejected"}}, "denied"),
    ],
)
def test_how_tools_end(tmp_path: Path, done: dict[str, Any], status: str) -> None:
    log = Log().message(1, 5, 3, ("toolu_1", "bash")).add("tool.execution_start", 5, toolCallId="toolu_1")
    log.add("tool.execution_complete", 6, toolCallId="toolu_1", **done)
    assert [o.status for o in every(added(tmp_path, log.files())[0]) if o.kind == "tool"] == [status]


def test_answers_steering_and_texts_of_the_client(tmp_path: Path) -> None:
    log = Log().add("user.message", 0, content="go").message(1, 5, 3, ("toolu_1", "ask_user"))
    log.add("user.message", 6, content="quicker", delivery="steering")
    log.add("user.message", 7, content="skill text", source="skill-pdf")
    log.add("tool.execution_start", 7, toolCallId="toolu_1")
    log.add("tool.execution_complete", 47, toolCallId="toolu_1", success=True, result={"content": "blue"})
    workspace, _ = added(tmp_path, log.files())
    moments = [(o.name, o.fields.get("human")) for o in every(workspace) if o.kind != "model"]
    assert moments == [
        ("prompt", "prompt"), ("ask_user", "answer"), ("steer", "steer"), ("harness message", None),
    ]  # fmt: skip
    assert workspace.totals().time_us["blocked"] == 41_000_000


def test_a_sub_agent_writes_into_the_same_file_and_is_a_session_of_its_own(tmp_path: Path) -> None:
    log = Log().message(1, 5, 30, ("toolu_1", "task")).add("tool.execution_start", 5, toolCallId="toolu_1")
    log.add("subagent.started", 5, agent="agent-7", toolCallId="toolu_1", agentName="explore")
    log.message(2, 15, 10)
    log.events[-1]["agentId"] = "agent-7"
    log.add("tool.execution_complete", 16, toolCallId="toolu_1", success=True, result={"content": "ok"})
    log.shutdown(17, 2, **usage(1_000, 40))
    workspace, report = added(tmp_path, log.files())
    child = next(s for s in workspace.sessions() if s.key != s.root)
    parent = next(o for o in every(workspace) if o.name == "task")
    assert report.skipped == []
    assert (child.role, child.parent_operation, child.calls) == ("subagent", parent.id, 1)
    assert (workspace.totals().sessions, workspace.totals().tokens["input_fresh"]) == (1, 1_000)


def test_unknown_events_and_bad_figures_are_counted_and_located(tmp_path: Path) -> None:
    log = Log().message(1, 5, -3).add("galaxy.brain", 6).shutdown(7, 1, **usage(5, 0, 9))
    log.add("tool.execution_complete", 8, toolCallId="nobody", success=True)
    _, report = added(tmp_path, log.files())
    assert [(s.line, s.reason.split(",")[0]) for s in report.skipped] == [
        (2, "negative token count left out"),
        (3, "unknown record type"),
        (4, "cached tokens exceed the input they should be part of"),
        (5, "tool result without a call"),
    ]


@given(st.lists(st.integers(0, 1_000), max_size=8), st.data())
def test_shares_by_weight_sum_and_stay_below_their_weight(weights: list[int], data: st.DataObject) -> None:
    total = data.draw(st.integers(0, sum(weights)))
    shares = by_weight(total, weights)
    assert sum(shares) == total
    assert all(0 <= share <= weight for share, weight in zip(shares, weights, strict=True))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.floats(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=5,
)


@given(place=st.integers(0, 100), key=st.integers(0, 100), value=values)
@settings(max_examples=200, deadline=None)
def test_any_field_may_hold_anything(place: int, key: int, value: Any) -> None:
    log = Log().message(1, 5, 3, ("toolu_1", "bash")).add("tool.execution_start", 5, toolCallId="toolu_1")
    log.add("tool.execution_complete", 6, toolCallId="toolu_1", success=True, result={"content": "x"})
    log.shutdown(7, 1, **usage(5, 3, 1))
    event = log.events[place % len(log.events)]
    target = event if key % 3 == 0 else event["data"]
    target[sorted(target)[key % len(target)]] = value
    source, state = CopilotCli(), CopilotCli().fresh()
    records = [Line(n, 0, json.dumps(e).encode()) for n, e in enumerate(log.events, 1)]
    for item in source.read(records, state, "events.jsonl"):
        if isinstance(item, Operation):
            assert all(isinstance(v, int) and v >= 0 for v in item.measures.values())
            assert all(isinstance(v, str) for v in item.fields.values())


def meter(folder: Path) -> tuple[int, Counter[str]]:
    """(calls, tokens) straight from the files: outputs of messages, the rest of shutdowns."""
    calls, sums = 0, Counter[str]()
    for file in folder.rglob("*.jsonl"):
        for line in file.read_text().splitlines():
            event = json.loads(line)
            if event["type"] == "assistant.message":
                calls += 1
                sums["output"] += event["data"]["outputTokens"]
            elif event["type"] == "session.shutdown":
                for metric in event["data"]["modelMetrics"].values():
                    found = metric["usage"]
                    sums["fresh"] += (
                        found["inputTokens"] - found["cacheReadTokens"] - found["cacheWriteTokens"]
                    )
                    sums["read"] += found["cacheReadTokens"]
                    sums["write"] += found["cacheWriteTokens"]
                    sums["reasoning"] += found["reasoningTokens"]
    return calls, sums


def test_real_logs_agree_with_an_independent_meter(tmp_path: Path) -> None:
    folder = need("data", "native", "copilot_cli")
    calls, sums = meter(folder)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(folder)
    totals = workspace.totals()
    assert {s.reason for s in report.skipped if not s.path.endswith(".json")} == set()
    assert (totals.sessions, totals.calls) == (len(list(folder.rglob("*.jsonl"))), calls)
    assert (totals.tokens["input_fresh"], totals.tokens["cache_read"]) == (sums["fresh"], sums["read"])
    assert totals.tokens["cache_write_5m"] == sums["write"]
    assert (totals.tokens["output"] or 0) + (totals.tokens["reasoning"] or 0) == sums["output"]
    assert totals.tokens["reasoning"] == sums["reasoning"]


def test_real_logs_agree_with_the_meter_of_their_recorder(tmp_path: Path) -> None:
    folder = need("data", "native", "copilot_cli")
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(folder)
    checked = 0
    for side in folder.rglob("*.entire-meta.json"):
        told = json.loads(side.read_text())
        if told["start"] is not None:
            continue  # counts from a line in the middle of the file
        operations = workspace.operations(told["session"])
        if sum(o.measures.get("calls", 0) for o in operations) != told["tok"]["api_call_count"]:
            continue  # the file grew after the recorder had counted
        sums = Counter[str]()
        for operation in operations:
            sums.update({k: v for k, v in operation.measures.items() if k.startswith("tokens.")})
        found = sums["tokens.input_fresh"] + sums["tokens.cache_read"] + sums["tokens.cache_write_5m"]
        want = told["tok"]
        assert found in (want["input_tokens"], want["input_tokens"] + want["cache_read_tokens"])
        assert sums["tokens.output"] + sums["tokens.reasoning"] == want["output_tokens"]
        checked += 1
    assert checked >= 10
