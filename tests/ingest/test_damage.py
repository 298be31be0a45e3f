"""What becomes of a store whose shards are gone or damaged? What can be made again is; the rest is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tracelode
from ingest.test_store import SECOND, fresh, history, view
from tracelode.errors import StoreError


def spoil(folder: Path, damage: str) -> None:
    for file in folder.iterdir():
        if damage == "gone":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes()[:100] if damage == "cut" else b"x" * 500)


@pytest.mark.parametrize("damage", ["gone", "cut", "garbage"])
@pytest.mark.parametrize("table", ["frames", "operations"])
def test_a_damaged_shard_is_said_and_rebuilt_by_the_next_import(
    tmp_path: Path, damage: str, table: str
) -> None:
    history(tmp_path / "h")
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    before = view(workspace)
    spoil(tmp_path / "s" / table, damage)
    asked = tracelode.open(tmp_path / "s", tz="UTC")
    with pytest.raises(StoreError, match="run the import again"):
        asked.totals() if table == "frames" else asked.operations(SECOND)
    again = tracelode.open(tmp_path / "s", tz="UTC")
    report = again.add(tmp_path / "h")
    assert any("was damaged" in s.reason for s in report.skipped)
    assert view(again) == before


@pytest.mark.parametrize("damage", ["gone", "cut", "garbage"])
def test_frames_are_made_again_from_operations_where_the_files_are_gone(tmp_path: Path, damage: str) -> None:
    history(tmp_path / "h")
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    before = view(workspace)
    shutil.rmtree(tmp_path / "h")
    spoil(tmp_path / "s" / "frames", damage)
    again = tracelode.open(tmp_path / "s", tz="UTC")
    (tmp_path / "h").mkdir()
    report = again.add(tmp_path / "h")
    assert {s.reason for s in report.skipped} == {
        "shard of the store was damaged: session made again from its operations"
    }
    assert view(again) == before


def test_what_cannot_be_made_again_is_named_and_its_shard_kept(tmp_path: Path) -> None:
    paths = history(tmp_path / "h")
    fresh(tmp_path, "s", tmp_path / "h")
    paths[0].unlink()
    spoil(tmp_path / "s" / "operations", "garbage")
    report = tracelode.open(tmp_path / "s", tz="UTC").add(tmp_path / "h")
    counts = {s.reason.partition("damaged")[2]: s.count for s in report.skipped}
    assert counts == {
        ": session read again from its files": 6,
        " and the session's files are gone: lost, the shard is kept in the folder damaged": 1,
    }
    assert list((tmp_path / "s" / "damaged" / "operations").iterdir())
    assert list((tmp_path / "s" / "damaged" / "frames").iterdir())
    assert view(tracelode.open(tmp_path / "s", tz="UTC")) == view(fresh(tmp_path, "again", tmp_path / "h"))
