"""Are lines followed from the call that writes them to the one that takes them out?"""

from __future__ import annotations

import json

import pytest

from tracelode.plan.edits import edits_of
from tracelode.plan.metrics.rework import rework
from tracelode.plan.work import Call, Span, Work, returns


def call(place: int, old: str, new: str, path: str = "a.py") -> Call:
    text = json.dumps({"file_path": path, "old_string": old, "new_string": new})
    return Call(id=f"c{place}", place=place, edits=edits_of("Edit", text))


def write(place: int, content: str, path: str = "a.py") -> Call:
    text = json.dumps({"file_path": path, "content": content})
    return Call(id=f"c{place}", place=place, edits=edits_of("Write", text))


def span(node: str, start: int, stop: int | None) -> Span:
    return Span(node=node, start=start, stop=stop, implied=False, succeeded=stop is not None)


def test_lines_of_a_finished_node_that_are_taken_out() -> None:
    work = Work(
        calls=(call(1, "", "one = 1\ntwo = 2\nthree = 3"), call(5, "two = 2", "two = 22")),
        spans=(span("A", 0, 3), span("B", 4, None)),
        prompts=(0, 4),
    )
    found = rework(work)
    assert (found.added, found.again, found.finished) == (4, 1, 1)
    assert (found.later_node, found.later_prompt) == (1, 1)
    assert found.calls == ("c5",)


def test_white_space_is_no_rework() -> None:
    found = rework(
        Work(calls=(call(1, "", "if a:\n  b()"), call(2, "if a:\n  b()", "if a:\n    b()")), spans=())
    )
    assert (found.added, found.again) == (2, 0)


def test_lines_of_others_are_not_ours() -> None:
    assert rework(Work(calls=(call(1, "old = 1", "new = 1"),), spans=())).again == 0


def test_a_file_written_anew_keeps_what_stays() -> None:
    found = rework(Work(calls=(write(1, "a1\nb2\nc3"), write(2, "c3\nb2\nd4")), spans=()))
    assert (found.added, found.again) == (4, 1)


def test_a_file_returns_to_an_earlier_state() -> None:
    first = "\n".join(f"line {n}" for n in range(10))
    other = "\n".join(f"other {n}" for n in range(10))
    calls = (write(1, first), write(2, other), write(3, first + "\nmore"))
    assert rework(Work(calls=calls, spans=())).returns == ("c3",)
    # a small step back is none: nothing unlike lies between
    calls = (write(1, first), write(2, first + "\nmore"), write(3, first))
    assert rework(Work(calls=calls, spans=())).returns == ()


def test_patches_tell_their_lines() -> None:
    patch = "*** Begin Patch\n*** Update File: b.py\n@@\n-old = 1\n+new = 1\n+more = 2\n*** End Patch"
    for text in (patch, json.dumps({"input": patch}), json.dumps({"command": ["apply_patch", patch]})):
        (edit,) = edits_of("apply_patch", text)
        assert (edit.path, len(edit.removed), len(edit.added)) == ("b.py", 1, 2)
    assert edits_of("Edit", '{"file_path": "a", "old_string": "cut') == ()


@pytest.mark.parametrize(
    ("command", "back"),
    [
        ("git checkout -- src/a.py", True),
        ("git checkout HEAD -- src/a.py", True),
        ("git checkout main", False),
        ("git restore a.py", True),
        ("git restore --staged a.py", False),
        ("cd x && git reset --hard HEAD~1", True),
        ("git reset HEAD a.py", False),
        ("git revert --no-edit abc", True),
        ("git stash", True),
        ("git stash list", False),
        ("git -C repo revert abc", True),
        ("echo restore", False),
    ],
)
def test_commands_that_bring_files_back(command: str, back: bool) -> None:
    assert returns(command) is back
