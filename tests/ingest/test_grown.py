"""Does a file that is imported while it still grows become what it becomes when it is read once?"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tracelode
from tracelode import registry
from tracelode.workspace import Workspace

SAMPLES = Path(__file__).parent.parent / "sources" / "samples"
LINED = [
    name
    for name in registry.names("sources")
    if not registry.load("sources", name).layout.endswith("document")
]


GROWING = (*LINED, "atif", "chat", "gemini-cli", "inspect", "mini-swe-agent", "openhands", "swe-agent")
"""Sources whose files are written while their session runs; the others are exports, written once."""


@pytest.fixture(scope="module")
def corpus(project: Path) -> Iterator[ModuleType]:
    """The part of the fuzzer that gives files other ids."""
    sys.path.insert(0, str(project / "tools"))
    import fuzzing.corpus

    yield fuzzing.corpus
    sys.path.remove(str(project / "tools"))


def sessions(workspace: Workspace) -> dict[str, object]:
    """What every session holds."""
    held: dict[str, object] = {}
    for session in workspace.sessions():
        told = (session.root, session.agent, session.role, session.project, session.task, session.outcome)
        held[session.key] = (*told, session.parent_operation, session.fork_of)
        for o in workspace.operations(session.key):
            facts = (o.id, o.kind, o.name, o.status, o.started, o.ended, o.fields, o.measures, o.output)
            held[f"{session.key}#{o.index}"] = facts
    return held


def shorter(data: bytes) -> list[bytes]:
    """A document as it was while it grew: its longest list with fewer entries."""
    lists: list[tuple[Any, Any]] = []
    root: list[Any] = [json.loads(data)]
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        for key, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if isinstance(child, list) and node is not root:
                lists.append((node, key))
            if isinstance(child, dict | list):
                waiting.append(child)
    holder, key = max(lists, key=lambda place: len(json.dumps(place[0][place[1]])))
    entries, found = holder[key], []
    for count in range(1, len(entries)):
        holder[key] = entries[:count]
        found.append(json.dumps(root[0]).encode())
    return found


def versions(name: str, data: bytes) -> list[bytes]:
    """A sample as it was while it grew, without its last state."""
    if name in LINED:
        lines = data.splitlines(keepends=True)
        return [b"".join(lines[:count]) for count in range(1, len(lines))]
    try:
        return shorter(data)
    except ValueError:
        return []


def compared(grown: Workspace, once: Workspace) -> None:
    wanted, found = sessions(once), sessions(grown)
    assert {key: found.get(key) for key in wanted} == wanted
    assert found.keys() == wanted.keys()


@pytest.mark.parametrize("name", GROWING)
def test_growing_equals_reading_once(name: str, tmp_path: Path, corpus: ModuleType) -> None:
    (sample,) = SAMPLES.glob(f"{name}.*")
    count = len(versions(name, sample.read_bytes()))
    (tmp_path / "h").mkdir()
    whole: dict[Path, bytes] = {}
    for place in range(count):
        path = tmp_path / "h" / f"{place}{sample.suffix}"
        whole[path] = corpus.renamed(name, sample.read_bytes(), f"g{place}")
        path.write_bytes(versions(name, whole[path])[place])
    workspace = tracelode.open(tmp_path / "grown", tz="UTC")
    workspace.add(tmp_path / "h")
    for path, data in whole.items():
        path.write_bytes(data)
        os.utime(path, (1, 1))  # two writes within one tick of the clock are two times
    workspace.add(tmp_path / "h")
    once = tracelode.open(tmp_path / "once", tz="UTC")
    once.add(tmp_path / "h")
    assert len(once.sessions()) >= count
    compared(workspace, once)


def test_files_that_were_only_touched_change_nothing(tmp_path: Path, corpus: ModuleType) -> None:
    (tmp_path / "h").mkdir()
    for sample in SAMPLES.iterdir():
        (tmp_path / "h" / sample.name).write_bytes(sample.read_bytes())
    once = tracelode.open(tmp_path / "once", tz="UTC")
    once.add(tmp_path / "h")
    workspace = tracelode.open(tmp_path / "touched", tz="UTC")
    for second in (1, 2, 3):
        for path in (tmp_path / "h").iterdir():
            os.utime(path, (second, second))
        assert workspace.add(tmp_path / "h").bytes_read > 0
        compared(workspace, once)
