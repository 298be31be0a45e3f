"""Which parts of a Copilot CLI event do we read?"""

from __future__ import annotations

from typing import Any

import msgspec


class Place(msgspec.Struct):
    """Where a session runs."""

    cwd: str | None = None
    """Working folder."""
    branch: str | None = None
    """Version-control branch."""


class Usage(msgspec.Struct):
    """Token counts: of all calls of a model in one run, or of one call."""

    inputTokens: int | None = None
    """Input, cached tokens included."""
    outputTokens: int | None = None
    """Output, reasoning included."""
    cacheReadTokens: int | None = None
    """Tokens read from a cache."""
    cacheWriteTokens: int | None = None
    """Tokens written to a cache."""
    reasoningTokens: int | None = None
    """Reasoning, part of output."""
    input: int | None = None
    """inputTokens in older compactions."""
    output: int | None = None
    """outputTokens in older compactions."""
    cachedInput: int | None = None
    """cacheReadTokens in older compactions."""
    model: str | None = None
    """Model of a single call."""


class Requests(msgspec.Struct):
    """How often a model was called."""

    count: int | None = None
    """API requests."""


class Metric(msgspec.Struct):
    """What one model did in one run."""

    requests: Requests | None = None
    """Number of calls."""
    usage: Usage | None = None
    """Their tokens."""


class Request(msgspec.Struct):
    """A tool call as the model asked for it."""

    toolCallId: str | None = None
    """Id."""
    name: str | None = None
    """Tool name."""
    arguments: Any = None
    """Input."""
    intentionSummary: str | None = None
    """The agent's words on the call."""


class Content(msgspec.Struct):
    """A block of a tool's result."""

    exitCode: int | None = None
    """Exit code of a command."""


class Result(msgspec.Struct):
    """Result of a tool, or of a question for permission."""

    content: str | None = None
    """What the model sees."""
    contents: list[Content] | None = None
    """Blocks."""
    kind: str | None = None
    """approved, denied-interactively-by-user, ..."""


class Failure(msgspec.Struct):
    """Why a tool failed."""

    message: str | None = None
    """Text."""
    code: str | None = None
    """Closed word."""


class Data(msgspec.Struct):
    """Payload of an event."""

    sessionId: str | None = None
    """Of session.start."""
    detachedFromSpawningParentSessionId: str | None = None
    """Session that a detached one continues."""
    context: Place | None = None
    """Of session.start and session.resume."""
    sessionWasActive: bool | None = None
    """Of session.resume: another client was at work, so no run has ended."""
    selectedModel: str | None = None
    """Model at the start."""
    newModel: str | None = None
    """Model after a change."""
    messageId: str | None = None
    """Of assistant.message."""
    apiCallId: str | None = None
    """API call that a message or a usage belongs to."""
    parentToolCallId: str | None = None
    """Tool call whose sub-agent wrote the event, in older versions."""
    model: str | None = None
    """Model of a message, a usage or a compaction."""
    content: str | None = None
    """Text of a message."""
    toolRequests: list[Request] | None = None
    """Tool calls of a message."""
    outputTokens: int | None = None
    """Output of a message's API call."""
    inputTokens: int | None = None
    """Of assistant.usage."""
    cacheReadTokens: int | None = None
    """Of assistant.usage."""
    cacheWriteTokens: int | None = None
    """Of assistant.usage."""
    reasoningTokens: int | None = None
    """Of assistant.usage."""
    source: str | None = None
    """Who wrote a user message, where no person did."""
    delivery: str | None = None
    """idle, steering or queued."""
    agentMode: str | None = None
    """Mode in which a user message was sent."""
    isAutopilotContinuation: bool | None = None
    """A user message of the client's own."""
    toolCallId: str | None = None
    """Of tool, permission and sub-agent events."""
    toolName: str | None = None
    """Of tool events."""
    arguments: Any = None
    """Of tool events."""
    success: bool | None = None
    """Of tool.execution_complete and compactions."""
    result: Result | None = None
    """Of tool.execution_complete and permission.completed."""
    error: Failure | str | None = None
    """Of tool.execution_complete and compactions."""
    requestId: str | None = None
    """Of permission events."""
    permissionRequest: Request | None = None
    """Of permission.requested."""
    reason: str | None = None
    """Of abort."""
    message: str | None = None
    """Of session.error."""
    trigger: str | None = None
    """Of compactions."""
    compactionTokensUsed: Usage | None = None
    """Tokens of the call that summarised the conversation."""
    modelMetrics: dict[str, Metric] | None = None
    """Of session.shutdown: usage by model."""


class Event(msgspec.Struct):
    """One line."""

    type: str | None = None
    """Event type."""
    id: str | None = None
    """Own id."""
    timestamp: str | None = None
    """ISO 8601 moment."""
    agentId: str | None = None
    """Sub-agent that wrote it."""
    data: Data | None = None
    """Payload."""
