"""Is a planted cause found first, do dealt outcomes find nothing, and what is said where sets are missing?"""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tracelode.profile.diff import difference
from tracelode.profile.pairs import Run


def test_a_planted_cause_comes_first() -> None:
    for seed in range(10):
        chance = random.Random(seed)
        sides: tuple[list[Run], list[Run]] = ([], [])
        for i in range(40):
            frames = {(f"stage {k}",): chance.randrange(0, 12) for k in range(12)}
            if i % 2:
                frames["planted",] = 12
            sides[i % 2].append(Run(str(i), f"task {i // 4}", frames))
        found = difference(*sides, measure="operations")
        assert found.rows[0].stack == ("planted",)
        assert found.rows[0].low is not None
        assert found.rows[0].low > 0


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Made-up runs in the layout of the outcome sets: failed ones repeat a failing command."""
    chance = random.Random(1)
    lines = []
    for task in range(8):
        for run in range(4):
            failed = run % 2 == 1
            commands = ["ls src", "pytest -q", "git commit -m x"] * 3 + ["curl x"] * (6 if failed else 0)
            steps = [
                {
                    "i": i,
                    "tool": "Bash",
                    "text": json.dumps({"command": c}),
                    "obs": "",
                    "error": c == "curl x",
                }
                for i, c in enumerate(commands[: 11 + chance.randrange(5)] if failed else commands)
            ]
            row = {"traj_id": f"{task}-{run}", "task": f"t{task}", "success": not failed, "steps": steps}
            lines.append(json.dumps(row))
    folder = tmp_path / "outcomes"
    folder.mkdir()
    with gzip.open(folder / "terminal-bench-claude-code.some.jsonl.gz", "wt") as stream:
        stream.write("\n".join([*lines, "{broken", ""]))
    return tmp_path


def run(project: Path, name: str, *words: object, code: int = 0) -> dict[str, Any]:
    command = [sys.executable, str(project / "benchmarks" / f"{name}.py"), "--json", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_differences(project: Path, data: Path) -> None:
    answer = run(project, "differences", "--data", data, "--nulls", 10)
    rows = {(r["figure"], r["what"]): r for r in answer["rows"]}
    told = rows["held-out pairs in order", "the same with stages"]
    assert (told["pairs"], told["value"]) == (32, 1.0)
    assert told["null"] < 0.8
    # the failed runs of this set repeat 6 commands: a deal may put nearly all on one side
    assert rows["planted cause comes first", "3 operations planted"]["value"] >= 0.9
    assert rows["held-out pairs in order", "control: error words"]["lead over error words"] is None
    assert len([m for m in answer["missing"] if m.startswith("outcomes/")]) == 2


def test_differences_without_data(project: Path, tmp_path: Path) -> None:
    answer = run(project, "differences", "--data", tmp_path, code=3)
    assert (answer["rows"], len(answer["missing"])) == ([], 3)


def test_compare_errors(project: Path, tmp_path: Path) -> None:
    # rows of made-up runs are there all the same
    answer = run(project, "compare_errors", "--data", tmp_path, "--runs", 20, code=3)
    assert answer["missing"] == ["outcomes/terminal-bench-claude-code"]
    assert {row["runs"] for row in answer["rows"]} == {20}
    assert all(0 <= row["rate"] <= 1 for row in answer["rows"])
