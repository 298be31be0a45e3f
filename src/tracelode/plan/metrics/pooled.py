"""What do several sessions say together? Each metric as a ratio and a mean, with intervals over clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tracelode.errors import UsageError
from tracelode.model.planning import METRICS_VERSION, PlanMetric, PlanReport, Pooled, SessionPlan
from tracelode.plan.metrics.figure import quantile
from tracelode.plan.metrics.people import together as people
from tracelode.plan.metrics.weights import median
from tracelode.statistics.bootstrap import LEVEL, TIMES
from tracelode.statistics.cluster import CLUSTERS, Bounded, Rate, together

UNITS = ("task", "project", "session")
"""What sessions may be drawn by, the first that every session tells where nothing is asked."""


class Row(NamedTuple):
    """One metric of one session."""

    cluster: str
    """What it is drawn with."""
    metric: PlanMetric
    """Value, with what it is made of."""
    weight: float
    """Sessions that it stands for."""


def report(
    sessions: Sequence[SessionPlan], unusable: int = 0, *, cluster: str | None = None, seed: int = 0
) -> PlanReport:
    """Several sessions together.

    Args:
        sessions: n sessions.
        unusable: lines that are no event.
        cluster: task, project or session; None for the first of these that every session tells.
        seed: of the draws.

    Returns:
        Each metric pooled and as the mean of sessions, with 95 % intervals over clusters from 5 of them on; a
        session without a value is counted with its reason.

    Raises:
        UsageError: another cluster.

    Source:
        plan rules, section 9.1; docs/decisions/0031-plan-statistics.md.
    """
    unit = chosen(sessions, cluster)
    of = [key(one, unit) for one in sessions]
    by_name: dict[str, list[Row]] = {}
    for one, place in zip(sessions, of, strict=True):
        for metric in one.metrics:
            by_name.setdefault(metric.name, []).append(Row(place, metric, one.weight))
    figures: list[list[Rate]] = []
    for rows in by_name.values():
        figures += [ratio_parts(rows), mean_parts(rows)]
    bounds = together(figures, seed=seed)
    pooled = [
        _pooled(name, rows, bounds[2 * at], bounds[2 * at + 1])
        for at, (name, rows) in enumerate(by_name.items())
    ]
    clusters = len(set(of))
    return PlanReport(
        metrics_version=METRICS_VERSION,
        sessions=tuple(sessions),
        pooled=tuple(pooled),
        people=people(sessions),
        unusable=unusable,
        cluster=unit,
        clusters=clusters,
        level=LEVEL,
        resamples=TIMES if clusters >= CLUSTERS else 0,
        seed=seed,
    )


def chosen(sessions: Sequence[SessionPlan], cluster: str | None) -> str:
    """What sessions are drawn by.

    Args:
        sessions: n sessions.
        cluster: what is asked for, None for nothing.

    Raises:
        UsageError: none of UNITS.
    """
    if cluster is not None:
        if cluster not in UNITS:
            raise UsageError(f"sessions are drawn by {', '.join(UNITS)}, not by {cluster!r}")
        return cluster
    if sessions and all(one.task for one in sessions):
        return "task"
    return "project" if sessions and all(one.project for one in sessions) else "session"


def key(one: SessionPlan, unit: str) -> str:
    """The cluster of a session: a thread belongs to its root, and what tells no task or project is its own.

    Args:
        one: a session.
        unit: of UNITS.
    """
    told = {"task": one.task, "project": one.project}.get(unit, "")
    return f"{unit}:{told}" if told else f"session:{one.root or one.session_id}"


def ratio_parts(rows: Sequence[Row]) -> list[Rate]:
    """Numerators and denominators; none where a session's value has none.

    Args:
        rows: of each session.
    """
    known = [row for row in rows if row.metric.value is not None]
    parts = [Rate(place, m.numerator * w, m.denominator * w) for place, m, w in known
             if m.numerator is not None and m.denominator]  # fmt: skip
    return parts if len(parts) == len(known) else []


def mean_parts(rows: Sequence[Row]) -> list[Rate]:
    """Values, each of its session's weight.

    Args:
        rows: of each session.
    """
    return [Rate(place, float(m.value) * w, w) for place, m, w in rows if m.value is not None]


def _pooled(name: str, rows: Sequence[Row], ratio: Bounded, mean: Bounded) -> Pooled:
    """One metric of sessions, each counted as often as its weight says (section 10.2)."""
    values = [float(row.metric.value) for row in rows if row.metric.value is not None]
    weights = [row.weight for row in rows if row.metric.value is not None]
    even = all(weight == 1 for weight in weights)
    return Pooled(
        name=name,
        unit=rows[0].metric.unit,
        pooled=ratio.value,
        mean=mean.value,
        median=median(values, weights) if values else None,
        low=quantile(values, 0.1) if even else None,
        high=quantile(values, 0.9) if even else None,
        sessions=len(values),
        missing=dict(Counter(row.metric.reason for row in rows if row.metric.value is None)),
        pooled_interval=ratio.interval,
        mean_interval=mean.interval,
        clusters=mean.clusters,
        method=mean.method,
        pooled_narrow=ratio.narrow,
        mean_narrow=mean.narrow,
        weighted=not even,
    )
