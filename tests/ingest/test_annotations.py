"""Do marks that were taken in reach the views, stay there, and give way where a session is another one?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tracelode
from claude import Transcript
from cli.annotated import first, read, write
from tracelode.profile.name.stage import vocabulary
from tracelode.workspace import Workspace
from workspaces import stored

KEY = "0000aaaa-1111-4222-8333-444444444444"
STEPS = ("ls src", "cat src/a.py", "pytest -q", "git status", "git diff", "git commit -qm x")


def transcript(turns: int) -> Transcript:
    made = Transcript(KEY).user("Repair the parser")
    for command in STEPS[:turns]:
        made.assistant("", tools=[("Bash", {"command": command})])
        made.result(made.calls[-1], "ok")
    return made


def mark(store: Workspace, folder: Path, *rows: tuple[int, list[str]]) -> None:
    """Export, edit and import the marks of the one session."""
    names = [o.id for o in store.operations(KEY)]
    if not folder.exists():
        store.annotate_export(folder, sessions=[KEY])
    write(first(folder), marks=[{"start_operation_id": names[i], "path": path} for i, path in rows])
    store.annotate_import(folder, author="sam")


def counts(store: Workspace, *fields: str) -> dict[tuple[str, ...], Any]:
    found = store.profile(stack=fields, measure="operations").totals
    return {stack: totals[0] for stack, totals in found.items()}


def test_names_of_marks_are_levels_of_the_stack(tmp_path: Path) -> None:
    store = stored(tmp_path, transcript(6))
    before = counts(store, "tool")
    mark(store, tmp_path / "out", (0, ["repair parser", "read code"]), (5, ["repair parser", "run tests"]),
         (7, ["keep work"]))  # fmt: skip
    assert counts(store, "seg.0", "seg.1") == {
        ("repair parser", "read code"): 5,
        ("repair parser", "run tests"): 2,
        ("keep work",): 6,
    }
    assert counts(store, "tool") == before
    assert {stack[0] for stack in counts(store, "stage")} <= vocabulary()


def test_a_name_below_a_stage_of_the_same_extent_is_kept(tmp_path: Path) -> None:
    store = stored(tmp_path, transcript(6))
    mark(store, tmp_path / "out", (0, ["repair parser", "read code"]), (7, ["keep work", "commit changes"]))
    assert counts(store, "seg.0", "seg.1") == {
        ("repair parser", "read code"): 7,
        ("keep work", "commit changes"): 6,
    }


def test_the_last_revision_counts_also_after_files_are_read_again(tmp_path: Path) -> None:
    store = stored(tmp_path, transcript(6))
    mark(store, tmp_path / "out", (0, ["repair parser"]))
    mark(store, tmp_path / "out", (0, ["repair parser"]), (7, ["keep work"]))
    wanted = {("repair parser",): 7, ("keep work",): 6}
    assert counts(store, "seg.0") == wanted
    again = tracelode.open(tmp_path / "store", tz="UTC", idle=60)
    assert counts(again, "seg.0") == wanted
    again.segment("phase")
    assert counts(again, "seg.0") == wanted
    assert read(first(tmp_path / "out"))["session"] == KEY


def test_what_was_added_to_a_session_is_cut_by_the_segmenter(tmp_path: Path) -> None:
    store = stored(tmp_path, transcript(3))
    n = len(store.operations(KEY))
    mark(store, tmp_path / "out", (0, ["repair parser"]))
    more = stored(tmp_path, transcript(6))
    found = counts(more, "seg.0")
    assert found[("repair parser",)] == n
    rest = {stack[0] for stack in found} - {"repair parser"}
    assert rest
    assert rest <= vocabulary()


@pytest.mark.parametrize("steps", [2, 5])
def test_a_session_that_is_another_one_is_cut_by_the_segmenter(tmp_path: Path, steps: int) -> None:
    store = stored(tmp_path, transcript(6))
    mark(store, tmp_path / "out", (0, ["repair parser"]))
    file = next((tmp_path / "history").rglob("*.jsonl"))
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[: 2 * steps + 1]))
    store.add(tmp_path / "history")
    assert ("repair parser",) not in counts(store, "seg.0")
