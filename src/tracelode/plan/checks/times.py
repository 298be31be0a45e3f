"""Do the moments of a session fit? Backward steps, negative durations, and clocks of several writers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tracelode.model.plan import PlanEvent
from tracelode.plan.sequence import is_numbered, negative, skewed

Found = tuple[str, str, tuple[PlanEvent, ...], int]
"""Code, message, events, and how many could have it."""


def times(written: Sequence[PlanEvent]) -> Iterator[Found]:
    """What is off in the moments.

    Args:
        written: events of one session in the order in which they were written.

    Returns:
        (code, message, events, of how many).

    Source:
        plan rules, section 8, PT071 to PT073.
    """
    by_writer: dict[str, list[PlanEvent]] = {}
    for event in written:
        if event.timestamp is not None:
            by_writer.setdefault(event.writer, []).append(event)
    back: list[PlanEvent] = []
    for writer in sorted(by_writer):
        own = by_writer[writer]
        if is_numbered(own):
            own = sorted(own, key=lambda e: e.seq)
        pairs = pairwise(own)
        back += [later for earlier, later in pairs if (later.timestamp or 0) < (earlier.timestamp or 0)]
    if back:
        yield "PT071", "a timestamp lies before that of the event before it", tuple(back), len(written)
    ends = tuple(end for _, end in negative(written))
    if ends:
        yield "PT072", "a node ended before it started", ends, len(written)
    behind = skewed(written) if len(by_writer) > 1 else []
    if behind:
        words = "a writer's clock lies more than 2 s behind that of another writer of the session"
        yield "PT073", words, tuple(behind), len(written)
