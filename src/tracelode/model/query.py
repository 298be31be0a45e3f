"""What a view asks for: stack, measures, filters; one value that every face and engine shares."""

from __future__ import annotations

import msgspec

DEFAULT_STACK: tuple[str, ...] = ("intent", "stage", "tool")
"""Default stack: intent, stage, tool."""

MOST_FIELDS = 32
"""Fields of one stack, with those above and below it: more than anybody reads, few enough for any engine."""


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What a view asks for."""

    stack: tuple[str, ...] = DEFAULT_STACK
    """Operation fields, root to leaf."""
    measures: tuple[str, ...] = ("cost",)
    """Measure names; the first sorts."""
    where: tuple[tuple[str, str], ...] = ()
    """(field, value) pairs that must all hold."""
    since: int | None = None
    """UTC microseconds, inclusive."""
    until: int | None = None
    """UTC microseconds, exclusive."""
    focus: str | None = None
    """Regular expression: keep stacks with a frame that matches."""
    ignore: str | None = None
    """Regular expression: drop stacks with a frame that matches."""
    show: str | None = None
    """Regular expression: keep only frames that match."""
    hide: str | None = None
    """Regular expression: drop frames that match."""
    tagroot: tuple[str, ...] = ()
    """Fields whose values are put above the stack."""
    tagleaf: tuple[str, ...] = ()
    """Fields whose values are put below the stack."""
    lane: str = "nested"
    """nested: sub-agents below the operation that spawned them; separate: roots of their own."""
    share: bool = False
    """True: closed vocabulary only, everything else a pseudonym."""
    tz: str = "UTC"
    """Zone of the field "day"."""
    detail: bool = False
    """True: give samples with labels beside the totals."""
