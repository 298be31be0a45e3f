"""Does a file that is imported while it still grows become what it becomes when it is read once?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

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


@pytest.mark.parametrize("name", LINED)
def test_growing_at_any_line_equals_reading_once(name: str, tmp_path: Path, corpus: ModuleType) -> None:
    (sample,) = SAMPLES.glob(f"{name}.*")
    data = sample.read_bytes()
    ends = [place + 1 for place, byte in enumerate(data) if byte == 10][:-1]
    files = {tmp_path / "h" / f"{end}{sample.suffix}": end for end in ends}
    (tmp_path / "h").mkdir()
    whole = {path: corpus.renamed(name, data, f"g{end}") for path, end in files.items()}
    for path, end in files.items():
        # ids may be longer now: the same line ends
        line = data[:end].count(b"\n")
        path.write_bytes(b"".join(whole[path].splitlines(keepends=True)[:line]))
    workspace = tracelode.open(tmp_path / "grown", tz="UTC")
    workspace.add(tmp_path / "h")
    for path in files:
        path.write_bytes(whole[path])
        os.utime(path, (1, 1))  # two writes within one tick of the clock are two times
    workspace.add(tmp_path / "h")
    once = tracelode.open(tmp_path / "once", tz="UTC")
    once.add(tmp_path / "h")
    wanted, found = sessions(once), sessions(workspace)
    assert len(once.sessions()) >= len(ends)
    assert {key: found.get(key) for key in wanted} == wanted
    assert found.keys() == wanted.keys()
