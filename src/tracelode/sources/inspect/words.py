"""What do Inspect's own words mean? Scores, errors of tools, kinds of events."""

from __future__ import annotations

from typing import Any

from tracelode.model.operation import Status
from tracelode.sources.inspect.records import Failure, Sample

QUIET = frozenset(
    ("sample_init", "state", "store", "sandbox", "step", "span_begin", "span_end", "score", "score_edit",
     "logger", "info", "approval", "checkpoint", "anchor", "branch")
)  # fmt: skip
"""Kinds of events without an operation of their own."""
NOTES: dict[str, tuple[str, Status]] = {
    "error": ("error", "error"),
    "sample_limit": ("limit", "ok"),
    "compaction": ("compaction", "ok"),
    "interrupt": ("interrupt", "interrupted"),
}
"""Kinds of events that are notes: (name, status)."""
_GOOD, _BAD = ("C", 1, 1.0, True), ("I", 0, 0.0, False)


def outcome_of(sample: Sample) -> str | None:
    """The verdict of a sample's scorers.

    Args:
        sample: the sample.

    Returns:
        success where all say correct or 1, failure where all say incorrect or 0; None otherwise, and where
        there is no score.
    """
    found = {_verdict(score) for score in (sample.scores or {}).values()}
    return found.pop() if len(found) == 1 else None


def _verdict(score: Any) -> str | None:
    value = score.get("value") if isinstance(score, dict) else score
    if isinstance(value, str | int | float):
        if value in _GOOD:
            return "success"
        if value in _BAD:
            return "failure"
    return None


def status_of(error: Failure | str | None, ended: bool) -> Status:
    """How a tool call ended.

    Args:
        error: what it failed with, None where it did not.
        ended: it has a result or an end.
    """
    if error is None:
        return "ok" if ended else "unknown"
    kind = error.type if isinstance(error, Failure) else ""
    return "denied" if kind == "approval" else "error"


def message_of(error: Failure | str | None) -> str:
    """The text of an error, "" for none."""
    if isinstance(error, Failure):
        return error.message or ""
    return error or ""
