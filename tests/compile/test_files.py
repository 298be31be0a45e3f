"""Is a workflow file read back as it was written, and is everything else refused with its place?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from compile.execution import READ, WRITE, bound, step, workflow
from tracelode.compile.files import dump, load, problems
from tracelode.compile.sealing import digest, sealed
from tracelode.errors import EditedWorkflow, WorkflowError
from tracelode.model import binding as b
from tracelode.model.workflow import Argument, Guard, Wait
from tracelode.model.workflow import Test as Comparison

WORK = workflow(
    step("find#1", arguments=bound(city=b.FromInput("city"))),
    step("book#1", "find#1", effect=WRITE, order=1, arguments=bound(room=b.Copy("find#1", "rooms[0].id"))),
    inputs=("city",),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    dump(WORK, tmp_path / "workflow.json")
    return tmp_path / "workflow.json"


def edited(path: Path, change: Any) -> Path:
    tree = json.loads(path.read_text())
    change(tree)
    path.write_text(json.dumps(tree))
    return path


def test_what_is_written_is_read_back(path: Path) -> None:
    assert load(path) == sealed(WORK)
    first = path.read_bytes()
    dump(load(path), path)
    assert path.read_bytes() == first


def test_an_edited_file_needs_an_explicit_word_and_loses_its_proof(path: Path) -> None:
    edited(path, lambda tree: tree.update(description="mine"))
    with pytest.raises(WorkflowError, match="edited"):
        load(path)
    taken = load(path, accept_edits=True)
    assert (taken.description, taken.trust) == ("mine", "unknown_outcome")


def test_white_space_is_no_edit(path: Path) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()), indent=7))
    assert load(path) == sealed(WORK)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.update(schema_version=2), "version 2, made by a newer"),
        (lambda t: t.update(schema_version=0), "no version"),
        (lambda t: t["steps"][1].update(slot="find#1"), r"steps\[1\].slot: two steps"),
        (lambda t: t["steps"][1].update(after=["none#1"]), "steps: step book#1 waits for none#1"),
        (lambda t: t["steps"][0].update(after=["book#1"]), "steps: these steps wait for each other"),
        (lambda t: t["steps"][1].update(retries=2), r"steps\[1\].retries: a write is not tried again"),
        (lambda t: t["steps"][0].update(tool=5), r"steps\[0\].tool: Expected `str`"),
        (lambda t: t["steps"][0].pop("effect"), r"steps\[0\]: Object missing"),
        (lambda t: t["steps"][0]["arguments"][0]["binding"].update(kind="secret words"), "a wrong value"),
        (lambda t: t["steps"][0]["arguments"][0]["binding"].update(name="x"), "input that is not declared"),
        (lambda t: t["steps"][1]["arguments"][0]["binding"].update(path="]["), r"binding: it is no path"),
        (
            lambda t: t["steps"][1]["arguments"][0]["binding"].update(step="book#1"),
            "need not have run before",
        ),
    ],
)
def test_what_does_not_hold_together_is_said_with_its_place(path: Path, change: Any, words: str) -> None:
    edited(path, change)
    with pytest.raises(WorkflowError, match=words) as raised:
        load(path, accept_edits=True)
    assert str(raised.value).startswith(str(path))
    assert "secret words" not in str(raised.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"schema_version": 1,\n "id": "x",\n oops}', "line 3: it is no JSON"),
        (b"[1, 2]", "it is no workflow"),
        (b"\xff\xfe", "it is no JSON"),
        (b"", "it is no JSON"),
        (b'{"schema_version": "new"}', "it is no workflow"),
        (b"[" * 100_000, "it is no"),
    ],
)
def test_what_is_no_workflow(tmp_path: Path, data: bytes, words: str) -> None:
    place = tmp_path / "w.json"
    place.write_bytes(data)
    with pytest.raises(WorkflowError, match=words):
        load(place)


@pytest.mark.parametrize("levels", [300, 100_000])
def test_what_is_nested_too_deep(path: Path, levels: int) -> None:
    flat = '{"kind":"input","name":"city"}'
    text = json.dumps(json.loads(path.read_text()), separators=(",", ":"))
    assert flat in text
    path.write_text(text.replace(flat, '{"kind":"template","parts":[' * levels + flat + "]}" * levels))
    with pytest.raises(WorkflowError, match=r"it is nested too deep|it is no JSON"):
        load(path, accept_edits=True)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WorkflowError, match="it is not there"):
        load(tmp_path / "none.json")
    with pytest.raises(WorkflowError, match="cannot be written"):
        dump(WORK, tmp_path / "none" / "w.json")
    assert list(tmp_path.iterdir()) == []


def test_problems_of_guards_patterns_and_sources() -> None:
    odd = Guard((Comparison(b.Constant(1), "like", b.Constant(1)), Comparison(b.Constant(1), "eq")))
    wrong = workflow(
        step("a#1", when=odd, effect=READ),
        step("w#1", effect=WRITE, wait=Wait("s", ("x",), 1, 1)),
        step(
            "c#1",
            order=9,
            arguments=(Argument("x", b.Span("a#1", "", "(a)(b")), Argument("y", b.Unsourced())),
        ),
    )
    said = dict(problems(wrong))
    assert said["steps[0].when.tests[0].op"] == "no such comparison"
    assert said["steps[0].when.tests[1].right"] == "the comparison needs a right side"
    assert said["steps[1].wait"] == "a write is not repeated until something ends"
    assert said["steps[2].arguments[0].binding"] == "it is no expression with one group"
    assert said["steps[2].arguments[1].binding"] == "the argument has no known source, and can never be bound"
    assert problems(WORK) == []
    assert digest(WORK) == digest(msgspec.structs.replace(WORK, digest="x"))


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree.update(retries=3),
        lambda tree: tree["steps"][1].update(aproval=True),
        lambda tree: tree["steps"][1]["arguments"][0]["binding"].update(when="always"),
    ],
)
def test_a_field_that_nothing_reads_is_an_edit(path: Path, change: Any) -> None:
    edited(path, change)
    with pytest.raises(EditedWorkflow):
        load(path)
    assert load(path, accept_edits=True).steps == WORK.steps


def test_a_field_of_another_name_in_the_file_is_no_edit(tmp_path: Path) -> None:
    change = b.Transform(name="date", with_="DD.MM.YYYY")
    city = b.Copy("find#1", "when", (change,))
    made = workflow(
        step("find#1"), step("book#1", "find#1", effect=WRITE, order=1, arguments=bound(day=city))
    )
    dump(made, tmp_path / "workflow.json")
    assert '"with"' in (tmp_path / "workflow.json").read_text()
    assert load(tmp_path / "workflow.json") == sealed(made)


def test_a_default_that_is_written_out_is_no_edit(path: Path) -> None:
    assert load(edited(path, lambda tree: tree.update(partial=False))) == sealed(WORK)
