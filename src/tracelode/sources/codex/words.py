"""Which words of Codex mean what: record, item and event types, tools, results."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tracelode.model.operation import Status

QUIET = frozenset(
    (
        "world_state",
        "token_usage_record",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
    )
)
"""Known record types without an operation of their own; the tokens of token_usage_record are in
token_count as well."""

QUIET_ITEMS = frozenset(
    (
        "additional_tools",
        "agent_message",
        "compaction",
        "compaction_summary",
        "compaction_trigger",
        "context_compaction",
        "ghost_snapshot",
        "other",
    )
)
"""Known response items without an operation of their own."""

ECHOES = frozenset(
    (
        "agent_message",
        "agent_reasoning",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "image_generation_end",
        "web_search_end",
    )
)
"""Events that say again what a response item of the same moment says."""

QUIET_EVENTS = frozenset(
    (
        "background_event",
        "collab_agent_interaction_end",
        "collab_agent_spawn_begin",
        "collab_close_end",
        "collab_resume_end",
        "collab_waiting_end",
        "deprecation_notice",
        "dynamic_tool_call_request",
        "entered_review_mode",
        "exec_command_begin",
        "exited_review_mode",
        "guardian_assessment",
        "hook_completed",
        "hook_started",
        "item_completed",
        "item_started",
        "mcp_tool_call_begin",
        "model_reroute",
        "patch_apply_begin",
        "plan_update",
        "session_configured",
        "shutdown_complete",
        "sub_agent_activity",
        "terminal_interaction",
        "thread_goal_updated",
        "thread_name_updated",
        "thread_rolled_back",
        "thread_settings_applied",
        "turn_diff",
        "undo_completed",
        "view_image_tool_call",
        "warning",
        "web_search_begin",
    )
)
"""Known events without an operation of their own."""

KINDS: dict[str, str] = {"update_plan": "plan", "spawn_agent": "subagent"}
"""Tools that are more than a tool."""

SHELLS = frozenset({"exec_command", "shell", "local_shell", "shell_command", "container.exec"})
"""Tools that run a command, so that a result without an exit code leaves open how it ended."""

ASKS = frozenset({"request_user_input"})
"""Tools whose result is a person's answer."""

PROGRAMS = ("exec", "mcp")
"""Sources of a thread whose prompts a program writes."""

WAITS = frozenset({"wait_agent"})
"""Tools that only wait for another agent."""

EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh"})
"""Reasoning efforts that are named."""

_HARNESS = re.compile(
    r"\s*(?:# AGENTS\.md instructions\b"
    r"|<(?:environment_context|user_instructions|permissions instructions|collaboration_mode|turn_aborted"
    r"|subagent_notification|skill|skills_instructions|user_action|INSTRUCTIONS|model_switch"
    r"|apps_instructions|plugins_instructions|multi_agent_mode|hook_prompt|goal_context)\b)"
)
_EXITED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})\b", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\S{1,64})", re.MULTILINE)
_WALL = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds", re.MULTILINE)
_ABORTED = re.compile(r"aborted(?: by user)?(?: after (\d{1,9}(?:\.\d{1,9})?) ?s)?\s*$")
_FAILED = re.compile(
    r"(?:[\w./-]{1,64} ){1,3}failed\b|failed (?:to parse|in sandbox)\b|execution error\b|unsupported call\b",
    re.IGNORECASE,
)
_REJECTED = re.compile(r"(?:exec command|command|patch) rejected\b", re.IGNORECASE)
_BLOCKED = re.compile(r"Rejected\(|SandboxDenied\b|Sandbox\(Denied|rejected by user|rejected: blocked")
_HEAD, _MESSAGE = 400, 4_000
"""Characters of a result, and of a failure, in which Codex's own words lie."""
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+?)\s*$", re.MULTILINE)


class _Metadata(msgspec.Struct):
    exit_code: int | None = None
    duration_seconds: float | None = None


class _Envelope(msgspec.Struct):
    output: str
    metadata: _Metadata


_ENVELOPE = msgspec.json.Decoder(_Envelope)


class Outcome(msgspec.Struct, frozen=True):
    """How a tool call ended, as far as its result tells."""

    status: Status
    """ok, nonzero, error, denied, interrupted, running or unknown."""
    text: str
    """What the tool printed."""
    own: int | None = None
    """Own duration in microseconds."""
    process: str = ""
    """Id of a process that goes on."""
    code: int | None = None
    """Exit code."""
    human: bool = False
    """A person refused it."""


def is_harness(text: str) -> bool:
    """Is a text in a person's place written by Codex itself?"""
    return _HARNESS.match(text) is not None


def outcome(text: str, shell: bool) -> Outcome:
    """How a tool call ended.

    Args:
        text: the result.
        shell: the tool runs commands.

    Returns:
        Its outcome. Only what Codex writes around a result is looked at, not what the tool printed.

    Source:
        formats: Codex; acceptance case B12.
    """
    if text.startswith("{"):
        try:
            found = _ENVELOPE.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError):
            pass
        else:
            return _by_code(
                found.metadata.exit_code, found.output, _micro(found.metadata.duration_seconds), shell
            )
    aborted = _ABORTED.match(text)
    if aborted:
        return Outcome("interrupted", text, _micro(aborted[1]))
    if _REJECTED.match(text) or _FAILED.match(text):
        words = text[:_MESSAGE]
        if _REJECTED.match(text) or _BLOCKED.search(words):
            return Outcome("denied", text, human="by user" in words)
        return Outcome("error", text)
    header = _header(text)
    wall = _WALL.search(header)
    own = _micro(wall[1]) if wall else None
    going = _RUNNING.search(header)
    if going:
        return Outcome("running", text, own, process=going[1])
    exited = _EXITED.search(header)
    return _by_code(int(exited[1]) if exited else None, text, own, shell)


def _header(text: str) -> str:
    """What Codex writes ahead of a result, "" where it writes nothing."""
    start = text.find("\nChunk ID: ") + 1 if text.startswith("Command: ") else 0
    if not text.startswith(("Chunk ID: ", "Wall time: ", "Exit code: "), start):
        return ""
    return text[start : start + _HEAD].split("\nOutput:", 1)[0]


def _by_code(code: int | None, text: str, own: int | None, shell: bool) -> Outcome:
    if code is None:
        return Outcome("unknown" if shell else "ok", text, own)
    return Outcome("nonzero" if code else "ok", text, own, code=code)


def _micro(seconds: Any) -> int | None:
    if seconds is None:
        return None
    value = float(seconds)
    return round(value * 1e6) if 0 <= value < 1e9 else None


def own_duration(value: Any) -> int | None:
    """An end event's duration in microseconds.

    Args:
        value: {"secs": .., "nanos": ..}; anything else tells nothing.
    """
    if not isinstance(value, dict):
        return None
    seconds, nanos = value.get("secs"), value.get("nanos", 0)
    if type(seconds) is not int or type(nanos) is not int:
        return None
    return seconds * 1_000_000 + nanos // 1000 if 0 <= seconds < 10**9 and 0 <= nanos < 10**9 else None


def patched(text: str) -> str | None:
    """The first file a patch names, None for none."""
    found = _PATCHED.search(text)
    return found[1] if found else None
