"""Does an odd width of the terminal leave every command alone?"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("columns", ["1", "0", "-5", "19", "99999999", "wide", ""])
def test_help_ends_at_any_width(columns: str) -> None:
    command = [sys.executable, "-m", "tracelode", "top", "--help"]
    environment = {**os.environ, "COLUMNS": columns}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert max(len(line) for line in done.stdout.splitlines()) <= 120
