"""Do the compiler's benchmarks of noise and order run, and can they fail?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shared import SHARED, need

ROOT = Path(__file__).resolve().parents[2]


def run(name: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def at_hand(*names: str) -> None:
    """Skip unless wheels were downloaded before: a test uses no network."""
    default = Path.home() / ".cache" / "tracelode-bench"
    folder = Path(os.environ.get("TRACELODE_BENCH_WHEELS") or default)
    if not all(any(folder.glob(name)) for name in names):
        pytest.skip("the wheels of the benchmark were not downloaded")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    need("data", "workflow", "bfcl_multiturn")
    at_hand("bfcl_eval-*.whl", "bfcl-*/mpmath")
    import bfcl_world

    bfcl_world.install()
    return bfcl_world


def test_noise_is_planted_and_found() -> None:
    at_hand("nestful_wrapper-*.whl")
    done = run("compile_noise", "--intents", "0-1", "--seeds", 1, "--json")
    assert done.returncode in (0, 4), done.stderr
    report = json.loads(done.stdout)
    assert {"retry", "redundant", "exploratory", "essential"} == set(report["scores"])
    assert report["scores"]["essential"]["recall"] > 0.9
    assert report["clean_runs_lost"] == 0


def test_orders_along_hard_edges_do_not_break(world: Any) -> None:
    done = run("compile_reorder", "--data", SHARED / "data", "--tasks", 8, "--json")
    assert done.returncode in (0, 4), done.stderr
    report = json.loads(done.stdout)
    assert report["tasks"] == 8
    assert report["values alone"]["orders_broken"] > 50  # the check can fail
    assert report["words"]["orders_broken"] == report["words and state"]["orders_broken"] == 0


def test_wrong_writes_are_seen(world: Any) -> None:
    row, gold = world.tasks(SHARED / "data")[0]
    made = [(call.server, call.name, call.arguments) for call in gold.calls]
    assert world.wrong_writes(row, gold, made) == (0, 0, True)
    place = next(n for n, call in enumerate(gold.calls) if call.name == "mkdir")
    other = [*made[:place], ("GorillaFileSystem", "mkdir", {"dir_name": "elsewhere"}), *made[place + 1 :]]
    wrong = world.wrong_writes(row, gold, other)
    assert wrong.writes >= 1
    assert wrong.missing >= 1
    assert not wrong.same


def test_without_data_it_says_what_is_missing(tmp_path: Path) -> None:
    at_hand("bfcl_eval-*.whl", "bfcl-*/mpmath")
    done = run("compile_reorder", "--data", tmp_path)
    assert done.returncode == 3
    assert "missing" in done.stderr
