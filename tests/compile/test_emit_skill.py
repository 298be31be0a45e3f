"""Is the emitted skill one that an agent can choose and run, and does its script keep to what is answered?"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from compile.compiled import compiled
from compile.emitting import bookings, hostile, partial
from tracelode.compile.emit import emit
from tracelode.compile.emit.skill import description
from tracelode.model.workflow import Workflow

GIVEN = {"city": "Oslo", "check_in": "2026-03-03", "nights": 2, "guest": "Jo", "late": False}
TOOLS = {
    "find_city": {"results": [{"id": "c1", "kind": "city"}]},
    "search_hotels": {"hotels": [{"id": "h1", "price": 3}]},
    "get_hotel": {},
    "get_offer": {"status": "ready", "hotel": "h1", "offer": {"id": "o1"}},
    "book": {"status": "booked"},
}


def _skill(workflow: Workflow) -> tuple[dict[str, Any], str, dict[str, bytes]]:
    files = emit(workflow, ["skill"])
    tops = {path.partition("skills/")[0] for path in files}
    assert tops == {".claude/", ".agents/"}
    mine = {path.split("/", 3)[3]: data for path, data in files.items() if path.startswith(".claude/")}
    assert set(mine) == {"SKILL.md", "scripts/run.py", "references/evidence.md"}
    folder = next(iter(files)).split("/")[2]
    body = mine["SKILL.md"].decode()
    head = yaml.safe_load(body.split("---\n")[1])
    assert set(head) == {"name", "description"}
    assert head["name"] == folder
    return head, body, mine


@pytest.mark.parametrize(
    "make", [bookings, partial, hostile, lambda: bookings(name="x" * 90, description="y " * 900)]
)
def test_the_skill_keeps_to_the_format(make: Any) -> None:
    head, _, _ = _skill(make())
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", head["name"])
    assert len(head["name"]) <= 64
    assert 0 < len(head["description"]) <= 1024
    assert not set("<>\n") & set(head["description"])


def test_the_skill_tells_steps_guards_inputs_and_refusals() -> None:
    _, body, files = _skill(partial())
    for words in (
        "Only if input late is true",
        "`check\\_in`" if False else "`check_in`",
        "## When not to use it",
        "R1",
        "3 more runs that send",
    ):
        assert words in body
    assert (
        "| `find_city#1` → `search_hotels#1` city | data hard (cross run) | 10 of 10 |"
        in files["references/evidence.md"].decode()
    )


def script(folder: Path) -> Path:
    """run.py as it is emitted."""
    _, _, files = _skill(bookings())
    place = folder / "run.py"
    place.write_bytes(files["scripts/run.py"])
    return place


def talk(place: Path, answers: list[str], tools: dict[str, Any] | None = None) -> tuple[int, list[Any], str]:
    """Run the script: (exit code, what it said, its standard error). Escalations get the answers in turn."""
    left = list(answers)
    with subprocess.Popen(
        [sys.executable, "-S", place.name, json.dumps(GIVEN)],
        cwd=place.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        said = []
        for line in process.stdout:
            told = json.loads(line)
            said.append(told)
            if "call" in told:
                process.stdin.write(json.dumps({"output": {**TOOLS, **(tools or {})}[told["call"]]}) + "\n")
            elif "escalation" in told or "error" in told:
                process.stdin.write(left.pop(0) + "\n" if left else "\n")
            process.stdin.flush()
        errors = process.stderr.read()
    return process.returncode, said, errors


def test_the_script_of_the_skill_runs_the_workflow(tmp_path: Path) -> None:
    code, said, errors = talk(script(tmp_path), ['{"yes": true}'])
    assert (code, errors) == (0, "")
    assert [t.get("call") or t.get("escalation") for t in said[:-1]] == [
        "find_city",
        "search_hotels",
        "get_hotel",
        "get_offer",
        "approval_required",
        "book",
    ]
    assert said[-1]["done"]["book#1"] == {"status": "booked"}


@pytest.mark.parametrize(
    ("answers", "tries"),
    [
        (['{"yes": false}'], 0),
        (['{"value": false}', '{"value": false}'], 2),
        (['{"value": true}', '{"output": {"status": "booked"}}', '{"yes": 1}'], 3),
        (['{"skip": true}', '{"yes": true, "retry": true}', "[]", "no", '{"yes": false}'], 4),
        (['{"stop": true}'], 0),
        ([], 0),
        (["true", "yes", "1"], 3),
    ],
)
def test_whatever_is_no_yes_ends_the_script_before_the_write(
    tmp_path: Path, answers: list[str], tries: int
) -> None:
    code, said, errors = talk(script(tmp_path), answers)
    assert (code, errors) == (4, "")
    assert "book" not in [t.get("call") for t in said]
    assert sum("error" in t for t in said) == tries
    assert (said[-1]["stopped"], said[-1]["step"]) == ("approval_required", "book#1")
    assert "book#1" not in said[-1]["completed"]
    assert list(said[-1]["completed"]) == ["find_city#1", "search_hotels#1", "get_hotel#1", "get_offer#1"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ('{"yes": true}', 4),
        ('{"value": {"results": []}}', 4),
        ('{"stop": true}', 4),
        ('{"output": {"results": [{"id": "c9", "kind": "city"}]}}', 0),
    ],
)
def test_a_failed_guard_is_passed_by_an_output_alone(tmp_path: Path, answer: str, code: int) -> None:
    answers = [answer, '{"yes": true}'] if code == 0 else [answer]
    ended, said, _ = talk(script(tmp_path), answers, {"find_city": {"results": []}})
    assert ended == code
    first = next(t for t in said if "escalation" in t)
    assert first["escalation"] == "guard_failed"
    assert first["answers"] == ["output", "accept", "retry", "skip", "stop"]
    assert ("stopped" in said[-1]) == (code == 4)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "these inputs are missing: city, check_in, nights, guest"),
        (["{"], "the argument is no JSON"),
        (["[1]"], "the argument is no JSON object"),
        (['{"town": 1}'], "not inputs: town"),
        ([json.dumps({**GIVEN, "nights": "two"})], "input nights must be of type integer"),
        (["{}", "{}"], "there is more than one argument"),
    ],
)
def test_wrong_arguments_are_told_with_the_usage(tmp_path: Path, words: list[str], told: str) -> None:
    place = script(tmp_path)
    done = subprocess.run(
        [sys.executable, "-S", place.name, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    answer = json.loads(done.stdout)
    assert answer["error"].startswith(told)
    assert {"name": "nights", "type": "integer", "required": True} in answer["inputs"]
    assert done.stderr.startswith("usage: run.py")
    assert "Traceback" not in done.stderr


def test_the_script_says_how_it_is_used(tmp_path: Path) -> None:
    place = script(tmp_path)
    done = subprocess.run([sys.executable, place, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:13]) == (0, "usage: run.py")


@pytest.mark.parametrize("make", [bookings, hostile, lambda: compiled().verdict])
def test_no_name_of_the_script_is_defined_twice(make: Any) -> None:
    tree = ast.parse(_skill(make())[2]["scripts/run.py"])
    names = [
        n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    assert len(names) == len(set(names))


def test_the_description_says_when_what_it_needs_and_what_it_changes() -> None:
    told = description(bookings())
    assert told.startswith("Use when the task is to book hotel.")
    assert "Needs city (string), check_in (date), nights (integer), guest (string)." in told
    assert "Changes something through book (writes); each such call waits for a person's yes." in told
    read = description(compiled().verdict)
    assert "Requests for it say: first, hotel, show." in read
    assert "Changes nothing: it only reads." in read
    # what it changes is told however long the rest is
    assert "through book" in description(bookings(description="y " * 900))
