"""Which parts of a mini-swe-agent trajectory do we read?"""

from __future__ import annotations

from typing import Any

import msgspec


class Extra(msgspec.Struct):
    """What the agent noted beside a message."""

    actions: list[Any] | None = None
    """Commands taken out of the message."""
    response: Any = None
    """The model server's answer, with usage."""
    cost: float | None = None
    """Dollars of the call."""
    timestamp: float | None = None
    """Unix seconds."""
    returncode: int | None = None
    """Exit code of the command."""
    raw_output: Any = None
    """Its output, before it was put into a template."""
    exception_info: Any = None
    """Why it could not be run or finished."""
    interrupt_type: str | None = None
    """What ended the turn: FormatError, UserInterruption, ..."""
    model_response: Any = None
    """Words of an answer that had no command."""
    exit_status: str | None = None
    """In the last message: how the run ended."""


class Message(msgspec.Struct):
    """One message: of a chat, or of the Responses API."""

    role: str | None = None
    """system, user, assistant, tool or exit."""
    content: Any = None
    """Text or blocks."""
    tool_calls: list[Any] | None = None
    """Calls of the bash tool."""
    tool_call_id: str | None = None
    """The call a result answers."""
    type: str | None = None
    """function_call_output, message."""
    object: str | None = None
    """response."""
    output: Any = None
    """Parts of a response, or text of a result."""
    call_id: str | None = None
    """The call a result answers."""
    usage: Any = None
    """Token counts of a response."""
    extra: Extra | None = None
    """What the agent noted."""


class Stats(msgspec.Struct):
    """What the run spent."""

    instance_cost: float | None = None
    """Dollars."""
    api_calls: int | None = None
    """Model calls."""


class Info(msgspec.Struct):
    """What is known of the run."""

    model_stats: Stats | None = None
    """What it spent."""
    config: Any = None
    """Agent, model and environment."""
    exit_status: str | None = None
    """Submitted, LimitsExceeded, ..."""
    mini_version: str | None = None
    """Version of the agent."""


class Trajectory(msgspec.Struct):
    """A .traj.json file."""

    info: Info | None = None
    """The run."""
    messages: list[Message] | None = None
    """All messages, in order."""
    instance_id: str | None = None
    """The benchmark's task."""


def is_call(message: Message) -> bool:
    """Does a message stand for a model call? An answer without a command is kept in the complaint on it."""
    extra = message.extra
    lost = message.role == "user" and extra is not None and extra.interrupt_type == "FormatError"
    return message.role == "assistant" or message.object == "response" or lost
