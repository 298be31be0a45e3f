"""Which parts of an Inspect log do we read?"""

from __future__ import annotations

from typing import Any

import msgspec


class Usage(msgspec.Struct):
    """Tokens of one call, or of all calls of a model."""

    input_tokens: int | None = None
    """Input; with cached tokens or without: total_tokens tells."""
    output_tokens: int | None = None
    """Output."""
    total_tokens: int | None = None
    """Sum."""
    input_tokens_cache_read: int | None = None
    """Cache reads."""
    input_tokens_cache_write: int | None = None
    """Cache writes."""
    reasoning_tokens: int | None = None
    """Reasoning; part of output or beside it: total_tokens tells."""
    total_cost: float | None = None
    """Dollars."""


class Output(msgspec.Struct):
    """What a model answered."""

    model: str | None = None
    """Model that answered."""
    choices: list[Any] | None = None
    """Answers."""
    usage: Usage | None = None
    """Tokens."""
    time: float | None = None
    """Seconds the call took."""


class Failure(msgspec.Struct):
    """Why a tool or a sample failed."""

    type: str | None = None
    """Closed word."""
    message: str | None = None
    """Text."""


class Event(msgspec.Struct):
    """An event of a sample's transcript."""

    event: str | None = None
    """Kind."""
    uuid: str | None = None
    """Own id, in newer logs."""
    timestamp: str | None = None
    """When it began."""
    completed: str | None = None
    """When it ended."""
    span_id: str | None = None
    """Span it lies in."""
    parent_id: str | None = None
    """Of span_begin: the span around it."""
    type: str | None = None
    """Of span_begin: agent, tool, solver, ..."""
    name: str | None = None
    """Of span_begin."""
    model: str | None = None
    """Of model: the model that was asked."""
    output: Output | str | None = None
    """Of model."""
    cache: str | None = None
    """Of model: read, where the answer came from Inspect's own cache."""
    id: str | None = None
    """Of tool: id of the call. Of spans: of the span."""
    function: str | None = None
    """Of tool: its name."""
    arguments: Any = None
    """Of tool: its input."""
    result: Any = None
    """Of tool: its result."""
    error: Failure | str | None = None
    """Of model, tool and error."""
    events: list[Event] | None = None
    """Of tool and subtask: what happened inside."""
    input: Any = None
    """Of input: what a person typed."""
    message: Any = None
    """Of sample_limit and info."""


class Message(msgspec.Struct):
    """A message of a conversation."""

    id: str | None = None
    """Own id."""
    role: str | None = None
    """system, user, assistant, tool."""
    content: Any = None
    """Text or parts."""
    model: str | None = None
    """Model of an answer."""
    tool_calls: list[Any] | None = None
    """Tool calls of an answer."""
    tool_call_id: str | None = None
    """Call that a tool's message answers."""
    function: str | None = None
    """Tool of a tool's message."""
    error: Failure | None = None
    """Why a tool failed."""


class Transcript(msgspec.Struct):
    """Events in older logs."""

    events: list[Event] | None = None
    """What happened."""
    content: dict[str, Any] | None = None
    """Attachments by hash."""


class Sample(msgspec.Struct):
    """One sample of one epoch."""

    id: Any = None
    """Id in the data set: text or number."""
    epoch: int | None = None
    """1-based."""
    uuid: str | None = None
    """Own id, in newer logs."""
    input: Any = None
    """What was asked: text or messages."""
    messages: list[Message] | None = None
    """The conversation in the end."""
    output: Output | None = None
    """The last answer."""
    scores: dict[str, Any] | None = None
    """Scores by scorer."""
    model_usage: dict[str, Usage] | None = None
    """Tokens by model."""
    events: list[Event] | None = None
    """What happened."""
    transcript: Transcript | None = None
    """The same in older logs."""
    attachments: dict[str, Any] | None = None
    """Long texts by hash."""


class Spec(msgspec.Struct):
    """What was evaluated."""

    eval_id: str | None = None
    """Id of the evaluation, in newer logs."""
    run_id: str | None = None
    """Id of the run."""
    task_id: str | None = None
    """Id of the task in the run."""
    task: str | None = None
    """Task name."""
    model: str | None = None
    """Main model."""
    solver: str | None = None
    """Solver or agent, where one was named."""


class Log(msgspec.Struct):
    """A whole log, or the header of an archive."""

    version: int | None = None
    """Of the format."""
    status: str | None = None
    """started, success, cancelled, error."""
    eval: Spec | None = None
    """What was evaluated."""
    samples: list[Sample] | None = None
    """Samples, in whole logs."""
