"""Which JSON does a difference have? One shape for files and for --json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracelode.model.difference import Difference, Sensitivity
from tracelode.model.words import exact_dollars


def answer(difference: Difference, count: int | None = None, *, vanished: bool = False) -> dict[str, Any]:
    """A difference as JSON values.

    Args:
        difference: what to write.
        count: at most so many rows; None for all.
        vanished: only rows of stacks that one set has alone; they do not sum to the total.

    Returns:
        measure, unit, names, per, weight, sessions, tasks, pairs, left_out, proxy, notes, fields, total,
        rows.
        base, other and net of the total and the rows are integers of the unit, scaled to `weight` tasks or
        sessions, and rows sum to the total; net_each, low and high are floats of one task, session or total;
        money has decimal dollars beside it.
    """
    bases, others = difference.integers()
    total = _values(difference, sum(bases), sum(others))
    exact = difference.totals
    bounds = difference.interval or (None, None)
    return {
        "measure": difference.measure,
        "unit": difference.unit,
        "names": {"base": difference.names[0], "other": difference.names[1]},
        "per": difference.per,
        "weight": difference.weight,
        "sessions": {"base": difference.sessions[0], "other": difference.sessions[1]},
        "tasks": difference.tasks,
        "pairs": difference.pairs,
        "left_out": dict(difference.left_out),
        "proxy": difference.proxy,
        "least": {"sessions": difference.least[0], "tasks": difference.least[1]},
        "notes": list(difference.notes),
        "comments": list(difference.comments),
        "fields": list(difference.fields),
        "total": {
            **total,
            "net_each": (exact[1] - exact[0]) / difference.scale,
            "low": bounds[0],
            "high": bounds[1],
        },
        "rows": [row for row in _rows(difference, bases, others) if not vanished or row["only"]][:count],
    }


def _rows(difference: Difference, bases: list[int], others: list[int]) -> Iterator[dict[str, Any]]:
    sums = difference.totals
    for row, base, other in zip(difference.rows, bases, others, strict=True):
        found = difference.support.get(row.stack)
        yield {
            "stack": list(row.stack),
            **_values(difference, base, other),
            "net_each": row.net / difference.scale,
            "low": row.low,
            "high": row.high,
            "base_share": row.base / sums[0] if sums[0] else None,
            "other_share": row.other / sums[1] if sums[1] else None,
            "base_sessions": found.base if found else 0,
            "other_sessions": found.other if found else 0,
            "tasks": found.tasks if found else 0,
            "supported": difference.supported(row.stack),
            "only": row.only,
        }


def _values(difference: Difference, base: int, other: int) -> dict[str, Any]:
    found: dict[str, Any] = {"base": base, "other": other, "net": other - base}
    if difference.unit == "picodollars":
        found |= {f"{key}_dollars": exact_dollars(value) for key, value in tuple(found.items())}
    return found


def sensitivity_answer(found: Sensitivity, count: int | None = None) -> dict[str, Any]:
    """Shares under several segmenters as JSON values.

    Args:
        found: the shares.
        count: at most so many stages; None for all.

    Returns:
        measure, names, lexicons, sessions, doubtful, and per stage its shares by segmenter, the range of net
        values, and whether the sign is the same under all.
    """
    return {
        "measure": found.measure,
        "names": {"base": found.names[0], "other": found.names[1]},
        "lexicons": list(found.lexicons),
        "sessions": found.sessions,
        "doubtful": dict(found.doubtful),
        "stages": [
            {
                "stage": cut.stage,
                "base_share": dict(zip(cut.segmenters, cut.base, strict=True)),
                "other_share": dict(zip(cut.segmenters, cut.other, strict=True)),
                "net": dict(zip(cut.segmenters, cut.net, strict=True)),
                "low": min(cut.net),
                "high": max(cut.net),
                "stable": cut.stable,
                "doubtful": cut.doubtful,
            }
            for cut in found.cuts[:count]
        ],
    }
