"""Does the benchmark of the executor run, and say what it measured?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "compile_executor.py"


def test_it_measures_every_case(tmp_path: Path) -> None:
    words = [sys.executable, str(SCRIPT), "--steps", "10", "--runs", "1", "--json", "--work", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    cases = {row["case"]: row for row in told["rows"]}
    assert {"bare loop", "embedded, reads", "embedded, writes"} <= {*cases}
    assert 0 < cases["bare loop"]["step"] < cases["embedded, reads"]["step"]
    assert all(over > 0 for over in told["overhead_ms"].values())
    assert list(tmp_path.iterdir()) == []
