"""Rows of the plain-text tables beside this file."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def commands() -> list[tuple[str, str]]:
    """(verb, command) of every row of commands.txt."""
    rows, verb = [], ""
    for line in (HERE / "commands.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            verb = line[3:]
        elif line.startswith("#! "):
            rows.append((verb, line[3:]))
        elif line and not line.startswith("# "):
            rows.append((verb, line))
    return rows
