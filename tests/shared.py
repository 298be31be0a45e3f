"""Where does data that is not part of the project lie, and what does a test say when it is absent?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("TRACELODE_SHARED", _ROOT.parent / "shared"))
"""Folder with public transcripts and the history generator; tests that use it skip without it."""


def need(*parts: str) -> Path:
    """A path below SHARED, or skip the test."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not at hand beside the project")
    return path


def generated(folder: Path, mb: float, seed: int, layout: str = "new") -> tuple[Path, dict[str, Any]]:
    """A synthetic history and its truth.

    Args:
        folder: where to write it.
        mb: megabytes.
        seed: of the generator.
        layout: new, or old for sub-agents inside their session's file.

    Returns:
        (projects folder, truth).
    """
    script = need("bench", "gen_claude_history.py")
    command = [sys.executable, str(script), "--out", str(folder), "--mb", str(mb), "--seed", str(seed)]
    command += ["--layout", layout]
    subprocess.run(command, check=True, capture_output=True)
    return folder / ".claude" / "projects", json.loads((folder / "truth.json").read_text())
