"""Does every benchmark still run? Each at a tiny size; and what it says where something is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shared import SHARED, generated, need

MB = 1.0
ONCE = ("--runs", 1, "--warm", 0)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small generated history."""
    folder = tmp_path_factory.mktemp("history")
    generated(folder, MB, 7)
    return folder


@pytest.fixture
def peer(tmp_path: Path) -> Path:
    """A command that stands where ccusage would."""
    script = tmp_path / "ccusage"
    script.write_text("#!/bin/sh\nexit 0\n", encoding="ascii")
    script.chmod(0o755)
    return script


def run(project: Path, name: str, *words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run one script and check its exit code."""
    command = [sys.executable, str(project / "benchmarks" / f"{name}.py"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def figures(report: dict[str, Any]) -> dict[str, Any]:
    """Figure names to values."""
    return {figure["name"]: figure["value"] for figure in report["figures"]}


@pytest.mark.slow
def test_history(project: Path, history: Path, tmp_path: Path, peer: Path) -> None:
    words = ["--history", history, "--large-history", history, "--large-runs", 1, "--ccusage", peer]
    done = run(project, "history", "--json", *ONCE, "--work", tmp_path / "work", *words)
    report = json.loads(done.stdout)
    names = [series["name"] for series in report["series"]]
    size = f"{json.loads((history / 'truth.json').read_text())['bytes'] / 1e6:.0f} MB"
    three = [f"tracelode, {size} cold", f"ccusage, {size}", f"msgspec loop, {size}"]
    other = [f"tracelode, {size} cold, {name}" for name in ("phase", "changepoint")]
    assert names == [*three, *other, "tracelode, nothing new", three[1], three[0], *three]
    assert all(series["runs"] == 1 and series["wall_seconds"]["median"] > 0 for series in report["series"])
    found = figures(report)
    assert found[f"tracelode, {size} cold / msgspec loop, {size}: CPU"] > 1
    assert 0.3 < found[f"tracelode, {size} cold / tracelode, {size} cold: process"] < 3
    assert sum(note.endswith("equal the generator's truth") for note in report["notes"]) == 4
    assert {figure["bar"] for figure in report["figures"]} == {None, 0.1}  # naming has a bar at every size
    assert not list((tmp_path / "work").glob("store-*"))


def test_history_with_wrong_totals_gives_no_figures(project: Path, history: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    shutil.copytree(history, wrong)
    truth = json.loads((wrong / "truth.json").read_text())
    truth["total"]["output"] += 1
    (wrong / "truth.json").write_text(json.dumps(truth))
    done = run(project, "history", "--history", wrong, "--large-mb", 0, *ONCE, code=1)
    assert "are not those of the generator" in done.stderr
    assert not done.stdout


def test_history_without_a_generator_stops(project: Path, tmp_path: Path) -> None:
    done = run(project, "history", "--generator", tmp_path / "none.py", code=3)
    assert "no history generator at" in done.stderr


def test_fold(project: Path, history: Path) -> None:
    sizes = ["--operations", 60, "--shards", 2, "--rows", 3000]
    done = run(project, "fold", "--json", *ONCE, "--history", history, *sizes)
    report = json.loads(done.stdout)
    assert "the profile's operations sum to 60" in report["notes"]
    # two for each of pprof and fold, one a segmenter
    assert len(report["series"]) == 8
    assert 4000 < figures(report)["stacks of the fold"] <= 6000


def test_fold_refuses_to_claim_operations_it_does_not_have(project: Path, history: Path) -> None:
    sizes = ["--operations", 1_000_000, "--shards", 0]
    done = run(project, "fold", "--history", history, *sizes, code=1)
    assert "own operations, 1000000 were asked for" in done.stderr


@pytest.mark.slow
def test_all_without_a_generator_leaves_history_out(project: Path, tmp_path: Path) -> None:
    words = ["--json", *ONCE, "--generator", tmp_path / "none.py", "--work", tmp_path / "work"]
    done = run(project, "all", *words, "--only", "startup", "fold", "sources", "history")
    reports = {report["benchmark"]: report for report in json.loads(done.stdout)["reports"]}
    assert set(reports) == {"startup", "fold", "sources"}
    assert "history: left out" in done.stderr
    assert reports["fold"]["notes"][0].startswith("left out: the pprof file (no history generator")
    assert figures(reports["startup"])["tracelode --help: CPU"] > 0


def test_the_default_generator_is_the_one_beside_the_project(project: Path) -> None:
    if project.parent / "shared" != SHARED:
        pytest.skip("data lies elsewhere")
    script = need("bench", "gen_claude_history.py")
    code = "import report; print(report.GENERATOR)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project / "benchmarks", capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()) == script
