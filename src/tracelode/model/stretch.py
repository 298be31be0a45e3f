"""What is a line of a session's outline? One segment, what it took, and where people were."""

from __future__ import annotations

import msgspec


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """One segment of a session with its sums; inherited operations are not counted."""

    start: int
    """First operation."""
    stop: int
    """The one after the last."""
    level: int
    """0 is the outermost."""
    name: str
    """What it was for."""
    started: int | None
    """UTC microseconds of its first operation with a time, None if unknown."""
    operations: int
    """Own operations."""
    failed: int
    """Of them: error or nonzero."""
    people: dict[str, int]
    """Closed kind of human moment (prompt, steer, answer, denial, interrupt) to how many."""
    measures: dict[str, int]
    """tokens, tokens.unpriced, cost and time.active, in their stored units."""
