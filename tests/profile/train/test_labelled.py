"""Do labelled files and marks become sessions that know nothing of their labels?"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from signals.build import raw, session
from tracelode.errors import UsageError
from tracelode.model.segment import Segment
from tracelode.profile.train.labelled import groups, marked, read, session_of


def row(key: str = "a", n: int = 4, **more: Any) -> dict[str, Any]:
    """A row of the layout."""
    steps = [
        {"i": i, "tool": "Bash", "text": json.dumps({"command": f"make step{i}"}), "thought": "Now this.",
         "obs": "done", "t": 3.0 * i, "error": i == 1}
        for i in range(n)
    ]  # fmt: skip
    labels = [7] * (n // 2) + ["x"] * (n - n // 2)
    return {"traj_id": key, "task": "mend", "steps": steps, "groups": labels, **more}


def test_a_row_by_hand() -> None:
    made = session_of(row())
    assert (made.key, made.task, made.cuts) == ("a", "mend", 1)
    assert [operation.kind for operation in made.operations] == ["model", "tool"] * 4
    assert list(made.places) == [1, 3, 5, 7]
    assert list(made.truth) == [0, 0, 1, 1]
    tool = made.operations[3]
    assert (tool.fields["tool"], tool.fields["command"], tool.status, tool.output) == (
        "Bash", "make step1", "error", "done",
    )  # fmt: skip
    assert tool.fields["call"] == made.operations[2].id
    assert made.operations[2].output == "Now this."
    # nothing tells the label: neither the groups nor the time between steps
    assert {operation.started for operation in made.operations} == {None}
    assert session_of(row(groups=[1, 1, 1, 1])).operations == made.operations


def test_silence_is_no_speech() -> None:
    silent = [
        dict(step, thought=word)
        for step, word in zip(row()["steps"], ("none", None, "None", ""), strict=True)
    ]
    made = session_of(row(steps=silent))
    assert {operation.output for operation in made.operations if operation.kind == "model"} == {""}


def test_arguments_that_were_cut_off() -> None:
    text = '{"file_path": "src/a.py", "command": "make all the thi'
    made = session_of(row(n=1, steps=[{"tool": "Edit", "text": text}], groups=[0]))
    assert made.operations[1].fields["path"] == "src/a.py"
    assert made.operations[1].fields["command"] == "make all the thi"
    assert made.operations[1].status == "unknown"


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_and_what_is_wrong_with_it(tmp_path: Path, packed: bool) -> None:
    lines: list[Any] = [
        row("a"), "{broken", [1], row("b", groups=[1]), row("a"), {**row("c"), "steps": [3]},
        row("d", steps=[], groups=[]), {**row("e"), "groups": [[], 1, 1, 1]}, row("f", n=2),
    ]  # fmt: skip
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode() + b"\n"
    path = tmp_path / "labels.jsonl"
    path.write_bytes(gzip.compress(text) if packed else text)
    found, skipped = read(path)
    assert [session.key for session in found] == ["a", "f"]
    assert {(skip.reason, skip.line, skip.count) for skip in skipped} == {
        ("no session with steps and one group label for each", 2, 6),
        ("a session that came before", 5, 1),
    }


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none cannot be read: it is not there$"):
        read(tmp_path / "none")
    with pytest.raises(UsageError, match=r"cannot be read: it is a folder$"):
        read(tmp_path)
    damaged = tmp_path / "labels.jsonl.gz"
    damaged.write_bytes(gzip.compress(json.dumps(row()).encode() + b"\n")[:40])
    found, skipped = read(damaged)
    assert (found, len(skipped)) == ([], 1)


@pytest.mark.parametrize("labels", [None, [1], [1, 2, 3], [1, None], [1, 2.5], "ab"])
def test_labels_that_are_none(labels: Any) -> None:
    with pytest.raises(ValueError, match="labels"):
        groups(labels, 2)


def test_marks_label_tool_calls_by_their_whole_path() -> None:
    operations = session("Read a.py", "Read b.py", "Edit a.py", "$ pytest", "Read c.py")
    segments = [
        Segment(0, 8, 0, "repair parser"), Segment(0, 2, 1, "read code"), Segment(2, 4, 1, "read code"),
        Segment(4, 8, 1, "change code"),
    ]  # fmt: skip
    made = marked("s", "t", operations, segments)
    assert made is not None
    # equal neighbours are one group; what came after the marks is not labelled
    assert list(made.truth) == [0, 0, 1, 1]
    assert list(made.places) == [1, 3, 5, 7]
    assert len(made.operations) == 8
    assert marked("s", "t", [raw("prompt", id="p")], [Segment(0, 1, 0, "ask something")]) is None
