"""Which rows leave the disk, and which lose their texts? Shards are written anew."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tracelode.ingest.bounds import (
    ARGUMENTS,
    COMMAND,
    OUTPUT_HEAD,
    OUTPUT_TAIL,
    bounded,
    kept_arguments,
    kept_fields,
)
from tracelode.redact.fast import Redactor
from tracelode.store.catalog import Catalog
from tracelode.store.schema import OPERATIONS, ddl, quoted
from tracelode.store.shards import TABLES, relation, shard_file, sweep, write_parquet
from tracelode.store.tombstones import Buried

_AT = {name: place for place, (name, _) in enumerate(OPERATIONS)}
_SLACK = 60
_BATCH = 5_000
Change = Callable[[tuple[Any, ...]], tuple[Any, ...]]


def purge(catalog: Catalog, connection: Any) -> int:
    """Take the rows of deleted sessions off the disk; what a run that was killed left is taken too.

    Args:
        catalog: the store's catalog; the caller holds the import lock.
        connection: DuckDB connection.

    Returns:
        Number of shards written anew.
    """
    buried, done = Buried(catalog), 0
    if len(buried):
        for name in list(catalog.shards()):
            held = _values(connection, shard_file(catalog.folder, "operations", name), "root")
            if any(root in buried for root in held):
                rewrite(catalog, connection, name)
                done += 1
        for name in catalog.contents():
            sessions = _values(connection, shard_file(catalog.folder, "content", name), "session")
            gone = [session for session in sessions if session in buried]
            if gone:
                drop_contents(catalog, connection, name, gone)
                done += 1
    sweep(catalog.folder, (*catalog.shards(), *catalog.contents()), older=0)
    return done


def _values(connection: Any, file: Path, column: str) -> list[str]:
    if not file.exists():
        return []
    rows = connection.execute(f"SELECT DISTINCT {column} FROM read_parquet({quoted(file)})").fetchall()
    return [row[0] for row in rows]


def rewrite(
    catalog: Catalog, connection: Any, name: str, roots: Collection[str] = (), change: Change | None = None
) -> None:
    """Write the living rows of one shard as another.

    Args:
        catalog: the store's catalog; the caller holds the import lock.
        connection: DuckDB connection.
        name: the shard.
        roots: families whose operations change; what folds read stays as it is.
        change: what becomes of a row of OPERATIONS.
    """
    dead = catalog.shards()[name]
    moved = [root for root, (shard, _) in catalog.families().items() if shard == name]
    target = secrets.token_hex(8)
    chosen = {name: dead}
    for table in TABLES:
        query = f"SELECT * FROM ({relation(catalog.folder, table, chosen)})"
        if table == "operations" and change is not None:
            _changed(connection, query, roots, change)
            query = "SELECT * FROM changed"
        write_parquet(connection, query, shard_file(catalog.folder, table, target))
    connection.execute("DROP TABLE IF EXISTS changed")
    place = quoted(shard_file(catalog.folder, "operations", target))
    count = connection.execute(f"SELECT count(*) FROM read_parquet({place})").fetchone()[0]
    with catalog.transaction():
        catalog.replace_shards([name], target, count, moved)


def _changed(connection: Any, query: str, roots: Collection[str], change: Change) -> None:
    connection.execute("DROP TABLE IF EXISTS changed")
    connection.execute(ddl("changed", OPERATIONS))
    appender = connection.appender("changed")
    reader = connection.cursor()
    reader.execute(query)
    place = _AT["root"]
    while rows := reader.fetchmany(_BATCH):
        appender.append_rows([change(row) if row[place] in roots else row for row in rows])
    appender.flush()
    reader.close()


def drop_contents(catalog: Catalog, connection: Any, name: str, sessions: Collection[str]) -> None:
    """Write a shard of the archive anew without some sessions.

    Args:
        catalog: the store's catalog; the caller holds the import lock.
        connection: DuckDB connection.
        name: the shard.
        sessions: keys.
    """
    place = quoted(shard_file(catalog.folder, "content", name))
    gone = ", ".join(quoted(session) for session in sessions)
    query = f"SELECT * FROM read_parquet({place}) WHERE session NOT IN ({gone})"
    count = connection.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]
    target = secrets.token_hex(8)
    if count:
        write_parquet(connection, query, shard_file(catalog.folder, "content", target))
    with catalog.transaction():
        catalog.db.execute("DELETE FROM contents WHERE name = ?", (name,))
        if count:
            catalog.put_contents(target, count)


def archived(catalog: Catalog, connection: Any) -> dict[str, set[str]]:
    """Shards of the archive with the sessions they hold."""
    return {
        name: set(_values(connection, shard_file(catalog.folder, "content", name), "session"))
        for name in catalog.contents()
    }


def texts(catalog: Catalog, connection: Any, roots: Collection[str]) -> dict[str, tuple[bool, bool]]:
    """Which families hold texts, and which hold texts that are not bounded.

    Args:
        catalog: the store's catalog.
        connection: DuckDB connection.
        roots: those asked for.

    Returns:
        Root key to (has texts, has texts beyond the bounds of summary).
    """
    if not roots or not catalog.shards():
        return {}
    wanted = ", ".join(quoted(root) for root in roots)
    command = "COALESCE(json_extract_string(fields, '$.command'), '')"
    described = "COALESCE(json_extract_string(fields, '$.description'), '')"
    held = f"length(arguments) + length(output) + length({command}) + length({described}) > 0"
    most = OUTPUT_HEAD + OUTPUT_TAIL + _SLACK
    long = (
        f"length(arguments) > {ARGUMENTS + _SLACK} OR length(output) > {most} "
        f"OR length({command}) > {COMMAND + _SLACK}"
    )
    source = relation(catalog.folder, "operations", catalog.shards())
    rows = connection.execute(
        f"SELECT root, bool_or({held}), bool_or({long}) FROM ({source}) WHERE root IN ({wanted}) GROUP BY 1"
    ).fetchall()
    return {root: (bool(some), bool(beyond)) for root, some, beyond in rows}


def cleaned(mode: str, projects: Mapping[str, str]) -> Change:
    """What a row of OPERATIONS is in another mode.

    Args:
        mode: summary or metadata.
        projects: session key to its clean working folder.
    """
    redactor = Redactor(mode)

    def change(row: tuple[Any, ...]) -> tuple[Any, ...]:
        told = list(row)
        fields = kept_fields(redactor, json.loads(row[_AT["fields"]]), projects.get(row[_AT["session"]], ""))
        told[_AT["fields"]] = msgspec.json.encode(fields).decode()
        given = row[_AT["arguments"]]
        told[_AT["arguments"]] = kept_arguments(redactor, given, row[_AT["kind"]]) if given else ""
        told[_AT["output"]] = bounded(redactor, row[_AT["output"]], OUTPUT_HEAD, OUTPUT_TAIL)
        return tuple(told)

    return change


def by_shard(catalog: Catalog, roots: Iterable[str]) -> dict[str, set[str]]:
    """Shard to those of some families that lie in it."""
    found: dict[str, set[str]] = {}
    for root in roots:
        shard = catalog.shard_of(root)
        if shard is not None:
            found.setdefault(shard, set()).add(root)
    return found
