"""Which columns do the stored tables have? One list that writing, reading and asking share."""

from __future__ import annotations

from tracelode.model.measure import NULLABLE, STORED

SCHEMA = 6
"""Version of the store's layout; another version is rebuilt from its sources."""


def column(measure: str) -> str:
    """Column name of a stored measure.

    Args:
        measure: a stored measure's name.

    Returns:
        The name with underscores for dots.
    """
    return measure.replace(".", "_")


MEASURES: tuple[str, ...] = tuple(column(m) for m in STORED)

OPERATIONS: tuple[tuple[str, str], ...] = (
    ("session", "VARCHAR"),
    ("root", "VARCHAR"),
    ("idx", "INTEGER"),
    ("id", "VARCHAR"),
    ("actor", "VARCHAR"),
    ("kind", "VARCHAR"),
    ("name", "VARCHAR"),
    ("status", "VARCHAR"),
    ("started", "BIGINT"),
    ("ended", "BIGINT"),
    ("parent", "VARCHAR"),
    ("fields", "VARCHAR"),
    ("measures", "VARCHAR"),
    ("arguments", "VARCHAR"),
    ("output", "VARCHAR"),
    ("adapter", "VARCHAR"),
    ("path", "VARCHAR"),
    ("line", "BIGINT"),
    ("byte_offset", "BIGINT"),
    ("inherited", "BOOLEAN"),
)
"""Facts and previews, one row an operation; fields and measures are JSON objects."""

DIMENSIONS: tuple[str, ...] = (
    "project",
    "agent",
    "role",
    "model",
    "kind",
    "status",
    "intent",
    "stage",
    "focus",
    "tool",
    "task",
    "outcome",
    "proxy",
)
"""Fields a fold reads without opening the operations."""

FRAMES: tuple[tuple[str, str], ...] = (
    ("session", "VARCHAR"),
    ("root", "VARCHAR"),
    ("idx", "INTEGER"),
    ("id", "VARCHAR"),
    ("moment", "BIGINT"),
    ("spawns", "VARCHAR"),
    ("seg", "VARCHAR"),
    ("lane", "VARCHAR"),
    *((name, "VARCHAR") for name in DIMENSIONS),
    *((name, "BIGINT") for name in MEASURES),
)
"""What folds read: own operations only; moment = that of the call's last record; seg = names of the segments
around the operation, outermost first, chr(31) between them; lane = session below whose frames an effect
lies, where that is not its own."""

CONTENTS: tuple[tuple[str, str], ...] = (
    ("session", "VARCHAR"),
    ("id", "VARCHAR"),
    ("arguments", "VARCHAR"),
    ("output", "VARCHAR"),
)
"""The archive: whole redacted texts, only where the user asked for them."""

NULLABLE_COLUMNS = frozenset(column(m) for m in NULLABLE)


def ddl(table: str, columns: tuple[tuple[str, str], ...]) -> str:
    """The statement that makes a table.

    Args:
        table: its name.
        columns: (name, type) pairs.

    Returns:
        CREATE TABLE text.
    """
    return f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns)})"


def quoted(value: object) -> str:
    """A value as an SQL string literal."""
    text = str(value).replace("'", "''")
    return f"'{text}'"
