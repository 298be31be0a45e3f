"""Does the recorder's benchmark run, and does it count events that are not there whole?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_recorder(project: Path) -> None:
    command = [
        sys.executable,
        str(project / "benchmarks/recorder.py"),
        "--events",
        "100",
        "--processes",
        "2",
        "--json",
    ]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    found = {figure["name"]: figure for figure in report["figures"]}
    bound = found["bare os.write of json.dumps (bound): median"]["value"]
    assert 0 < bound < found["recorder, summary: median"]["value"]
    assert found["recorder, summary: median"]["bar"] == 60
    for what in ("lost", "broken"):
        assert found[f"2 processes x 100 events into one file: {what}"]["value"] == 0
