"""What do the free parts of an ATIF trajectory say? Texts, how tools ended, times, verdicts."""

from __future__ import annotations

import re
from typing import Any

from tracelode.lenient import moment
from tracelode.model.operation import Status
from tracelode.signals.human import human_kind
from tracelode.sources.atif.records import Result, Step, ToolCall, Trajectory

_EXIT = re.compile(r"\s*(?:\[error\] )?(?:Error: )?Exit code (-?\d+)")


def text_of(content: Any) -> str:
    """The text of a message or an answer.

    Args:
        content: a string, or parts of which those with text count.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return ""


def status_of(step: Step, call: ToolCall, result: Result | None, output: str) -> Status:
    """How a tool call ended, as far as the producer says it in one of its own fields.

    Args:
        step: the step.
        call: the call.
        result: its answer, None for none.
        output: the answer's text.

    Returns:
        unknown where an answer came and nothing says whether it was good.
    """
    if result is None:
        return "unknown"
    if human_kind(output[:200]) == "denial":
        return "denied"
    flag = _flag(result.extra)
    if flag is None and len(step.tool_calls or []) == 1:
        flag = _flag(step.extra)
    if flag is None:
        flag = _flag(call.extra)
    found = _EXIT.match(output)
    if found and flag is not False:
        return "nonzero" if int(found[1]) else "ok"
    if flag is None:
        return "unknown"
    return "error" if flag else "ok"


def _flag(extra: dict[str, Any] | None) -> bool | None:
    """Does an extra object say that something failed?"""
    if not extra:
        return None
    for key in ("tool_result_is_error", "is_error"):
        if isinstance(extra.get(key), bool):
            return bool(extra[key])
    inner = extra.get("invocation")
    for place in (extra, inner if isinstance(inner, dict) else {}):
        if place.get("status") in ("error", "failed"):
            return True
        if place.get("status") in ("ok", "success", "completed"):
            return False
    return None


def span_of(extra: dict[str, Any] | None) -> tuple[int | None, int | None]:
    """Start and end of a call, where the producer tells both.

    Args:
        extra: of a step or a tool call.

    Returns:
        UTC microseconds, (None, None) without both.
    """
    inner = (extra or {}).get("invocation")
    if not isinstance(inner, dict):
        return None, None
    start, end = moment(inner.get("start_timestamp")), moment(inner.get("end_timestamp"))
    if start is None or end is None or end < start:
        return None, None
    return start, end


def task_of(extra: dict[str, Any] | None) -> str | None:
    """The task a trajectory says it worked on, None where it does not."""
    for key in ("task_name", "task_id", "instance_id"):
        value = (extra or {}).get(key)
        if isinstance(value, str) and value:
            return value
    return None


def outcome_of(trajectory: Trajectory) -> str | None:
    """The verdict in the trajectory itself: a verifier's reward.

    Args:
        trajectory: the document.

    Returns:
        success from a reward of 1 on, failure for none at all; None between, and without a reward.
    """
    totals = trajectory.final_metrics.extra if trajectory.final_metrics else None
    for extra in (trajectory.extra, totals):
        reward = _reward(extra or {})
        if reward is not None:
            return "success" if reward >= 1 else "failure" if reward <= 0 else None
    return None


def _reward(extra: dict[str, Any]) -> float | None:
    verifier = extra.get("verifier_result")
    rewards = verifier.get("rewards") if isinstance(verifier, dict) else None
    for place in (extra, verifier, rewards):
        value = place.get("reward") if isinstance(place, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    return None
