"""Is every event whose call returned in the file, whole, whatever becomes of the processes?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from record.lines import rows
from tracelode.record import Recorder, append, sink
from tracelode.record.append import Append

WRITER = """
import sys
from tracelode.record import Recorder
place, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
session = Recorder(place, durability="none").session(name)
for i in range(count):
    payload = {"tool": "t", "n": i, "text": "x" * (i % 900)}
    session.record("agent", "execute", "1/1", status="running", payload=payload)
    if len(sys.argv) > 4:
        print(i, flush=True)
"""
PROCESSES = 8
EVENTS = 10_000


@pytest.mark.parametrize("shared", [True, False], ids=["one file", "a file each"])
def test_eight_processes_lose_and_mix_nothing(tmp_path: Path, shared: bool) -> None:
    place = tmp_path / ("all.jsonl" if shared else "traces")
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(place), "same", str(EVENTS)])
        for _ in range(PROCESSES)
    ]
    assert [one.wait(240) for one in running] == [0] * PROCESSES
    files = [place] if shared else list(place.rglob("*.jsonl"))
    assert len(files) == (1 if shared else PROCESSES)
    seen: Counter[str] = Counter()
    last: dict[str, int] = {}
    ids = set()
    for file in files:
        for line in file.read_bytes().splitlines():
            row = json.loads(line)
            assert row["payload"]["n"] == row["seq"] == last.get(row["writer"], -1) + 1
            last[row["writer"]] = row["seq"]
            seen[row["writer"]] += 1
            ids.add(row["event_id"])
    assert sorted(seen.values()) == [EVENTS] * PROCESSES
    assert len(ids) == EVENTS * PROCESSES


def test_kill_loses_no_event_whose_call_returned(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path), "killed", "1000000", "tell"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 300:
                os.kill(process.pid, signal.SIGKILL)
                break
        told = int(line)
        for rest in process.stdout.read().split():
            told = max(told, int(rest))
    found = rows(tmp_path)
    assert [row["seq"] for row in found] == list(range(len(found)))
    assert len(found) > told


def test_a_fork_is_another_writer(tmp_path: Path) -> None:
    with Recorder(tmp_path).session("f") as s:
        s.goal("x")
        children = []
        for i in range(3):
            pid = os.fork()
            if pid == 0:
                try:
                    for n in range(100):
                        s.record("agent", "execute", f"c{i}", status="running", payload={"n": n})
                finally:
                    os._exit(0)
            children.append(pid)
        for pid in children:
            os.waitpid(pid, 0)
        s.record("agent", "plan", "after")
    found = rows(tmp_path)
    assert len(found) == 303
    assert len({row["event_id"] for row in found}) == 303
    by = Counter(row["writer"] for row in found)
    assert sorted(by.values()) == [3, 100, 100, 100]
    for writer in by:
        assert [r["seq"] for r in found if r["writer"] == writer] == list(range(by[writer]))


FORKS = 6


def test_a_fork_while_a_thread_writes_does_not_hang(tmp_path: Path) -> None:
    with Recorder(tmp_path).session("f") as s:
        stop = threading.Event()

        def busy() -> None:
            while not stop.is_set():
                s.record("agent", "plan", "n")

        thread = threading.Thread(target=busy)
        thread.start()
        for _ in range(FORKS):
            pid = os.fork()
            if pid == 0:
                s.record("agent", "plan", "child")
                os._exit(0)
            until = time.monotonic() + 20
            while os.waitpid(pid, os.WNOHANG) == (0, 0):
                assert time.monotonic() < until, "a child hangs"
                time.sleep(0.002)
        stop.set()
        thread.join()
    assert sum(row["node_id"] == "child" for row in rows(tmp_path)) == FORKS


def test_threads_share_one_writer(tmp_path: Path) -> None:
    with Recorder(tmp_path).session("t") as s:
        threads = [
            threading.Thread(target=lambda: [s.record("agent", "plan", "n") for _ in range(500)])
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = rows(tmp_path)
    assert [row["seq"] for row in found] == list(range(4_001))
    assert [row["timestamp"] for row in found] == sorted(row["timestamp"] for row in found)


def test_a_torn_line_swallows_nothing(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_bytes(b'{"session_id": "old", "event')
    with Recorder(path).session("new") as s:
        s.goal("x")
    torn, *lines = path.read_bytes().splitlines()
    assert torn == b'{"session_id": "old", "event'
    assert [json.loads(line)["event_type"] for line in lines] == ["plan", "complete"]


def test_a_write_that_the_disk_cuts_short_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.write, []

    def short(fd: int, data: bytes) -> int:
        calls.append(len(data))
        return real(fd, data[:5]) if len(calls) == 1 else real(fd, data)

    one = Append(tmp_path / "a.jsonl")
    monkeypatch.setattr(append.os, "write", short)
    one.write(b"0123456789\n")
    monkeypatch.undo()
    one.close()
    assert (tmp_path / "a.jsonl").read_bytes().splitlines() == [b"01234", b"0123456789"]


def test_network_file_systems_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append, "remote", lambda path: True)
    one, other = Append(tmp_path / "a.jsonl"), Append(tmp_path / "a.jsonl")
    for i in range(50):
        (one, other)[i % 2].write(b"%d\n" % i)
    one.close()
    other.close()
    assert (tmp_path / "a.jsonl").read_bytes().split() == [b"%d" % i for i in range(50)]
    with pytest.raises(OSError, match="closed"):
        one.write(b"x\n")


def test_remote_file_systems_are_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("d / ext4 rw 0 0\nh:/x /srv/data nfs4 rw 0 0\nh:/y /srv/my\\040data cifs rw 0 0\n")
    real = open
    monkeypatch.setattr(
        "builtins.open", lambda p, *a, **k: real(mounts if p == "/proc/mounts" else p, *a, **k)
    )
    assert append.remote(Path("/srv/data/traces/x.jsonl"))
    assert append.remote(Path("/srv/my data/x.jsonl"))
    assert not append.remote(Path("/srv/database/x.jsonl"))


@pytest.mark.parametrize("durability", ["session", "event", "none"])
def test_durability_says_when_the_disk_is_asked(
    tmp_path: Path, durability: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(append.os, "fsync", synced.append)
    with Recorder(tmp_path, durability=durability).session() as s:
        for _ in range(10):
            s.record("agent", "plan", "n")
    assert len(synced) == {"session": 1, "event": 12, "none": 0}[durability]


def test_a_clock_that_is_set_back_does_not_turn_the_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Recorder(tmp_path).session() as s:
        for moment in (3_000_000_000, 1_000_000_000, 4_000_000_000):
            monkeypatch.setattr(sink.time, "time_ns", lambda now=moment: now * 1_000_000_000)
            s.record("agent", "plan", "n")
        monkeypatch.undo()
    assert [row["seq"] for row in rows(tmp_path)] == [0, 1, 2, 3]
