"""How does a test get a store with failed and successful sessions of known tasks?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tracelode.workspace import Workspace
from written import added, lines

START = 1_790_000_000_000_000
"""Moment of the first session, UTC microseconds."""
HOUR = 3_600_000_000


class Told(NamedTuple):
    """One session of a test."""

    key: str
    """Its key."""
    task: str | None
    """Its task."""
    outcome: str | None
    """success, failure or None."""
    tools: tuple[str, ...]
    """Commands of its tool calls, one model call of 100 output tokens each; a leading ! fails."""
    model: str = "claude-sonnet-4-5-20250929"
    """Model of its calls."""
    project: str = "~/src/parcel"
    """Working folder."""
    hour: int = 0
    """Hours after START at which it begins."""


def paired(folder: Path, sessions: Iterable[Told]) -> Workspace:
    """A store with some sessions.

    Args:
        folder: an empty folder.
        sessions: what it holds.
    """
    return added(folder, {"runs.jsonl": lines(_records(sessions))})[0]


def _records(sessions: Iterable[Told]) -> Iterable[dict[str, Any]]:
    yield {"type": "tracelode", "version": 1}
    for told in sessions:
        common = {"session": told.key, "root": told.key}
        yield {"type": "session", **common, "agent": "bot", "role": "main", "project": told.project,
               "task": told.task, "outcome": told.outcome}  # fmt: skip
        at = START + told.hour * HOUR
        for i, command in enumerate(told.tools):
            call = f"{told.key}-{2 * i}"
            failed, command = command.startswith("!"), command.removeprefix("!")
            both = {"type": "operation", **common, "actor": "agent",
                    "origin": {"adapter": "made", "path": "made", "line": i + 1, "offset": 0}}  # fmt: skip
            yield {**both, "index": 2 * i, "id": call, "kind": "model", "name": told.model, "status": "ok",
                   "fields": {"model": told.model}, "started": at + 20_000_000 * i,
                   "ended": at + 20_000_000 * i + 5_000_000,
                   "measures": {"calls": 1, "tokens.output": 100}}  # fmt: skip
            yield {**both, "index": 2 * i + 1, "id": f"{told.key}-{2 * i + 1}", "kind": "tool",
                   "name": "Bash", "status": "nonzero" if failed else "ok",
                   "fields": {"tool": "Bash", "command": command, "call": call},
                   "started": at + 20_000_000 * i + 5_000_000,
                   "ended": at + 20_000_000 * i + 6_000_000}  # fmt: skip
