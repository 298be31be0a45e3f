"""What takes the place of plan nodes where nothing was planned? Stretches of one stage, told by a rule.

They say where work went. They were not planned, so they have no coverage, no order and no status.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import msgspec

from tracelode.model.operation import Operation
from tracelode.model.planning import Bar, NodeRow, PlanMetric
from tracelode.plan.metrics.figure import absent, amount, quantile
from tracelode.plan.work import Work

NAMES = (
    ("segment_count", "nodes"), ("segment_calls", "calls"), ("segment_time", "seconds"),
    ("segment_concentration", "ratio"),
)  # fmt: skip


class Piece(msgspec.Struct, frozen=True):
    """One stretch of operations of the same stage."""

    id: str
    """seg/ and its place from 0."""
    name: str
    """The stage."""
    start: int
    """Index of its first operation."""
    stop: int
    """Index after its last operation."""
    started: int | None
    """UTC microseconds of its first known moment."""
    ended: int | None
    """UTC microseconds of its last known moment."""


def pieces(operations: Sequence[Operation], stages: Mapping[int, str]) -> list[Piece]:
    """The stretches of a session.

    Args:
        operations: n operations of one session, in order.
        stages: index of an operation to its stage.

    Returns:
        Stretches in order; operations of other sessions that this one repeats are in none.

    Source:
        plan rules, section 5.5, third level of evidence.
    """
    known = [(stages[o.index], o) for o in operations if not o.inherited and stages.get(o.index)]
    found: list[Piece] = []
    for name, rows in groupby(known, key=lambda pair: pair[0]):
        held = [o for _, o in rows]
        moments = [m for o in held for m in (o.started, o.ended) if m is not None]
        found.append(
            Piece(
                f"seg/{len(found)}",
                name,
                held[0].index,
                held[-1].index + 1,
                min(moments, default=None),
                max(moments, default=None),
            )
        )
    return found


def piece_rows(listed: Sequence[Piece], work: Work | None) -> Iterator[NodeRow]:
    """A row a stretch, with what it took.

    Args:
        listed: the stretches.
        work: what was observed, None for nothing.
    """
    for rank, one in enumerate(listed):
        calls = [c for c in work.calls if one.start <= c.place < one.stop] if work is not None else []
        turns = [t for t in work.turns if one.start <= t < one.stop] if work is not None else []
        yield NodeRow(
            id=one.id,
            text=one.name,
            rank=rank,
            epoch=0,
            initial=True,
            status="segment",
            attempts=1,
            time=_span(one),
            calls=None if work is None else len(calls),
            turns=len(turns) if work is not None and work.turns else None,
            tokens=sum(c.tokens for c in calls) if work is not None and work.tokens_known else None,
            human=0,
            depth=0,
        )


def piece_bars(listed: Sequence[Piece]) -> Iterator[Bar]:
    """A bar a stretch."""
    for one in listed:
        yield Bar(one.id, one.started, one.ended, "segment", False)


def piece_metrics(listed: Sequence[Piece], work: Work | None, planned: bool) -> Iterator[PlanMetric]:
    """Where resources went in a session without a plan.

    Args:
        listed: its stretches.
        work: what was observed, None for nothing.
        planned: does it have a plan? Then its nodes say so, and these metrics have no value.

    Returns:
        Four metrics under names of their own: they are never pooled with those of plans.
    """
    if planned or not listed or work is None:
        reason = "it has a plan: its nodes tell" if planned else "no operation has a stage"
        for name, unit in NAMES:
            yield absent(name, unit, reason)
        return
    rows = list(piece_rows(listed, work))
    calls = [row.calls or 0 for row in rows]
    times = [row.time / 1e6 for row in rows if row.time is not None]
    yield amount("segment_count", len(rows), "nodes", len(rows))
    yield amount("segment_calls", quantile(calls, 0.5), "calls", len(rows))
    reason = "" if times else "no stretch has two moments"
    yield amount("segment_time", quantile(times, 0.5), "seconds", len(times), reason=reason)
    total = sum(calls)
    if not total:
        yield absent("segment_concentration", "ratio", "no tool call is in the record")
        return
    stages: dict[str, int] = {}
    for row in rows:
        stages[row.text] = stages.get(row.text, 0) + (row.calls or 0)
    most = max(stages.values())
    yield amount("segment_concentration", most / total, "ratio", total, parts=(most, total))


def _span(one: Piece) -> int | None:
    return one.ended - one.started if one.started is not None and one.ended is not None else None
