"""What do sessions look like one by one? Values of each operation, and how often neighbours share a stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tracelode.model.measure import parts
from tracelode.model.operation import Operation
from tracelode.model.query import Query
from tracelode.store.duckdb import DuckAsker
from tracelode.store.schema import column, quoted
from tracelode.store.shards import read_families

_FAMILIES = 50
"""Families read at once: memory is bounded by the largest that many."""


def families(
    asker: DuckAsker, query: Query, measure: str, roots: Sequence[str]
) -> Iterator[tuple[str, dict[str, tuple[list[Operation], dict[int, int]]]]]:
    """Operations of families, with their value under a query's filters.

    Args:
        asker: of the store.
        query: filters.
        measure: what the values count.
        roots: keys of families.

    Returns:
        (root key, session key to (its operations in order, index to value; 0 and what the filters leave out
        are absent)), family by family.
    """
    if asker.empty():
        return
    shards = {root: shard for root, (shard, _) in asker.catalog.families().items()}
    known = [root for root in roots if root in shards]
    value = " + ".join(f"COALESCE(f.{column(name)}, 0)" for name in parts(measure))
    for start in range(0, len(known), _FAMILIES):
        some = known[start : start + _FAMILIES]
        source, where = asker._filtered(query)
        inside = f"f.root IN ({', '.join(map(quoted, some))})"
        terms = f"{where} AND {inside}" if where else f" WHERE {inside}"
        values: dict[str, dict[int, int]] = {}
        for session, index, number in asker._rows(f"SELECT f.session, f.idx, {value} FROM {source}{terms}"):
            if number:
                values.setdefault(session, {})[index] = int(number)
        places = {root: shards[root] for root in some}
        for root, operations in read_families(asker.db, asker.catalog.folder, places).items():
            found: dict[str, tuple[list[Operation], dict[int, int]]] = {}
            for operation in operations:
                session = operation.session
                if session not in found:
                    found[session] = ([], values.get(session, {}))
                found[session][0].append(operation)
            yield root, found


def stretches(asker: DuckAsker, idle: int, sessions: Sequence[str] | None = None) -> list[tuple[Any, ...]]:
    """How often the tool calls of sessions follow one of the same stage.

    Args:
        asker: of the store.
        idle: microseconds between two operations from which on work was resumed.
        sessions: keys of sessions; None for all.

    Returns:
        Rows (session, stage, tool calls, those right after one of the same stage, those issued with another
        one by the same call of the model, times work was resumed).
    """
    if asker.empty():
        return []
    keys = None if sessions is None else ", ".join(map(quoted, sessions)) or "NULL"
    inside = "" if keys is None else f" WHERE f.session IN ({keys})"
    return asker._rows(
        "WITH a AS (SELECT f.session, f.idx, f.stage, f.kind, "
        "f.moment - LAG(f.moment) OVER (PARTITION BY f.session ORDER BY f.idx) AS gap, "
        "json_extract_string(o.fields, '$.call') AS call "
        f"FROM {{frames}} f JOIN {{operations}} o ON o.session = f.session AND o.idx = f.idx{inside}), "
        "t AS (SELECT *, LAG(stage) OVER (PARTITION BY session ORDER BY idx) AS before, "
        "count(*) OVER (PARTITION BY session, call) AS issued FROM a "
        "WHERE kind IN ('tool', 'subagent', 'plan', 'gui')), "
        f"g AS (SELECT session, count(*) FILTER (gap > {int(idle)}) AS resumed FROM a GROUP BY session) "
        "SELECT t.session, t.stage, count(*), count(*) FILTER (t.stage = t.before), "
        "count(*) FILTER (t.call IS NOT NULL AND t.issued > 1), any_value(g.resumed) "
        "FROM t JOIN g ON g.session = t.session GROUP BY t.session, t.stage ORDER BY t.session, t.stage"
    )
