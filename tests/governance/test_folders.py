"""Do recorded sessions go when they are over or named, and is what shares their files left as it is?"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plan.traces import row, written
from tracelode.errors import QueryError
from tracelode.governance.policy import read
from tracelode.record import Recorder
from tracelode.workspace.governing import folders_gc

DAY = 86_400_000_000
POLICY = read("retention: {raw: 30 d, redacted: 180 d}")


def recorded(traces: Path, session: str, redact: str = "summary", word: str = "plain") -> Path:
    with Recorder(traces, redact=redact).session(session) as one:
        one.goal(f"do {word}")
        with one.execute(one.plan(f"look at {word}")):
            pass
    return next(p.parent for p in traces.rglob("*.jsonl") if session in p.read_text())


def _now(days: int) -> int:
    return time.time_ns() // 1_000 + days * DAY


def _old(path: Path) -> None:
    at = time.time() - 3600
    os.utime(path, (at, at))


def test_full_recordings_go_before_redacted_ones(tmp_path: Path) -> None:
    full, clean = recorded(tmp_path, "s-full", "full"), recorded(tmp_path, "s-clean")
    assert folders_gc([tmp_path], POLICY, dry=False, now=_now(29)).expired == []
    report = folders_gc([tmp_path], POLICY, dry=True, now=_now(31))
    assert [(e.session, e.what, e.days) for e in report.expired] == [("s-full", "raw", 31)]
    assert full.exists()
    report = folders_gc([tmp_path], POLICY, dry=False, now=_now(31))
    assert (full.exists(), clean.exists(), report.tombstones) == (False, True, 1)
    assert report.freed > 0
    assert [e.session for e in folders_gc([tmp_path], POLICY, dry=False, now=_now(181)).expired] == [
        "s-clean"
    ]


def test_what_comes_back_goes_again(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "t", "s-one", word="zebra")
    recorded(tmp_path / "t", "s-two")
    shutil.copytree(folder, tmp_path / "backup")
    report = folders_gc([tmp_path / "t"], POLICY, forget=["s-one"], dry=False)
    assert report.forgotten == ["s-one"]
    assert not folder.exists()
    assert "s-one" not in (tmp_path / "t" / "tombstones.json").read_text()
    shutil.copytree(tmp_path / "backup", folder)
    report = folders_gc([tmp_path / "t"], POLICY, dry=False)
    assert [e.session for e in report.expired] == ["s-one"]
    assert not folder.exists()


def test_by_pseudonym_and_by_name(tmp_path: Path) -> None:
    from tracelode.workspace.redacting import pseudonyms_of, redact_files

    key = tmp_path / "key"
    told = {"description": "ask bob@acme.org"}
    rows = [row(0, "plan", "A", "planned", session_id="s-one", payload=told), row(1, "plan", "A", "planned")]
    redact_files([written(tmp_path, rows)], "summary", tmp_path / "clean" / "t.jsonl", names=True, key=key)
    person = pseudonyms_of("bob@acme.org", key)[0]
    for name in ("bob@acme.org", person):
        assert folders_gc([tmp_path / "clean"], POLICY, forget=[name], key=key).forgotten == ["s-one"]
    with pytest.raises(QueryError):
        folders_gc([tmp_path / "clean"], POLICY, forget=["nobody@acme.org"], key=key)


def test_a_file_that_sessions_share(tmp_path: Path) -> None:
    rows = [
        {**row(n, "review", "A", "updated"), "session_id": s, "event_id": f"{s}{n}"}
        for n in range(5)
        for s in "ab"
    ]
    path = written(tmp_path, [*rows, "no event"])
    report = folders_gc([tmp_path], POLICY, forget=["a"], dry=False)
    assert "may still be written to" in report.open[0]
    _old(path)
    folders_gc([tmp_path], POLICY, forget=["a"], dry=False)
    left = path.read_text().splitlines()
    assert left[-1] == "no event"
    assert {json.loads(line)["session_id"] for line in left[:-1]} == {"b"}
    assert len(left) == 6


def test_hold_and_what_goes_on(tmp_path: Path) -> None:
    recorded(tmp_path, "s-held", "full")
    held = read("retention: {raw: 1 d}\nhold: [s-held, s-else]")
    assert folders_gc([tmp_path], held, dry=False, now=_now(10)).held == ["s-held"]
    with pytest.raises(QueryError, match="legal hold"):
        folders_gc([tmp_path], held, forget=["s-held"], dry=False)
    recorded(tmp_path / "o", "s-open", "full")
    lines = next((tmp_path / "o").rglob("*.jsonl"))
    # as one leaves it that never ended
    lines.write_text(lines.read_text().splitlines()[0] + "\n")
    short = read("retention: {raw: 1 d}")
    assert folders_gc([tmp_path / "o"], short, dry=False, now=_now(10)).open == ["s-open"]
    assert len(folders_gc([tmp_path / "o"], short, dry=False, now=_now(40)).expired) == 1


_RUN = """
import sys
from tracelode.governance.policy import read
from tracelode.workspace.governing import folders_gc
folders_gc([sys.argv[1]], read("retention: {raw: 30 d}"), dry=False, now=int(sys.argv[2]))
"""


def test_killed_anywhere_no_half_session_is_left(tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    for number in range(40):
        recorded(origin, f"s-{number:02}", "full" if number % 2 else "summary")
    sizes = {p.name: len(list(p.iterdir())) for p in origin.rglob("session=*")}
    begun = time.monotonic()
    shutil.copytree(origin, tmp_path / "warm")
    subprocess.run([sys.executable, "-c", _RUN, str(tmp_path / "warm"), str(_now(31))], check=True)
    took = time.monotonic() - begun
    for number in range(6):
        folder = tmp_path / f"k{number}"
        shutil.copytree(origin, folder)
        process = subprocess.Popen([sys.executable, "-c", _RUN, str(folder), str(_now(31))])
        time.sleep(took * (0.5 + number / 12))
        process.kill()
        process.wait()
        left = {p.name: len(list(p.iterdir())) for p in folder.rglob("session=*")}
        assert all(sizes[name] == count for name, count in left.items())
        folders_gc([folder], POLICY, dry=False, now=_now(31))
        assert len(list(folder.rglob("session=*"))) == 20
        assert not list(folder.rglob(".gone-*"))
