"""Which rules fire now? Steps of sessions come in, alerts go out; what comes later is not known."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tracelode.model.alerting import Alert, AlertRule
from tracelode.plan.alerts.gauge import KEPT, Edge, Moment, Sum, met
from tracelode.plan.alerts.live import COUNTED, SHARES, Going, Live, Mark, Step
from tracelode.plan.alerts.prefix import Prefix, due
from tracelode.plan.alerts.rules import RUNNING

Figure = tuple[float | None, float | None, float | None, float, tuple[str, ...]]
"""Value, numerator, denominator, how many it rests on, events."""


@dataclass(slots=True)
class Watched:
    """One session as far as it went."""

    key: str
    subjects: dict[str, str]
    """Scope to the subject it belongs to."""
    live: Live = field(default_factory=Live)
    prefix: Prefix = field(default_factory=Prefix)
    count: int = 0
    last: int | None = None
    """Latest moment, UTC microseconds."""
    taken: int = 0
    """Steps at which measured figures were taken last."""
    planned: bool = False
    """Was there a plan event?"""
    told: dict[str, Figure] = field(default_factory=dict)
    """Measured figures as they were taken last."""
    ended: str | None = None


@dataclass(slots=True)
class _Subject:
    """What a rule's scope joins: a session, or the sessions of a task."""

    count: int = 0
    sums: dict[tuple[str, str, str], Sum] = field(default_factory=dict)
    edges: dict[tuple[str, str, str], Edge] = field(default_factory=dict)
    sessions: list[Watched] = field(default_factory=list)


class Watcher:
    """Asks rules at every step.

    Args:
        rules: those of sessions and tasks; others are passed over.
    """

    def __init__(self, rules: Sequence[AlertRule]) -> None:
        self.rules = [r for r in rules if r.scope != "fleet"]
        self.sessions: dict[str, Watched] = {}
        self.history: list[float] = []
        """Seconds of every closed attempt so far, sorted."""
        self._subjects: dict[tuple[str, str], _Subject] = {}
        self._fired: dict[tuple[str, str, str], Moment] = {}
        self._counted = [(r, m) for r in self.rules for m in r.metrics if m in COUNTED]
        self._measured = [(r, m) for r in self.rules for m in r.metrics if m not in COUNTED and m != RUNNING]
        self._running = [r for r in self.rules if RUNNING in r.metrics]

    def take(self, step: Step) -> Iterator[Alert]:
        """The next step of a session.

        Args:
            step: in the order of its session.

        Returns:
            Alerts that it gives.
        """
        one = self._session(step)
        one.count += 1
        one.prefix.steps.append(step)
        one.prefix.beside = one.prefix.beside or step.event is None
        if step.at is not None:
            one.last = max(one.last or step.at, step.at)
        if step.event is not None:
            one.planned = one.planned or step.event.event_type == "plan"
            if step.event.event_type == "complete":
                one.ended = step.event.status
        moments = {}
        for scope, name in one.subjects.items():
            subject = self._subjects[scope, name]
            subject.count += 1
            moments[scope] = Moment(subject.count, one.last)
        marks = list(one.live.take(step))
        yield from self._counts(one, step, marks, moments)
        yield from self._measures(one, step, moments)
        # before its own length is known: an attempt is compared with those before it
        yield from self.runs(one, one.last, step)
        for _, seconds in one.live.closed:
            insort(self.history, seconds)

    def _session(self, step: Step) -> Watched:
        one = self.sessions.get(step.session)
        if one is None:
            task = step.event.task_id if step.event is not None else None
            one = Watched(step.session, {"session": step.session, "task": task or step.session})
            self.sessions[step.session] = one
            for item in one.subjects.items():
                self._subjects.setdefault(item, _Subject()).sessions.append(one)
        return one

    def _counts(
        self, one: Watched, step: Step, marks: Sequence[Mark], moments: dict[str, Moment]
    ) -> Iterator[Alert]:
        for rule, metric in self._counted:
            name, now = one.subjects[rule.scope], moments[rule.scope]
            subject = self._subjects[rule.scope, name]
            touched = set()
            for mark in marks:
                if mark.metric == metric:
                    node = f"{one.key}\0{mark.node}" if mark.node else ""
                    key = (rule.name, metric, node)
                    if key not in subject.sums:
                        subject.sums[key] = Sum(rule, metric, mark.node)
                    subject.sums[key].add(mark, now)
                    touched.add(key)
            if rule.window or rule.lasting:
                # what rests on a window or on lasting changes without a mark
                touched |= {key for key in subject.sums if key[:2] == (rule.name, metric)}
            for key in sorted(touched):
                total = subject.sums[key]
                total.pass_by(now)
                enough = total.bottom if metric in SHARES else subject.count
                ok = enough >= rule.least and met(rule.condition.compares, total.value)
                if total.edge.rises(rule, now, ok, self._fired, (rule.name, metric, name)):
                    below = total.bottom if metric in SHARES else None
                    figure = (total.value, total.top, below, enough, total.ids())
                    yield self._alert(rule, metric, one, step, figure, total.node)

    def _measures(self, one: Watched, step: Step, moments: dict[str, Moment]) -> Iterator[Alert]:
        if not self._measured or not due(one.count, one.taken):
            return
        before, one.taken = one.taken, one.count
        newest = step
        for rule, metric in self._measured:
            step, back = newest, 0
            name, now = one.subjects[rule.scope], moments[rule.scope]
            subject = self._subjects[rule.scope, name]
            edge = subject.edges.setdefault((rule.name, metric, ""), Edge())
            figure = self._pooled(subject, one, metric, one.count)
            ok = self._met(rule, figure)
            if ok and edge.since is None and one.count - before > 1:
                # it came to hold since the last look: where?
                first = self._first(rule, metric, subject, one, before + 1)
                figure = self._pooled(subject, one, metric, first)
                step = one.prefix.steps[first - 1]
                back = one.count - first
                now = Moment(now.place - back, step.at)
            if edge.rises(rule, now, ok, self._fired, (rule.name, metric, name)):
                yield self._alert(rule, metric, one, step, figure, "", back)

    def _first(self, rule: AlertRule, metric: str, subject: _Subject, one: Watched, start: int) -> int:
        for count in range(start, one.count):
            if self._met(rule, self._pooled(subject, one, metric, count)):
                return count
        return one.count

    def _met(self, rule: AlertRule, figure: Figure) -> bool:
        return figure[3] >= rule.least and met(rule.condition.compares, figure[0])

    def _pooled(self, subject: _Subject, one: Watched, metric: str, count: int) -> Figure:
        """A measured figure as of a step; of a task that of its sessions together."""
        told = one.prefix.figure(metric, count)
        none: Figure = (None, None, None, 0, ())
        if told is None:
            one.told[metric] = none
        else:
            rests = told.denominator if told.denominator is not None else told.n
            events = told.events[-KEPT:]
            one.told[metric] = (told.value, told.numerator, told.denominator, rests, events)
        if len(subject.sessions) == 1:
            return one.told[metric]
        known = [s.told[metric] for s in subject.sessions if s.told.get(metric, none)[0] is not None]
        if not known:
            return none
        top = sum(f[1] or 0 for f in known)
        events = tuple(e for f in known for e in f[4])[-KEPT:]
        if any(f[2] is None for f in known):
            return top, top, None, sum(f[3] for f in known), events
        below = sum(f[2] or 0 for f in known)
        return (top / below if below else None), top, below, below, events

    def runs(self, one: Watched, now: int | None, step: Step | None = None) -> Iterator[Alert]:
        """Nodes that have been running for long; asked at a step, or by the clock.

        Args:
            one: a session.
            now: UTC microseconds, None if unknown.
            step: the step, None by the clock.
        """
        if now is None:
            return
        for rule in self._running:
            name = one.subjects[rule.scope]
            subject = self._subjects[rule.scope, name]
            for going in list(one.live.going.values()):
                if going.at is None or going.implied:
                    continue
                seconds = (now - going.at) / 1e6
                enough = len(self.history) >= rule.least
                edge = subject.edges.setdefault((rule.name, RUNNING, f"{one.key}\0{going.id}"), Edge())
                ok = enough and met(rule.condition.compares, seconds, self.history)
                moment = Moment(subject.count, now)
                if edge.rises(rule, moment, ok, self._fired, (rule.name, RUNNING, name)):
                    yield self._ran(rule, one, going, seconds, now, step)

    def _ran(
        self, rule: AlertRule, one: Watched, going: Going, seconds: float, now: int, step: Step | None
    ) -> Alert:
        figure = (seconds, seconds, None, len(self.history), (going.id,))
        at = step or Step(session=one.key, id=going.id, at=now)
        return self._alert(rule, RUNNING, one, at, figure, going.node)

    def _alert(
        self, rule: AlertRule, metric: str, one: Watched, step: Step, figure: Figure, node: str, back: int = 0
    ) -> Alert:
        value, top, bottom, _, events = figure
        return Alert(
            rule=rule.name,
            severity=rule.severity,
            scope=rule.scope,
            metric=metric,
            subject=one.subjects[rule.scope],
            session_id=one.key,
            node_id=node,
            event_id=step.id,
            place=one.count - back,
            timestamp=step.at if step.at is not None else one.last,
            value=value,
            numerator=top,
            denominator=bottom,
            limits=None,
            events=events or (step.id,),
            text=rule.text,
        )

    def forget(self, key: str) -> None:
        """Let go of a session that is over; what its task counts stays."""
        one = self.sessions.pop(key, None)
        if one is not None:
            self._subjects.pop(("session", one.subjects["session"]), None)
            if one.subjects["task"] == key:
                self._subjects.pop(("task", key), None)
