"""Does every benchmark end alike where its folder has none of its sets: exit code 3, and what is missing?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MORE = {"compare_errors": ("--runs", "1"), "name_pairs": ("--seed", "1")}
"""What a script needs besides, or what makes it short."""
OTHERS = {"segments_model", "sources"}
"""One that asks a backend, and one that reads samples of its own."""


def asking() -> list[str]:
    """Names of the scripts that take a folder of sets."""
    folder = Path(__file__).parents[2] / "benchmarks"
    scripts = ((path.stem, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py")))
    return [
        name for name, text in scripts if '"--data"' in text and "__main__" in text and name not in OTHERS
    ]


@pytest.mark.parametrize("name", asking())
def test_without_its_sets_a_script_says_so(project: Path, tmp_path: Path, name: str) -> None:
    command = [sys.executable, str(project / "benchmarks" / f"{name}.py"), "--data", str(tmp_path)]
    done = subprocess.run([*command, *MORE.get(name, ())], capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "missing" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
