"""Does the OpenCode source count right where others are known to have counted wrong?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tracelode
from tracelode.sources.opencode.reader import measures_of
from tracelode.sources.opencode.records import Cache, Tokens
from tracelode.workspace import Workspace
from written import every

START = 1_790_000_000_000


def user(n: int, text: str) -> dict[str, Any]:
    """A person's message."""
    info = {"id": f"msg_{n:02}", "role": "user", "time": {"created": START + n * 1000}}
    return {"info": info, "parts": [{"id": f"prt_u{n}", "type": "text", "text": text}]}


def tool(name: str, given: dict[str, Any], n: int, **state: Any) -> dict[str, Any]:
    """A tool call of a second."""
    times = {"start": START + n * 1000 + 100, "end": START + n * 1000 + 900}
    body = {"status": "completed", "input": given, "output": "ok", "metadata": {}, "time": times, **state}
    return {"id": f"prt_t{n}{name}", "type": "tool", "tool": name, "callID": f"call_{n}{name}", "state": body}


def answer(n: int, *parts: dict[str, Any], **info: Any) -> dict[str, Any]:
    """A message of the model, one step."""
    tokens = {"input": 100, "output": 30, "reasoning": 10, "cache": {"read": 50, "write": 5}}
    told = {
        "id": f"msg_{n:02}", "role": "assistant", "modelID": "acme-large", "tokens": tokens, "cost": 0.001,
        "time": {"created": START + n * 1000, "completed": START + n * 1000 + 950}, **info,
    }  # fmt: skip
    finish = {"id": f"prt_f{n}", "type": "step-finish", "cost": 0.001, "tokens": tokens}
    return {"info": told, "parts": [{"type": "step-start"}, *parts, finish]}


def stored(folder: Path, *messages: dict[str, Any], session: str = "ses_1", **info: Any) -> Workspace:
    """A store of one export."""
    path = folder / "exports" / f"{session}.json"
    path.parent.mkdir(exist_ok=True)
    body = {"info": {"id": session, "directory": "/home/sam/src/app", **info}, "messages": list(messages)}
    path.write_text(json.dumps(body, indent=2))
    workspace = tracelode.open(folder / "store", tz="UTC")
    workspace.add(folder / "exports")
    return workspace


@pytest.mark.parametrize(
    ("total", "output", "reasoning", "expected"),
    [
        (None, 30, 10, (20, 10)),
        (130, 30, 10, (20, 10)),
        (140, 30, 10, (30, 10)),
        (None, 5, 10, (5, 10)),
        (None, 30, 0, (30, 0)),
    ],
)
def test_d_reasoning_is_counted_once(
    total: int | None, output: int, reasoning: int, expected: tuple[int, int]
) -> None:
    complaints: list[str] = []
    found = measures_of(Tokens(total, 60, output, reasoning, Cache(30, 10)), complaints)
    assert (found["tokens.output"], found["tokens.reasoning"]) == expected
    assert [found[f"tokens.{k}"] for k in ("input_fresh", "cache_read", "cache_write_5m")] == [60, 30, 10]
    assert not complaints


def test_d_a_total_that_is_neither_is_told() -> None:
    complaints: list[str] = []
    measures_of(Tokens(999, 60, 30, 10, Cache(30, 10)), complaints)
    assert complaints == ["token total differs from its parts"]


def test_d_steps_are_calls_and_messages_are_not_counted_beside_them(tmp_path: Path) -> None:
    two = answer(2, tool("read", {"filePath": "a.py"}, 2))
    two["parts"] += answer(3, tool("read", {"filePath": "b.py"}, 3))["parts"]
    workspace = stored(tmp_path, user(1, "look"), two)
    calls = [o for o in every(workspace) if o.kind == "model"]
    assert len(calls) == 2
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["cache_write_5m"]) == (2, 200, 10)
    assert [o.fields["call"] for o in every(workspace) if o.kind == "tool"] == [o.id for o in calls]


def test_d_a_child_belongs_to_the_call_that_started_it(tmp_path: Path) -> None:
    task = tool("task", {"prompt": "why"}, 2, metadata={"sessionId": "ses_2"})
    stored(tmp_path, user(1, "find it"), answer(2, task))
    workspace = stored(tmp_path, user(3, "why"), answer(4), session="ses_2", parentID="ses_1")
    found = {s.key: s for s in workspace.sessions()}
    child = next(s for key, s in found.items() if "ses_2" in key)
    assert child.root == "ses_1"
    prompts = {o.session: o.actor for o in every(workspace) if o.kind == "prompt"}
    assert prompts == {"ses_1": "human", child.key: "agent"}


def test_the_list_is_followed(tmp_path: Path) -> None:
    def todo(n: int, *rows: tuple[str, str]) -> dict[str, Any]:
        items = [{"content": c, "status": s, "priority": "high"} for c, s in rows]
        return answer(n, tool("todowrite", {"todos": items}, n))

    workspace = stored(
        tmp_path,
        user(1, "do both"),
        todo(2, ("one", "in_progress"), ("two", "pending")),
        answer(3, tool("edit", {"filePath": "a.py", "oldString": "", "newString": "x = 1\n"}, 3)),
        todo(4, ("one", "completed"), ("two", "cancelled")),
    )
    (one,) = workspace.plan_metrics("ses_1").sessions
    assert [(n.text, n.status) for n in one.nodes] == [("one", "succeeded"), ("two", "removed")]
    assert one.metric("supported_completion").value == 1
    assert one.metric("observed_rework").denominator == 1


def test_people_refuse_stop_and_answer(tmp_path: Path) -> None:
    refused = "The user rejected permission to use this specific tool call with the following feedback: no"
    error = {"name": "MessageAbortedError", "data": {}}
    workspace = stored(
        tmp_path,
        user(1, "push it"),
        answer(2, tool("bash", {"command": "git push"}, 2, status="error", error=refused)),
        answer(3, tool("question", {"questions": []}, 3)),
        answer(4, tool("bash", {"command": "make"}, 4, metadata={"exit": 2})),
        answer(5, error=error),
    )
    (one,) = workspace.plan_metrics("ses_1").sessions
    decisions = [i.decision for i in one.interventions]
    assert decisions == ["goal", "deny_tool", "answer", "interrupt"]
    assert one.interventions[1].text == "no"
    states = [o.status for o in every(workspace) if o.kind == "tool"]
    assert states == ["denied", "ok", "nonzero"]


def test_text_of_the_program_is_no_prompt(tmp_path: Path) -> None:
    first = user(1, "go")
    first["parts"].append({"type": "text", "text": "Called the Read tool", "synthetic": True})
    only = user(2, "Continue")
    only["parts"][0]["synthetic"] = True
    prompts = [o for o in every(stored(tmp_path, first, only, answer(3))) if o.kind == "prompt"]
    assert [o.arguments for o in prompts] == ["go"]
