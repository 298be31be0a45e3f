"""Is a run that broke off known by name, never begun twice unasked, and ended by what a person says?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli.fake import Run
from compile.execution import WRITE, bound, step, workflow
from tracelode.compile.execute.journal import Journal
from tracelode.compile.files import dump
from tracelode.model import binding as b
from tracelode.model.workflow import Check, Workflow

TOOLS = """
import os, sys, time
from pathlib import Path

def find(number):
    mode = os.environ.get("DESK_MODE", "")
    if mode == "exit":
        sys.exit(3)
    if mode == "print":
        print("a word of the tool")
        os.system("echo a word of its command")
    return {"order": "o-" + number}

def send(order):
    with open("sent.log", "a") as log:
        log.write(order + "\\n")
    if os.environ.get("DESK_MODE") == "exit-late":
        sys.exit(3)
    time.sleep(float(os.environ.get("DESK_SLEEP", "0")))
    return {"state": "sent"}

TOOLS = (find, send)
"""
WORDS = ("run", "flow.json", "--tools", "opendesk:TOOLS", "--no-ask", "--yes-write", "send#1")
GIVEN = ("--input", "number=7")


def flow(*, read: bool = False) -> Workflow:
    steps = [
        step("find#1", arguments=bound(number=b.FromInput("number"))),
        step(
            "send#1",
            "find#1",
            effect=WRITE,
            order=1,
            arguments=bound(order=b.Copy("find#1", "order")),
            checks=(Check("required", "state"),) if read else (),
        ),
    ]
    if read:
        late = bound(number=b.Copy("send#1", "state"))
        steps.append(step("find#2", "send#1", order=2, arguments=late))
    return workflow(*steps, inputs=("number",))


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRACELODE_STORE", str(tmp_path / "store"))
    Path("opendesk.py").write_text(TOOLS)
    dump(flow(), "flow.json")
    monkeypatch.delitem(sys.modules, "opendesk", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))


def sent() -> int:
    return len(Path("sent.log").read_text().split()) if Path("sent.log").exists() else 0


def broken_off(number: int, *more: str) -> tuple[int, str, str]:
    """Run, and end the process by a signal amid the write."""
    environment = {**os.environ, "DESK_SLEEP": "60"}
    words = [sys.executable, "-m", "tracelode", *WORDS, *GIVEN, *more]
    before = sent()
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        until = time.monotonic() + 60
        while sent() == before and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def run_of(text: str) -> str:
    return next(line for line in text.split("\n") if line.startswith("run run_"))[4:]


def answer(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    assert found["schema_version"] == 1
    return found


def test_a_killed_run_is_known_by_name_and_not_begun_again_unasked(run: Run) -> None:
    code, out, err = broken_off(signal.SIGKILL)
    assert (code, out, sent()) == (-9, "", 1)
    name = run_of(err)
    code, _, err = run(*WORDS, *GIVEN)
    said = " ".join(err.split())
    assert code == 4
    assert f"--resume {name}" in said
    assert "--again" in said
    assert "may have made send#1" in said
    code, out, _ = run(*WORDS, *GIVEN, "--json")
    assert code == 4
    assert name in answer(out)["reason"]
    assert sent() == 1
    # other inputs are another matter, and so is who says so
    assert run(*WORDS, "--input", "number=8")[0] == 0
    assert run(*WORDS, *GIVEN, "--again")[0] == 0
    assert sent() == 3


def test_open_runs_are_listed(run: Run) -> None:
    assert run("run", "flow.json", "--open")[0] == 3
    assert answer(run("run", "flow.json", "--open", "--json")[1])["runs"] == []
    name = run_of(broken_off(signal.SIGKILL)[2])
    code, out, _ = run("run", "flow.json", "--open")
    assert code == 0
    assert name in out
    assert "in doubt: send#1" in out
    (one,) = answer(run("run", "flow.json", "--open", "--json")[1])["runs"]
    assert (one["run"], one["status"], one["in_doubt"], one["wrote"]) == (name, "open", ["send#1"], [])
    waits = answer(run(*WORDS[:-2], "--input", "number=9", "--json")[1])
    rows = answer(run("run", "flow.json", "--open", "--json")[1])["runs"]
    assert [(r["step"], r["code"]) for r in rows] == [(None, None), ("send#1", "approval_required")]
    assert rows[1]["run"] == waits["run"]


@pytest.mark.parametrize("words", [("--done", "send#1"), ("--not-done", "send#1")])
def test_a_person_says_what_became_of_a_write_in_doubt(run: Run, words: tuple[str, ...]) -> None:
    name = run_of(broken_off(signal.SIGKILL)[2])
    code, out, _ = run(*WORDS, "--resume", name)
    assert code == 4
    assert f"--resume {name}" in out
    assert "--done send#1" in out
    assert "--not-done send#1" in out
    code, out, err = run(*WORDS, "--resume", name, *words)
    assert code == 0, err
    assert "2 of 2 steps" in out
    assert sent() == (1 if words[0] == "--done" else 2)
    assert run("run", "flow.json", "--open")[0] == 3


def test_what_later_steps_read_must_be_told(run: Run) -> None:
    dump(flow(read=True), "flow.json")
    name = run_of(broken_off(signal.SIGKILL)[2])
    code, _, err = run(*WORDS, "--resume", name, "--done", "send#1")
    assert code == 2
    assert "--output JSON" in err
    assert run(*WORDS, "--resume", name, "--done", "send#1", "--output", "{")[0] == 2
    # what is noted cannot be taken back
    code, _, err = run(*WORDS, "--resume", name, "--done", "send#1", "--output", "17")
    assert (code, "not what send#1 gives" in err) == (2, True), err
    words = ("--done", "send#1", "--output", '{"state": "x"}', "--json")
    code, out, _ = run(*WORDS, "--resume", name, *words)
    assert code == 0
    assert answer(out)["outputs"]["find#2"] == {"order": "o-x"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--resume", "RUN", "--done", "find#1"), "is not in doubt; in doubt: send#1"),
        (("--resume", "RUN", "--done", "send#1", "--not-done", "send#1"), "one of them"),
        (("--done", "send#1"), "give --resume RUN"),
        (("--resume", "RUN", "--not-done", "send#1", "--output", "1"), "--done STEP"),
    ],
)
def test_words_that_do_not_go_together(run: Run, words: tuple[str, ...], why: str) -> None:
    name = run_of(broken_off(signal.SIGKILL)[2])
    code, _, err = run(*WORDS, *GIVEN, *(name if word == "RUN" else word for word in words))
    assert code == 2
    assert why in " ".join(err.split())
    assert sent() == 1


def test_an_interrupt_tells_the_run_the_step_and_how_it_goes_on(run: Run) -> None:
    code, out, err = broken_off(signal.SIGINT)
    name = run_of(err)
    assert (code, out) == (130, "")
    assert f"interrupted; run {name} has not ended" in err
    assert "in doubt  send#1" in err
    assert f"--resume {name}" in err
    code, out, err = broken_off(signal.SIGINT, "--json", "--again")
    found = answer(out)
    assert code == 130
    assert (found["status"], found["in_doubt"]) == ("interrupted", ["send#1"])
    assert json.loads(err.split("\n")[0])["run"] == found["run"]
    assert run(*WORDS, "--resume", found["run"], "--done", "send#1")[0] == 0


def test_a_run_that_is_not_there(run: Run) -> None:
    code, out, _ = run(*WORDS, "--resume", "run_0", "--json")
    assert code == 3
    assert "no run run_0" in answer(out)["reason"]


def test_errors_of_use_are_json_where_json_is_asked_for(run: Run) -> None:
    code, out, _ = run(*WORDS, "--json")
    assert code == 2
    assert "1 input missing" in answer(out)["reason"]
    code, out, _ = run("verify", "none/flow.json", "--json")
    assert code == 1
    assert "it is not there" in answer(out)["reason"]


def test_a_tool_that_exits_is_a_tool_that_failed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_MODE", "exit")
    code, out, _ = run(*WORDS, *GIVEN, "--json")
    assert code == 4
    assert answer(out)["escalation"]["code"] == "tool_error_after_retry"
    monkeypatch.setenv("DESK_MODE", "exit-late")
    code, out, _ = run(*WORDS, "--input", "number=8", "--json")
    assert code == 4
    assert answer(out)["escalation"]["code"] == "in_doubt"


def test_what_tools_print_is_not_in_the_answer() -> None:
    words = [sys.executable, "-m", "tracelode", *WORDS, *GIVEN, "--json"]
    done = subprocess.run(words, env={**os.environ, "DESK_MODE": "print"}, capture_output=True, text=True)
    assert answer(done.stdout)["status"] == "done"
    assert "a word of the tool" in done.stderr
    assert "a word of its command" in done.stderr


def test_a_demotion_is_told_with_its_way_back(run: Run) -> None:
    assert run(*WORDS, *GIVEN)[0] == 0
    with Journal(Path("journal.sqlite")) as journal:
        journal.rows("INSERT INTO demoted VALUES(?, ?, ?)", (flow().id, "it stood still", 1))
    code, out, err = run(*WORDS, *GIVEN, "--json")
    assert code == 4
    assert "--restore" in answer(out)["reason"]
    assert "--restore" in err
    assert run(*WORDS, *GIVEN, "--demoted")[0] == 0
    assert run(*WORDS, *GIVEN)[0] == 4
    assert run(*WORDS, *GIVEN, "--restore")[0] == 0
    assert run(*WORDS, *GIVEN)[0] == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
@pytest.mark.parametrize("command", ["run", "verify"])
def test_a_pipe_is_no_workflow(run: Run, command: str) -> None:
    os.mkfifo("pipe")
    code, _, err = run(command, "pipe")
    assert code == 1
    assert "it is no regular file" in err


@pytest.mark.parametrize("pattern", ["(", "(a)(b)", "a"])
def test_a_pattern_that_was_edited_is_looked_at_when_it_is_read(run: Run, pattern: str) -> None:
    tree = json.loads(Path("flow.json").read_text())
    tree["inputs"][0]["patterns"] = [pattern]
    Path("flow.json").write_text(json.dumps(tree))
    words = [sys.executable, "-m", "tracelode", *WORDS, "--request", "order 7", "--accept-edits"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1
    assert "inputs[0].patterns[0]: it is no expression with one group" in done.stderr
    assert "re2" not in done.stderr
    assert run("verify", "flow.json", "--accept-edits")[0] == 1
