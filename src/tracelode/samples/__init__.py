"""Where do the bundled samples lie? Written by tools/make_samples.py; none of it is a real history."""

from __future__ import annotations

from pathlib import Path


def projects() -> Path:
    """The folder of the bundled sessions, laid out as ~/.claude/projects.

    Returns:
        An existing folder of the installed package.
    """
    return Path(__file__).parent / "projects"


def travel() -> Path:
    """The folder of the runs of a travel desk, written by tools/make_travel.py.

    Returns:
        An existing folder of the installed package: runs.jsonl, outcomes.csv, tools.json.
    """
    return Path(__file__).parent / "travel"
