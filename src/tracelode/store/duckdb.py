"""What do folds over the stored frames answer? DuckDB reads the shards; SQLite says which are alive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tracelode.errors import QueryError, StoreError
from tracelode.model.measure import STORED, parts
from tracelode.model.operation import Operation
from tracelode.model.profile import Profile, Sample, Stack, made
from tracelode.model.query import Query
from tracelode.store import asks
from tracelode.store.catalog import Catalog
from tracelode.store.engine import connect
from tracelode.store.objects import filled_in
from tracelode.store.schema import column, quoted
from tracelode.store.shards import row_operation

DETAIL_LIMIT = 50_000
"""Above this many operations a profile's samples are the three largest of each stack."""
CELLS = ("model", "day", "project", "session", "agent", "role", "kind")
"""What totals are split by."""
_TRIES = 3


class DuckAsker:
    """Folds a store's frames.

    Args:
        catalog: the store's catalog.
        threads: DuckDB threads.
    """

    def __init__(self, catalog: Catalog, threads: int = 2) -> None:
        self.catalog = catalog
        self._threads = threads
        self._db: Any = None
        # the whole span, for as long as the shards are the same ones
        self._span: tuple[str, tuple[int, int] | None] | None = None

    @property
    def db(self) -> Any:
        """The connection, made when first used."""
        if self._db is None:
            self._db = connect(self._threads)
        return self._db

    def _rows(self, text: str, **tables: str) -> list[tuple[Any, ...]]:
        """Run a query over the living shards; {frames} and {operations} in the text are replaced.

        An import may replace a shard between the look at the catalog and the read: then look again.
        """
        import duckdb

        wide = "AS HUGEINT)"
        for attempt in range(_TRIES):
            shards = self.catalog.shards()
            filled = text
            for table in ("frames", "operations"):
                filled = filled_in(filled, table, shards, self.catalog, self.db)
            try:
                rows: list[tuple[Any, ...]] = self.db.execute(filled).fetchall()
                return rows
            except duckdb.Error as error:
                large = isinstance(error, duckdb.ConversionException | duckdb.OutOfRangeException)
                if large and wide not in filled:
                    # a sum above 64 bits: rare enough that all others need not be read as wide ones
                    text = text.replace("AS BIGINT)", wide)
                # what its Parquet reader finds wrong inside a file has no class of its own
                elif type(error) not in (duckdb.IOException, duckdb.InvalidInputException, duckdb.Error):
                    raise QueryError(f"the store could not answer: {type(error).__name__}") from error
                elif attempt == _TRIES - 1:
                    raise StoreError(
                        f"a shard of the store in {self.catalog.folder} cannot be read; "
                        "run the import again to rebuild it"
                    ) from error
        return []

    def empty(self) -> bool:
        """Does the store hold no operation?"""
        return not self.catalog.shards()

    def span(self, query: Query | None = None) -> tuple[int, int] | None:
        """Earliest and latest moment of the own operations, None where none has one.

        Args:
            query: filters; None for the whole store.
        """
        if self.empty():
            return None
        state = repr(self.catalog.shards()) if query is None else ""
        if query is None and self._span is not None and self._span[0] == state:
            return self._span[1]
        source, where = self._filtered(query) if query is not None else ("{frames} f", "")
        low, high = self._rows(f"SELECT min(f.moment), max(f.moment) FROM {source}{where}")[0]
        found = None if low is None else (low, high)
        if query is None:
            self._span = (state, found)
        return found

    # folds --------------------------------------------------------------------------------------

    def fold(self, query: Query) -> Profile:
        """Fold the frames.

        Args:
            query: stack, measures, filters, lane.

        Returns:
            The profile; empty for an empty store.

        Raises:
            UnknownField: a field that no operation has.
            UnknownMeasure: a measure that does not exist.

        Source:
            accounting: frames and names; profile: stack and fold.
        """
        asks.check_fields(query)
        sums = [asks.measure_sql(m) for m in query.measures]
        if self.empty():
            return Profile(measures=query.measures, totals={}, fields=query.stack)
        span = self.span()
        source = self._source(query, span)
        stack = asks.stack_sql(query, span, self._lanes if query.lane == "nested" else None)
        rows = self._rows(
            f"SELECT {stack} AS stack, {', '.join(sums)} FROM {source}{asks.where_sql(query, span)} "
            "GROUP BY stack"
        )
        samples = self._detail(query, span, source, stack) if query.detail else ()
        rows.sort(key=lambda row: row[0])
        profile = made(((tuple(row[0].split(asks.SEPARATOR)), row[1:]) for row in rows), query.measures)
        return msgspec.structs.replace(profile, samples=samples, fields=query.stack)

    def _source(self, query: Query, span: tuple[int, int] | None) -> str:
        """FROM text; prepares the lanes of sub-agents."""
        self._lanes: dict[str, str] = {}
        text = "{frames} f"
        if asks.nests(query):
            self._lanes = self._lane_prefixes(query, span)
            if self._lanes:
                self.db.execute("CREATE OR REPLACE TEMP TABLE lanes (session VARCHAR, prefix VARCHAR)")
                appender = self.db.appender("lanes")
                appender.append_rows(sorted(self._lanes.items()))
                appender.flush()
                del appender
                text += " LEFT JOIN lanes l ON l.session = COALESCE(f.lane, f.session)"
        if asks.needs_operations(query):
            text += " JOIN {operations} o ON o.session = f.session AND o.idx = f.idx"
        return text

    def _lane_prefixes(self, query: Query, span: tuple[int, int] | None) -> dict[str, str]:
        fields = ", ".join(asks.field_sql(name, span, query.tz) for name in query.stack)
        source = "{frames} f"
        if asks.needs_operations(query):
            source += " JOIN {operations} o ON o.session = f.session AND o.idx = f.idx"
        rows = self._rows(
            f"SELECT f.spawns, f.session{', ' if fields else ''}{fields} FROM {source} "
            "WHERE f.spawns IS NOT NULL ORDER BY f.session, f.idx DESC"
        )
        return asks.lane_prefixes([(row[0], row[1], row[2:]) for row in rows], query.stack)

    def _detail(
        self, query: Query, span: tuple[int, int] | None, source: str, stack: str
    ) -> tuple[Sample, ...]:
        """Samples with labels: one an operation, or the three largest of each stack and the rest."""
        values = ", ".join(
            " + ".join(f"COALESCE(f.{column(n)}, 0)" for n in parts(m)) for m in query.measures
        )
        where = asks.where_sql(query, span)
        count = self._rows(f"SELECT count(*) FROM {source}{where}")[0][0]
        base = f"SELECT {stack} AS stack, f.root, f.session, f.idx, f.id, {values} FROM {source}{where}"
        if count <= DETAIL_LIMIT:
            rows = self._rows(f"{base} ORDER BY stack, f.session, f.idx")
            return tuple(_sample(row) for row in rows)
        names = [f"m{i}" for i in range(len(query.measures))]
        ranked = (
            f"WITH d(stack, root, session, idx, id, {', '.join(names)}) AS ({base}), r AS (SELECT *, "
            "row_number() OVER (PARTITION BY stack ORDER BY m0 DESC, session, idx) AS place FROM d) "
        )
        large = self._rows(f"{ranked} SELECT * EXCLUDE place FROM r WHERE place <= 3 ORDER BY stack, place")
        sums = ", ".join(f"CAST(SUM({n}) AS BIGINT)" for n in names)
        rest = self._rows(
            f"{ranked} SELECT stack, root, {sums} FROM r WHERE place > 3 "
            "GROUP BY stack, root ORDER BY stack, root"
        )
        samples = [_sample(row) for row in large]
        samples.extend(Sample(_frames(row[0]), tuple(row[2:]), (("session", row[1]),)) for row in rest)
        return tuple(sorted(samples, key=lambda s: s.stack))

    # totals -------------------------------------------------------------------------------------

    def cells(self, query: Query) -> list[tuple[Any, ...]]:
        """Every stored measure, summed over the finest cells that totals are made of.

        Args:
            query: filters and zone.

        Returns:
            Rows (model, day, project, session, agent, role, kind, thread, measures in the order of
            STORED); session is the root's key, thread the session's own, or that of an effect's tool.
        """
        asks.check_fields(query)
        if self.empty():
            return []
        span = self.span()
        source, where = self._filtered(query)
        fields = (asks.field_sql(name, span, query.tz) for name in CELLS)
        keys = ", ".join((*fields, "COALESCE(f.lane, f.session)"))
        sums = ", ".join(asks.measure_sql(m) for m in STORED)
        return self._rows(f"SELECT {keys}, {sums} FROM {source}{where} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8")

    def priced(self) -> bool:
        """Is at least one call with tokens priced?"""
        if self.empty():
            return False
        tokens = " + ".join(f"COALESCE(f.{column(n)}, 0)" for n in parts("tokens"))
        found = self._rows(f"SELECT count(*) FROM {{frames}} f WHERE {tokens} > f.tokens_unpriced")
        return bool(found[0][0])

    def _filtered(self, query: Query) -> tuple[str, str]:
        """FROM and WHERE text of a query's filters alone."""
        asks.check_fields(query)
        span = self.span() if any(name == "day" for name, _ in query.where) else None
        source = "{frames} f"
        if asks.needs_operations(Query(stack=(), where=query.where)):
            source += " JOIN {operations} o ON o.session = f.session AND o.idx = f.idx"
        return source, asks.where_sql(query, span)

    def sessions_by(self, query: Query, depth: int) -> dict[Stack, int]:
        """Number of root sessions under each stack prefix of a length.

        Args:
            query: stack, filters, lane.
            depth: frames in the prefix.

        Returns:
            Prefix to number of sessions.
        """
        if self.empty():
            return {}
        asks.check_fields(query)
        span = self.span()
        source = self._source(query, span)
        stack = asks.stack_sql(query, span, self._lanes if query.lane == "nested" else None)
        rows = self._rows(f"SELECT DISTINCT {stack}, f.root FROM {source}{asks.where_sql(query, span)}")
        found: dict[Stack, set[str]] = {}
        for text, root in rows:
            found.setdefault(_frames(text)[:depth], set()).add(root)
        return {stack: len(roots) for stack, roots in found.items()}

    # operations ---------------------------------------------------------------------------------

    def operations(self, session: str) -> list[Operation]:
        """The operations of one session, in order.

        Args:
            session: its key.
        """
        if self.empty():
            return []
        rows = self._rows(f"SELECT * FROM {{operations}} WHERE session = {quoted(session)} ORDER BY idx")
        return [row_operation(row) for row in rows]

    def planning(self, roots: Sequence[str] | None = None) -> list[Operation]:
        """Operations of which plans and people's part in them are made, by session and index.

        Args:
            roots: keys of families, None for all.
        """
        if self.empty():
            return []
        family = "" if roots is None else f" AND root IN ({', '.join(quoted(r) for r in roots) or 'NULL'})"
        rows = self._rows(
            "SELECT * FROM {operations} WHERE (kind IN ('plan', 'prompt', 'note') "
            f"OR fields LIKE '%\"human\":%' OR fields LIKE '%\"plan\":%'){family} ORDER BY session, idx"
        )
        return [row_operation(row) for row in rows]

    def handed_over(self) -> list[Operation]:
        """Prompts that brought a plan along."""
        if self.empty():
            return []
        text = "SELECT * FROM {operations} WHERE kind = 'prompt' AND fields LIKE '%\"plan\":%'"
        return [row_operation(row) for row in self._rows(f"{text} ORDER BY session, idx")]

    def named(self, session: str) -> list[tuple[Any, ...]]:
        """(index, intent, stage, tool frame, and stored measures) of a session's own operations."""
        if self.empty():
            return []
        values = ", ".join(f"f.{column(m)}" for m in STORED)
        return self._rows(
            f"SELECT f.idx, f.intent, f.stage, f.tool, {values} FROM {{frames}} f "
            f"WHERE f.session = {quoted(session)} ORDER BY f.idx"
        )

    def lines(self, query: Query, measure: str, limit: int) -> tuple[int, int, list[tuple[Any, ...]]]:
        """Which lines of which files make a number: whole calls, largest first.

        Args:
            query: filters.
            measure: a measure.
            limit: at most this many rows.

        Returns:
            (sum, number of lines, rows (value, path, line, session, index, name)); a call's share on
            its tools is counted at the call's own line.
        """
        if self.empty():
            return 0, 0, []
        source, where = self._filtered(query)
        value = " + ".join(f"COALESCE(f.{column(n)}, 0)" for n in parts(measure))
        if " o ON" not in source:
            source += " JOIN {operations} o ON o.session = f.session AND o.idx = f.idx"
        calls = (
            f"WITH v AS (SELECT f.session, COALESCE(json_extract_string(o.fields, '$.call'), f.id) AS id, "
            f"CAST(SUM({value}) AS BIGINT) AS n FROM {source}{where} GROUP BY 1, 2 HAVING n <> 0) "
        )
        total, count = self._rows(f"{calls} SELECT COALESCE(SUM(n), 0), count(*) FROM v")[0]
        rows = self._rows(
            f"{calls} SELECT v.n, c.path, c.line, v.session, c.idx, c.name FROM v "
            "JOIN {operations} c ON c.session = v.session AND c.id = v.id "
            f"ORDER BY v.n DESC, v.session, c.idx LIMIT {int(limit)}"
        )
        return int(total), int(count), rows

    def quality(self) -> dict[str, int | None]:
        """How much of the figures is exact: counts and sums for doctor, None where unknown.

        What a source reports for a call is held against the whole call, whose cost lies on its tools; what
        it reports for a run (not on a call) against the whole root session.
        """
        if self.empty():
            return {}
        call = "COALESCE(json_extract_string(o.fields, '$.call'), f.id)"
        row = self._rows(
            f"WITH a AS (SELECT f.*, {call} AS call, json_extract_string(o.fields, '$.duration_quality') "
            "= 'upper_bound' AS upper FROM {frames} f JOIN {operations} o ON o.session = f.session AND "
            "o.idx = f.idx), told AS (SELECT session, id FROM a WHERE cost_reported IS NOT NULL AND kind = "
            "'model'), runs AS (SELECT DISTINCT root FROM a WHERE cost_reported IS NOT NULL AND kind <> "
            "'model'), b AS (SELECT *, (session, call) IN (SELECT (session, id) FROM told) OR root IN "
            "(SELECT root FROM runs) AS held FROM a) "
            "SELECT count(*) FILTER (calls > 0), SUM(calls_lower_bound), SUM(cost), SUM(cost_reported), "
            "SUM(cost) FILTER (held), SUM(tokens_unpriced) FILTER (held), SUM(time_tool), "
            "SUM(time_tool) FILTER (upper) FROM b"
        )[0]
        names = (
            "calls", "calls_lower_bound", "cost", "cost_reported", "cost_where_reported",
            "unpriced_where_reported", "tool_us", "tool_us_upper_bound",
        )  # fmt: skip
        found: dict[str, int | None] = {name: int(value or 0) for name, value in zip(names, row, strict=True)}
        if not found["cost_where_reported"] and found["unpriced_where_reported"]:
            found["cost_where_reported"] = None
        return found

    def failures(self, query: Query) -> list[tuple[Any, ...]]:
        """How often each session failed in each stage, and what the stage cost it.

        Args:
            query: filters.

        Returns:
            Rows (root, project, intent, stage, failed operations, first of them as session#index,
            cost of the stage in that session), for stages with at least one failure.
        """
        if self.empty():
            return []
        failed = "f.status IN ('error', 'nonzero')"
        first = "arg_min(f.session || '#' || CAST(f.idx AS VARCHAR), [COALESCE(f.moment, 9e18), f.idx])"
        source, where = self._filtered(query)
        return self._rows(
            f"SELECT f.root, f.project, f.intent, f.stage, count(*) FILTER ({failed}) AS n, "
            f"{first} FILTER ({failed}), CAST(SUM(f.cost) AS BIGINT) "
            f"FROM {source}{where} GROUP BY f.root, f.project, f.intent, f.stage HAVING n > 0 "
            "ORDER BY f.project, f.intent, f.stage, f.root"
        )

    def attempts(self, query: Query) -> dict[tuple[str, str], int]:
        """Number of root sessions of each (project, intent)."""
        if self.empty():
            return {}
        source, where = self._filtered(query)
        rows = self._rows(
            f"SELECT f.project, f.intent, count(DISTINCT f.root) FROM {source}{where} GROUP BY 1, 2"
        )
        return {(project, intent): count for project, intent, count in rows}


def _frames(text: str) -> Stack:
    return tuple(text.split(asks.SEPARATOR))


def _sample(row: tuple[Any, ...]) -> Sample:
    stack, root, session, index, ident, *values = row
    labels = (("session", root), ("operation", f"{session}#{index}"), ("id", ident))
    return Sample(_frames(stack), tuple(values), labels)
