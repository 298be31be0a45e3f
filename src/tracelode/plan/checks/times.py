"""Do the moments of a session fit? Backward steps, negative durations, and clocks of several writers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tracelode.model.plan import PlanEvent

SKEW = 2_000_000
"""Microseconds by which writers' clocks may differ."""
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
        if len({e.seq for e in own}) == len(own):
            own = sorted(own, key=lambda e: e.seq)
        pairs = pairwise(own)
        back += [later for earlier, later in pairs if _at(later) < _at(earlier)]
    if back:
        yield "PT071", "a timestamp lies before that of the event before it", tuple(back), len(written)
    negative = _negative(written)
    if negative:
        yield "PT072", "a node ended before it started", tuple(negative), len(written)
    skewed = _skewed(written) if len(by_writer) > 1 else []
    if skewed:
        words = "a writer's clock lies more than 2 s behind that of another writer of the session"
        yield "PT073", words, tuple(skewed), len(written)


def _at(event: PlanEvent) -> int:
    return event.timestamp if event.timestamp is not None else 0


def _negative(written: Sequence[PlanEvent]) -> list[PlanEvent]:
    """Ends that lie before their start, as the events were written."""
    found = []
    running: dict[str, PlanEvent] = {}
    for event in written:
        if event.event_type != "execute" or event.timestamp is None:
            continue
        if event.status == "running":
            running.setdefault(event.node_id, event)
        else:
            start = running.pop(event.node_id, None)
            if start is not None and event.timestamp < _at(start):
                found.append(event)
    return found


def _skewed(written: Sequence[PlanEvent]) -> list[PlanEvent]:
    """Events that lie clearly before the plan event of another writer that made their node."""
    made: dict[str, PlanEvent] = {}
    for event in written:
        if event.event_type == "plan" and event.timestamp is not None:
            made.setdefault(event.node_id, event)
    found = []
    for event in written:
        plan = made.get(event.node_id)
        if plan is None or event.timestamp is None or plan.writer == event.writer:
            continue
        if _at(plan) - event.timestamp > SKEW:
            found.append(event)
    return found
