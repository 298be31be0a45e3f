"""What looks wrong at first sight? Sessions that fail again and again at the same step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tracelode.model.finding import Finding

MIN_SESSIONS = 2
MIN_FAILURES = 3


def repeated_failures(rows: Iterable[tuple[Any, ...]]) -> list[Finding]:
    """Steps at which several sessions of one kind of work fail repeatedly.

    Args:
        rows: failed operations (root, session, index, project, intent, stage, tool, status, cost).

    Returns:
        At most ten findings, those that cost most first; each names its first place.
    """
    groups: dict[tuple[str, str, str], list[tuple[Any, ...]]] = {}
    for row in rows:
        groups.setdefault((row[3], row[4], row[5]), []).append(row)
    found: list[Finding] = []
    for (_project, intent, stage), failed in groups.items():
        by_root: dict[str, list[tuple[Any, ...]]] = {}
        for row in failed:
            by_root.setdefault(row[0], []).append(row)
        often = {root: own for root, own in by_root.items() if len(own) >= MIN_FAILURES}
        if len(often) < MIN_SESSIONS:
            continue
        places = tuple(f"{own[0][1]}#{own[0][2]}" for _, own in sorted(often.items()))
        count = sum(len(own) for own in often.values())
        cost = sum(row[8] or 0 for own in often.values() for row in own)
        found.append(
            Finding(
                what=f"{intent}: {len(often)} sessions of one project fail again and again at: {stage}",
                where=places,
                score=float(cost or count),
                why=f"{count} failed operations",
                kind="repeated-failure",
            )
        )
    found.sort(key=lambda f: (-f.score, f.where))
    return found[:10]
