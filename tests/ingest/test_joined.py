"""Are logs of effects joined to the right session and tool calls, whatever comes first, grows or moves?"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tracelode
from claude import Transcript
from store.test_asks import engines
from tracelode.__main__ import main
from tracelode.errors import QueryError, UsageError
from tracelode.model.operation import Operation, operation_id
from tracelode.model.query import Query
from tracelode.model.report import ImportReport
from tracelode.workspace import Workspace

KEY = "5e551011-0000-4000-8000-000000000001"
OTHER = "5e551011-0000-4000-8000-000000000002"
CWD = "/home/sam/notes"
START = "2026-10-06T12:00:00Z"
AT = 1_791_288_000.0
"""START in seconds since the epoch."""


def transcript(key: str = KEY, calls: int = 2) -> Transcript:
    """Two shell calls, 10 s and 30 s after the start, of 5 s each; a third one that gives work away."""
    t = Transcript(key, CWD, start=START).user("tidy the notes")
    for number in range(min(calls, 2)):
        t.now = round((AT + 10 + 20 * number) * 1000)
        t.assistant(tools=[("Bash", {"command": f"make part{number}"})])
        t.advance(5).result(t.calls[0], "done")
    if calls > 2:
        t.now = round((AT + 50) * 1000)
        t.assistant(tools=[("Task", {"prompt": "look", "description": "look"})])
        child = t.agent("a11ce0000001", t.calls[0])
        child.user("look").advance(2).assistant(tools=[("Bash", {"command": "ls"})])
        child.advance(4).result(child.calls[0], "list")
        t.advance(12).result(t.calls[0], "seen")
    return t


def log(*starts: float, joined: str = "", shift: float = 0.0) -> bytes:
    """A strace log: an agent that starts a writer of 100 bytes at each of some seconds after START."""
    lines = [
        f'10 {AT + shift - 1:.6f} execve("/usr/bin/agent", ["agent"], 0x1 /* 1 var */) = 0',
    ]
    for number, start in enumerate(starts):
        at, pid, path = AT + shift + start, 20 + number, f"{CWD}/o{number}"
        lines += [
            f"10 {at:.6f} fork() = {pid}",
            f'{pid} {at:.6f} execve("/bin/w", ["w", "{number}"], 0x1 /* 1 var */) = 0',
            f'{pid} {at:.6f} openat(AT_FDCWD<{CWD}>, "{path}", O_WRONLY|O_CREAT, 0666) = 3<{path}>',
            f'{pid} {at:.6f} write(3<{path}>, "x"..., 100) = 100',
            f"{pid} {at + 0.5:.6f} +++ exited with 0 +++",
        ]
    head = {"tracelode_record": 1, "id": "feed", "tracer": "strace", "session": joined, "cwd": CWD}
    text = "\n".join(lines) + "\n"
    return (json.dumps(head, separators=(",", ":")) + "\n" + text if joined else text).encode()


def opened(folder: Path) -> Workspace:
    return tracelode.open(folder / "store", tz="UTC")


def told(workspace: Workspace) -> dict[str, str]:
    """What each process was given to: its argument to the command of the tool call."""
    every = [o for s in workspace.sessions() for o in workspace.operations(s.key)]
    by_id = {o.id: o for o in every}
    found = {}
    for o in every:
        if o.kind == "process" and o.name == "w":
            parent = by_id.get(o.parent or "")
            sure = o.fields["assigned"] in ("id", "tree")
            assert sure == (parent is not None and "tool" in parent.fields)
            words = parent.fields.get("command", parent.name) if sure and parent else o.fields["assigned"]
            found[o.fields["command"].split()[1]] = words
    return found


def picture(workspace: Workspace) -> dict[str, Any]:
    """What views show."""
    query = Query(stack=("intent", "stage", "tool", "kind"), measures=("operations", "bytes.written", "time"))
    totals = workspace.totals()
    split = {name: {k: v.operations for k, v in row.items()} for name, row in totals.by.items()}
    return {"stacks": workspace.profile(query).totals, "by": split, "time": totals.time_us}


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def both(folder: Path, order: str, calls: int = 3) -> tuple[Workspace, ImportReport]:
    """A transcript and a log that names it, in an order."""
    history = transcript(calls=calls).write(folder / "history")
    trace = write(folder / "logs" / "a.strace", log(11, 20, 31, 53, 57, joined=KEY))
    workspace = opened(folder)
    report = ImportReport()
    for one in order:
        paths = {"t": [history.parent], "l": [trace], "b": [trace, history.parent]}[one]
        report = workspace.add(*paths)
    return workspace, report


EXPECTED = {"0": "make part0", "1": "none", "2": "make part1", "3": "ls", "4": "Task"}


@pytest.mark.parametrize("order", ["b", "tl", "lt", "tll", "btl"])
def test_the_order_of_files_does_not_matter_and_twice_is_once(tmp_path: Path, order: str) -> None:
    workspace, _ = both(tmp_path, order)
    assert told(workspace) == EXPECTED
    assert picture(workspace) == picture(both(tmp_path / "again", "tl")[0])
    assert workspace.totals().by["role"]["main"].operations + workspace.totals().by["role"][
        "subagent"
    ].operations + workspace.totals().by["role"]["effects"].operations == (workspace.totals().operations)


def test_an_import_counts_what_it_joined(tmp_path: Path) -> None:
    _, report = both(tmp_path, "tl")
    # the agent itself and the writer between two calls, each with what it wrote
    assert report.effects == {"id": 0, "tree": 8, "ambiguous": 0, "none": 3}


def test_effects_change_no_figure_of_the_agent(tmp_path: Path) -> None:
    transcript(calls=3).write(tmp_path / "history")
    alone = tracelode.open(tmp_path / "alone", tz="UTC")
    alone.add(tmp_path / "history")
    workspace, _ = both(tmp_path, "b")
    for name in ("calls", "tokens", "cost_picodollars", "time_us", "sessions"):
        assert getattr(workspace.totals(), name) == getattr(alone.totals(), name)
    assert workspace.totals().subagents == alone.totals().subagents == 1
    stacks = Query(stack=("intent", "stage", "tool"), measures=("tokens", "time"))
    before, after = alone.profile(stacks).totals, workspace.profile(stacks).totals
    assert {k: v for k, v in after.items() if any(v)} == {k: v for k, v in before.items() if any(v)}


def test_effects_lie_below_their_tool_and_below_the_sub_agent_of_it(tmp_path: Path) -> None:
    workspace, _ = both(tmp_path, "tl")
    found = workspace.profile(stack=["tool", "kind"], measure="bytes.written").totals
    written = {stack: values[0] for stack, values in found.items() if values[0]}
    assert written == {
        ("Bash:make", "file"): 200, ("(file)", "file"): 100, ("Task", "file"): 100,
        ("Task", "subagent", "Bash:ls", "file"): 100,
    }  # fmt: skip
    apart = workspace.profile(stack=["tool", "kind"], measure="bytes.written", lane="separate").totals
    assert apart[("Bash:ls", "file")][0] == 100
    assert sum(v[0] for v in apart.values()) == sum(v[0] for v in found.values()) == 500


STACKS = [
    ("tool", "kind"),
    ("intent", "stage", "tool", "kind", "path"),
    ("assigned", "role"),
    ("seg.0", "agent", "domain"),
    ("session", "process"),
]


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("lane", ["nested", "separate"])
def test_engines_agree(tmp_path: Path, stack: tuple[str, ...], lane: str) -> None:
    duck, memory = engines(both(tmp_path, "tl")[0])
    query = Query(stack=stack, lane=lane, measures=("operations", "bytes.written", "events", "time"))
    assert duck.fold(query) == memory.fold(query)


def test_a_transcript_that_grows_is_joined_again(tmp_path: Path) -> None:
    workspace, _ = both(tmp_path, "tl", calls=1)
    assert told(workspace) == dict.fromkeys("1234", "none") | {"0": "make part0"}
    history = transcript(calls=3).write(tmp_path / "history")
    workspace.add(history.parent)
    assert told(workspace) == EXPECTED
    assert picture(workspace) == picture(both(tmp_path / "again", "tl")[0])


def test_a_log_that_grows_is_read_on(tmp_path: Path) -> None:
    whole = log(11, 31, joined=KEY)
    cut = whole.index(b"21 ")
    transcript().write(tmp_path / "history")
    workspace = opened(tmp_path)
    path = write(tmp_path / "a.strace", whole[:cut])
    workspace.add(tmp_path / "history")
    workspace.add(path)
    path.write_bytes(whole)
    report = workspace.add(path)
    assert report.bytes_read == len(whole) - cut
    assert told(workspace) == {"0": "make part0", "1": "make part1"}
    again = opened(tmp_path / "again")
    again.add(tmp_path / "history", path)
    assert picture(workspace) == picture(again)


def test_a_log_without_a_name_is_a_session_of_its_own_until_it_is_joined(tmp_path: Path) -> None:
    transcript().write(tmp_path / "history")
    trace = write(tmp_path / "x.log", log(11, 31))
    workspace = opened(tmp_path)
    workspace.add(tmp_path / "history")
    report = workspace.add(trace)
    assert report.effects == {"id": 0, "tree": 0, "ambiguous": 0, "none": 5}
    assert workspace.totals().sessions == 2
    report = workspace.add(trace, into=KEY[:10])
    assert report.effects == {"id": 0, "tree": 4, "ambiguous": 0, "none": 1}
    assert workspace.totals().sessions == 1
    assert told(workspace) == {"0": "make part0", "1": "make part1"}
    assert workspace.profile(stack=["kind"], measure="bytes.written").totals[("file",)] == (200,)
    # it stays joined: as it is, grown, and under another version of its source
    assert workspace.add(trace).files_read == 0
    with trace.open("ab") as stream:
        stream.write(f"10 {AT + 60:.6f} +++ exited with 0 +++\n".encode())
    workspace.add(trace)
    assert workspace.totals().sessions == 1
    assert told(workspace) == {"0": "make part0", "1": "make part1"}


def test_a_log_can_be_joined_elsewhere(tmp_path: Path) -> None:
    transcript().write(tmp_path / "history")
    transcript(OTHER, calls=1).write(tmp_path / "history")
    trace = write(tmp_path / "x.strace", log(11, 31))
    workspace = opened(tmp_path)
    workspace.add(tmp_path / "history")
    for key in (KEY, OTHER, OTHER, KEY, OTHER):
        workspace.add(trace, into=key)
        (effects,) = [s for s in workspace.sessions() if s.role == "effects"]
        assert effects.root == key
        assert workspace.profile(stack=["kind"], measure="bytes.written").totals[("file",)] == (200,)
        assert workspace.totals().sessions == 2
    assert told(workspace) == {"0": "make part0", "1": "none"}


def test_a_clock_that_may_be_off_gives_up_the_borders(tmp_path: Path) -> None:
    transcript().write(tmp_path / "history")
    workspace = opened(tmp_path)
    workspace.add(tmp_path / "history")
    trace = write(tmp_path / "x.strace", log(11, 12.5, 20))
    workspace.add(trace, into=KEY, skew=2)
    assert told(workspace) == {"0": "ambiguous", "1": "make part0", "2": "none"}
    workspace.add(trace, into=KEY)
    assert told(workspace) == {"0": "make part0", "1": "make part0", "2": "none"}


def test_only_logs_of_effects_are_joined(tmp_path: Path) -> None:
    path = transcript().write(tmp_path / "history")
    other = transcript(OTHER).write(tmp_path / "more")
    workspace = opened(tmp_path)
    workspace.add(path)
    report = workspace.add(other, into=KEY)
    assert [s.reason for s in report.skipped] == [
        "no log of processes, files and hosts; --into says nothing of it"
    ]
    assert workspace.totals().sessions == 2
    with pytest.raises(QueryError):
        workspace.add(other, into="nowhere")
    with pytest.raises(UsageError):
        workspace.add(into=KEY)


def test_segments_are_those_of_the_agent_also_when_they_are_cut_again(tmp_path: Path) -> None:
    workspace, _ = both(tmp_path, "tl")
    before = picture(workspace)
    workspace.segment("phase")
    workspace.segment("chain")
    assert picture(workspace) == before
    assert told(workspace) == EXPECTED


def test_agentsight_names_session_and_tool_call(tmp_path: Path) -> None:
    sample = Path(__file__).parents[1] / "sources" / "samples" / "agentsight.json"
    t = Transcript(KEY, CWD, start="2026-10-06T17:00:00Z").user("tidy")
    # its clock is another one: only the id says which call it was
    t.assistant(tools=[("Bash", {"command": "sed -i s/a/b/ notes.txt"}, "toolu_01NotesTidyAbCdEfGhJk")])
    t.advance(1).result(t.calls[0], "")
    t.write(tmp_path / "history")
    workspace = opened(tmp_path)
    report = workspace.add(tmp_path / "history", sample)
    assert report.effects == {"id": 3, "tree": 0, "ambiguous": 0, "none": 8}
    by: Callable[[Operation], str] = lambda o: o.fields["assigned"]  # noqa: E731
    (effects,) = [s for s in workspace.sessions() if s.role == "effects"]
    assert effects.root == KEY
    found = workspace.operations(effects.key)
    assert Counter(map(by, found)) == {"id": 3, "none": 8}
    ident = operation_id("claude-code", "toolu_01NotesTidyAbCdEfGhJk")
    assert {o.parent for o in found if by(o) == "id"} == {ident}
    assert {o.name for o in found if by(o) == "id" and o.kind == "process"} == {"bash", "sed"}


def test_an_export_of_operations_gives_the_same_elsewhere(tmp_path: Path) -> None:
    workspace, _ = both(tmp_path, "tl")
    assert (
        main(["export", "--operations", "--store", str(tmp_path / "store"), "-o", str(tmp_path / "o.jsonl")])
        == 0
    )
    again = tracelode.open(tmp_path / "elsewhere", tz="UTC")
    again.add(tmp_path / "o.jsonl")
    assert picture(again) == picture(workspace)
    assert told(again) == EXPECTED


def test_no_secret_of_a_log_reaches_the_store(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789" * 2 + "AA"
    lines = [
        f'10 {AT:.6f} execve("/bin/{secret}", ["a", "--api-key={secret}"], 0x1 /* 1 var */) = 0',
        f'10 {AT:.6f} openat(AT_FDCWD</home/sam/{secret}>, "{secret}", O_CREAT) = 3</w/{secret}>',
        f'10 {AT:.6f} write(3</w/{secret}>, "{secret}", 100) = 100',
        f'10 {AT:.6f} unlink("/home/sam/{secret}"',
        # what has no end yet is kept for a log that grows
        f'10 {AT:.6f} openat(AT_FDCWD</w>, "{secret}", O_RDONLY <unfinished ...>',
    ]
    trace = write(tmp_path / "x.strace", ("\n".join(lines) + "\n").encode())
    workspace = opened(tmp_path)
    workspace.add(trace)
    (session,) = workspace.sessions()
    found = workspace.operations(session.key)
    assert {o.kind for o in found} == {"process", "file"}
    assert "[secret" in repr(found)
    assert secret not in repr(found) + repr(session)
    for path in (tmp_path / "store").rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()
    assert all(secret.encode() not in row.state for row in workspace._catalog.sources().values())
