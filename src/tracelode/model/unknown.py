"""Which measures does a session not tell? What nobody wrote down is unknown, and never 0."""

from __future__ import annotations

from collections.abc import Mapping

from tracelode.model.measure import NULLABLE, parts

TELLTALE = ("calls", "tokens", "tokens.unpriced", "time", "events", "bytes.arguments", "bytes.output")
"""Measures of a whole session that tell which others it cannot tell."""
_COUNTED = ("tokens.unpriced", "calls", "calls.lower_bound", "operations")
_TEXTS = ("bytes.arguments", "bytes.output")
_EFFECTS = ("bytes.read", "bytes.written", "bytes.received", "bytes.sent", "events")


def untold(measure: str, sums: Mapping[str, int]) -> bool:
    """Does a session not tell a measure, whatever its sum is?

    Args:
        measure: a stored or derived name.
        sums: TELLTALE of the whole session, its sub-agents included.

    Returns:
        True for times where no record has a moment, tokens of calls without token counts, a cost of calls
        that are all unpriced, sizes where no text is, effects where nothing below the tool calls was
        recorded. What NULLABLE names is told apart by the store.

    Source:
        docs/decisions/0008-unknown.md.

    Example:
        >>> sums = {**dict.fromkeys(TELLTALE, 0), "calls": 2, "time": 1_000_000}
        >>> untold("tokens", sums), untold("time.active", sums)
        (True, False)
    """
    part = parts(measure)[0]
    if part in _COUNTED or part in NULLABLE:
        return False
    if part.startswith("time."):
        return not sums["time"]
    if part in _EFFECTS:
        return not sums["events"]
    if part in _TEXTS:
        return not any(sums[name] for name in _TEXTS)
    uncounted = sums["calls"] > 0 and not sums["tokens"]
    if part.startswith("cost"):
        return uncounted or 0 < sums["tokens"] <= sums["tokens.unpriced"]
    return part.startswith("tokens.") and uncounted


def why(measure: str) -> str:
    """What is missing where a measure is unknown.

    Args:
        measure: a stored or derived name.

    Returns:
        A phrase.
    """
    part = parts(measure)[0]
    if part.startswith("time."):
        return "records without moments"
    if part.startswith("cost") and part not in NULLABLE:
        return "calls without a price"
    if part in _TEXTS:
        return "operations without texts"
    if part in _EFFECTS:
        return "nothing was recorded below the tool calls"
    if part.startswith("tokens.") and part not in NULLABLE:
        return "calls without token counts"
    return "the source does not tell it"
