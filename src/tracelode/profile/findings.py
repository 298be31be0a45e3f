"""What looks wrong at first sight? Several sessions of one kind of work that fail at the same step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tracelode.model.finding import Finding
from tracelode.model.numbers import number

MIN_SESSIONS = 2
"""Sessions that must fail in a stage."""
MIN_FAILURES = 3
"""Failed operations that make a session fail there: one or two are ordinary work."""
MOST = 10


def repeated_failures(
    rows: Iterable[tuple[Any, ...]], attempts: Mapping[tuple[str, str], int]
) -> list[Finding]:
    """Stages in which several sessions of one kind of work fail repeatedly.

    Args:
        rows: (root, project, intent, stage, failed operations, first of them, cost of the stage).
        attempts: (project, intent) to its number of sessions.

    Returns:
        At most ten findings, the dearest stage first; each names the first failure of each session.
    """
    groups: dict[tuple[str, str, str], list[tuple[Any, ...]]] = {}
    for row in rows:
        if row[4] >= MIN_FAILURES:
            groups.setdefault(row[1:4], []).append(row)
    found: list[Finding] = []
    for (project, intent, stage), failing in groups.items():
        if len(failing) < MIN_SESSIONS:
            continue
        failing.sort(key=lambda row: (-row[4], row[0]))
        count = sum(row[4] for row in failing)
        cost = sum(row[6] or 0 for row in failing)
        total = attempts.get((project, intent), len(failing))
        found.append(
            Finding(
                what=f"{intent}: {len(failing)} of {total} attempts fail at the same step: {stage}",
                where=tuple(row[5] for row in failing),
                score=float(cost or count),
                why=f"{number(count, 'failed operation')} in one project",
                kind="repeated-failure",
            )
        )
    found.sort(key=lambda f: (-f.score, f.where))
    return found[:MOST]
