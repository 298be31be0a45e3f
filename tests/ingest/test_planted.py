"""Does anything planted in any field of a source reach the disk or an output?"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tracelode
from claude import Transcript, used
from tracelode.store.shards import connect
from tracelode.workspace import Workspace

SECRETS = {
    "github token": ("ghp_{n:036d}", "ghp_{n:036d}"),
    "anthropic key": (
        "sk-ant-api03-{n:040d}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRS-AA",
        "{n:040d}abcdef",
    ),
    "password in a url": ("https://bob:hunter{n:05d}xyz@example.org/repo.git", "hunter{n:05d}xyz"),
    "header": ("Authorization: Bearer tok{n:05d}QWERTYuiop1234567890", "tok{n:05d}QWERTY"),
    "e-mail": ("write to person{n:05d}@example.org today", "person{n:05d}"),
    "home folder": ("/home/sammy{n:05d}/src/app.py", "sammy{n:05d}"),
    "assignment": ("PASSWORD=correcthorse{n:05d}", "correcthorse{n:05d}"),
}
"""Kind to (text to plant, part of it that must not be found), both with a number."""
PARTS = re.compile("|".join(re.sub(r"\{n:0(\d+)d\}", r"\\d{\1}", part) for _, part in SECRETS.values()))


def leaks(wanted: list[str], text: str) -> set[str]:
    """Which parts of planted secrets stand in a text: one look for all of them."""
    assert all(PARTS.fullmatch(secret) for secret in wanted)
    return set(wanted).intersection(PARTS.findall(text))


def rich() -> Transcript:
    """A transcript that uses every record type and field the source reads."""
    t = Transcript().user("please fix it").attachment("plan_mode", prompt="x")
    t.assistant("Let me look.", thinking="hm", tools=[
        ("Bash", {"command": "git status", "description": "Show status", "run_in_background": True}),
        ("Read", {"file_path": "/home/sam/src/app/a.py"}),
        ("WebFetch", {"url": "https://example.org/page", "prompt": "read"}),
        ("mcp__db__query", {"sql": "select 1", "nested": {"list": ["text", {"deep": "text"}]}}),
        ("TodoWrite", {"todos": [{"content": "do", "status": "pending", "activeForm": "Doing"}]}),
        ("Task", {"prompt": "go", "description": "explore", "subagent_type": "Explore"}),
        ("AskUserQuestion", {"questions": [{"question": "which?"}]}),
    ], usage=used(5, 6, write_1h=7, output=8))  # fmt: skip
    bash, read, fetch, query, todo, task, ask = t.calls
    t.result(
        bash,
        "On branch main",
        tool_use_result={"stdout": "On branch main", "stderr": "", "backgroundTaskId": "b1"},
    )
    t.result(
        read, [{"type": "text", "text": "def f(): pass"}], tool_use_result={"file": {"filePath": "a.py"}}
    )
    t.result(fetch, "page", tool_use_result={"durationMs": 5, "url": "https://example.org/page"})
    t.result(query, "Exit code 1\nboom", is_error=True, tool_use_result="Error: Exit code 1\nboom")
    t.result(
        todo, "ok", tool_use_result={"oldTodos": [], "newTodos": [{"content": "do", "status": "pending"}]}
    )
    child = t.agent("a1b2c3d4e5f600001", task)
    child.user("go").assistant("found", usage=used(3))
    t.result(task, "done", tool_use_result={"agentId": "a1b2c3d4e5f600001", "status": "completed"})
    t.result(ask, "blue", tool_use_result={"answers": {"which?": "blue"}})
    t.queue("enqueue", "use the other one").attachment("queued_command", prompt="and this one")
    t.system("compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 5}, content="compacted")
    t.system("api_error", error={"message": "overloaded"}, content="x")
    t.assistant("API Error", model="<synthetic>", isApiErrorMessage=True)
    return t


def leaves(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all strings, and of all keys inside tool inputs."""
    for key, child in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(child, str):
            yield (*path, key)
        elif isinstance(child, dict | list):
            yield from leaves(child, (*path, key))


def planted(record: dict[str, Any], path: tuple[Any, ...], secret: str) -> dict[str, Any]:
    made = copy.deepcopy(record)
    node = made
    for key in path[:-1]:
        node = node[key]
    old = node[path[-1]]
    # structure words alone, texts around the secret
    node[path[-1]] = secret if len(old) < 3 or " " not in old else f"{old}\n{secret} and more"
    return made


def everything(workspace: Workspace) -> str:
    """All that lies on disk, unpacked, and what the outputs say."""
    found = [repr(workspace.totals()), repr(workspace.sessions()), repr(workspace.findings())]
    found.append(
        repr(workspace.profile(stack=["project", "session", "model", "branch", "stage", "tool"], detail=True))
    )
    found.extend(repr(workspace.operations(session.key)) for session in workspace.sessions())
    database = connect()
    for file in workspace.path.rglob("*"):
        if file.suffix == ".parquet":
            found.append(repr(database.execute(f"SELECT * FROM read_parquet('{file}')").fetchall()))
        elif file.is_file():
            found.append(file.read_bytes().decode("utf-8", "replace"))
    for (state,) in workspace._catalog.db.execute("SELECT state FROM sources"):
        found.append(state.decode("utf-8", "replace"))
    return "\n".join(found)


def test_a_leak_is_seen() -> None:
    wanted = [part.format(n=n) for n, (_, part) in enumerate(SECRETS.values())]
    assert leaks(wanted, "") == set()
    for secret in wanted:
        assert leaks(wanted, f"x{secret}7 {secret[:-1]}") == {secret}


@pytest.mark.parametrize("mode", ["summary", "metadata", "full"])
@pytest.mark.parametrize("kind", SECRETS)
def test_nothing_planted_reaches_the_disk(tmp_path: Path, kind: str, mode: str) -> None:
    plant, part = SECRETS[kind]
    base = rich()
    child, _ = base.agents[0]
    wanted: list[str] = []
    folder = tmp_path / "h" / "projects" / "-home-sam-src-app"
    folder.mkdir(parents=True)
    for thread in (base, child):
        spots = [list(leaves(record)) for record in thread.records]
        # the n-th file has the n-th string of every record replaced: one spoiled field a record
        for turn in range(max(len(paths) for paths in spots)):
            number = len(wanted)
            key = f"{number:08x}-aaaa-4bbb-8ccc-dddddddddddd"
            records = [r | {"sessionId": key} if "sessionId" in r else r for r in thread.records]
            for place, paths in enumerate(spots):
                if turn < len(paths):
                    records[place] = planted(records[place], paths[turn], plant.format(n=len(wanted)))
                    wanted.append(part.format(n=len(wanted)))
            name = f"{key}.jsonl" if thread is base else f"agent-{number:017d}.jsonl"
            (folder / name).write_text("".join(json.dumps(r) + "\n" for r in records))
    workspace = tracelode.open(tmp_path / "s", redact=mode, tz="UTC")
    report = workspace.add(tmp_path / "h")
    assert len(wanted) > 300
    assert sum(s.operations + s.inherited for s in workspace.sessions()) > 250
    text = everything(workspace) + repr(report)
    assert leaks(wanted, text) == set()
    assert ("Let me look." in text) == (mode != "metadata")


def test_benign_ids_survive(tmp_path: Path) -> None:
    sha = "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
    t = Transcript().user(f"look at {sha} and 550e8400-e29b-41d4-a716-446655440000")
    t.assistant("see", tools=[("Bash", {"command": f"git show {sha}"}, "toolu_01AbCdEfGhIjKlMnOpQrStUv")])
    t.result("toolu_01AbCdEfGhIjKlMnOpQrStUv", "toolu_01AbCdEfGhIjKlMnOpQrStUv msg_01AbCdEfGhIjKlMnOpQrStUv")
    t.write(tmp_path / "h")
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    workspace.add(tmp_path / "h")
    text = everything(workspace)
    for word in (
        sha,
        "550e8400-e29b-41d4-a716-446655440000",
        "toolu_01AbCdEfGhIj",
        "msg_01AbCdEfGhIj",
        t.session,
    ):
        assert word in text
