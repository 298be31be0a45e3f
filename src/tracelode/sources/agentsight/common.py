"""What do both forms of AgentSight's exports share? Moments, open files, whose session it is."""

from __future__ import annotations

import re
from typing import Any

from tracelode.touches import Process

MILLISECOND = 1_000
SLACK = 999
"""Microseconds that a moment in whole milliseconds may be later."""
FAMILIES = {"claude": "claude-code", "codex": "codex", "gemini": "gemini-cli"}
"""AgentSight's word for an agent to ours."""
DEVICES = "/dev/"
"""Beginning of paths that are no files."""
_WRITES = 3
"""Bits of the flags of an open call that say it may write."""
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_USER = re.compile(rf"_session_({_UUID.pattern})$")


def moment(milliseconds: int | None) -> int | None:
    """UTC microseconds of milliseconds since the epoch."""
    return None if milliseconds is None else milliseconds * MILLISECOND


def opened(flags: int | None) -> str:
    """What a file was opened for: write or open."""
    return "write" if flags is not None and flags > 0 and flags & _WRITES else "open"


def times(count: object) -> int:
    """How often something happened that is told at least once: a count that is none says once."""
    return count if isinstance(count, int) and count > 0 else 1


def session_of_request(details: dict[str, Any] | None) -> str:
    """The session that a request of Claude Code names as its user's, "" for other requests."""
    metadata = (details or {}).get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    found = _USER.search(user) if isinstance(user, str) else None
    return found[1] if found else ""


def session_of_file(attributes: dict[str, Any] | None) -> str:
    """The session that an agent's own file is named after, "" for other names."""
    path = (attributes or {}).get("path")
    found = _UUID.findall(path.rpartition("/")[2]) if isinstance(path, str) else []
    return found[-1] if found else ""


def named(process: Process, comm: str | None, program: str | None) -> None:
    """Set what a process is called: its program, or the short name that the kernel gives."""
    base = (program or "").rpartition("/")[2]
    process.name = base or comm or process.name
