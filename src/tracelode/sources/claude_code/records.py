"""Which parts of a Claude Code record do we read, and how is a broken one saved as far as possible?"""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode import lenient
from tracelode.lenient import microseconds

__all__ = ["Block", "Inner", "Message", "Record", "ToolResult", "Usage", "decode", "microseconds", "text_of"]


class CacheCreation(msgspec.Struct):
    """Cache writes by lifetime."""

    ephemeral_5m_input_tokens: int | None = None
    """Tokens written for five minutes."""
    ephemeral_1h_input_tokens: int | None = None
    """Tokens written for one hour."""


class ServerUse(msgspec.Struct):
    """Tools that ran on the provider's side, billed per use."""

    web_search_requests: int | None = None
    """Web searches."""
    web_fetch_requests: int | None = None
    """Web fetches."""


class Iteration(msgspec.Struct):
    """One of several inferences behind an API response."""

    type: str | None = None
    """message, advisor_message, fallback_message, ..."""
    model: str | None = None
    """Model that ran, where it is not the message's."""
    input_tokens: int | None = None
    """Fresh input."""
    cache_creation_input_tokens: int | None = None
    """All cache writes."""
    cache_read_input_tokens: int | None = None
    """Cache reads."""
    output_tokens: int | None = None
    """Output with reasoning."""
    cache_creation: CacheCreation | None = None
    """Cache writes by lifetime, where told."""


class Usage(msgspec.Struct):
    """Token counts of one API response, repeated on each of its records."""

    input_tokens: int | None = None
    """Fresh input."""
    cache_creation_input_tokens: int | None = None
    """All cache writes."""
    cache_read_input_tokens: int | None = None
    """Cache reads."""
    output_tokens: int | None = None
    """Output with reasoning; partial until the last record."""
    cache_creation: CacheCreation | None = None
    """Cache writes by lifetime, where told."""
    server_tool_use: ServerUse | None = None
    """Server tool uses."""
    service_tier: str | None = None
    """standard, batch, priority."""
    inference_geo: str | None = None
    """Geography, where told."""
    speed: str | None = None
    """standard or fast."""
    iterations: list[Iteration] | None = None
    """The inferences it took; the counts above leave some of them out."""


class Inner(msgspec.Struct):
    """A block inside a tool result."""

    type: str | None = None
    """text, image, tool_reference."""
    text: str | None = None
    """The text."""


class Block(msgspec.Struct):
    """A content block of a message."""

    type: str | None = None
    """text, thinking, tool_use, tool_result, image, ..."""
    text: str | None = None
    """Text of a text block."""
    id: str | None = None
    """Id of a tool use."""
    name: str | None = None
    """Tool name."""
    input: msgspec.Raw = msgspec.Raw()
    """Tool input, undecoded."""
    tool_use_id: str | None = None
    """The tool use a result answers."""
    content: str | list[Inner] | None = None
    """Result content."""
    is_error: bool | None = None
    """Result flag."""


class Message(msgspec.Struct):
    """The API message inside a record."""

    id: str | None = None
    """Message id, shared by all records of one API call."""
    model: str | None = None
    """Model id."""
    role: str | None = None
    """user or assistant."""
    content: str | list[Block] | None = None
    """Text or blocks."""
    stop_reason: str | None = None
    """Set on the last record of a message."""
    usage: Usage | None = None
    """Token counts."""


class ToolResult(msgspec.Struct):
    """The structured result beside a tool_result block, as far as it concerns us."""

    agentId: str | None = None
    """Sub-agent that ran."""
    agent_id: str | None = None
    """The same in other versions."""
    durationMs: float | None = None
    """Own duration of the tool."""
    totalDurationMs: float | None = None
    """Own duration of a sub-agent."""
    durationSeconds: float | None = None
    """Own duration of a web search."""
    interrupted: bool | None = None
    """The user stopped it."""
    backgroundTaskId: str | None = None
    """It went to the background."""
    isAsync: bool | None = None
    """A sub-agent that runs beside its parent."""
    answers: dict[str, Any] | None = None
    """Answers of the user to a question."""


class Kinded(msgspec.Struct):
    """origin of a user record."""

    kind: str | None = None
    """human, task-notification, ..."""


class Attachment(msgspec.Struct):
    """Attachment payload."""

    type: str | None = None
    """Kind of attachment."""
    prompt: str | list[Inner] | None = None
    """Text of a queued command."""


class Compaction(msgspec.Struct):
    """compactMetadata of a compaction boundary."""

    trigger: str | None = None
    """auto or manual."""
    preTokens: int | None = None
    """Context size before."""


class Record(msgspec.Struct):
    """One line of a transcript."""

    type: str | None = None
    """Record type."""
    subtype: str | None = None
    """Of system records."""
    uuid: str | None = None
    """Own id."""
    parentUuid: str | None = None
    """Id of the record this one follows."""
    timestamp: str | None = None
    """ISO 8601 moment of writing."""
    sessionId: str | None = None
    """Session id; the parent's inside a sub-agent file."""
    agentId: str | None = None
    """Sub-agent id."""
    isSidechain: bool | None = None
    """True inside a sub-agent."""
    cwd: str | None = None
    """Working folder."""
    gitBranch: str | None = None
    """Branch."""
    permissionMode: str | None = None
    """Permission mode."""
    isMeta: bool | None = None
    """Written by the harness."""
    isCompactSummary: bool | None = None
    """Summary after a compaction."""
    isApiErrorMessage: bool | None = None
    """A synthetic error message."""
    entrypoint: str | None = None
    """cli, sdk-cli, ..."""
    message: Message | None = None
    """The API message."""
    toolUseResult: ToolResult | str | list[msgspec.Raw] | None = None
    """Structured tool result."""
    origin: Kinded | None = None
    """Who caused a user record."""
    operation: str | None = None
    """Of queue operations."""
    content: str | list[Inner] | None = None
    """Of queue operations and system records."""
    attachment: Attachment | None = None
    """Of attachments."""
    teamName: str | None = None
    """Team whose members share one list of tasks."""
    toolDenialKind: str | None = None
    """How a tool call was denied."""
    compactMetadata: Compaction | None = None
    """Of compaction boundaries."""
    data: msgspec.Raw = msgspec.Raw()
    """Of progress records, undecoded."""
    parentToolUseID: str | None = None
    """Of progress records: the tool use that goes on."""
    costUSD: float | None = None
    """What the call cost, in versions before 1.0.9."""


class Progress(msgspec.Struct):
    """data of a progress record of a sub-agent."""

    type: str | None = None
    """agent_progress."""
    agentId: str | None = None
    """Sub-agent id."""
    message: Record | None = None
    """The sub-agent's own record, without what the record around it tells."""


def decode(data: bytes) -> tuple[list[Record], list[str]]:
    """The records of one line, and what was wrong with it.

    Args:
        data: the line's bytes.

    Returns:
        (records, complaints), as lenient.decode gives them.
    """
    return lenient.decode(data, Record)


def text_of(content: str | list[Inner] | list[Block] | None) -> str:
    """The text of a content value.

    Args:
        content: a string, or blocks of which those with text count.

    Returns:
        The texts joined by newlines; "" for none.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content if block.text)
