"""Which parts of an export of OpenCode do we read?"""

from __future__ import annotations

from typing import Any

import msgspec


class Cache(msgspec.Struct):
    """Tokens of the prompt that a cache took part in."""

    read: int | None = None
    """Read from it."""
    write: int | None = None
    """Written to it."""


class Tokens(msgspec.Struct):
    """Token counts of one step or message."""

    total: int | None = None
    """Sum of the others, in later versions."""
    input: int | None = None
    """Prompt without what the cache took part in."""
    output: int | None = None
    """Output; whether reasoning is part of it, the total tells."""
    reasoning: int | None = None
    """Reasoning."""
    cache: Cache | None = None
    """Cached parts of the prompt."""


class Time(msgspec.Struct):
    """Moments in milliseconds since the epoch."""

    created: int | float | None = None
    """Of a session or message."""
    completed: int | float | None = None
    """End of a message."""
    start: int | float | None = None
    """Of a part."""
    end: int | float | None = None
    """Of a part."""


class ToolState(msgspec.Struct):
    """A tool call with its result."""

    status: str | None = None
    """pending, running, completed or error."""
    input: Any = None
    """Input."""
    output: Any = None
    """Result."""
    error: Any = None
    """What went wrong."""
    title: Any = None
    """Title on the screen."""
    metadata: Any = None
    """exit of a command, sessionId of a sub-agent, interrupted."""
    time: Time | None = None
    """When it ran."""


class Part(msgspec.Struct):
    """A part of a message."""

    id: str | None = None
    """Own id."""
    type: str | None = None
    """text, reasoning, tool, step-start, step-finish, compaction, ..."""
    text: str | None = None
    """Of text and reasoning."""
    synthetic: bool | None = None
    """Written by the program."""
    tool: str | None = None
    """Tool name."""
    callID: str | None = None
    """Id of the call."""
    state: ToolState | None = None
    """Of a tool."""
    tokens: Tokens | None = None
    """Of a step that ended."""
    cost: float | None = None
    """Dollars of a step that ended."""
    auto: bool | None = None
    """Was the compaction not asked for?"""
    time: Time | None = None
    """When it was written."""


class Wrong(msgspec.Struct):
    """An error of a message."""

    name: str | None = None
    """MessageAbortedError where a person stopped it."""
    data: Any = None
    """What else is known."""


class Where(msgspec.Struct):
    """Folders of a message."""

    cwd: str | None = None
    """Working folder."""


class Info(msgspec.Struct):
    """What a message says of itself."""

    id: str | None = None
    """Own id."""
    role: str | None = None
    """user or assistant."""
    time: Time | None = None
    """When."""
    modelID: str | None = None
    """Model id of an answer."""
    providerID: str | None = None
    """Who serves it."""
    mode: str | None = None
    """build, plan, ..."""
    cost: float | None = None
    """Dollars of the whole message."""
    tokens: Tokens | None = None
    """Of its last step."""
    error: Wrong | None = None
    """How it failed."""
    path: Where | None = None
    """Folders."""
    summary: Any = None
    """True on an answer that is the summary of a compaction."""


class Message(msgspec.Struct):
    """A message with its parts."""

    info: Info | None = None
    """About it."""
    parts: list[Part] | None = None
    """Parts in order."""


class SessionInfo(msgspec.Struct):
    """What a session says of itself."""

    id: str | None = None
    """Session id."""
    parentID: str | None = None
    """The session that started it."""
    directory: str | None = None
    """Working folder."""
    version: str | None = None
    """Version of OpenCode."""
    time: Time | None = None
    """When."""


class Export(msgspec.Struct):
    """The whole file."""

    info: SessionInfo | None = None
    """The session."""
    messages: list[Message] | None = None
    """Messages in order."""
