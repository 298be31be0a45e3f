"""Is a workspace folder safe: another program's, an older or lost catalog, rights, a second import?"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import pytest

import tracelode
from claude import Transcript, used
from tracelode.errors import SchemaTooNew, SchemaTooOld, StoreError
from tracelode.ingest.discover import Names
from tracelode.sources.claude_code import ClaudeCode
from tracelode.store import opening, schema
from tracelode.workspace import Workspace
from workspaces import stored


def talk(number: int = 0) -> Transcript:
    t = Transcript(f"{number:08x}-1111-4222-8333-444444444444", "/home/sam/src/app")
    t.user("go").advance(2).assistant("a", tools=[("Bash", {"command": "ls"})], usage=used(10))
    return t.advance(1).result(t.calls[0], "ok").assistant("b", usage=used(20))


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    place = tmp_path / "shared"
    place.mkdir()
    place.chmod(0o755)
    tracelode.open(place)
    assert place.stat().st_mode & 0o777 == 0o755


def test_a_catalog_of_another_program_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE books (title TEXT)")
    db.close()
    before = path.read_bytes()
    for renew in (False, True):
        with pytest.raises(StoreError, match="belongs to another program"):
            tracelode.open(tmp_path, renew=renew)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("books",)]
    assert len(path.read_bytes()) == len(before)


def test_a_damaged_catalog_is_said_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="is damaged; keep a copy"):
        tracelode.open(tmp_path)
    assert path.read_bytes().startswith(b"no database")


@pytest.mark.parametrize("loss", ["gone", "emptied"])
def test_shards_without_their_catalog_are_not_taken_for_nothing(tmp_path: Path, loss: str) -> None:
    workspace = stored(tmp_path, talk())
    workspace._catalog.close()
    for file in workspace.path.glob("catalog.sqlite*"):
        file.unlink()
    if loss == "emptied":
        (workspace.path / "catalog.sqlite").touch()
    before = sorted(workspace.path.rglob("*.parquet"))
    for renew in (False, True):
        with pytest.raises(StoreError, match="missing or empty; put it back"):
            tracelode.open(workspace.path, renew=renew)
    assert sorted(workspace.path.rglob("*.parquet")) == before


def test_a_store_of_an_older_layout_is_put_aside_by_an_import_alone(tmp_path: Path) -> None:
    workspace = stored(tmp_path, talk())
    before = workspace.totals()
    workspace._catalog.set_meta("schema", "1")
    workspace._catalog.close()
    with pytest.raises(SchemaTooOld, match="tracelode import"):
        tracelode.open(tmp_path / "store")
    assert not (tmp_path / "store" / "schema-1").exists()
    again = tracelode.open(tmp_path / "store", tz="UTC", renew=True)
    assert again.empty()
    assert again.put_aside == tmp_path / "store" / "schema-1"
    again.add(tmp_path / "history")
    assert again.totals() == before
    assert (tmp_path / "store" / "schema-1" / "catalog.sqlite").exists()
    assert list((tmp_path / "store" / "schema-1" / "frames").iterdir())
    again._catalog.set_meta("schema", "999")
    with pytest.raises(SchemaTooNew, match="upgrade"):
        tracelode.open(tmp_path / "store", renew=True)


def test_a_store_put_aside_earlier_is_not_touched(tmp_path: Path) -> None:
    for place in ("schema-1", "schema-1-2"):
        workspace = stored(tmp_path, talk())
        workspace._catalog.set_meta("schema", "1")
        workspace._catalog.close()
        again = tracelode.open(tmp_path / "store", tz="UTC", renew=True)
        assert again.put_aside == tmp_path / "store" / place
        assert again.empty()
        again.add(tmp_path / "history")
        assert again.totals().calls == 2
        again._catalog.close()
    for place in ("schema-1", "schema-1-2"):
        assert list((tmp_path / "store" / place / "operations").iterdir())


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk().write(tmp_path / "history")
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    (tmp_path / "store" / "operations").mkdir()

    def full(*_: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr("tracelode.store.shards.os.chmod", full)
    with pytest.raises(StoreError, match="look for a full disk"):
        workspace.add(tmp_path / "history")
    assert not list((tmp_path / "store" / "operations").iterdir())
    monkeypatch.undo()
    workspace.add(tmp_path / "history")
    assert workspace.totals().calls == 2


def test_another_layout_has_another_number() -> None:
    columns = repr((schema.OPERATIONS, schema.FRAMES, schema.CONTENTS, opening._TABLES))
    # a changed column needs a new SCHEMA: then number and digest change here together
    assert (schema.SCHEMA, blake2b(columns.encode(), digest_size=4).hexdigest()) == (6, "e268c7f4")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user of the machine may enter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


READ = """
import os, sys, tracelode
def look(folder):
    w = tracelode.open(folder, tz="UTC")
    return w, w.totals().calls, w.profile(stack=["tool"], measure="calls").total()
look(sys.argv[3])[0].add(sys.argv[2])  # loads what is needed while it may be read
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
w, *found = look(sys.argv[1])
print(*found)
for change in (lambda: tracelode.open(sys.argv[1], idle=5), lambda: w.add(sys.argv[2])):
    try:
        change()
    except tracelode.TracelodeError as error:
        print(error)
"""


def test_who_may_only_read_can_look_and_changes_nothing(open_folder: Path, tmp_path: Path) -> None:
    workspace, other = stored(open_folder, talk()), stored(tmp_path, talk())
    workspace._catalog.close()
    for place in (open_folder, *open_folder.rglob("*")):
        place.chmod(0o555 if place.is_dir() else 0o444)
    try:
        command = [
            sys.executable,
            "-c",
            READ,
            str(workspace.path),
            str(open_folder / "history"),
            str(other.path),
        ]
        env = {**os.environ, "HOME": str(open_folder)}
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env, cwd="/")
    finally:
        for place in (open_folder, *open_folder.rglob("*")):
            place.chmod(0o755 if place.is_dir() else 0o644)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "2 2"
    assert "can only be read" in lines[1]
    assert "cannot be written: permission denied" in lines[2]


HOLD = """
import sys, time
from pathlib import Path
from tracelode.ingest.lock import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def test_a_second_import_says_whom_it_waits_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    workspace = stored(tmp_path, talk())
    talk(1).write(tmp_path / "history")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(workspace.path), "2.5"], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    workspace.add(tmp_path / "history")
    assert holder.wait() == 0
    holder.stdout.close()
    wanted = f"another import into this store is running (process {holder.pid}); waiting for it"
    assert [r.getMessage() for r in caplog.records] == [wanted]
    assert workspace.totals().calls == 4


def test_threads_of_one_process_take_turns(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    for number in range(6):
        talk(number).write(tmp_path / "history")

    def add(_: int) -> int:
        return tracelode.open(tmp_path / "store", tz="UTC").add(tmp_path / "history").files_read

    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(add, range(3))) == [0, 0, 6]


LONG = """
import sys, tracelode, tracelode.ingest.pipeline as p
p.INLINE_BYTES = 0
tracelode.open(sys.argv[1], tz="UTC").add(sys.argv[2])
"""


def _children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="asks ps of Linux for children")
def test_workers_end_with_an_import_that_is_killed(tmp_path: Path) -> None:
    for number in range(300):
        t = talk(number)
        for call in range(60):
            t.advance(1).assistant(f"{call}" * 500, usage=used(call))
        t.write(tmp_path / "history")
    command = [sys.executable, "-c", LONG, str(tmp_path / "store"), str(tmp_path / "history")]
    importer = subprocess.Popen(command)
    workers: list[int] = []
    while importer.poll() is None and len(workers) < 2:
        workers = _children(importer.pid)
        time.sleep(0.01)
    if len(workers) < 2:
        pytest.skip("one core: no workers")
    os.kill(importer.pid, signal.SIGKILL)
    importer.wait()
    until = time.monotonic() + 20
    while time.monotonic() < until and any(Path(f"/proc/{pid}").exists() for pid in workers):
        time.sleep(0.05)
    assert [pid for pid in workers if Path(f"/proc/{pid}").exists()] == []


def seen(workspace: Workspace, folder: Path) -> int:
    return workspace.add(folder).files_read


def test_a_new_version_of_a_source_reads_its_files_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = stored(tmp_path, talk(), talk(1))
    before = workspace.totals()
    assert seen(workspace, tmp_path / "history") == 0
    gone = next((tmp_path / "history").rglob("00000001*.jsonl"))
    gone.unlink()
    monkeypatch.setattr(ClaudeCode, "version", "other")
    assert seen(workspace, tmp_path / "history") == 1
    assert seen(workspace, tmp_path / "history") == 0
    assert workspace.totals() == before  # what lost its file stays


def test_what_no_source_knew_is_looked_at_again_by_more_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tracelode.ingest import discover, pipeline

    talk().write(tmp_path / "history")
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    fewer = {name: source for name, source in discover.sources().items() if name == "codex"}
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "sources", lambda: fewer)
        assert [s.reason for s in workspace.add(tmp_path / "history").skipped] == ["unknown format"]
        assert workspace.add(tmp_path / "history").skipped == []
    workspace.add(tmp_path / "history")
    assert workspace.totals().calls == 2


def test_asking_for_one_format_says_nothing_about_the_others(tmp_path: Path) -> None:
    talk().write(tmp_path / "history")
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(tmp_path / "history", source="codex")
    assert [s.reason for s in report.skipped] == ["not of the format asked for"]
    workspace.add(tmp_path / "history")
    assert workspace.totals().calls == 2


def test_files_of_one_name_in_two_homes_are_two_files() -> None:
    names = Names(Path("/home/sam"))
    paths = ["/home/sam/x/a.jsonl", "/home/jane/x/a.jsonl", "/home/joe/x/a.jsonl", "/root/x/a.jsonl"]
    paths += ["/Users/sam/x/a.jsonl", "/mnt/c/Users/sam/x/a.jsonl", "/data/home/sam/x/a.jsonl"]
    found = [names.name(Path(path)) for path in paths]
    assert found[0] == "~/x/a.jsonl"
    assert found[-1] == "/data/home/sam/x/a.jsonl"
    assert len(set(found)) == len(found)
    assert all(name.startswith("~") and "jane" not in name for name in found[:-1])
    assert names.name(Path("/home/jane/x/a.jsonl")) == found[1]
