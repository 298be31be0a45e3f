"""Did a proposal help? Sessions measured now against an answer that was kept before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tracelode.errors import QueryError, UsageError
from tracelode.model.numbers import number
from tracelode.model.plan_study import Against
from tracelode.model.planning import PlanReport
from tracelode.plan.study.contrast import adjust, contrast, positions
from tracelode.plan.study.units import kept_units, read_kept, units

AIMED = (
    "coverage", "rollback_rate", "node_duration", "unplanned", "corrective", "human_mid", "work_in_plan",
    "supported_completion", "tested_completion", "observed_rework",
)  # fmt: skip
"""Metrics that proposals aim at."""
NAMES = ("before", "now")


def since(report: PlanReport, path: Path, metrics: Sequence[str] = (), seed: int = 0) -> Against:
    """Now minus before.

    Args:
        report: sessions measured now.
        path: the kept answer.
        metrics: which to hold against each other; none for AIMED.
        seed: of draws and deals.

    Returns:
        Contrasts, paired where both sets share tasks, adjusted by Holm.

    Raises:
        SourceError: the file is no such answer.
        QueryError: its metrics are of another version, or both sets hold the same session.
        UsageError: an unknown metric.
    """
    kept = read_kept(path)
    now = units(report.sessions, report.cluster)
    before = kept_units(kept, report.cluster)
    both = {u.session for u in now} & {u.session for u in before}
    if both:
        raise QueryError(
            f"both sets hold {number(len(both), 'session')}; a session is either before or after a change: "
            "measure those that came later alone"
        )
    known = {name for unit in (*now, *before) for name in unit.figures}
    for name in metrics:
        if name not in known:
            raise UsageError(f"unknown metric {name!r}")
    listed = [name for name in (metrics or AIMED) if name in known]
    rows = [contrast(before, now, name, names=NAMES, seed=seed) for name in listed]
    placed = positions(before, now, names=NAMES, seed=seed)
    tested, where = adjust(rows, [placed])
    return Against(
        metrics_version=kept.metrics_version, sessions=(len(before), len(now)),
        clusters=(len({u.cluster for u in before}), len({u.cluster for u in now})), cluster=report.cluster,
        contrasts=tested, positions=where[0] if sum(placed.before) + sum(placed.after) else None,
    )  # fmt: skip
