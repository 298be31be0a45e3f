"""Did a call fail, as its result tells it, and in which class of errors?"""

from __future__ import annotations

import re

from tracelode.model.run import Tree
from tracelode.signals.failures import error_class

OTHER = "error"
"""Class of a failure that no word of the lexicon tells."""
_SAYS = re.compile(
    r"\s{0,9}(?:error|exception|traceback \(most recent call last\)|[A-Za-z]{2,40}(?:Error|Exception))\b"
    r"\s{0,3}[:(\n-]"
    r"|\s{0,9}error\s*\Z",
    re.IGNORECASE,
)
_NONE = frozenset({"", "0", "none", "null", "false", "ok", "success"})
_FLAGS = ("isError", "is_error")


def failure(output: Tree) -> str:
    """The error class of a result whose record does not say how the call ended.

    Args:
        output: parsed result.

    Returns:
        A closed class of the lexicon, OTHER for a failure of no known class, "" where it tells of none.

    Example:
        >>> failure("Error: user not found"), failure({"error": "no such id"}), failure({"error": None})
        ('error', 'error', '')
    """
    if isinstance(output, str):
        return classed(output) if _SAYS.match(output) else ""
    if not isinstance(output, dict):
        return ""
    if any(output.get(flag) is True for flag in _FLAGS):
        return classed(_text(output))
    for key in ("error", "errors"):
        told = output.get(key)
        if told and str(told).lower() not in _NONE and len(output) <= 4:
            return classed(_text(told))
    return classed(_text(output)) if output.get("success") is False and len(output) <= 4 else ""


def classed(text: str) -> str:
    """The closed class of a failure.

    Args:
        text: what a call that failed told.

    Returns:
        A class of the lexicon, else OTHER.
    """
    return error_class(text) or OTHER


def _text(value: Tree) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(inner for inner in value.values() if isinstance(inner, str))
    return ""
