"""Does a folder that is being written to tell each alert once, whatever happens to its files?"""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from plan.article import rows as article
from plan.traces import row, steps, written
from tracelode.workspace.alerting import Watching, rules_from

RULES = """
rules:
  - {name: again, metric: restarts, condition: ">= 1", severity: error}
  - {name: failed, metric: failed_attempts, condition: ">= 2"}
  - {name: long, metric: node_running, condition: "> 10 min"}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(RULES)
    return path


def _lines(rows: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(one).encode() + b"\n" for one in rows]


def _watching(place: Path, rules: Path, **how: Any) -> Watching:
    return Watching(place, rules_from(rules), clock=how.pop("clock", lambda: 0), **how)


def test_torn_lines_are_waited_for(tmp_path: Path, rules: Path) -> None:
    folder = tmp_path / "traces"
    watching = _watching(folder, rules)
    assert watching.poll() == []
    folder.mkdir()
    data = b"".join(_lines(article()))
    told = []
    with (folder / "a.jsonl").open("ab", buffering=0) as stream:
        for start in range(0, len(data), 97):
            stream.write(data[start : start + 97])
            told += watching.poll()
    assert [(a.rule, a.event_id) for a in told] == [("again", "e12")]
    assert (watching.events, watching.unusable) == (21, 0)


def test_a_file_that_is_rotated_cut_or_packed_tells_nothing_twice(tmp_path: Path, rules: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    path, lines = folder / "a.jsonl", _lines(article())
    watching = _watching(folder, rules)
    path.write_bytes(b"".join(lines[:8]))
    told = watching.poll()
    path.rename(folder / "a.1.jsonl")
    path.write_bytes(b"".join(lines[8:14]))
    told += watching.poll()
    # cut in place and written anew
    path.write_bytes(b"".join(lines[14:17]))
    told += watching.poll()
    (folder / "a.1.jsonl").unlink()
    (folder / "a.1.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[:8])))
    path.write_bytes(b"".join(lines[14:]))
    told += watching.poll()
    assert [(a.rule, a.event_id) for a in told] == [("again", "e12")]
    assert watching.events == 21


def test_what_is_no_event_is_counted(tmp_path: Path, rules: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\nnonsense\n\xff\xfe\n" + b"".join(_lines(article()[:3])))
    watching = _watching(path, rules)
    watching.poll()
    assert (watching.events, watching.unusable) == (3, 3)


def test_the_clock_tells_of_a_node_that_runs_on(tmp_path: Path, rules: Path) -> None:
    listed = steps("plan A; start A")
    written(tmp_path, listed)
    now = [1_772_442_060_000_000 + 600_000_000]  # ten minutes after the start
    watching = _watching(tmp_path, rules, clock=lambda: now[0])
    assert watching.poll() == []
    now[0] += 1_000_000
    (alert,) = watching.poll()
    assert (alert.rule, alert.node_id, alert.value) == ("long", "A", 601)
    assert watching.poll() == []


def test_only_what_is_new(tmp_path: Path, rules: Path) -> None:
    listed = steps("start A; bad A; start A; bad A; start B; ok B; start B")
    path = written(tmp_path, listed[:6])
    watching = _watching(path, rules, old=False)
    assert watching.poll() == []
    with path.open("ab") as stream:
        stream.write(_lines(listed)[6])
    assert [a.node_id for a in watching.poll()] == ["B"]


WRITER = """
import json, os, sys, time
listed = json.load(open(sys.argv[1]))
os.makedirs(sys.argv[2], exist_ok=True)
handle = os.open(sys.argv[2] + "/w.jsonl", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
for one in listed:
    data = json.dumps(one).encode() + b"\\n"
    os.write(handle, data[:40])
    time.sleep(0.02)
    os.write(handle, data[40:])
"""


def test_a_writer_and_a_watcher_side_by_side(tmp_path: Path, rules: Path) -> None:
    folder, out = tmp_path / "traces", tmp_path / "alerts.jsonl"
    listed = tmp_path / "rows.json"
    listed.write_text(json.dumps([*article(), row(30, "review", "plan_1", "updated", session_id="other")]))
    watch = subprocess.Popen(
        [sys.executable, "-m", "tracelode", "watch", str(folder), "--rules", str(rules), "--every", "0.05s",
         "--json", "-o", str(out)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    try:
        subprocess.run([sys.executable, "-c", WRITER, str(listed), str(folder)], check=True, timeout=60)
        until = time.monotonic() + 30
        while time.monotonic() < until and not (out.exists() and out.read_bytes().endswith(b"\n")):
            time.sleep(0.05)
        time.sleep(0.2)
        watch.send_signal(signal.SIGINT)
        said, err = watch.communicate(timeout=30)
    finally:
        watch.kill()
    told = [json.loads(line) for line in said.splitlines()]
    assert watch.returncode == 4, err
    assert [(a["rule"], a["event_id"], a["left_events"]) for a in told] == [("again", "e12", None)]
    assert [json.loads(line) for line in out.read_text().splitlines()] == told
    assert out.stat().st_mode & 0o777 == 0o600
    assert err == b""
