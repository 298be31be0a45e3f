"""Does a session that two files tell of under two roots count once?"""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import tracelode

SAMPLE = Path(__file__).parent.parent / "sources" / "samples" / "tracelode.jsonl"


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("root", ["aaa", "zzz"])
def test_a_session_under_two_roots_counts_once(tmp_path: Path, root: str, together: bool) -> None:
    data = SAMPLE.read_bytes()
    assert b'"root":"night-1"' in data.replace(b": ", b":")
    other = data.replace(b": ", b":").replace(b'"root":"night-1"', b'"root":"%s"' % root.encode())
    (tmp_path / "h").mkdir()
    one, two = tmp_path / "h" / "1.jsonl", tmp_path / "h" / "2.jsonl"
    one.write_bytes(data)
    alone = tracelode.open(tmp_path / "alone", tz="UTC")
    alone.add(one)
    two.write_bytes(other)
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    for paths in [(one, two)] if together else [(one,), (two,)]:
        workspace.add(*paths)
    assert (workspace.totals().operations, workspace.totals().cost_picodollars) == (
        alone.totals().operations,
        alone.totals().cost_picodollars,
    )
    assert {s.key for s in workspace.sessions()} == {s.key for s in alone.sessions()}
    assert len({s.root for s in workspace.sessions()}) == 1
    rows = workspace.profile(stack=["session"], measure="operations")
    assert rows.total() == sum(s.operations for s in workspace.sessions())
    assert workspace.export_operations(io.BytesIO()) == alone.export_operations(io.BytesIO())
    assert workspace.add(tmp_path / "h").files_read == 0
