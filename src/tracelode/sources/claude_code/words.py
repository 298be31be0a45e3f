"""Which words of Claude Code mean what: record types, tools, wrappers, denials, durations."""

from __future__ import annotations

import re

from tracelode.model.operation import Actor, Kind, Status
from tracelode.signals.human import human_kind
from tracelode.sources.claude_code.records import Record, ToolResult

SYNTHETIC = "<synthetic>"
STRONG_IDS = ("toolu_", "srvtoolu_", "call_")
"""Tool ids with these beginnings are unique everywhere."""
UNIQUE_LENGTH = 16
"""Shorter ids are not taken to be unique outside their session."""
TOOL_USES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})

QUIET = frozenset(
    (
        "progress",
        "summary",
        "file-history-snapshot",
        "file-history-delta",
        "custom-title",
        "ai-title",
        "agent-name",
        "agent-setting",
        "last-prompt",
        "permission-mode",
        "mode",
        "pr-link",
        "bridge-session",
        "worktree-state",
        "frame-link",
        "started",
        "result",
        "tag",
        "agent-color",
    )
)
"""Known record types without an operation of their own."""

KINDS: dict[str, str] = {
    **dict.fromkeys(
        ("TodoWrite", "TaskCreate", "TaskUpdate", "EnterPlanMode", "ExitPlanMode", "exit_plan_mode"), "plan"
    ),
    "Task": "subagent",
    "Agent": "subagent",
}
"""Tools that are more than a tool."""

ASKS = frozenset({"AskUserQuestion", "ExitPlanMode", "exit_plan_mode"})
"""Tools whose result is a person's answer."""

SYSTEM_NOTES = {
    "compact_boundary": "compaction",
    "microcompact_boundary": "compaction",
    "api_error": "api error",
    "model_refusal_fallback": "model fallback",
}
"""System records that are operations."""

STREAM_NOTES = {
    "compact_boundary": "compaction",
    "microcompact_boundary": "compaction",
    "api_error": "api error",
    "api_retry": "api error",
    "model_refusal_fallback": "model fallback",
}
"""System messages of a run's output that are operations."""

STREAM_QUIET = frozenset(
    (
        "stream_event",
        "rate_limit_event",
        "tool_progress",
        "tool_use_summary",
        "auth_status",
        "prompt_suggestion",
        "control_request",
        "control_response",
        "control_cancel_request",
        "keep_alive",
    )
)
"""Known message types of a run's output without an operation of their own."""

_EXIT = re.compile(r"\s*(?:Error: )?Exit code (\d+)")

USER_KINDS: dict[str, tuple[Actor, Kind, str, str]] = {
    "prompt": ("human", "prompt", "prompt", "prompt"),
    "automated": ("system", "prompt", "prompt", ""),
    "task": ("agent", "prompt", "task prompt", ""),
    "interrupt": ("human", "note", "interrupt", "interrupt"),
    "command": ("human", "note", "local command", ""),
    "harness": ("system", "note", "harness message", ""),
    "summary": ("system", "note", "compaction summary", ""),
    "notification": ("system", "note", "task notification", ""),
}
"""Kind of a user record to (actor, operation kind, name, human moment)."""


def is_harness(text: str) -> bool:
    """Is a text written by the harness and not by a person?"""
    return human_kind(text) == "wrapper"


def user_kind(record: Record, text: str, has_results: bool, role: str) -> str | None:
    """What a user record's text is.

    Args:
        record: the record.
        text: its text blocks joined; "" for none.
        has_results: the record also carries tool results.
        role: main or subagent.

    Returns:
        A key of USER_KINDS, or None where the record is no operation of its own.

    Source:
        formats: Claude Code, human; acceptance cases A14, A15.
    """
    if record.isCompactSummary:
        return "summary"
    origin = record.origin.kind if record.origin is not None else None
    lead = text.lstrip()
    kind = human_kind(text, is_meta=bool(record.isMeta), origin=origin) if lead else "wrapper"
    if kind == "interrupt":
        return "interrupt"
    if not lead or has_results:
        # text beside a result is the harness's word on it, except an interrupt
        return None
    if kind == "prompt":
        if role == "subagent":
            return "task"
        return "automated" if is_automated(record) else "prompt"
    if origin == "task-notification" or lead.startswith("<task-notification"):
        return "notification"
    return "command" if lead.startswith(("<command-name", "<bash-input")) else "harness"


def is_automated(record: Record) -> bool:
    """Did a program start the session, through the SDK or without a screen (entrypoint sdk-cli, sdk-py)?"""
    return record.entrypoint is not None and record.entrypoint.startswith("sdk-")


def starts_turn(kind: str | None, text: str) -> bool:
    """Is a user record one that a rewind can go back to: a prompt, or a command that became one?"""
    return kind in ("prompt", "automated") or text.startswith("<command-message")


def result_status(text: str, failed: bool, record: Record, extra: ToolResult | None) -> Status:
    """How a tool call ended.

    Args:
        text: the result's text.
        failed: its is_error flag.
        record: the record around it.
        extra: the structured result, where there is one.

    Returns:
        ok, error, nonzero, denied or interrupted.
    """
    kind = human_kind(text[:200]) if failed or "[" in text[:1] else "prompt"
    if record.toolDenialKind or kind == "denial":
        return "denied"
    if (extra is not None and extra.interrupted) or kind == "interrupt":
        return "interrupted"
    if not failed:
        return "ok"
    return "nonzero" if _EXIT.match(text) else "error"


def own_duration(extra: ToolResult | None) -> int | None:
    """A tool's own duration in microseconds, None where the record does not tell it."""
    if extra is None:
        return None
    for value, scale in (
        (extra.totalDurationMs, 1000),
        (extra.durationMs, 1000),
        (extra.durationSeconds, 1_000_000),
    ):
        if value is not None and 0 <= value < 10**12:
            return round(value * scale)
    return None
