"""How do a store's tables get into a warehouse? As Parquet by table and day, moved into place as a whole."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tracelode.errors import ExportError
from tracelode.files import why
from tracelode.model.warehouse import DATE, MEASURES, SCHEMA_VERSION, TABLES, duckdb_type
from tracelode.store.catalog import Catalog
from tracelode.store.engine import connect
from tracelode.store.objects import filled_in
from tracelode.store.schema import column, quoted

MANIFEST = "manifest.json"
_KIND = "tracelode warehouse"
_BATCH = 2_000
Rows = Iterable[tuple[Any, ...]]


def write(
    catalog: Catalog, target: Path, tables: Mapping[str, Rows], versions: Mapping[str, int]
) -> dict[str, int]:
    """Write a warehouse; one that lay there is replaced as a whole.

    Args:
        catalog: the store's catalog.
        target: folder of the warehouse.
        tables: each table but operations to its rows; the last value is the day as YYYY-MM-DD.
        versions: further versions for its manifest.

    Returns:
        Table to its number of rows.

    Raises:
        ExportError: something else lies there, or it cannot be written.
    """
    _assert_ours(target)
    made = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        made.mkdir(mode=0o700, parents=True)
        connection = connect()
        counts = {name: _table(connection, made, name, rows) for name, rows in tables.items()}
        counts["operations"] = _operations(catalog, connection, made)
        connection.close()
        _private(made)
        told = {
            "kind": _KIND, "schema": SCHEMA_VERSION, **versions,
            "tables": {name: {"rows": counts[name], "columns": [c.name for c in TABLES[name]] + [DATE]}
                       for name in TABLES},
        }  # fmt: skip
        with open(os.open(made / MANIFEST, os.O_CREAT | os.O_WRONLY, 0o600), "w") as stream:
            json.dump(told, stream, indent=1)
        _move(made, target)
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {why(error)}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return counts


def _assert_ours(target: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise ExportError(f"{target} is a file; name a folder")
    if not any(target.iterdir()):
        return
    try:
        told = json.loads((target / MANIFEST).read_bytes())
    except (OSError, ValueError):
        told = None
    if not isinstance(told, dict) or told.get("kind") != _KIND:
        raise ExportError(f"{target} holds something else; name a new folder or one of a warehouse")


def _move(made: Path, target: Path) -> None:
    if target.exists():
        old = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        os.rename(target, old)
        os.rename(made, target)
        shutil.rmtree(old)
    else:
        os.rename(made, target)


def _table(connection: Any, folder: Path, name: str, rows: Rows) -> int:
    columns = ", ".join(f"{c.name} {duckdb_type(c)}" for c in TABLES[name])
    connection.execute(f"CREATE OR REPLACE TEMP TABLE rows ({columns}, {DATE} VARCHAR)")
    appender = connection.appender("rows")
    count, batch = 0, []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            appender.append_rows(batch)
            count, batch = count + len(batch), []
    appender.append_rows(batch)
    appender.flush()
    _copy(connection, f"SELECT * FROM rows ORDER BY {DATE}", folder / name, count + len(batch))
    return count + len(batch)


def _operations(catalog: Catalog, connection: Any, folder: Path) -> int:
    shards = catalog.shards()
    if not shards:
        return _table(connection, folder, "operations", ())
    names = {"started": "make_timestamp(o.started)", "ended": "make_timestamp(o.ended)"}
    own = {"project", "agent", "role", "model", "intent", "stage", "focus", "tool", "task", "outcome"}
    picked = []
    for c in TABLES["operations"]:
        source = names.get(c.name, f"f.{c.name}" if c.name in own else f"o.{c.name}")
        picked.append(f"{source} AS {c.name}")
    measures = {value: f"f.{column(key)} AS {value}" for key, value in MEASURES.items()}
    picked = [measures.get(c.name, text) for c, text in zip(TABLES["operations"], picked, strict=True)]
    day = "COALESCE(make_timestamp(o.started)::DATE, DATE '1970-01-01')::VARCHAR"
    text = (
        f"SELECT {', '.join(picked)}, {day} AS {DATE} FROM {{operations}} o "
        f"LEFT JOIN {{frames}} f ON f.session = o.session AND f.idx = o.idx"
    )
    for table in ("frames", "operations"):
        text = filled_in(text, table, shards, catalog, connection)
    count = int(connection.execute(f"SELECT count(*) FROM ({text})").fetchone()[0])
    _copy(connection, text, folder / "operations", count)
    return count


def _copy(connection: Any, query: str, place: Path, count: int) -> None:
    told = f"KV_METADATA {{tracelode_schema: '{SCHEMA_VERSION}'}}"
    form = f"FORMAT parquet, COMPRESSION zstd, {told}"
    if not count:
        # a file without rows: who loads all files of a table finds one
        empty = place / f"{DATE}=1970-01-01" / "data_0.parquet"
        empty.parent.mkdir(parents=True)
        query = f"SELECT * EXCLUDE ({DATE}) FROM ({query})"
        connection.execute(f"COPY ({query}) TO {quoted(empty)} ({form})")
        return
    form += f", PARTITION_BY ({DATE})"
    connection.execute(f"COPY ({query}) TO {quoted(place)} ({form})")


def _private(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.chmod(path, 0o700 if path.is_dir() else 0o600)
