"""Which operations make a stack? The largest of each, with the line they were read from, and their number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracelode.model.behind import Behind, Worked
from tracelode.model.measure import NULLABLE, parts
from tracelode.model.profile import Stack
from tracelode.model.query import Query
from tracelode.store import asks
from tracelode.store.duckdb import DuckAsker
from tracelode.store.schema import column

EACH = 200
"""Operations of one stack, at most."""
MOST = 4_000
"""Operations of all stacks, at most: about 300 kB of a page."""


def behind(
    asker: DuckAsker,
    query: Query,
    view: Callable[[Stack], Stack | None] | None = None,
    *,
    each: int = EACH,
    most: int = MOST,
) -> Behind:
    """Operations behind the stacks of a query, the largest by its first measure.

    Args:
        asker: of the store.
        query: as for a fold.
        view: stack to the frames that are shown, None for a stack that is not; None shows all as they are.
        each: operations of one stack, at most.
        most: operations in all, at most: the largest of every stack come before the second ones of any.

    Returns:
        Rows by stack, largest first; counts of all operations of each stack.

    Raises:
        UnknownField: a field that no operation has.
    """
    asks.check_fields(query)
    if asker.empty():
        return Behind(query.measures, (), {})
    span = asker.span()
    source = asker._source(query, span)
    stack = asks.stack_sql(query, span, asker._lanes if query.lane == "nested" else None)
    if " o ON" not in source:
        source += " JOIN {operations} o ON o.session = f.session AND o.idx = f.idx"
    names = [f"m{i}" for i in range(len(query.measures))]
    values = ", ".join(f"{_value(m)} AS {name}" for m, name in zip(query.measures, names, strict=True))
    rows = asker._rows(
        f"WITH d AS (SELECT {stack} AS stack, f.session AS session, f.idx AS idx, f.tool AS tool, "
        f"o.path AS path, o.line AS line, {values} FROM {source}{asks.where_sql(query, span)}), "
        "r AS (SELECT *, row_number() OVER (PARTITION BY stack ORDER BY m0 DESC NULLS LAST, session, idx) "
        f"AS place, count(*) OVER (PARTITION BY stack) AS n FROM d) SELECT stack, n, session, idx, tool, "
        f"path, line, {', '.join(names)} FROM r WHERE place <= {int(each)} "
        f"ORDER BY place, m0 DESC NULLS LAST, stack LIMIT {int(most)}"
    )
    counted = asker._rows(
        f"SELECT {stack} AS stack, count(*) FROM {source}{asks.where_sql(query, span)} GROUP BY stack"
    )
    return _shown(query, rows, counted, view)


def _value(measure: str) -> str:
    names = parts(measure)
    if len(names) == 1 and names[0] in NULLABLE:
        return f"f.{column(names[0])}"
    return " + ".join(f"COALESCE(f.{column(n)}, 0)" for n in names)


def _shown(
    query: Query,
    rows: list[tuple[Any, ...]],
    counted: list[tuple[Any, ...]],
    view: Callable[[Stack], Stack | None] | None,
) -> Behind:
    counts: dict[Stack, int] = {}
    seen_as: dict[str, Stack | None] = {}
    for text, number in counted:
        frames = tuple(text.split(asks.SEPARATOR))
        seen = seen_as[text] = frames if view is None else view(frames)
        if seen is not None:
            counts[seen] = counts.get(seen, 0) + number
    found = []
    for text, _, session, index, tool, path, line, *values in rows:
        seen = seen_as.get(text)
        if seen is not None:
            row = Worked(seen, session, index, tool or "", path or "", line or 0, tuple(values))
            found.append(row)
    found.sort(key=lambda row: row.stack)
    return Behind(query.measures, tuple(found), counts)
