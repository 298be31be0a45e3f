"""What does a session count for? Of a measured one, or of an answer of plan metrics that was kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tracelode.errors import QueryError, SourceError
from tracelode.files import bounded, why
from tracelode.model.plan_study import POSITIONS, Unit
from tracelode.model.planning import METRICS_VERSION, SessionPlan
from tracelode.plan.metrics.pooled import chosen, key


class _Metric(msgspec.Struct):
    value: float | None = None
    numerator: float | None = None
    denominator: float | None = None
    unit: str = ""
    reason: str = ""


class _Step(msgspec.Struct):
    position: str = ""
    decision: str = ""


class _Session(msgspec.Struct):
    session_id: str
    metrics: dict[str, _Metric]
    interventions: list[_Step] = []
    task: str = ""
    project: str = ""
    root: str = ""
    seed: str = ""


class Kept(msgspec.Struct):
    """An answer of plan metrics --json, as far as it is needed again."""

    metrics_version: int
    """Of the definitions."""
    sessions: list[_Session]
    """Measured sessions."""
    cluster: str = "session"
    """What they were drawn by."""


def units(sessions: Sequence[SessionPlan], cluster: str | None = None) -> list[Unit]:
    """What measured sessions count for.

    Args:
        sessions: n sessions.
        cluster: task, project or session; None for the first of these that every session tells.

    Raises:
        UsageError: another cluster.
    """
    unit = chosen(sessions, cluster)
    return [
        Unit(
            session=one.session_id,
            cluster=key(one, unit),
            figures={m.name: (m.value, m.numerator, m.denominator, m.reason) for m in one.metrics},
            units={m.name: m.unit for m in one.metrics},
            positions=_positions(one.interventions),
            seed=one.seed,
        )
        for one in sessions
    ]


def kept_units(kept: Kept, cluster: str) -> list[Unit]:
    """What sessions of a kept answer count for.

    Args:
        kept: the answer.
        cluster: task, project or session.
    """
    found = []
    for one in kept.sessions:
        told = {"task": one.task, "project": one.project}.get(cluster, "")
        found.append(
            Unit(
                session=one.session_id,
                cluster=f"{cluster}:{told}" if told else f"session:{one.root or one.session_id}",
                figures={n: (m.value, m.numerator, m.denominator, m.reason) for n, m in one.metrics.items()},
                units={n: m.unit for n, m in one.metrics.items()},
                positions=_positions(one.interventions),
                seed=one.seed,
            )
        )
    return found


def read_kept(path: Path) -> Kept:
    """Read an answer of plan metrics --json.

    Args:
        path: the file.

    Raises:
        SourceError: it cannot be read, or is no such answer.
        QueryError: its metrics are of another version: their figures are not comparable.
    """
    try:
        data = bounded(path)
    except OSError as error:
        raise SourceError(f"cannot be read: {why(error)}", path=str(path)) from error
    try:
        kept = msgspec.json.decode(data, type=Kept)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SourceError(
            "no answer of plan metrics; write one with: tracelode plan metrics --json > FILE", path=str(path)
        ) from error
    same_version(kept.metrics_version, str(path))
    return kept


def same_version(version: int, where: str) -> None:
    """Refuse figures of other definitions.

    Args:
        version: of the figures.
        where: what holds them.

    Raises:
        QueryError: it is not the present one.
    """
    if version != METRICS_VERSION:
        raise QueryError(
            f"{where} has metrics of version {version}, and this tracelode measures version "
            f"{METRICS_VERSION}: figures of two definitions are not compared; measure both sets again"
        )


def _positions(steps: Sequence[Any]) -> tuple[int, int, int]:
    counts = Counter(step.position for step in steps if step.decision != "goal")
    pre, mid, post = (counts[word] for word in POSITIONS)
    return pre, mid, post
