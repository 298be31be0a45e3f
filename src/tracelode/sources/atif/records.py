"""Which parts of an ATIF trajectory do we read?"""

from __future__ import annotations

from typing import Any

import msgspec


class Metrics(msgspec.Struct):
    """Tokens and money of a step."""

    prompt_tokens: int | None = None
    """Input, cached tokens included."""
    completion_tokens: int | None = None
    """Output with reasoning."""
    cached_tokens: int | None = None
    """Part of the input that was read from a cache."""
    cost_usd: float | None = None
    """Dollars."""
    extra: dict[str, Any] | None = None
    """Provider's own figures."""


class Ref(msgspec.Struct):
    """Where the trajectory of a sub-agent is."""

    trajectory_id: str | None = None
    """Id of one inside this file, from version 1.7 on."""
    session_id: str | None = None
    """Its session id; the key up to version 1.6."""
    trajectory_path: str | None = None
    """A file."""


class Result(msgspec.Struct):
    """What a tool or the environment answered."""

    source_call_id: str | None = None
    """The call it answers, None for the step as a whole."""
    content: Any = None
    """Text, or parts from version 1.6 on."""
    subagent_trajectory_ref: list[Ref] | None = None
    """Sub-agents that gave the answer."""
    extra: dict[str, Any] | None = None
    """Whatever else."""


class Observation(msgspec.Struct):
    """Answers of a step."""

    results: list[Result] | None = None
    """One a tool call, mostly."""


class ToolCall(msgspec.Struct):
    """A tool call."""

    tool_call_id: str | None = None
    """Id inside the step."""
    function_name: str | None = None
    """Tool name."""
    arguments: Any = None
    """Input."""
    extra: dict[str, Any] | None = None
    """Whatever else."""


class Step(msgspec.Struct):
    """One step."""

    step_id: int | None = None
    """1-based number."""
    timestamp: str | None = None
    """When it happened."""
    source: str | None = None
    """system, user or agent."""
    model_name: str | None = None
    """Model, where it is not the agent's."""
    message: Any = None
    """Text, or parts from version 1.6 on."""
    tool_calls: list[ToolCall] | None = None
    """Tool calls."""
    observation: Observation | None = None
    """Answers."""
    metrics: Metrics | None = None
    """Tokens and money."""
    is_copied_context: bool | None = None
    """The step repeats one of an earlier trajectory."""
    llm_call_count: int | None = None
    """API calls behind the step; 0 where no model was asked."""
    extra: dict[str, Any] | None = None
    """Whatever else."""


class Agent(msgspec.Struct):
    """Who ran."""

    name: str | None = None
    """Product."""
    model_name: str | None = None
    """Model of steps that name none."""
    extra: dict[str, Any] | None = None
    """Whatever else."""


class Totals(msgspec.Struct):
    """Sums as the producer counted them; used only where no step tells its own."""

    total_prompt_tokens: int | None = None
    """Input."""
    total_completion_tokens: int | None = None
    """Output."""
    total_cached_tokens: int | None = None
    """Cache reads."""
    total_cost_usd: float | None = None
    """Dollars."""
    extra: dict[str, Any] | None = None
    """Whatever else."""


class Trajectory(msgspec.Struct):
    """A trajectory."""

    schema_version: str | None = None
    """ATIF-v1.0 and so on."""
    session_id: str | None = None
    """Id of the run."""
    trajectory_id: str | None = None
    """Id of this document, from version 1.7 on."""
    agent: Agent | None = None
    """Who ran."""
    steps: list[Step] | None = None
    """What happened."""
    final_metrics: Totals | None = None
    """Sums."""
    subagent_trajectories: list[Trajectory] | None = None
    """Sub-agents, from version 1.7 on."""
    extra: dict[str, Any] | None = None
    """Whatever else."""
