"""Were a session's plan events recorded as such, or derived from the log of an agent?"""

from __future__ import annotations

from collections.abc import Iterable

from tracelode.model.plan import PlanEvent

RECORDED = frozenset({"plan-events", ""})
"""Sources whose records are plan events themselves: they can hold all that an event can."""


def adapters(events: Iterable[PlanEvent]) -> tuple[str, ...]:
    """The sources that a session's events were derived from.

    Args:
        events: n events of one session.

    Returns:
        Names of sources in order; none where any of the events was recorded as one.
    """
    found = {event.source.adapter if event.source is not None else "" for event in events}
    return () if found & RECORDED else tuple(sorted(found))
