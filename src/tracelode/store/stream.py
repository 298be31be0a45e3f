"""How are whole sessions read one after the other, so that memory holds one of them at a time?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from tracelode.errors import StoreError
from tracelode.model.operation import Operation
from tracelode.model.query import Query
from tracelode.store import asks
from tracelode.store.duckdb import DuckAsker
from tracelode.store.schema import OPERATIONS, column, quoted
from tracelode.store.shards import relation, row_operation

ROWS = 512
"""Rows fetched at once."""


class Stretch(NamedTuple):
    """One session's own operations, as far as its shard tells them."""

    session: str
    """Its key."""
    root: str
    """Key of its root session."""
    outcome: str | None
    """success, failure or None."""
    operations: list[Operation]
    """The n own operations in order; fields intent, stage and frame and the wanted measures are added."""
    groups: list[tuple[tuple[str, ...], ...]]
    """For each of the n operations its frames on each of the stacks asked for."""
    chosen: list[bool]
    """Whether the filters hold, for each operation."""


def stretches(
    asker: DuckAsker,
    query: Query,
    stacks: Sequence[tuple[str, ...]],
    measures: Sequence[str],
    sessions: Sequence[str] | None = None,
) -> Iterator[Stretch]:
    """Read sessions one after the other.

    Args:
        asker: reads the store.
        query: filters; sessions without an operation that passes them are left out, of the others every
            operation is given.
        stacks: fields of the stacks that are wanted for every operation.
        measures: stored measures that are wanted.
        sessions: keys of sessions, None for all.

    Returns:
        Sessions by shard and key. At most ROWS rows are held beside the session that is given.

    Raises:
        UnknownField: a field that no operation has.
        StoreError: a shard went away or is broken.
    """
    import duckdb

    if asker.empty():
        return
    for stack in stacks:
        asks.check_fields(msgspec.structs.replace(query, stack=stack))
    span = asker.span()
    shards = asker.catalog.shards()
    wanted = _select(query, stacks, measures, span)
    where = "" if sessions is None else _among(sessions)
    for name, dead in sorted(shards.items()):
        tables = (relation(asker.catalog.folder, table, {name: dead}) for table in ("operations", "frames"))
        operations, frames = tables
        text = (
            f"SELECT {wanted} FROM ({operations}) o JOIN ({frames}) f ON f.session = o.session AND "
            f"f.idx = o.idx{where} ORDER BY o.session, o.idx"
        )
        try:
            yield from _sessions(asker.db.cursor().execute(text), len(stacks), measures)
        except duckdb.Error as error:
            raise StoreError(
                f"a shard of the store in {asker.catalog.folder} cannot be read; "
                "run the import again to rebuild it"
            ) from error


def _select(
    query: Query, stacks: Sequence[tuple[str, ...]], measures: Sequence[str], span: tuple[int, int] | None
) -> str:
    terms = asks.where_sql(query, span).removeprefix(" WHERE ")
    columns = [f"o.{name}" for name, _ in OPERATIONS]
    columns += ["f.outcome", "f.intent", "f.stage", "f.tool", f"COALESCE(({terms or 'true'}), false)"]
    for stack in stacks:
        folded = msgspec.structs.replace(query, stack=stack, tagroot=(), tagleaf=(), lane="separate")
        columns.append(asks.stack_sql(folded, span, None))
    columns += [f"f.{column(measure)}" for measure in measures]
    return ", ".join(f"{text} AS c{i}" for i, text in enumerate(columns))


def _among(sessions: Sequence[str]) -> str:
    return f" WHERE o.session IN ({', '.join(quoted(key) for key in sessions) or 'NULL'})"


def _sessions(cursor: Any, stacks: int, measures: Sequence[str]) -> Iterator[Stretch]:
    here: Stretch | None = None
    while rows := cursor.fetchmany(ROWS):
        for row in rows:
            if here is None or here.session != row[0]:
                if here is not None and any(here.chosen):
                    yield here
                here = Stretch(row[0], row[1], None, [], [], [])
            here = _add(here, row, stacks, measures)
    if here is not None and any(here.chosen):
        yield here


_FACTS = len(OPERATIONS)
_TITLES = ("intent", "stage", "frame")


def _add(here: Stretch, row: tuple[Any, ...], stacks: int, measures: Sequence[str]) -> Stretch:
    operation = row_operation(row[:_FACTS])
    outcome, intent, stage, tool, chosen = row[_FACTS : _FACTS + 5]
    # freshly decoded and nobody else's: filled in place, a copy of each would cost as much as reading it
    operation.fields.update((k, v) for k, v in zip(_TITLES, (intent, stage, tool), strict=True) if v)
    values = zip(measures, row[_FACTS + 5 + stacks :], strict=True)
    operation.measures.update((name, value) for name, value in values if value is not None)
    here.operations.append(operation)
    texts = row[_FACTS + 5 : _FACTS + 5 + stacks]
    here.groups.append(tuple(tuple(text.split(asks.SEPARATOR)) for text in texts))
    here.chosen.append(bool(chosen))
    return here if outcome is None else here._replace(outcome=outcome)


def splits(asker: DuckAsker, query: Query, stack: tuple[str, ...]) -> dict[tuple[str, ...], tuple[int, int]]:
    """How many failed and how many succeeded root sessions have each group.

    Args:
        asker: reads the store.
        query: filters; one on the outcome is left out, because both outcomes are needed.
        stack: fields of the groups.

    Returns:
        Group to (failed, succeeded); under (), all such sessions.

    Raises:
        UnknownField: a field that no operation has.
    """
    where = tuple(pair for pair in query.where if pair[0] != "outcome")
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for way, outcome in enumerate(("failure", "success")):
        asked = msgspec.structs.replace(
            query, where=(*where, ("outcome", outcome)), stack=stack, tagroot=(), tagleaf=(), lane="separate"
        )
        counts = asker.sessions_by(asked, len(stack))
        # every session has one outcome, whatever else it has
        counts[()] = sum(asker.sessions_by(msgspec.structs.replace(asked, stack=("outcome",)), 1).values())
        for group, count in counts.items():
            old = found.get(group, (0, 0))
            found[group] = (count, old[1]) if way == 0 else (old[0], count)
    return found
