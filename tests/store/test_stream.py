"""Sessions are read one at a time, whole, and split by outcome."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tracelode
from tracelode import workspace
from tracelode.errors import StoreError, UnknownField
from tracelode.model.query import Query
from tracelode.store import stream
from tracelode.workspace import Workspace


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stream") / "store"
    workspace.demo(folder, tz="UTC")
    return folder


@pytest.fixture
def opened(store: Path) -> Workspace:
    return tracelode.open(store, tz="UTC")


def read(opened: Workspace, query: Query | None = None, **more: Any) -> list[stream.Stretch]:
    stacks = more.pop("stacks", (("stage", "tool"), ("tool",)))
    measures = more.pop("measures", ("cost",))
    return list(stream.stretches(opened._ask(), query or Query(tz="UTC"), stacks, measures, **more))


def test_every_own_operation_comes_once_as_the_workspace_tells_it(opened: Workspace) -> None:
    found = read(opened)
    assert len({s.session for s in found}) == len(found)
    assert {s.session for s in found} == {s.key for s in opened.sessions() if s.operations}
    for one in found:
        whole = [o for o in opened.operations(one.session) if not o.inherited]
        assert [o.index for o in one.operations] == [o.index for o in whole]
        assert [o.fields for o in one.operations] == [o.fields for o in whole]
        assert [o.output for o in one.operations] == [o.output for o in whole]
        assert [pair[0][0] for pair in one.groups] == [o.fields["stage"] for o in whole]
        assert all(one.chosen)
    cost = sum(o.measures.get("cost", 0) for s in found for o in s.operations)
    assert cost == opened.totals().cost_picodollars


def test_filters_choose_operations_and_leave_sessions_out(opened: Workspace) -> None:
    query = opened.query(where={"status": "nonzero"})
    found = read(opened, query)
    assert 0 < len(found) < len(read(opened))
    for one in found:
        assert [o.status == "nonzero" for o in one.operations] == one.chosen
    assert read(opened, opened.query(where={"tool": "NoSuchTool"})) == []
    key = found[0].session
    assert [s.session for s in read(opened, sessions=[key])] == [key]
    assert read(opened, sessions=[]) == []


def test_rows_are_held_for_one_session_at_a_time(opened: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0
    real = stream.row_operation

    def counted(row: tuple[Any, ...]) -> Any:
        nonlocal made
        made += 1
        return real(row)

    monkeypatch.setattr(stream, "row_operation", counted)
    monkeypatch.setattr(stream, "ROWS", 8)
    given = 0
    sessions = 0
    for one in stream.stretches(opened._ask(), Query(tz="UTC"), (("tool",),), ()):
        given += len(one.operations)
        sessions += 1
        # what was made and not yet given: at most the first row of the next session
        assert made - given <= 1
    assert sessions > 5
    assert made == given


def test_an_unknown_field_is_said(opened: Workspace) -> None:
    with pytest.raises(UnknownField):
        read(opened, stacks=(("stag",),))


def test_an_empty_store(tmp_path: Path) -> None:
    assert read(tracelode.open(tmp_path / "none")) == []


def test_a_broken_shard_is_said(opened: Workspace, tmp_path: Path, store: Path) -> None:
    import shutil

    copy = Path(shutil.copytree(store, tmp_path / "copy"))
    for shard in (copy / "operations").glob("*.parquet"):
        shard.write_bytes(b"PAR1" + b"\0" * 64 + b"PAR1")
    with pytest.raises(StoreError):
        read(tracelode.open(copy, tz="UTC"))


def test_splits_count_sessions_once_whatever_filter_on_the_outcome(store: Path, tmp_path: Path) -> None:
    import shutil

    opened = tracelode.open(Path(shutil.copytree(store, tmp_path / "copy")), tz="UTC")
    roots = [s for s in opened.sessions() if s.key == s.root and s.operations]
    for n, session in enumerate(roots[:5]):
        opened.judge(session.key, "failure" if n < 2 else "success")
    opened = tracelode.open(opened.path, tz="UTC")
    found = stream.splits(opened._ask(), Query(tz="UTC"), ("tool",))
    assert found[()] == (2, 3)
    failed = {s.key for s in roots[:2]}
    tools: dict[str, set[str]] = {}
    for session in opened.sessions():
        if session.root in failed:
            for o in opened.operations(session.key):
                if not o.inherited:
                    tools.setdefault(o.fields["frame"], set()).add(session.root)
    assert {group[0]: n for group, (n, _) in found.items() if group and n} == {
        tool: len(keys) for tool, keys in tools.items()
    }
    only = opened.query(where={"outcome": "failure"})
    assert stream.splits(opened._ask(), only, ("tool",)) == found
