"""Which parts of the stream's events do we read?"""

from __future__ import annotations

from typing import Any

import msgspec


class FileChange(msgspec.Struct):
    """A file that was changed."""

    path: str | None = None
    """File."""


class Failure(msgspec.Struct):
    """Why something failed."""

    message: str | None = None
    """The words."""


class Item(msgspec.Struct):
    """Something that happened in a turn."""

    id: str | None = None
    """item_0, item_1, ...: counts from the start of a run."""
    type: str | None = None
    """agent_message, command_execution, ..."""
    text: str | None = None
    """Of a message, reasoning or plan."""
    command: str | None = None
    """Shell command."""
    aggregated_output: str | None = None
    """What it printed."""
    exit_code: int | None = None
    """How it ended."""
    status: str | None = None
    """in_progress, completed, failed, declined."""
    changes: list[FileChange] | None = None
    """Files of a patch."""
    server: str | None = None
    """MCP server."""
    tool: str | None = None
    """Tool of the server, or among agents."""
    arguments: Any = None
    """Input of an MCP tool."""
    result: Any = None
    """Result of an MCP tool."""
    error: Failure | None = None
    """Why an MCP tool failed."""
    query: str | None = None
    """Web search."""
    action: Any = None
    """What the web search did."""
    items: Any = None
    """Plan."""
    prompt: str | None = None
    """Task of a sub-agent."""
    receiver_thread_ids: list[str] | None = None
    """Sub-agents concerned."""
    message: str | None = None
    """Of an error."""


class Usage(msgspec.Struct):
    """Tokens of the thread since its start."""

    input_tokens: int | None = None
    """All input."""
    cached_input_tokens: int | None = None
    """Input read from a cache."""
    cache_write_input_tokens: int | None = None
    """Input written to a cache, in late versions."""
    output_tokens: int | None = None
    """All output."""
    reasoning_output_tokens: int | None = None
    """Output that was reasoning, in late versions."""


class Event(msgspec.Struct):
    """One line."""

    type: str | None = None
    """thread.started, turn.completed, item.completed, ..."""
    thread_id: str | None = None
    """Of thread.started."""
    item: Item | None = None
    """Of item.*."""
    usage: Usage | None = None
    """Of turn.completed."""
    message: str | None = None
    """Of error."""
