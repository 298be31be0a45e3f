"""How do the events of a session follow each other? Writers, clocks that differ, ends before starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracelode.model.plan import PlanEvent

SKEW = 2_000_000
"""Microseconds by which writers' clocks may differ."""


def ordered(events: Iterable[PlanEvent]) -> list[PlanEvent]:
    """The events of one session in the order in which they happened.

    Args:
        events: n events in the order of their lines.

    Returns:
        The same. Where writers number their events, each one's numbers hold and the writers are merged by
        time; else the moments hold, and the order of lines where they are equal or unknown. An end that lies
        before its start stays behind it. O(n log n).

    Source:
        plan rules, section 5.3.
    """
    listed = list(events)
    writers: dict[str, list[PlanEvent]] = {}
    for event in listed:
        writers.setdefault(event.writer, []).append(event)
    keyed: list[tuple[int, str, int, PlanEvent]] = []
    for name in sorted(writers):
        own = writers[name]
        numbered = is_numbered(own)
        if numbered:
            own.sort(key=lambda e: e.seq)
        held = {} if numbered else {id(end): start for start, end in negative(own)}
        latest = -1
        for place, event in enumerate(own):
            told = held.get(id(event), event).timestamp
            at = told if told is not None else latest
            # a clock that steps back must not change the order of a numbered writer
            latest = max(latest, at) if numbered else at
            keyed.append((latest, name, place, event))
    keyed.sort(key=lambda row: row[:3])
    return [row[3] for row in keyed]


def observes(event: PlanEvent, named: bool, number: int) -> bool:
    """Is a running event something seen inside the open attempt, and no further start?

    Args:
        event: an execute event with the status running.
        named: did the start of the open attempt name a tool?
        number: its number, from 1.

    Returns:
        True for a result or a measure, and for a tool that cannot be what the attempt was started with: the
        event says its attempt, or the start named no tool. A tool without a result starts the node again.
    """
    if result(event):
        return True
    return "tool" in event.payload and (event.payload.get("attempt") == number or not named)


def result(event: PlanEvent) -> bool:
    """Does an event tell what came of something, whatever its status says?

    Args:
        event: an execute event.
    """
    return any(key in event.payload for key in ("measures", "result_summary", "error_type"))


def is_numbered(own: Sequence[PlanEvent]) -> bool:
    """Do the events of one writer tell their order by number?

    Args:
        own: events of the writer.
    """
    return len({e.seq for e in own}) == len(own)


def negative(written: Iterable[PlanEvent]) -> list[tuple[PlanEvent, PlanEvent]]:
    """Starts of nodes with ends that lie before them, as the events were written.

    Args:
        written: events of one session, in the order of their lines.

    Returns:
        (start, end) of each; none of a node whose attempts are whole in the order of their moments: then
        the lines are out of order, and no clock is wrong.
    """
    found: list[tuple[PlanEvent, PlanEvent]] = []
    cycles: dict[str, list[PlanEvent]] = {}
    for event in written:
        if event.event_type == "execute" and event.timestamp is not None:
            cycles.setdefault(event.node_id, []).append(event)
    for cycle in cycles.values():
        start: PlanEvent | None = None
        pairs = []
        for event in cycle:
            if event.status == "running":
                start = start or event
            elif start is not None:
                if _at(event) < _at(start):
                    pairs.append((start, event))
                start = None
        if pairs and not _whole(sorted(cycle, key=_at)):
            found += pairs
    return found


def _whole(cycle: Iterable[PlanEvent]) -> bool:
    """Has every end a start before it?"""
    going = False
    for event in cycle:
        if event.status != "running" and not going:
            return False
        going = event.status == "running"
    return True


def skewed(written: Sequence[PlanEvent]) -> list[PlanEvent]:
    """Events that lie clearly before the plan event of another writer that made their node.

    Args:
        written: events of one session.
    """
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


def _at(event: PlanEvent) -> int:
    return event.timestamp if event.timestamp is not None else 0
