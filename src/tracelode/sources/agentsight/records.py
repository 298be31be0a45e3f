"""What do AgentSight's exports hold? The parts that are read; every field may be missing."""

from __future__ import annotations

from typing import Any

import msgspec


class Node(msgspec.Struct):
    """A process of a snapshot."""

    id: str | None = None
    """AgentSight's own name of it."""
    pid: int | None = None
    """Its number."""
    ppid: int | None = None
    """Number of its parent."""
    start_timestamp_ms: int | None = None
    """When it ran its first program."""
    end_timestamp_ms: int | None = None
    """When it ended."""
    comm: str | None = None
    """Short name."""
    command: str | None = None
    """Path of the program."""
    argv: list[str] | None = None
    """Arguments, often empty."""
    cwd: str | None = None
    """Working folder."""
    exit_code: int | None = None
    """Exit code."""


class Audit(msgspec.Struct):
    """An event of a snapshot."""

    timestamp_ms: int | None = None
    """When."""
    audit_type: str | None = None
    """process, file or llm."""
    action: str | None = None
    """exec, exit, write, open, request and so on."""
    pid: int | None = None
    """Process."""
    comm: str | None = None
    """Its short name."""
    target: str | None = None
    """Path or host."""
    details: dict[str, Any] | None = None
    """What the kernel told, or the request."""


class Target(msgspec.Struct):
    """A host and path that a process sent requests to."""

    pid: int | None = None
    """Process."""
    comm: str | None = None
    """Its short name."""
    host: str | None = None
    """Host."""
    count: int | None = None
    """Requests."""
    first_timestamp_ms: int | None = None
    """First request."""
    last_timestamp_ms: int | None = None
    """Last request."""


class Session(msgspec.Struct):
    """A session of an agent, read by AgentSight from the agent's own file."""

    id: str | None = None
    """AgentSight's own name of it."""
    agent_type: str | None = None
    """claude, codex and so on."""
    attributes: dict[str, Any] | None = None
    """path: the agent's own file."""


class ToolCall(msgspec.Struct):
    """A tool call, read from the same file."""

    session_id: str | None = None
    """AgentSight's name of the session."""
    tool_call_id: str | None = None
    """The agent's own id of it."""
    related_pid: int | None = None
    """Process that it started."""
    timestamp_ms: int | None = None
    """When."""


class Summary(msgspec.Struct):
    """Sums of a snapshot."""

    start_timestamp_ms: int | None = None
    """First event."""


class Snapshot(msgspec.Struct):
    """A whole export."""

    schema_version: int | None = None
    """Its version."""
    summary: Summary | None = None
    """Sums."""
    process_nodes: list[Node] | None = None
    """Processes."""
    audit_events: list[Audit] | None = None
    """What they did."""
    network_targets: list[Target] | None = None
    """Whom they sent requests to."""
    sessions: list[Session] | None = None
    """Agents' sessions."""
    tool_calls: list[ToolCall] | None = None
    """Agents' tool calls."""
    token_summary: list[Any] | None = None
    """Sums of tokens."""
    resource_samples: list[Any] | None = None
    """Processor and memory."""


class Data(msgspec.Struct):
    """What a tracer told."""

    event: str | None = None
    """EXEC, EXIT, FILE_OPEN and so on."""
    pid: int | None = None
    """Process."""
    ppid: int | None = None
    """Its parent."""
    comm: str | None = None
    """Its short name."""
    filename: str | None = None
    """Program that it runs."""
    full_command: str | None = None
    """Its command line."""
    exit_code: int | None = None
    """Its exit code."""
    filepath: str | None = None
    """File that it opens."""
    flags: int | None = None
    """How."""
    count: int | None = None
    """How often."""
    function: str | None = None
    """READ/RECV or WRITE/SEND of encrypted traffic."""
    len: int | None = None
    """Bytes of that."""
    method: str | None = None
    """Method of a request."""
    path: str | None = None
    """Path of a request."""
    host: str | None = None
    """Host of a request."""
    headers: dict[str, Any] | None = None
    """Headers of a request."""


class Event(Data):
    """One line of a log: what a tracer told, alone or inside of what the collector adds."""

    timestamp: int | None = None
    """Milliseconds since the epoch where the collector wrote it, else the kernel's nanoseconds."""
    source: str | None = None
    """Tracer or analyser: process, ssl, http_parser, sse_processor, system."""
    data: Any = None
    """What it told."""
