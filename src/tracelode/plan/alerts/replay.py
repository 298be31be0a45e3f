"""At which event does a rule fire, and how long before the end? Records are gone through in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import merge

import msgspec

from tracelode.model.alerting import Alert, AlertReport, AlertRule
from tracelode.plan.alerts.across import Fleet
from tracelode.plan.alerts.live import Step
from tracelode.plan.alerts.rules import RUNNING
from tracelode.plan.alerts.watcher import Watcher

WORK = frozenset({"calls_without_plan", "work_outside_plan", "completions_without_work"})


def replay(
    rules: Sequence[AlertRule], sessions: Mapping[str, Sequence[Step]], unusable: int = 0
) -> AlertReport:
    """Ask rules at every event of some sessions, in the order of time.

    Args:
        rules: what is watched.
        sessions: key to its n steps, in order.
        unusable: lines that are no event.

    Returns:
        Alerts, each with what came after it.

    Source:
        plan rules, section 10.1.
    """
    watcher, fleet = Watcher(rules), Fleet(rules)
    given: list[Alert] = []
    for step, closes in _in_time(sessions):
        given += watcher.take(step)
        if closes:
            one = watcher.sessions[step.session]
            given += [_over(alert, one.count, one.last, one.ended) for alert in fleet.close(one)]
    done = []
    for alert in given:
        one = watcher.sessions[alert.session_id]
        done.append(_over(alert, one.count, one.last, one.ended))
    calls = sum(one.live.calls for one in watcher.sessions.values())
    return AlertReport(
        alerts=tuple(done),
        rules=tuple(rules),
        sessions=len(sessions),
        events=sum(len(steps) for steps in sessions.values()),
        unusable=unusable,
        silent=_silent(rules, fleet, calls, len(watcher.history)),
    )


def _in_time(sessions: Mapping[str, Sequence[Step]]) -> Iterator[tuple[Step, bool]]:
    """Every step with whether it is its session's last; each session's own order holds."""

    def run(key: str, steps: Sequence[Step]) -> Iterator[tuple[int, str, int, Step, bool]]:
        latest = -1
        for place, step in enumerate(steps):
            latest = max(latest, step.at if step.at is not None else latest)
            yield latest, key, place, step, place + 1 == len(steps)

    runs = [run(key, steps) for key, steps in sorted(sessions.items())]
    for _, _, _, step, closes in merge(*runs, key=lambda row: row[:3]):
        yield step, closes


def _over(alert: Alert, count: int, last: int | None, ended: str | None) -> Alert:
    """An alert with what came after it."""
    left = None
    if alert.timestamp is not None and last is not None:
        left = max(0, last - alert.timestamp)
    return msgspec.structs.replace(alert, left_events=count - alert.place, left_time=left, ended=ended)


def _silent(rules: Sequence[AlertRule], fleet: Fleet, calls: int, attempts: int) -> dict[str, str]:
    """Rules that could not say anything, and why."""
    found: dict[str, str] = {}
    for state in fleet.states:
        needed = max(2, int(state.rule.least)) + (0 if state.rule.condition.compares else 1)
        if state.count < needed:
            found[state.rule.name] = (
                f"it needs {needed:,} sessions with {state.metric}, there are {state.count:,}"
            )
    for rule in rules:
        if not calls and set(rule.metrics) <= WORK:
            found[rule.name] = "no tool call is in the record"
        elif RUNNING in rule.metrics and attempts < rule.least:
            found[rule.name] = f"it needs {int(rule.least):,} closed attempts, there are {attempts:,}"
    return found
