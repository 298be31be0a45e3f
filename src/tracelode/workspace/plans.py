"""Which plans does a store hold? Its sessions as lanes, their operations as events."""

from __future__ import annotations

from typing import Any

from tracelode.model.operation import Operation
from tracelode.model.plan import Plan
from tracelode.model.session import Session
from tracelode.signals.plan.events import plans
from tracelode.signals.plan.lanes import Lane, handoffs
from tracelode.store.catalog import Catalog


def found(catalog: Catalog, asker: Any, one: Session | None = None) -> list[Plan]:
    """The plans of a store, of a family, or of one sub-agent.

    Args:
        catalog: the store's catalog.
        asker: what reads the store's operations.
        one: the session asked for, a root with its sub-agents; None for all.

    Returns:
        Plans by session, the oldest first.
    """
    operations: dict[str, list[Operation]] = {}
    for operation in asker.planning(None if one is None else [one.root]):
        operations.setdefault(operation.session, []).append(operation)
    sessions = [s for s in catalog.sessions() if s.key in operations]
    sessions.sort(key=lambda s: (s.started or 0, s.root, s.key != s.root, s.key))
    lanes = [Lane(s.key, operations[s.key], s.root, s.parent_operation) for s in sessions]
    # a plan may have been approved by the prompt of another session
    elsewhere = () if one is None else handoffs(asker.handed_over())
    built = plans(lanes, elsewhere)
    return built if one is None or one.key == one.root else [p for p in built if p.session == one.key]
