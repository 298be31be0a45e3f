"""Which sessions does a list of issues judge? As GitHub's tools write the list."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tracelode
from claude import Transcript
from tracelode.errors import SourceError
from tracelode.workspace import Workspace
from tracelode.workspace.outcomes_issues import read_issues
from workspaces import stored

KEYS = [f"{n:08x}-1111-4222-8333-444444444444" for n in range(4)]
OTHER = "closed for another reason than completed or not planned"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Sessions with the tasks 7, #7, 8 and app-9."""
    made = stored(tmp_path, *(Transcript(key).user("go").assistant("done") for key in KEYS))
    for key, task in zip(KEYS, ("7", "#7", "8", "app-9"), strict=True):
        made.judge(key, None, task=task)
    return made


def judged(
    workspace: Workspace, folder: Path, entries: Any
) -> tuple[list[str | None], dict[str, tuple[int, int]]]:
    """(outcomes of the four sessions, reason to place and count)."""
    path = folder / "issues.json"
    path.write_text(entries if isinstance(entries, str) else json.dumps(entries))
    count, skipped = workspace.judge_from_issues(path)
    found = {s.key: s.outcome for s in workspace.sessions()}
    assert count == len([outcome for outcome in found.values() if outcome])
    return [found[key] for key in KEYS], {s.reason: (s.line, s.count) for s in skipped}


@pytest.mark.parametrize(
    ("entry", "outcome", "reason"),
    [
        ({"state": "CLOSED", "stateReason": "COMPLETED"}, "success", None),
        ({"state": "CLOSED", "stateReason": "NOT_PLANNED"}, "failure", None),
        ({"state": "CLOSED", "stateReason": ""}, "success", None),
        ({"state": "OPEN", "stateReason": ""}, None, "issue is open"),
        ({"state": "OPEN", "stateReason": "REOPENED"}, None, "issue is open"),
        ({"state": "CLOSED", "stateReason": "DUPLICATE"}, None, OTHER),
        ({"state": "CLOSED", "stateReason": 5}, None, OTHER),
        ({"state": "CLOSED"}, None, "closed, and the list does not tell why; write it with stateReason too"),
        ({"state": "closed", "state_reason": "completed"}, "success", None),
        ({"state": "closed", "state_reason": "not_planned"}, "failure", None),
        ({"state": "closed", "state_reason": None, "pull_request": None}, "success", None),
        ({"state": "open", "state_reason": None}, None, "issue is open"),
        ({"state": "open"}, None, "issue is open"),
        ({"state": "MERGED"}, None, "state is neither open nor closed"),
        ({"state": None}, None, "state is neither open nor closed"),
        ({}, None, "state is neither open nor closed"),
        (
            {"state": "closed", "state_reason": None, "pull_request": {"url": "x"}},
            None,
            "pull request; closed ones may have been refused",
        ),
    ],
)
def test_states(
    entry: dict[str, Any], outcome: str | None, reason: str | None, workspace: Workspace, tmp_path: Path
) -> None:
    wanted = [outcome, outcome, None, None], {reason: (1, 1)} if reason else {}
    assert judged(workspace, tmp_path, [{"number": 7, **entry}]) == wanted


def test_entries_that_say_nothing_are_counted_and_located(workspace: Workspace, tmp_path: Path) -> None:
    closed = {"state": "CLOSED", "stateReason": "COMPLETED"}
    numbers = (None, "7", 7.0, True, 0, -7, 10**30)
    wrong: list[Any] = [None, 7, "7", [], {}, *({"number": n, **closed} for n in numbers)]
    entries = [{"number": 8, **closed}, *wrong, {"number": 9, **closed}]
    assert judged(workspace, tmp_path, entries) == (
        [None, None, "success", None],
        {
            "entry without the number of an issue": (2, len(wrong)),
            "no session has this issue as its task": (len(entries), 1),
        },
    )


def test_the_last_of_several_entries_holds(workspace: Workspace, tmp_path: Path) -> None:
    first, again = "issue is open", "number of an entry before, the last one holds"
    done = {"number": 7, "state": "CLOSED", "stateReason": "COMPLETED"}
    assert judged(workspace, tmp_path, [done, {**done, "stateReason": "NOT_PLANNED"}]) == (
        ["failure", "failure", None, None],
        {again: (2, 1)},
    )
    # an import that leaves a session open leaves what was said of it
    found = workspace.judge_from_issues(write(tmp_path, [done, {"number": 7, "state": "OPEN"}]))
    assert (found[0], {s.reason: (s.line, s.count) for s in found[1]}) == (0, {again: (2, 1), first: (2, 1)})
    assert workspace.session(KEYS[0]).outcome == "failure"


def write(folder: Path, entries: Any) -> Path:
    path = folder / "list.json"
    path.write_text(json.dumps(entries))
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("[", "is not JSON"),
        ("[]\n[]", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("{}", "no list of issues"),
        ("null", "no list of issues"),
        ('[{"number": 1' + "0" * 5_000 + "}]", "number that is too large"),
    ],
)
def test_files_that_are_no_list(text: str, said: str, workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=said):
        judged(workspace, tmp_path, text)


def test_bytes_of_other_encodings(workspace: Workspace, tmp_path: Path) -> None:
    text = '[{"number": 8, "state": "CLOSED", "stateReason": "COMPLETED", "title": "Größe"}]'
    path = tmp_path / "list.json"
    path.write_bytes(text.encode("utf-8-sig"))
    assert workspace.judge_from_issues(path) == (1, [])
    for coding in ("utf-16", "latin-1"):
        path.write_bytes(text.encode(coding))
        with pytest.raises(SourceError, match="not JSON in UTF-8"):
            workspace.judge_from_issues(path)


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_only_regular_files_of_some_size_are_read(ending: str, workspace: Workspace, tmp_path: Path) -> None:
    read = workspace.judge_from_issues if ending == "json" else workspace.judge_from
    with pytest.raises(SourceError, match=r"none.*cannot be read: it is not there"):
        read(tmp_path / "none")
    with pytest.raises(SourceError, match=r"cannot be read: (it is a folder|permission denied)"):
        read(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(SourceError, match="cannot be read: it is no regular file"):
            read(tmp_path / "pipe")
    if Path("/dev/zero").exists():
        with pytest.raises(SourceError, match="cannot be read: it is no regular file"):
            read("/dev/zero")
    with pytest.raises(SourceError, match="cannot be read: no file can have its name"):
        read("a\0b")
    with (tmp_path / "large").open("wb") as stream:
        stream.truncate((64 << 20) + 1)
    with pytest.raises(SourceError, match="cannot be read: it is above 64 MB"):
        read(tmp_path / "large")


def test_a_number_that_is_a_task_of_several_projects(tmp_path: Path) -> None:
    places = ("/home/sam/app", "/home/sam/app/web", "/home/sam/apple", "/srv/app")
    sessions = [
        Transcript(key, place).user("go").assistant("done") for key, place in zip(KEYS, places, strict=True)
    ]
    workspace = stored(tmp_path, *sessions)
    for key in KEYS:
        workspace.judge(key, None, task="7")
    issues = write(tmp_path, [{"number": 7, "state": "CLOSED", "stateReason": "COMPLETED"}])
    count, skipped = workspace.judge_from_issues(issues)
    assert (count, [s.reason for s in skipped]) == (
        0,
        ["a task of several projects; name one with --project"],
    )
    for project, wanted in (
        ("~/app/web", 1),
        ("/home/sam/app", 2),
        ("~/app/", 2),
        ("/srv", 1),
        ("/srv/ap", 0),
    ):
        assert workspace.judge_from_issues(issues, project)[0] == wanted, project
    assert [workspace.session(key).outcome for key in KEYS] == ["success", "success", None, "success"]


def test_a_family_is_judged_once(tmp_path: Path) -> None:
    top = Transcript(KEYS[0]).user("go").assistant("x", tools=[("Task", {"description": "d", "prompt": "p"})])
    top.agent("a1b2c3d", top.calls[0]).user("p").assistant("done")
    workspace = stored(tmp_path, top.result(top.calls[0], "done"))
    workspace.judge(KEYS[0], None, task="7")
    issues = write(tmp_path, [{"number": 7, "state": "CLOSED", "stateReason": "COMPLETED"}])
    assert len(workspace.sessions()) == 2
    assert workspace.judge_from_issues(issues) == (1, [])


def test_outcomes_stay_when_files_are_read_again(workspace: Workspace, tmp_path: Path) -> None:
    done = {"number": 7, "state": "CLOSED", "stateReason": "COMPLETED"}
    assert judged(workspace, tmp_path, [done])[0] == ["success", "success", None, None]
    again = tracelode.open(tmp_path / "store", tz="UTC", idle=60)
    again.add(tmp_path / "history")
    assert [again.session(key).outcome for key in KEYS] == ["success", "success", None, None]


STATES = [
    {"state": "OPEN"},
    {"state": "CLOSED"},
    {"state": "CLOSED", "stateReason": None},
    {"state": "CLOSED", "stateReason": "NOT_PLANNED"},
    {"state": "closed", "state_reason": "duplicate"},
]


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from(STATES)), max_size=8),
    st.permutations([("1", "a"), ("#1", "b"), ("2", "c"), ("2", "d"), ("#3", "e"), ("app-4", "f")]),
)
def test_the_order_of_sessions_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory,
    said: list[tuple[int, dict[str, Any]]],
    sessions: list[tuple[str, str]],
) -> None:
    path = write(tmp_path_factory.mktemp("list"), [{"number": number, **state} for number, state in said])
    tasks: dict[str, list[tuple[str, str]]] = {}
    for task, key in sessions:
        tasks.setdefault(task, []).append((key, "~/app"))
    found = read_issues(path, tasks)
    assert (found.by_root, found.skipped) == tuple(
        getattr(read_issues(path, {t: sorted(tasks[t]) for t in sorted(tasks)}), name)
        for name in ("by_root", "skipped")
    )
    # each session alone: the last usable entry of its number
    for task, key in sessions:
        last = [s for n, s in said if task in (str(n), f"#{n}") and STATES.index(s) not in (1, 4)]
        wanted = {0: None, 2: "success", 3: "failure"}[STATES.index(last[-1])] if last else None
        assert found.by_root.get(key, (None, None))[0] == wanted
