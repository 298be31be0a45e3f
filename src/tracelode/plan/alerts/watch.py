"""Which rules fire while sessions are being recorded? A folder is looked at again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tracelode.model.alerting import Alert, AlertRule
from tracelode.model.plan import PlanEvent
from tracelode.plan.alerts.across import Fleet
from tracelode.plan.alerts.follow import Follower
from tracelode.plan.alerts.live import step_of
from tracelode.plan.alerts.watcher import Watched, Watcher

HELD = 200
"""Sessions that are over and still held: what is told of them late is taken as well."""
STALE = 24 * 3_600_000_000
"""Microseconds after its last event from which the clock tells nothing more of a session."""


class Watch:
    """Follows a folder.

    Args:
        place: a folder or file of plan events; it may come later.
        rules: what is watched.
        old: False passes over what is there at the beginning, but for what it tells of sessions that go on.
        clock: the present, UTC microseconds.
    """

    def __init__(
        self,
        place: Path,
        rules: Sequence[AlertRule],
        *,
        old: bool = True,
        clock: Callable[[], int] | None = None,
    ) -> None:
        self.follower = Follower(place)
        self.events = 0
        """Events taken."""
        self.sessions = 0
        """Sessions met."""
        self._watcher, self._fleet = Watcher(rules), Fleet(rules)
        self._clock = clock or (lambda: time.time_ns() // 1_000)
        self._over: dict[str, None] = {}
        self._silent = not old

    def poll(self) -> Iterator[Alert]:
        """Take what is new.

        Returns:
            Alerts that it gives, and those that the clock gives.
        """
        given = list(self._poll())
        silent, self._silent = self._silent, False
        yield from () if silent else given

    def _poll(self) -> Iterator[Alert]:
        new = self.follower.poll()
        for event in sorted(new, key=_order):
            self.events += 1
            self.sessions += event.session_id not in self._watcher.sessions
            yield from self._watcher.take(step_of(event))
            if event.event_type == "complete":
                yield from self._close(event.session_id)
        now = self._clock()
        for one in list(self._watcher.sessions.values()):
            # what was left long ago is no work that goes on
            fresh = one.last is not None and now - one.last < STALE
            if fresh and one.key not in self._over and one.live.going:
                yield from self._watcher.runs(one, now)

    def _close(self, key: str) -> Iterator[Alert]:
        if key in self._over:
            return
        one: Watched = self._watcher.sessions[key]
        self._over[key] = None
        yield from self._fleet.close(one)
        while len(self._over) > HELD:
            oldest = next(iter(self._over))
            del self._over[oldest]
            self._watcher.forget(oldest)


def _order(event: PlanEvent) -> tuple[int, str, int]:
    """Writers of one poll are merged by time; each one's own numbers hold where moments are equal."""
    return (event.timestamp if event.timestamp is not None else -1, event.writer, event.seq)
