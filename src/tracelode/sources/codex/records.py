"""Which parts of a Codex rollout's records do we read?"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec


class Git(msgspec.Struct):
    """Version control at the start."""

    branch: str | None = None
    """Branch."""


class Part(msgspec.Struct):
    """A part of a message's content."""

    type: str | None = None
    """input_text, output_text, input_image."""
    text: str | None = None
    """The text."""


class Item(msgspec.Struct):
    """Payload of a response_item: what the model said, called or was told."""

    type: str | None = None
    """message, reasoning, function_call, function_call_output, ..."""
    role: str | None = None
    """user, assistant or developer."""
    content: str | list[Part] | None = None
    """Content of a message."""
    name: str | None = None
    """Tool name."""
    namespace: str | None = None
    """Server of an MCP tool, as a prefix of its name."""
    arguments: Any = None
    """Input of a function call: a string that holds JSON, in some writers an object."""
    input: Any = None
    """Input of a custom tool call, text."""
    output: Any = None
    """Result: a string, a list of parts, or an object."""
    action: Any = None
    """Of a shell call or a web search."""
    status: str | None = None
    """State of the item, not of what the tool did."""
    id: str | None = None
    """Id of the item; in the old grammar's first line that of the session."""
    call_id: str | None = None
    """Id that joins a call and its result."""


class Record(Item):
    """One line: an envelope around a payload, or in the old grammar a bare item."""

    timestamp: str | None = None
    """Moment of writing."""
    ordinal: int | None = None
    """Number of the record, in late versions."""
    payload: msgspec.Raw = msgspec.Raw()
    """What the type says, undecoded."""
    record_type: str | None = None
    """Old grammar: state, a mark between two responses."""
    instructions: msgspec.Raw = msgspec.Raw()
    """Old grammar, first line."""
    git: Git | None = None
    """Old grammar, first line."""


class Meta(msgspec.Struct):
    """Payload of session_meta."""

    id: str | None = None
    """Thread id."""
    session_id: str | None = None
    """Root of a tree of agents, in late versions."""
    timestamp: str | None = None
    """When the thread was made."""
    cwd: str | None = None
    """Working folder."""
    source: Any = None
    """cli, exec, vscode, or an object that names a kind of sub-agent."""
    thread_source: str | None = None
    """user or subagent."""
    parent_thread_id: str | None = None
    """Thread that started this one."""
    forked_from_id: str | None = None
    """Thread whose history this one copied."""
    subagent_history_start_ordinal: int | None = None
    """Number of the first record that is no copy, in late versions."""
    git: Git | None = None
    """Version control."""


class Turn(msgspec.Struct):
    """Payload of turn_context."""

    turn_id: str | None = None
    """Turn."""
    model: str | None = None
    """Model id: told nowhere else."""
    effort: str | None = None
    """Reasoning effort."""
    approval_policy: Any = None
    """When a person is asked."""


class Usage(msgspec.Struct):
    """Token counts; each is a part of input or of output, but total is their sum."""

    input_tokens: int | None = None
    """All input, cached or not."""
    cached_input_tokens: int | None = None
    """Input read from a cache."""
    cache_write_input_tokens: int | None = None
    """Input written to a cache."""
    output_tokens: int | None = None
    """All output, reasoning too."""
    reasoning_output_tokens: int | None = None
    """Output that was reasoning."""
    total_tokens: int | None = None
    """Input and output."""


class Info(msgspec.Struct):
    """Counters of a token_count."""

    total_token_usage: Usage | None = None
    """Since the start of the thread."""
    last_token_usage: Usage | None = None
    """Of the last response."""


class Event(msgspec.Struct):
    """Payload of an event_msg."""

    type: str | None = None
    """Kind of event."""
    message: str | None = None
    """Text of a message or an error."""
    info: Info | None = None
    """Counters; null where only limits are told."""
    turn_id: str | None = None
    """Turn."""
    started_at: float | None = None
    """Start of the turn, seconds since the epoch, in some writers milliseconds."""
    reason: str | None = None
    """Why a turn was aborted."""
    call_id: str | None = None
    """The tool call an end belongs to."""
    event_id: str | None = None
    """The same, of a sub-agent's activity."""
    kind: str | None = None
    """started, interacted, interrupted: of a sub-agent's activity."""
    exit_code: int | None = None
    """Of a command."""
    status: Any = None
    """completed, failed, declined; of events among agents an object."""
    success: bool | None = None
    """Of a patch."""
    duration: Any = None
    """Own duration: seconds and nanoseconds."""
    result: Any = None
    """Of an MCP call: {"Ok": {...}} or {"Err": ...}."""
    new_thread_id: str | None = None
    """Sub-agent that was started."""
    agent_thread_id: str | None = None
    """The same in other versions."""
    item: Any = None
    """Of item_completed."""


def text_of(content: Any) -> str:
    """The text of a content or output value.

    Args:
        content: a string, parts of which those with text count, or an object with one.

    Returns:
        The texts joined by newlines; "" for none.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return text_of(content.get("content", content.get("text")))
    if not isinstance(content, list):
        return ""
    texts = [part.text if isinstance(part, Part) else _text(part) for part in content]
    return "\n".join(text for text in texts if text)


def _text(part: Any) -> str | None:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else None


def born(identifier: str | None) -> int | None:
    """When an id was made.

    Args:
        identifier: an id, perhaps a UUID of version 7.

    Returns:
        UTC microseconds, to the millisecond; None for any other id.

    Source:
        RFC 9562, section 5.7.
    """
    try:
        value = UUID(identifier or "")
    except ValueError:
        return None
    return (value.int >> 80) * 1000 if value.version == 7 else None
