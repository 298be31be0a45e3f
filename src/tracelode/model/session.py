"""What a session is: the ordered operations of one run, and how it hangs on others."""

from __future__ import annotations

import msgspec


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One run of an agent, or of one of its sub-agents."""

    key: str
    """Session key: the source's id; root id "/" agent id for a sub-agent."""
    root: str
    """Key of the root session; equal to key for a root."""
    agent: str
    """The product that ran, such as claude-code."""
    role: str
    """main, subagent, or effects for a log of processes, files and hosts."""
    project: str
    """Working folder, home folder as ~."""
    parent_operation: str | None = None
    """Id of the operation that started this sub-agent, None if unknown or a root."""
    started: int | None = None
    """UTC microseconds of the first own record."""
    ended: int | None = None
    """UTC microseconds of the last own record."""
    operations: int = 0
    """Number of own (not inherited) operations."""
    inherited: int = 0
    """Number of operations owned by another session."""
    calls: int = 0
    """Own model calls."""
    intent: str = ""
    """Closed root name."""
    task: str | None = None
    """Known task, ticket or benchmark id, None if unknown."""
    outcome: str | None = None
    """success, failure or None."""
    proxy: str | None = None
    """Observed hint at how it ended (signals.outcome), never a verdict."""
    fork_of: str | None = None
    """Root key of the session that owns the inherited operations."""
    source: str = ""
    """Path of the file as stored in origins."""
