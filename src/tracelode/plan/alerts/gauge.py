"""When does a condition come to hold? Edges, how long it must last, and quiet after an alert."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from tracelode.model.alerting import AlertRule, Compare, Extent
from tracelode.plan.alerts.condition import holds
from tracelode.plan.alerts.live import SHARES, Mark

KEPT = 50
"""Ids of events kept with a figure."""


@dataclass(slots=True)
class Moment:
    """Where something stood."""

    place: int
    """1-based number of a step, or of a session of the fleet."""
    at: int | None
    """UTC microseconds."""


@dataclass(slots=True)
class Edge:
    """Whether a condition holds, and since when."""

    since: Moment | None = None
    told: bool = False
    """Did it fire, or was it kept quiet, since it came to hold?"""

    def rises(self, rule: AlertRule, now: Moment, ok: bool, fired: dict[tuple[str, str, str], Moment],
              key: tuple[str, str, str]) -> bool:  # fmt: skip
        """Does the rule fire now?

        Args:
            rule: how long it must last, and how long it is quiet after an alert.
            now: where it is asked.
            ok: does the condition hold?
            fired: when rules fired last; changed in place.
            key: rule, figure and subject.
        """
        if not ok:
            self.since, self.told = None, False
            return False
        if self.since is None:
            self.since = now
        if self.told or (rule.lasting is not None and not _reached(rule.lasting, self.since, now)):
            return False
        self.told = True
        last = fired.get(key)
        if last is not None and rule.cooldown is not None and not _reached(rule.cooldown, last, now):
            return False
        fired[key] = now
        return True


def _reached(extent: Extent, start: Moment, now: Moment) -> bool:
    if extent.unit != "time":
        return now.place - start.place >= extent.amount
    # a moment that is unknown proves no length of time
    return now.at is not None and start.at is not None and now.at - start.at >= extent.amount


@dataclass(slots=True)
class Sum:
    """A figure that is counted, over everything or over a window."""

    rule: AlertRule
    metric: str
    node: str
    edge: Edge = field(default_factory=Edge)
    top: int = 0
    bottom: int = 0
    parts: deque[tuple[Moment, Mark]] = field(default_factory=deque)

    def add(self, mark: Mark, now: Moment) -> None:
        """Add what a step brought."""
        self.top += mark.top
        self.bottom += mark.bottom
        self.parts.append((now, mark))
        if self.rule.window is None:
            while len(self.parts) > KEPT:
                self.parts.popleft()

    def pass_by(self, now: Moment) -> None:
        """Forget what is no longer in the window."""
        window = self.rule.window
        if window is None:
            return
        while self.parts:
            at, mark = self.parts[0]
            if window.unit == "events":
                gone = now.place - at.place >= window.amount
            else:
                gone = now.at is not None and at.at is not None and now.at - at.at > window.amount
            if not gone:
                return
            self.parts.popleft()
            self.top -= mark.top
            self.bottom -= mark.bottom

    @property
    def value(self) -> float | None:
        """The figure, None of a share of nothing."""
        if self.metric in SHARES:
            return self.top / self.bottom if self.bottom else None
        return self.top

    def ids(self) -> tuple[str, ...]:
        """Events that are counted, the latest ones."""
        return tuple(mark.id for _, mark in self.parts if mark.top)[-KEPT:]


def met(compares: Sequence[Compare], value: float | None, history: Sequence[float] = ()) -> bool:
    """Do all comparisons hold?

    Args:
        compares: each a figure against a bound.
        value: the figure, None where it cannot be told: nothing holds then.
        history: what quantiles are of, sorted; without it nothing that needs one holds.
    """
    if value is None:
        return False
    for one in compares:
        if one.quantile and not history:
            return False
        bound = history[_place(len(history), one.value)] if one.quantile else one.value
        if not holds(one, value, bound):
            return False
    return True


def _place(count: int, share: float) -> int:
    """Place of a quantile in n sorted values: the smallest with at least that share at or below it."""
    return bisect_left(range(1, count + 1), share * count)
