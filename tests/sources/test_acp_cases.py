"""Do logs of the Agent Client Protocol give plans, tools and people's words, however they are wrapped?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tracelode
from tracelode.workspace import Workspace
from written import every

KEY = "sess_1"
Message = dict[str, Any]


def update(word: str, /, **more: Any) -> Message:
    """A notification of the agent."""
    params = {"sessionId": KEY, "update": {"sessionUpdate": word, **more}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def chunk(text: str, kind: str = "agent_message_chunk") -> Message:
    return update(kind, content={"type": "text", "text": text})


def prompt(text: str, ident: int = 1) -> Message:
    """A request of the client."""
    params = {"sessionId": KEY, "prompt": [{"type": "text", "text": text}]}
    return {"jsonrpc": "2.0", "id": ident, "method": "session/prompt", "params": params}


def plan(*rows: tuple[str, str]) -> list[Message]:
    return [{"content": c, "priority": "medium", "status": s} for c, s in rows]


def stored(folder: Path, *messages: Message, form: str = "ts") -> Workspace:
    """A store of one log, a second a message."""
    lines = []
    for second, message in enumerate(messages):
        moment = f"2026-10-01T08:{second // 60:02}:{second % 60:02}.000Z"
        wrapped = {
            "ts": {"ts": moment, "message": message},
            "milliseconds": {"timestamp": 1_790_841_600_000 + second * 1000, "payload": message},
            "beside": {**message, "timestamp": moment},
            "bare": message,
        }[form]
        lines.append(json.dumps(wrapped))
    path = folder / "logs" / "agent.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    workspace = tracelode.open(folder / "store", tz="UTC")
    report = workspace.add(folder / "logs")
    assert not report.skipped, report.skipped
    return workspace


DONE = (
    prompt("move it"),
    update("plan", entries=plan(("Copy", "in_progress"), ("Test", "pending"))),
    update("tool_call", toolCallId="t1", title="edit", kind="edit", status="pending"),
    update("tool_call_update", toolCallId="t1", status="completed"),
    update("plan", entries=plan(("Copy", "completed"), ("Test", "in_progress"))),
)


@pytest.mark.parametrize("form", ["ts", "milliseconds", "beside", "bare"])
def test_a_plan_is_followed_in_any_wrapping(tmp_path: Path, form: str) -> None:
    (one,) = stored(tmp_path, *DONE, form=form).plan_metrics(KEY).sessions
    assert [(n.text, n.status) for n in one.nodes] == [("Copy", "succeeded"), ("Test", "running")]
    assert one.metric("supported_completion").value == 1
    assert (one.metric("node_duration").value is None) == (form == "bare")


def test_words_that_come_in_pieces_are_one_answer(tmp_path: Path) -> None:
    workspace = stored(
        tmp_path, prompt("hi"), chunk("thinking", "agent_thought_chunk"), chunk("I "), chunk("see.")
    )
    (call,) = [o for o in every(workspace) if o.kind == "model"]
    assert call.output == "I see."


def test_an_answer_ends_where_results_come(tmp_path: Path) -> None:
    workspace = stored(tmp_path, *DONE[:4], chunk("Done."))
    calls = [o for o in every(workspace) if o.kind == "model"]
    assert [o.output for o in calls] == ["", "Done."]
    assert next(o for o in every(workspace) if o.kind == "tool").fields["call"] == calls[0].id


@pytest.mark.parametrize(("kind", "status"), [("reject_once", "denied"), ("allow_always", "ok")])
def test_a_permission_is_a_persons_word(tmp_path: Path, kind: str, status: str) -> None:
    ask = {
        "jsonrpc": "2.0", "id": 5, "method": "session/request_permission",
        "params": {"sessionId": KEY, "toolCall": {"toolCallId": "t1"},
                   "options": [{"optionId": "x", "name": "No", "kind": kind}]},
    }  # fmt: skip
    said = {"jsonrpc": "2.0", "id": 5, "result": {"outcome": {"outcome": "selected", "optionId": "x"}}}
    ended = "failed" if status == "denied" else "completed"
    workspace = stored(
        tmp_path, prompt("push"), update("tool_call", toolCallId="t1", title="push", kind="execute",
        rawInput={"command": "git push"}), ask, said,
        update("tool_call_update", toolCallId="t1", status=ended),
    )  # fmt: skip
    (tool,) = [o for o in every(workspace) if o.kind == "tool"]
    assert tool.status == status
    assert tool.fields.get("acp.permission") == (None if status == "denied" else kind)
    decisions = [i.decision for i in workspace.plan_metrics(KEY).sessions[0].interventions]
    assert decisions == (["goal", "deny_tool"] if status == "denied" else ["goal"])


def test_a_history_that_is_told_again_counts_once(tmp_path: Path) -> None:
    load = {"jsonrpc": "2.0", "id": 9, "method": "session/load", "params": {"sessionId": KEY, "cwd": "/x"}}
    loaded = {"jsonrpc": "2.0", "id": 9, "result": {}}
    again = [update("user_message_chunk", content={"type": "text", "text": "move it"}), *DONE[1:]]
    workspace = stored(tmp_path, *DONE, load, *again, loaded, prompt("go on", 3))
    kinds = [o.kind for o in every(workspace)]
    assert (kinds.count("prompt"), kinds.count("tool"), kinds.count("plan")) == (2, 1, 2)


def test_plans_with_ids_are_kept_apart(tmp_path: Path) -> None:
    def told(name: str, *rows: tuple[str, str]) -> Message:
        return update("plan_update", plan={"type": "items", "id": name, "entries": plan(*rows)})

    workspace = stored(
        tmp_path, prompt("both"), told("p1", ("Copy", "in_progress")), told("p2", ("Draw", "pending")),
        told("p1", ("Copy", "completed")), told("p2", ("Draw", "in_progress")),
        update("plan_removed", planId="p2"),
    )  # fmt: skip
    (one,) = workspace.plan_metrics(KEY).sessions
    assert {n.text: n.status for n in one.nodes} == {"Copy": "succeeded", "Draw": "removed"}
    assert not [f for f in workspace.plan_check().findings if f.severity == "error"]


def test_cancelling_is_an_interrupt(tmp_path: Path) -> None:
    stop = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": KEY}}
    workspace = stored(tmp_path, *DONE, stop)
    people = [i for i in workspace.plan_metrics(KEY).sessions[0].interventions if i.decision != "goal"]
    assert [(i.decision, i.corrective) for i in people] == [("interrupt", True)]
