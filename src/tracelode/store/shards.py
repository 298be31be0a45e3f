"""How do operations reach Parquet and come back? Shards are written aside and renamed into place."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tracelode.errors import StoreError
from tracelode.model.operation import Operation, Origin
from tracelode.store.engine import Engine
from tracelode.store.engine import connect as connect
from tracelode.store.schema import CONTENTS, FRAMES, OPERATIONS, ddl, quoted

_FIELDS = msgspec.json.Decoder(dict[str, str])
_MEASURES = msgspec.json.Decoder(dict[str, int])
_ENCODER = msgspec.json.Encoder()
_OURS = re.compile(r"[0-9a-f]{16}\.parquet|\.[0-9a-f]{16}\.parquet\.\d+\.part")
ROW_GROUP = 8_192
"""Rows written at once: bounds the memory of a write."""
TABLES = ("operations", "frames")


def operation_row(operation: Operation, root: str) -> tuple[Any, ...]:
    """An operation as a row of OPERATIONS.

    Args:
        operation: redacted and bounded.
        root: key of its family.

    Returns:
        One value a column.
    """
    o = operation
    return (
        o.session, root, o.index, o.id, o.actor, o.kind, o.name, o.status, o.started, o.ended, o.parent,
        _ENCODER.encode(o.fields).decode(), _ENCODER.encode(o.measures).decode(), o.arguments, o.output,
        o.origin.adapter, o.origin.path, o.origin.line, o.origin.offset, o.inherited,
    )  # fmt: skip


def row_operation(row: tuple[Any, ...]) -> Operation:
    """A row of OPERATIONS as an operation."""
    (
        session, _root, index, ident, actor, kind, name, status, started, ended, parent,
        fields, measures, arguments, output, adapter, path, line, offset, inherited,
    ) = row  # fmt: skip
    return Operation(
        session=session, index=index, id=ident, actor=actor, kind=kind, name=name, status=status,
        started=started, ended=ended, parent=parent, fields=_FIELDS.decode(fields),
        measures=_MEASURES.decode(measures), arguments=arguments, output=output,
        origin=Origin(adapter, path, line, offset), inherited=inherited,
    )  # fmt: skip


class ShardWriter:
    """Collects rows of whole families and writes one shard.

    Args:
        folder: the workspace folder.
        connection: a DuckDB connection of the caller's; its tables of the same names are replaced.
    """

    def __init__(self, folder: Path, connection: Engine) -> None:
        self.folder = folder
        self.name = secrets.token_hex(8)
        self.operations = 0
        self.families: list[str] = []
        self._db = connection
        for table, columns in (("operations", OPERATIONS), ("frames", FRAMES)):
            self._db.execute(f"DROP TABLE IF EXISTS {table}")
            self._db.execute(ddl(table, columns))
        # one appender a table for the whole shard: making one costs milliseconds
        self._appenders = {table: self._db.appender(table) for table in TABLES}

    def add(
        self, root: str, operations: Iterable[tuple[Any, ...]], frames: Iterable[tuple[Any, ...]]
    ) -> None:
        """Add a family's rows.

        Args:
            root: its key.
            operations: rows of OPERATIONS.
            frames: rows of FRAMES.
        """
        self.families.append(root)
        rows = list(operations)
        self.operations += len(rows)
        self._appenders["operations"].append_rows(rows)
        self._appenders["frames"].append_rows(frames)

    def write(self) -> str:
        """Write both files aside, rename them into place, and give the shard's name."""
        for table in TABLES:
            self._appenders.pop(table).flush()
            write_parquet(self._db, f"SELECT * FROM {table}", shard_file(self.folder, table, self.name))
            self._db.execute(f"DROP TABLE {table}")
        return self.name


def shard_file(folder: Path, table: str, name: str) -> Path:
    """Where a shard's file lies."""
    return folder / table / f"{name}.parquet"


def write_parquet(connection: Engine, query: str, target: Path) -> None:
    """Write a query's rows to a private file, whole or not at all.

    Args:
        connection: DuckDB connection.
        query: SQL text.
        target: the file.
    """
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    import duckdb

    form = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}"
    try:
        connection.execute(f"COPY ({query}) TO {quoted(aside)} ({form})")
        os.chmod(aside, 0o600)
        os.replace(aside, target)
    except (duckdb.IOException, OSError) as error:
        aside.unlink(missing_ok=True)
        raise StoreError(
            f"{target.parent} cannot be written; look for a full disk or missing rights, then import again: "
            "what was stored so far stays"
        ) from error


def relation(folder: Path, table: str, shards: dict[str, list[str]]) -> str:
    """SQL for the living rows of all shards of a table.

    Args:
        folder: the workspace folder.
        table: operations or frames.
        shards: shard name to roots whose rows in it are dead.

    Returns:
        A SELECT over the Parquet files.

    Raises:
        StoreError: there is no shard.
    """
    clean = [name for name, dead in shards.items() if not dead]
    parts: list[str] = []
    if clean:
        parts.append(f"SELECT * FROM {_scan(folder, table, clean)}")
    for name, dead in shards.items():
        if dead:
            roots = ", ".join(quoted(root) for root in dead)
            parts.append(f"SELECT * FROM {_scan(folder, table, [name])} WHERE root NOT IN ({roots})")
    if not parts:
        raise StoreError("the store holds no operations yet; run: tracelode import PATH")
    return " UNION ALL ".join(parts)


def _scan(folder: Path, table: str, names: Sequence[str]) -> str:
    files = ", ".join(quoted(shard_file(folder, table, name)) for name in names)
    return f"read_parquet([{files}])"


def read_families(connection: Engine, folder: Path, places: dict[str, str]) -> dict[str, list[Operation]]:
    """Load the stored operations of some families.

    Args:
        connection: DuckDB connection.
        folder: the workspace folder.
        places: root key to shard name.

    Returns:
        Root key to its operations, by session and index.
    """
    by_shard: dict[str, list[str]] = {}
    for root, shard in places.items():
        by_shard.setdefault(shard, []).append(root)
    found: dict[str, list[Operation]] = {root: [] for root in places}
    for shard, roots in sorted(by_shard.items()):
        wanted = ", ".join(quoted(root) for root in roots)
        rows = connection.execute(
            f"SELECT * FROM {_scan(folder, 'operations', [shard])} WHERE root IN ({wanted}) "
            "ORDER BY session, idx"
        ).fetchall()
        for row in rows:
            found[row[1]].append(row_operation(row))
    return found


def has_shards(folder: Path) -> bool:
    """Does a workspace folder hold shards?"""
    places = [folder / table for table in TABLES if (folder / table).is_dir()]
    return any(_OURS.fullmatch(file.name) for place in places for file in place.iterdir())


def sweep(folder: Path, alive: Iterable[str], *, older: float) -> int:
    """Remove shard files without a catalog row: leftovers of an import that was stopped.

    Args:
        folder: the workspace folder.
        alive: names in the catalog.
        older: remove only files that are at least this many seconds old, so that a reader that has
            just looked them up still finds them.

    Returns:
        Number of files removed.
    """
    import time

    keep = {f"{name}.parquet" for name in alive}
    removed = 0
    for table in (*TABLES, "content"):
        place = folder / table
        if not place.is_dir():
            continue
        for file in place.iterdir():
            # only what we wrote ourselves: anything else in the folder is not ours to remove
            if file.name in keep or not _OURS.fullmatch(file.name):
                continue
            try:
                if time.time() - file.stat().st_mtime >= older:
                    file.unlink()
                    removed += 1
            except FileNotFoundError:
                continue
    return removed


class Held(NamedTuple):
    """One record of a session, as far as ownership needs it."""

    id: str
    """Id of its operation."""
    moment: int | None
    """UTC microseconds."""
    replay: str | None
    """Ids under which others may hold it."""
    replayed: bool
    """Known to be a copy."""
    inherited: bool
    """Counted elsewhere, as it is stored now."""
    told: int
    """Of a model call: output tokens of the whole call, as this session tells it."""


def holdings(connection: Engine, folder: Path, places: dict[str, str]) -> dict[str, list[Held]]:
    """The record ids of some families, in file order.

    Args:
        connection: DuckDB connection.
        folder: the workspace folder.
        places: root key to shard name.

    Returns:
        Session key to its records in order.
    """
    by_shard: dict[str, list[str]] = {}
    for root, shard in places.items():
        by_shard.setdefault(shard, []).append(root)
    found: dict[str, list[Held]] = {}
    for shard, roots in sorted(by_shard.items()):
        wanted = ", ".join(quoted(root) for root in roots)
        output = """CAST(json_extract(measures, '$."tokens.output"') AS BIGINT)"""
        rows = connection.execute(
            f"WITH o AS (SELECT * FROM {_scan(folder, 'operations', [shard])} WHERE root IN ({wanted})), "
            "t AS (SELECT session, COALESCE(json_extract_string(fields, '$.call'), id) AS call, "
            f"CAST(SUM({output}) AS BIGINT) AS told FROM o GROUP BY 1, 2) "
            "SELECT o.session, o.id, started, json_extract_string(fields, '$.replay'), "
            "json_extract_string(fields, '$.replayed') IS NOT NULL, inherited, COALESCE(t.told, 0) "
            "FROM o LEFT JOIN t ON o.kind = 'model' AND t.session = o.session AND t.call = o.id "
            "ORDER BY o.session, idx"
        ).fetchall()
        for session, *record in rows:
            found.setdefault(session, []).append(Held(*record))
    return found


def write_contents(
    connection: Engine, folder: Path, rows: Iterable[tuple[str, str, str, str]]
) -> tuple[str, int]:
    """Write a shard of the archive.

    Args:
        connection: DuckDB connection.
        folder: the workspace folder.
        rows: rows of CONTENTS.

    Returns:
        (name, number of rows), ("", 0) for none.
    """
    given = list(rows)
    if not given:
        return "", 0
    name = secrets.token_hex(8)
    connection.execute("DROP TABLE IF EXISTS content")
    connection.execute(ddl("content", CONTENTS))
    appender = connection.appender("content")
    appender.append_rows(given)
    appender.flush()
    del appender
    write_parquet(connection, "SELECT * FROM content", shard_file(folder, "content", name))
    connection.execute("DROP TABLE content")
    return name, len(given)


def read_contents(
    connection: Engine, folder: Path, names: Sequence[str], session: str
) -> list[tuple[str, str, str]]:
    """Archived texts of one session.

    Args:
        connection: DuckDB connection.
        folder: the workspace folder.
        names: shards of the archive.
        session: session key.

    Returns:
        (operation id, input, result); what came in later imports is joined.
    """
    if not names:
        return []
    rows: list[tuple[str, str, str]] = connection.execute(
        f"SELECT id, max(arguments), max(output) FROM {_scan(folder, 'content', names)} "
        f"WHERE session = {quoted(session)} GROUP BY id ORDER BY id"
    ).fetchall()
    return rows


def intact(folder: Path, name: str, table: str) -> bool:
    """Is a file of a shard there and whole, as far as its first and last bytes tell?

    Args:
        folder: the workspace folder.
        name: the shard.
        table: one of TABLES.
    """
    try:
        with shard_file(folder, table, name).open("rb") as stream:
            first = stream.read(4)
            stream.seek(-4, os.SEEK_END)
            return (first, stream.read(4)) == (b"PAR1", b"PAR1")
    except OSError:
        return False
