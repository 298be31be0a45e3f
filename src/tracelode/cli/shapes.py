"""Which JSON does each answer have? Shapes that scripts rely on; schema_version counts their changes."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from tracelode.cli.text import iso
from tracelode.model.words import exact_dollars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracelode.model.finding import Finding
    from tracelode.model.operation import Operation
    from tracelode.model.profile import Profile, Stack
    from tracelode.model.report import ImportReport, Sums, Totals
    from tracelode.model.segment import Segmentation
    from tracelode.model.session import Session

SCHEMA_VERSION = 1
"""Grows when a key changes its meaning or goes away; new keys may come without."""

_DIMENSIONS = ("model", "day", "project", "session", "agent", "role", "kind")


def write(answer: dict[str, Any]) -> None:
    """Print one JSON object, indented for a person, one line for a program.

    Args:
        answer: keys and values; schema_version is put in front.
    """
    indent = 2 if sys.stdout.isatty() else None
    # ASCII: a terminal never sees a raw control or direction character of a trace.
    sys.stdout.write(json.dumps({"schema_version": SCHEMA_VERSION, **answer}, indent=indent) + "\n")


def money(picodollars: int) -> dict[str, Any]:
    """Money three times: an integer, its digits (past 2^53 a double loses some), decimal dollars."""
    return {
        "cost_picodollars": picodollars,
        "cost_picodollars_string": str(picodollars),
        "cost": exact_dollars(picodollars),
    }


def import_report(report: ImportReport) -> dict[str, Any]:
    """What import answers."""
    return {
        "files": report.files,
        "files_read": report.files_read,
        "sessions": report.sessions,
        "operations": report.operations,
        "bytes_read": report.bytes_read,
        "skipped": [
            {"path": s.path, "line": s.line, "reason": s.reason, "count": s.count} for s in report.skipped
        ],
        "effects": report.effects,
    }


def sums(row: Sums) -> dict[str, Any]:
    """One row of totals."""
    return {
        "sessions": row.sessions,
        "calls": row.calls,
        "calls_lower_bound": row.calls_lower_bound,
        "operations": row.operations,
        "tokens": dict(row.tokens),
        **money(row.cost_picodollars),
        "unpriced": dict(row.unpriced),
        "time_us": dict(row.time_us),
    }


def totals(row: Totals) -> dict[str, Any]:
    """Totals and their split."""
    return {
        "totals": {
            **sums(row),
            "subagents": row.subagents,
            "forks": row.forks,
            "first": iso(row.first),
            "last": iso(row.last),
            "tz": row.tz,
        },
        "by": {
            name: {key: sums(part) for key, part in row.by.get(name, {}).items()}
            for name in (*_DIMENSIONS, *sorted(set(row.by) - set(_DIMENSIONS)))
        },
    }


def finding(item: Finding) -> dict[str, Any]:
    """One finding."""
    return {
        "kind": item.kind,
        "what": item.what,
        "where": list(item.where),
        "score": item.score,
        "why": item.why,
    }


def head(profile: Profile, unpriced: dict[str, int]) -> dict[str, Any]:
    """Measure, unit and total of a view's first measure, and what has no price."""
    totals = {m: profile.total(i) if profile.known(i) else None for i, m in enumerate(profile.measures)}
    measure, unit = profile.measures[0], profile.units[0]
    total = totals[measure]
    answer: dict[str, Any] = {"measure": measure, "unit": unit, "total": total}
    if unit == "picodollars":
        known = total is not None
        answer |= {"total_string": str(total) if known else None, "total_dollars": _dollars(total)}
    answer["unpriced"] = unpriced
    if len(profile.measures) > 1:
        answer["totals"] = totals
    return answer


def _dollars(picodollars: int | None) -> str | None:
    return None if picodollars is None else exact_dollars(picodollars)


def node(stack: Iterable[str], flat: int | None, cum: int | None, unit: str) -> dict[str, Any]:
    """One row of a view; null is unknown."""
    answer: dict[str, Any] = {"stack": list(stack), "flat": flat, "cum": cum}
    if unit == "picodollars":
        answer |= {"flat_dollars": _dollars(flat), "cum_dollars": _dollars(cum)}
    return answer


def several(profile: Profile, stack: Stack) -> dict[str, Any]:
    """The flat values of one stack where a view has several measures."""
    if len(profile.measures) == 1:
        return {}
    return {"values": dict(zip(profile.measures, profile.told(stack), strict=True))}


def segmentation(found: Segmentation) -> dict[str, Any]:
    """How a session is cut."""
    return {
        "session": found.session,
        "segmenter": found.segmenter,
        "version": found.version,
        "segments": [
            {
                "start": piece.start,
                "stop": piece.stop,
                "level": piece.level,
                "name": piece.name,
                "confidence": piece.confidence,
                "observed": piece.observed or None,
            }
            for piece in found.segments
        ],
    }


def session(item: Session) -> dict[str, Any]:
    """One session."""
    return {
        "key": item.key,
        "root": item.root,
        "agent": item.agent,
        "role": item.role,
        "project": item.project,
        "intent": item.intent or None,
        "outcome": item.outcome,
        "started": iso(item.started),
        "ended": iso(item.ended),
        "operations": item.operations,
        "inherited": item.inherited,
        "calls": item.calls,
        "fork_of": item.fork_of,
        "parent_operation": item.parent_operation,
        "source": item.source,
    }


def operation(item: Operation, *, previews: bool = False) -> dict[str, Any]:
    """One operation, with its previews where asked."""
    answer = {
        "index": item.index,
        "id": item.id,
        "session": item.session,
        "actor": item.actor,
        "kind": item.kind,
        "name": item.name,
        "status": item.status,
        "started": iso(item.started),
        "ended": iso(item.ended),
        "parent": item.parent,
        "inherited": item.inherited,
        "fields": dict(item.fields),
        "measures": dict(item.measures),
        "origin": {
            "adapter": item.origin.adapter,
            "path": item.origin.path,
            "line": item.origin.line,
            "offset": item.origin.offset,
        },
    }
    if "cost" in item.measures:
        answer["cost"] = exact_dollars(item.measures["cost"])
    if previews:
        answer |= {"arguments": item.arguments, "output": item.output}
    return answer
