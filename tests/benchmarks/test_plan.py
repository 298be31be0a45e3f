"""Do the benchmarks of plans run, and do they say what they measured?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shared import SHARED, need


def run(project: Path, name: str, *words: object) -> Any:
    """The JSON of a script."""
    command = [sys.executable, str(project / "benchmarks" / f"{name}.py"), "--json", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_intervals(project: Path) -> None:
    answer = run(project, "plan_intervals", "--runs", 4)
    assert len(answer["coverage"]) == 23
    assert {row["method"] for row in answer["coverage"]} == {"student", "percentile", "bca"}
    assert all(0 <= row["covers"] <= 1 for row in answer["coverage"])
    assert [row["what"] for row in answer["gates"]] == [
        "no signal",
        "labels dealt",
        "signal 1.0",
        "signal 1.5",
    ]


@pytest.mark.slow
def test_outcomes(project: Path) -> None:
    need("data", "outcomes")
    answer = run(project, "plan_outcomes", "--data", SHARED / "data")
    rows = {row["metric"]: row for row in answer["associations"]}
    assert rows["completion"]["within tasks"] > 0
    assert rows["completion"]["p"] < 0.05
    assert not any(row["gate"] == "passes" for row in answer["forecast"])
