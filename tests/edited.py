"""How does a test get sessions that work on files of certain names, and the names a store gives them?"""

from __future__ import annotations

from pathlib import Path

import tracelode
from claude import Transcript, used
from tracelode.workspace import Workspace

WHERE = "/home/sam/src/shop"


def key(number: int) -> str:
    return f"{number:08x}-1111-4222-8333-444444444444"


def edits(
    number: int, *files: str, cwd: str = WHERE, prompt: str = "go on", kinds: str = "Edit"
) -> Transcript:
    """A session that works on some files, four calls each."""
    t = Transcript(key(number), cwd, start=f"2026-10-{number % 28 + 1:02}T08:00:00Z").user(prompt)
    for file in files:
        for _ in range(4):
            tools = [(kinds, {"file_path": f"{cwd}/{file}"})]
            t.advance(3).assistant("x", tools=tools, usage=used(2, output=5))
            t.advance(1).result(t.calls[0], "ok")
    return t


def planned(number: int, item: str, file: str = "src/a.py") -> Transcript:
    """A session that works under a plan item."""
    t = Transcript(key(number), WHERE, start="2026-10-02T08:00:00Z").user("go on")
    for status in ("in_progress", "completed"):
        todos = [{"content": item, "status": status, "activeForm": item}]
        t.advance(1).assistant("x", tools=[("TodoWrite", {"todos": todos})], usage=used())
        t.advance(1).result(t.calls[0], "ok")
        for _ in range(3 if status == "in_progress" else 0):
            t.advance(2).assistant("x", tools=[("Edit", {"file_path": f"{WHERE}/{file}"})], usage=used())
            t.advance(1).result(t.calls[0], "ok")
    return t


def put(folder: Path, *transcripts: Transcript) -> Path:
    for transcript in transcripts:
        transcript.write(folder)
    return folder


def opened(tmp_path: Path, name: str = "store", segmenter: str = "phase") -> Workspace:
    workspace = tracelode.open(tmp_path / name, tz="UTC")
    workspace.segment(segmenter)
    return workspace


def names(workspace: Workspace) -> set[tuple[str, str]]:
    """(session's first characters, focus) of whatever has a focus."""
    found = workspace.profile(stack=["session", "focus"], measures=["operations"], lane="separate").totals
    return {(stack[0][:8], stack[1]) for stack in found if len(stack) > 1}


def focuses(workspace: Workspace) -> set[str]:
    return {name for _, name in names(workspace)}
