"""Which rules of the fleet fire when a session is over? One session after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tracelode.model.alerting import Alert, AlertRule
from tracelode.plan.alerts.fleet import Average, Part, band, pooled
from tracelode.plan.alerts.gauge import KEPT, Edge, Moment, met
from tracelode.plan.alerts.rules import NO_PLAN
from tracelode.plan.alerts.watcher import Watched
from tracelode.plan.metrics.weights import weight_of

LEAST = 2
"""Sessions without which nothing can be said of a fleet."""


@dataclass(slots=True)
class _State:
    """What a rule remembers of the sessions before."""

    rule: AlertRule
    metric: str
    parts: deque[Part]
    average: Average | None = None
    edge: Edge = field(default_factory=Edge)
    count: int = 0
    """Sessions with a figure."""


class Fleet:
    """Rules over sessions.

    Args:
        rules: those of the fleet; others are passed over.
    """

    def __init__(self, rules: Sequence[AlertRule]) -> None:
        self._fired: dict[tuple[str, str, str], Moment] = {}
        self.states = [_state(r, m) for r in rules if r.scope == "fleet" for m in r.metrics]

    def close(self, one: Watched) -> Iterator[Alert]:
        """A session is over.

        Args:
            one: the session.

        Returns:
            Alerts that it gives.
        """
        weight = weight_of(s.event for s in one.prefix.steps if s.event is not None)
        for state in self.states:
            found = _part(state, one, weight)
            if found is None:
                continue
            part, events = found
            state.count += 1
            value, ok, limits = _judged(state, part)
            now = Moment(state.count, one.last)
            if state.rule.condition.band is not None:
                # each session stands out for itself
                state.edge = Edge()
            if state.edge.rises(state.rule, now, ok, self._fired, (state.rule.name, state.metric, "")):
                yield _alert(state, one, part, value, limits, events)


def _state(rule: AlertRule, metric: str) -> _State:
    window = rule.window.amount if rule.window is not None else None
    average = None
    if rule.condition.ewma is not None:
        average = Average(*rule.condition.ewma, max(LEAST, int(rule.least)))
    return _State(rule, metric, deque(maxlen=window), average)


def _part(state: _State, one: Watched, weight: float) -> tuple[Part, tuple[str, ...]] | None:
    last = one.prefix.steps[-1].id
    if state.metric == NO_PLAN:
        return Part(float(not one.planned), 1, weight), (last,)
    told = one.prefix.figure(state.metric, one.count)
    if told is None or told.value is None:
        return None
    events = told.events[-KEPT:] or (last,)
    if told.numerator is None or not told.denominator:
        return Part(float(told.value), 1, weight), events
    return Part(told.numerator, told.denominator, weight), events


def _judged(state: _State, part: Part) -> tuple[float | None, bool, tuple[float, float] | None]:
    """(figure, does the condition hold, limits); the session becomes part of the history."""
    rule, own = state.rule, part.top / part.bottom
    if rule.condition.band is not None:
        before = list(state.parts)
        state.parts.append(part)
        if len(before) < max(LEAST, rule.least):
            return own, False, None
        low, high = band(before, round(part.bottom), rule.condition.band)
        return own, not low <= part.top <= high, (low / part.bottom, high / part.bottom)
    if state.average is not None:
        found = state.average.take(own)
        if found is None:
            return own, False, None
        value, limits = found
        return value, not limits[0] <= value <= limits[1], limits
    state.parts.append(part)
    value_now = pooled(list(state.parts))
    return value_now, len(state.parts) >= rule.least and met(rule.condition.compares, value_now), None


def _alert(
    state: _State, one: Watched, part: Part, value: float | None, limits: tuple[float, float] | None,
    events: tuple[str, ...],
) -> Alert:  # fmt: skip
    last = one.prefix.steps[-1]
    over = state.rule.condition.band is None and state.average is None
    parts = list(state.parts) if over else [part]
    return Alert(
        rule=state.rule.name,
        severity=state.rule.severity,
        scope="fleet",
        metric=state.metric,
        subject="",
        session_id=one.key,
        node_id="",
        event_id=last.id,
        place=one.count,
        timestamp=one.last,
        value=value,
        numerator=sum(p.top for p in parts),
        denominator=sum(p.bottom for p in parts),
        limits=limits,
        events=events,
        text=state.rule.text,
    )
