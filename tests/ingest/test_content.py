"""Can whole texts be had again: from the source, from the archive, redacted, and not where it is gone?"""

from __future__ import annotations

from pathlib import Path

import tracelode
from claude import Transcript
from tracelode.ingest.content import resolve
from tracelode.ingest.discover import Names

LONG = "line of output\n" * 500
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def long_one() -> Transcript:
    t = Transcript().user("go " * 2000)
    t.assistant("run", tools=[("Write", {"file_path": "a.py", "content": f"x = 1\n{LONG}"})])
    return t.result(t.calls[0], f"{LONG}token {SECRET}\n{LONG}").assistant("done")


def test_from_the_source_redacted_and_whole(tmp_path: Path) -> None:
    long_one().write(tmp_path / "h")
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    workspace.add(tmp_path / "h")
    (session,) = workspace.sessions()
    contents, gone = workspace.contents(session.key)
    assert gone == {}
    operations = {o.name: o for o in workspace.operations(session.key)}
    write = contents[operations["Write"].id]
    assert LONG in write.output
    assert len(operations["Write"].output) < 1200
    assert SECRET not in repr(contents)
    assert write.arguments.count("line of output") == 500
    assert contents[operations["prompt"].id].arguments == "go " * 2000


def test_gone_or_changed_sources_are_named(tmp_path: Path) -> None:
    path = long_one().write(tmp_path / "h")
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    workspace.add(tmp_path / "h")
    (session,) = workspace.sessions()
    path.write_bytes(b'{"type":"user"}\n' + path.read_bytes())
    assert list(workspace.contents(session.key)[1].values()) == ["changed since it was imported"]
    path.unlink()
    assert list(workspace.contents(session.key)[1].values()) == ["no longer on disk"]


def test_the_archive_outlives_the_source(tmp_path: Path) -> None:
    t = long_one()
    path = t.write(tmp_path / "h")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    workspace.add(tmp_path / "h", archive=True)
    path.write_bytes(b"".join(lines))
    workspace.add(tmp_path / "h", archive=True)
    path.unlink()
    (session,) = workspace.sessions()
    contents, gone = workspace.contents(session.key)
    assert gone == {}
    assert any(
        LONG in c.output and LONG.strip() in c.arguments.replace("\\n", "\n") for c in contents.values()
    )
    for file in (tmp_path / "s").rglob("*"):
        if file.is_file():
            assert SECRET.encode() not in file.read_bytes()
            assert file.stat().st_mode & 0o077 == 0


def test_names_with_digests_lead_back(tmp_path: Path) -> None:
    folder = tmp_path / "claude" / "projects" / "-home-sam-src-app"
    folder.mkdir(parents=True)
    (folder / "x.jsonl").write_text("")
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "HOME": str(tmp_path)}
    names = Names(tmp_path, [("claude-code", tmp_path / "claude" / "projects")])
    name = names.name(folder / "x.jsonl")
    assert name.startswith("claude:projects/~")
    assert resolve(name, env) == folder / "x.jsonl"
    assert resolve("claude:projects/~00000000/x.jsonl", env) is None
    assert resolve("~/claude/projects/nothing.jsonl", env) is None
