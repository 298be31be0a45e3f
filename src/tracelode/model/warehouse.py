"""Which tables does a warehouse get? Columns, and the statements that make them elsewhere."""

from __future__ import annotations

from typing import Literal, NamedTuple

from tracelode.model.measure import STORED, UNITS

SCHEMA_VERSION = 1
"""Of the tables; it grows when a column changes its meaning or goes away, new columns may come without."""
Type = Literal["text", "integer", "real", "flag", "moment", "json"]
Dialect = Literal["duckdb", "clickhouse"]
DIALECTS: tuple[Dialect, ...] = ("duckdb", "clickhouse")
DATE = "date"
"""Column of the partitions: the UTC day of the row, or of its session; 1970-01-01 where none is known."""


class Column(NamedTuple):
    """A column."""

    name: str
    """Its name."""
    type: Type
    """What it holds."""
    needed: bool = False
    """Is it never NULL?"""


def _columns(text: str) -> tuple[Column, ...]:
    """Columns of words such as "name:real!": without a type it is text; ! is never NULL."""
    found = []
    for word in text.split():
        name, _, kind = word.rstrip("!").partition(":")
        found.append(Column(name, kind or "text", word.endswith("!")))  # type: ignore[arg-type]
    return tuple(found)


MEASURES: dict[str, str] = {
    m: m.replace(".", "_") + ("_picodollars" if UNITS[m] == "picodollars" else "") for m in STORED
}
"""Stored measure to its column; money is whole picodollars."""

TABLES: dict[str, tuple[Column, ...]] = {
    "sessions": _columns(
        "session! root! agent role project task outcome intent started:moment ended:moment "
        "operations:integer! inherited:integer! calls:integer! task_type goal plan_tier plan_events:integer! "
        "weight:real! metrics_version:integer! metrics:json!"
    ),
    "events": _columns(
        "session! event_id! seq:integer! timestamp:moment actor! event_type! node_id! parent_node_id status! "
        "evidence! op decision tool task_id actor_id writer depends_on:json! payload:json!"
    ),
    "nodes": _columns(
        "session! node_id! text rank:integer! epoch:integer! initial:flag! status! attempts:integer! "
        "time_us:integer calls:integer turns:integer tokens:integer people:integer! depth:integer!"
    ),
    "attempts": _columns(
        "session! node_id! number:integer! started:moment ended:moment end_state! implied:flag! "
        "time_us:integer"
    ),
    "interventions": _columns(
        "session! event_id! timestamp:moment event_type! node_id! status! decision! declared:flag! position! "
        "corrective:flag! delay_us:integer text"
    ),
    "rollbacks": _columns(
        "session! event_id! timestamp:moment detectors! from_node to_node! distance:integer trigger_event "
        "initiator! reason:flag! corrected:flag! diff:flag! cost_us:integer delay_us:integer"
    ),
    "operations": (
        *_columns(
            "session! root! idx:integer! id! actor! kind! name! status! started:moment ended:moment parent "
            "inherited:flag! project agent role model intent stage focus tool task outcome fields:json! "
            "arguments output adapter path line:integer"
        ),
        *(Column(name, "integer") for name in MEASURES.values()),
    ),
}
"""Table to its columns; each has the column date besides."""

_DUCKDB: dict[Type, str] = {
    "text": "VARCHAR", "integer": "BIGINT", "real": "DOUBLE", "flag": "BOOLEAN", "moment": "TIMESTAMP",
    "json": "VARCHAR",
}  # fmt: skip
_CLICKHOUSE: dict[Type, str] = {
    "text": "String", "integer": "Int64", "real": "Float64", "flag": "Bool", "moment": "DateTime64(6, 'UTC')",
    "json": "String",
}  # fmt: skip
_ORDERS = {"sessions": "session", "operations": "session, idx", "events": "session, seq"}


def duckdb_type(column: Column) -> str:
    """A column's type in DuckDB.

    Args:
        column: of a table.
    """
    return _DUCKDB[column.type]


def ddl(dialect: Dialect, place: str = "WAREHOUSE") -> str:
    """The statements that make the tables in a database and load them.

    Args:
        dialect: duckdb or clickhouse.
        place: the warehouse's folder, as its loader sees it.

    Returns:
        SQL text; a comment on its first line tells the version.
    """
    parts = [f"-- tracelode warehouse, schema version {SCHEMA_VERSION}, {dialect}\n"]
    for name, columns in TABLES.items():
        made = _duckdb(name, columns) if dialect == "duckdb" else _clickhouse(name, columns)
        parts.append(f"{made}\n{_load(dialect, name, columns, place)}")
    return "\n".join(parts)


def _duckdb(table: str, columns: tuple[Column, ...]) -> str:
    rows = [f"  {c.name} {_DUCKDB[c.type]}{' NOT NULL' if c.needed else ''}" for c in columns]
    rows.append(f"  {DATE} DATE NOT NULL")
    return f"CREATE TABLE IF NOT EXISTS {table} (\n" + ",\n".join(rows) + "\n);"


def _clickhouse(table: str, columns: tuple[Column, ...]) -> str:
    rows = []
    for c in columns:
        kind = _CLICKHOUSE[c.type]
        rows.append(f"  {c.name} {kind if c.needed else f'Nullable({kind})'}")
    rows.append(f"  {DATE} Date")
    order = _ORDERS.get(table, f"session, {'event_id' if columns[1].name == 'event_id' else 'node_id'}")
    return (
        f"CREATE TABLE IF NOT EXISTS {table} (\n" + ",\n".join(rows) + "\n)\nENGINE = MergeTree\n"
        f"PARTITION BY toYYYYMM({DATE})\nORDER BY ({order});"
    )


def _load(dialect: Dialect, table: str, columns: tuple[Column, ...], place: str) -> str:
    names = ", ".join((*(c.name for c in columns), DATE))
    files = f"{place}/{table}/*/*.parquet".replace("'", "''")
    if dialect == "duckdb":
        source = f"read_parquet('{files}', hive_partitioning = true, hive_types = {{'{DATE}': DATE}})"
        return f"INSERT INTO {table} SELECT {names} FROM {source};\n"
    return (
        f"INSERT INTO {table} ({names}) SELECT {names} FROM file('{files}', 'Parquet') "
        "SETTINGS use_hive_partitioning = 1;\n"
    )
