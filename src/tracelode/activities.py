"""What was going on when? Spans that overlap become ticks whose sweep gives each its equal share."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

import msgspec

from tracelode.model.ports import Tick

_AT_ONCE = 16
"""Activities among which one stretch is shared; of more, those that began first."""


class Activity(msgspec.Struct, frozen=True):
    """A stretch in which something ran."""

    start: int
    """UTC microseconds."""
    end: int
    """UTC microseconds."""
    kind: str
    """model, tool or human (a wait for a person)."""
    operation: str
    """Id of its operation."""
    around: str | None = None
    """Id of the tool it ran in; that one is not running meanwhile."""


class Moment(msgspec.Struct, frozen=True):
    """A point in time that ends a stretch in which nothing ran."""

    at: int
    """UTC microseconds."""
    ends: str
    """model, human or other."""
    operation: str | None
    """Id of the operation the stretch is charged to."""


def ticks(activities: Iterable[Activity], moments: Iterable[Moment]) -> Iterator[Tick]:
    """The timeline of one session.

    Args:
        activities: in any order, overlapping or not.
        moments: in any order.

    Returns:
        Ticks in order of time. A stretch with k activities is cut into k equal parts, waits and calls of
        models first, so that a sweep which knows one activity at a time shares it out as it should.

    Source:
        accounting: time, k activities at once get 1/k each.
    """
    begun = sorted((a for a in activities if a.end > a.start), key=lambda a: (a.start, a.end, a.operation))
    ending: dict[int, Moment] = {}
    for moment in moments:
        old = ending.get(moment.at)
        if old is None or (old.ends == "other" and moment.ends != "other"):
            ending[moment.at] = moment
    borders = sorted({*(a.start for a in begun), *(a.end for a in begun), *ending})
    running: list[Activity] = []
    late: deque[Activity] = deque()
    place = 0
    last: int | None = None
    for border in borders:
        if last is not None and running:
            yield from _shared(last, border, running)
        else:
            yield _quiet(border, ending.get(border))
        while place < len(begun) and begun[place].start <= border:
            late.append(begun[place])
            place += 1
        running = [a for a in running if a.end > border]
        while late and len(running) < _AT_ONCE:
            activity = late.popleft()
            if activity.end > border:
                running.append(activity)
        last = border


def _quiet(at: int, moment: Moment | None) -> Tick:
    if moment is None:
        return Tick(at, "other", None)
    return Tick(at, moment.ends, moment.operation)


def _shared(start: int, stop: int, active: list[Activity]) -> Iterator[Tick]:
    """One stretch among the activities that run all through it."""
    around = {a.around for a in active} - {None}
    own = [a for a in active if a.kind != "tool" or a.operation not in around] or active
    tools = tuple(dict.fromkeys(a.operation for a in own if a.kind == "tool"))
    others = [a for a in own if a.kind != "tool"]
    parts = len(others) + len(tools)
    for number, activity in enumerate(others, 1):
        yield Tick(start + (stop - start) * number // parts, activity.kind, activity.operation)
    if tools:
        begin = start + (stop - start) * len(others) // parts
        yield Tick(begin, "other", tools[0], opens=tools)
        yield Tick(stop, "tool", tools[0], closes=tools)
