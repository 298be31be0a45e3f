"""Does a write happen twice when processes are killed between a call and its note? With real kills."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

KILLING = Path(__file__).with_name("killing.py")
KILLS = 200


def kill(folder: Path, kills: int, *more: str) -> tuple[dict[str, str], int, Counter[str]]:
    """(how each run ended, kills, how often each line was written)."""
    folder.mkdir(exist_ok=True)
    words = [sys.executable, str(KILLING), str(folder), str(kills), "7", *more]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=280, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    told = json.loads(ended.stdout)
    return told["ends"], told["kills"], Counter((folder / "written.jsonl").read_text().splitlines())


def test_no_write_happens_twice(tmp_path: Path) -> None:
    ends, kills, written = kill(tmp_path / "real", KILLS)
    assert kills >= KILLS
    assert max(written.values()) == 1
    per_run = Counter(json.loads(line)["run"] for line in written)
    done = [run for run, end in ends.items() if end == "done"]
    assert len(done) > KILLS // 10
    assert {per_run[run] for run in done} == {5}  # none is lost either, where a person could look
    assert "stands" in ends.values()  # nobody looked, and no getter told: it is not guessed


def test_the_kills_would_show_a_journal_that_repeats(tmp_path: Path) -> None:
    _, _, written = kill(tmp_path / "wrong", 30, "repeat")
    assert max(written.values()) > 1


def test_no_write_happens_twice_with_dbos(tmp_path: Path) -> None:
    pytest.importorskip("dbos", reason="the extra dbos is not installed")
    ends, kills, written = kill(tmp_path / "dbos", 12, "dbos")
    assert kills >= 12
    assert max(written.values()) == 1
    per_run = Counter(json.loads(line)["run"] for line in written)
    assert {per_run[run] for run, end in ends.items() if end == "done"} == {5}
