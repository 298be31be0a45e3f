"""Which rows does a warehouse get? Sessions, plans and operations, with the versions they were made by."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.errors import UsageError
from tracelode.model.planning import METRICS_VERSION, SessionPlan
from tracelode.model.warehouse import DIALECTS, ddl
from tracelode.workspace.planning import Planning

if TYPE_CHECKING:
    from tracelode.model.plan import Plan
    from tracelode.model.session import Session

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def statements(dialect: str, place: str | Path = "WAREHOUSE") -> str:
    """The statements that make the tables elsewhere and load them.

    Args:
        dialect: duckdb or clickhouse.
        place: the warehouse's folder, as its loader sees it.

    Raises:
        UsageError: another dialect.
    """
    if dialect not in DIALECTS:
        raise UsageError(f"a dialect is one of {', '.join(DIALECTS)}")
    return ddl(dialect, str(place))


class Warehousing(Planning):
    """How a store becomes tables."""

    def export_warehouse(self, target: str | Path) -> dict[str, int]:
        """Write a store as Parquet tables, a folder a table and a day; a warehouse there is replaced.

        Args:
            target: its folder.

        Returns:
            Table to its number of rows.

        Raises:
            ExportError: something else lies there, or it cannot be written.

        Source:
            plan rules, section 10.4.
        """
        from tracelode.plan.metrics import measure
        from tracelode.store.warehouse import write

        sessions = {s.key: s for s in self._catalog.sessions()}
        plans: dict[str, Plan] = {}
        measured: dict[str, SessionPlan] = {}
        if not self.empty():
            plans = {p.session: p for p in self._plans(())}
        for plan, operations, _ in self._read(list(plans.values())):
            work = self._work(plan, operations, whole=False)
            measured[plan.session] = measure(plan.events, work)
        days = {key: _day(s.started) for key, s in sessions.items()}
        tables = {
            "sessions": _sessions(sessions, plans, measured, days),
            "events": _events(plans),
            "nodes": _nodes(measured, days),
            "attempts": _attempts(measured, days),
            "interventions": _interventions(measured, days),
            "rollbacks": _rollbacks(measured, days),
        }
        versions = {"metrics_version": METRICS_VERSION}
        return write(self._catalog, Path(target).expanduser(), tables, versions)


def _moment(at: int | None) -> datetime | None:
    return None if at is None else (_EPOCH + timedelta(microseconds=at)).replace(tzinfo=None)


def _day(at: int | None) -> str:
    moment = _moment(at)
    return "1970-01-01" if moment is None else f"{moment:%Y-%m-%d}"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _sessions(
    sessions: dict[str, Session],
    plans: dict[str, Plan],
    measured: dict[str, SessionPlan],
    days: dict[str, str],
) -> Iterator[tuple[Any, ...]]:
    for key, s in sorted(sessions.items()):
        plan = measured.get(key)
        figures = {m.name: m.value for m in plan.metrics} if plan is not None else {}
        yield (
            key, s.root, s.agent, s.role, s.project, s.task, s.outcome, s.intent, _moment(s.started),
            _moment(s.ended), s.operations, s.inherited, s.calls, plan.task_type or None if plan else None,
            plan.goal or None if plan else None, plan.tier if plan else None,
            len(plans[key].events) if plan else 0, plan.weight if plan else 1.0, METRICS_VERSION,
            _json(figures), days[key],
        )  # fmt: skip


def _events(plans: dict[str, Plan]) -> Iterator[tuple[Any, ...]]:
    for key, plan in sorted(plans.items()):
        for number, e in enumerate(plan.events):
            told = {name: e.payload.get(name) for name in ("op", "decision", "tool")}
            words = [str(told[n]) if told[n] is not None else None for n in ("op", "decision", "tool")]
            yield (
                key, e.event_id, number, _moment(e.timestamp), e.actor, e.event_type, e.node_id,
                e.parent_node_id, e.status, e.evidence, *words, e.task_id, e.actor_id, e.writer or None,
                _json(e.depends_on), _json(e.payload), _day(e.timestamp),
            )  # fmt: skip


def _nodes(measured: dict[str, SessionPlan], days: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    for key, plan in sorted(measured.items()):
        for n in plan.nodes:
            yield (
                key, n.id, n.text or None, n.rank, n.epoch, n.initial, n.status, n.attempts, n.time, n.calls,
                n.turns, n.tokens, n.human, n.depth, days.get(key, _day(plan.started)),
            )  # fmt: skip


def _attempts(measured: dict[str, SessionPlan], days: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    for key, plan in sorted(measured.items()):
        numbers: dict[str, int] = {}
        for bar in plan.bars:
            numbers[bar.node] = number = numbers.get(bar.node, 0) + 1
            known = bar.started is not None and bar.ended is not None and not bar.implied
            span = (
                bar.ended - bar.started
                if known and bar.ended is not None and bar.started is not None
                else None
            )
            yield (
                key, bar.node, number, _moment(bar.started), _moment(bar.ended), bar.end, bar.implied,
                span if span is not None and span >= 0 else None, days.get(key, _day(plan.started)),
            )  # fmt: skip


def _interventions(measured: dict[str, SessionPlan], days: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    for key, plan in sorted(measured.items()):
        for i in plan.interventions:
            yield (
                key, i.event_id, _moment(i.timestamp), i.event_type, i.node_id, i.status, i.decision,
                i.declared, i.position, i.corrective, i.delay, i.text or None,
                days.get(key, _day(plan.started)),
            )  # fmt: skip


def _rollbacks(measured: dict[str, SessionPlan], days: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    for key, plan in sorted(measured.items()):
        for r in plan.rollbacks:
            yield (
                key, r.event_id, _moment(r.timestamp), ",".join(r.detectors), r.from_node or None, r.to_node,
                r.distance, r.trigger or None, r.initiator, r.reason, r.corrected, r.diff, r.cost, r.delay,
                days.get(key, _day(plan.started)),
            )  # fmt: skip
