"""Does a hook of Claude Code record the plan, in order, without keeping the agent waiting?"""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from record.lines import SECRET, rows, told
from tracelode.record import hook

TOOL = {"session_id": "s", "hook_event_name": "PostToolUse"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRACELODE_DIR", str(tmp_path))
    return tmp_path


def call(**more: Any) -> None:
    hook.take_turn({**TOOL, **more}, wait=True)


def used(name: str, given: Any = None, result: Any = None) -> None:
    call(tool_name=name, tool_input=given or {}, tool_response=result)


def run(told: object, place: Path) -> subprocess.CompletedProcess[bytes]:
    data = told if isinstance(told, bytes) else json.dumps(told).encode()
    return subprocess.run(
        [sys.executable, "-m", "tracelode.record.hook"],
        input=data,
        capture_output=True,
        env={**os.environ, "TRACELODE_DIR": str(place)},
        check=False,
        timeout=60,
    )


def test_a_session_of_to_do_lists(place: Path) -> None:
    call(hook_event_name="UserPromptSubmit", prompt="fix the parser")
    used(
        "TodoWrite",
        {"todos": [{"content": "Read", "status": "in_progress"}, {"content": "Fix", "status": "pending"}]},
    )
    used("Bash", {"command": f"export API_KEY={SECRET}; make"}, {"stdout": "ok"})
    used(
        "TodoWrite",
        {"todos": [{"content": "Read", "status": "completed"}, {"content": "Fix", "status": "in_progress"}]},
    )
    call(
        hook_event_name="PostToolUseFailure",
        tool_name="Edit",
        tool_input={"file_path": "a.py"},
        error="no match",
    )
    call(hook_event_name="UserPromptSubmit", prompt="no, the other file")
    call(hook_event_name="SessionEnd", reason="exit")
    assert told(place) == [
        ("plan", "goal", "planned"), ("plan", "1/1", "planned"), ("plan", "1/2", "planned"),
        ("execute", "1/1", "running"), ("execute", "1/1", "running"), ("execute", "1/1", "succeeded"),
        ("execute", "1/2", "running"), ("execute", "1/2", "running"), ("review", "goal", "updated"),
        ("complete", "goal", "succeeded"),
    ]  # fmt: skip
    found = rows(place)
    assert [row["seq"] for row in found] == list(range(10))
    assert found[7]["payload"]["error_type"] == "error"
    assert found[9]["evidence"] == "inferred"
    assert not any(SECRET in p.read_text() for p in place.rglob("*") if p.is_file())


def test_tasks_plans_and_answers(place: Path) -> None:
    used("TaskCreate", {"subject": "A"}, {"task": {"id": "1"}})
    used("TaskCreate", {"subject": "B"}, {"task": {"id": "2"}})
    used("TaskUpdate", {"taskId": "2", "addBlockedBy": ["1"]})
    used("TaskUpdate", {"taskId": "1", "status": "in_progress"})
    used("TaskUpdate", {"taskId": "1", "status": "completed"})
    used("TaskUpdate", {"taskId": "9", "status": "completed"})
    used("TaskCreate", {"subject": "C"}, {"task": {"id": "1"}})
    call(hook_event_name="PreToolUse", tool_name="ExitPlanMode", tool_input={"plan": "# Plan"})
    used("ExitPlanMode")
    used("AskUserQuestion", {}, {"answers": {"q": "yes"}})
    used("Read", {"file_path": "x"}, "text")
    names = [
        (r["event_type"], r["node_id"], r["payload"].get("op") or r["payload"].get("decision") or r["status"])
        for r in rows(place)
    ]
    assert names == [
        ("plan", "1/1", "create"), ("plan", "1/2", "create"), ("revise", "1/2", "depend"),
        ("execute", "1/1", "running"), ("execute", "1/1", "succeeded"), ("plan", "2/1", "add"),
        ("plan", "claude-plan", "add"), ("review", "claude-plan", "approve"), ("review", "goal", "answer"),
        ("execute", "unbound", "running"),
    ]  # fmt: skip


def test_calls_stand_in_their_order_and_nothing_is_printed(tmp_path: Path) -> None:
    for i in range(6):
        done = run({**TOOL, "tool_name": "Bash", "tool_input": {"command": f"echo {i}"}}, tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    until = time.monotonic() + 20
    while not (found := list(tmp_path.rglob("*.jsonl"))) or found[0].read_bytes().count(b"\n") < 6:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert [row["payload"]["input_summary"] for row in rows(tmp_path)] == [f"echo {i}" for i in range(6)]


@pytest.mark.parametrize(
    "given", [b"", b"{", b"[]", b'{"hook_event_name": "PostToolUse"}', b'{"hook_event_name": "New"}']
)
def test_bad_input_disturbs_nobody(tmp_path: Path, given: bytes) -> None:
    done = run(given, tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    assert not list(tmp_path.rglob("*.jsonl"))


def test_the_agent_waits_less_than_fifty_milliseconds_of_cpu(tmp_path: Path) -> None:
    given = json.dumps({**TOOL, "tool_name": "Bash", "tool_input": {"command": "x"}}).encode()
    spent = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(given, tmp_path)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) < 0.05


def test_main_reads_standard_input(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"hook_event_name": "PreToolUse"}')))
    assert hook.main() == 0
