"""Which JSON do rank, guide and loops answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracelode.cli import shapes
from tracelode.model.measure import unit
from tracelode.model.words import exact_dollars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracelode.model.ranking import Guide, Loop, Loops, Packet, Ranked, Ranking, Scored, Spectrum
    from tracelode.model.report import Skipped


def ranked(item: Ranked) -> dict[str, Any]:
    """One ranked operation."""
    return {
        **shapes.finding(item.finding),
        "session": item.session,
        "index": item.index,
        "id": item.id,
        "name": item.name,
        "path": item.path,
        "line": item.line or None,
        "group": list(item.group),
        "direct": item.direct,
        "spectrum": spectrum(item.spectrum),
        "reasons": list(item.reasons),
        "controls": dict(item.controls),
        "of": item.of,
        "tokens": item.tokens,
    }


def spectrum(item: Spectrum | None) -> dict[str, Any] | None:
    """How a group splits the sessions; null where outcomes do not tell."""
    if item is None:
        return None
    return {
        "failed": item.failed,
        "succeeded": item.passed,
        "all_failed": item.all_failed,
        "all_succeeded": item.all_passed,
        "ochiai": item.ochiai,
        "dstar": item.dstar,
        "wilson": item.wilson,
    }


def scored(item: Scored | None) -> dict[str, Any] | None:
    """How well an order finds known faults; null where none are known."""
    if item is None:
        return None
    return {"map": item.map, "hit_1": item.hit_1, "hit_5": item.hit_5, "within_3": item.within_3}


def skipped(rows: Iterable[Skipped]) -> list[dict[str, Any]]:
    """Rows that could not be used."""
    return [{"path": s.path, "line": s.line, "reason": s.reason, "count": s.count} for s in rows]


def about(item: Ranking) -> dict[str, Any]:
    """What a ranking rests on."""
    direct = None
    if item.direct is not None:
        direct = {
            "column": item.direct.column,
            "used": item.direct.used,
            "without": item.direct.without,
            "unmatched": item.direct.unmatched,
            "constant": item.direct.constant,
            "skipped": skipped(item.direct.skipped),
        }
    return {
        "operations": item.operations,
        "sessions": item.sessions,
        "subagents": item.subagents,
        "tokens": item.tokens,
        "groups": list(item.groups),
        "outcomes": {"failed": item.failed, "succeeded": item.passed},
        "shapes": dict(item.shapes),
        "controls_alike": dict(item.alike),
        "direct": direct,
        "faults": {
            "sessions": item.fault_sessions,
            "orders": {name: scored(score) for name, score in item.faults.items()},
            "skipped": skipped(item.fault_rows),
        },
    }


def packet(item: Packet) -> dict[str, Any]:
    """One group to read."""
    return {
        "group": list(item.group),
        "operations": item.operations,
        "sessions": item.sessions,
        "tokens": item.tokens,
        "worth": item.worth,
        "opened": [ranked(one) for one in item.opened],
    }


def guide(item: Guide) -> dict[str, Any]:
    """Which groups to read."""
    return {
        "budget": item.budget,
        "tokens": item.tokens,
        "of": item.of,
        "opened": item.tokens / item.of if item.of else None,
        "worth": item.worth,
        "full": scored(item.full),
        "kept": scored(item.kept),
        "packets": [packet(one) for one in item.packets],
        "ranking": about(item.ranking),
    }


def loop(item: Loop) -> dict[str, Any]:
    """One loop."""
    answer: dict[str, Any] = {
        "session": item.session,
        "stage": item.stage or None,
        "tool": item.tool,
        "sort": item.sort,
        "words": item.words,
        "places": list(item.places),
        "repeats": item.repeats,
        "exact": item.exact,
        "alike": item.alike,
        "path": item.path,
        "line": item.line or None,
        "measures": dict(item.measures),
    }
    return answer | _dollars(item.measures)


def loops(item: Loops) -> dict[str, Any]:
    """All loops."""
    return {
        "total": item.total,
        "repeats": item.repeats,
        "operations": item.operations,
        "sessions": item.sessions,
        "subagents": item.subagents,
        "by_sort": dict(item.by_sort),
        "units": {name: unit(name) for name in item.measures},
        "measures": dict(item.measures),
        **_dollars(item.measures),
        "loops": [loop(one) for one in item.loops],
    }


def _dollars(measures: dict[str, int | None]) -> dict[str, Any]:
    cost = measures.get("cost")
    return {"cost": exact_dollars(cost)} if cost is not None else {}
