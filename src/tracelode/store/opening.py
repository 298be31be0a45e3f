"""How is a store's catalog opened, made, refused or put aside? Nothing of somebody's history is lost here."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from tracelode.errors import SchemaTooNew, SchemaTooOld, StoreError
from tracelode.store.schema import SCHEMA
from tracelode.store.shards import has_shards

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (
    path TEXT PRIMARY KEY, session TEXT, root TEXT, adapter TEXT, version TEXT, size INTEGER, mtime INTEGER,
    head TEXT, tail TEXT, position INTEGER, line INTEGER, state BLOB, skipped BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sources_root ON sources (root);
CREATE TABLE IF NOT EXISTS sessions (
    number INTEGER PRIMARY KEY, key TEXT UNIQUE, root TEXT, source TEXT, data BLOB, ticks BLOB
);
CREATE INDEX IF NOT EXISTS sessions_root ON sessions (root);
CREATE INDEX IF NOT EXISTS sessions_source ON sessions (source);
CREATE TABLE IF NOT EXISTS families (root TEXT PRIMARY KEY, shard TEXT, versions TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shards (name TEXT PRIMARY KEY, operations INTEGER, families INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dead (shard TEXT, root TEXT, PRIMARY KEY (shard, root)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verdicts (root TEXT PRIMARY KEY, outcome TEXT, task TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS joins (path TEXT PRIMARY KEY, session TEXT, skew INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contents (name TEXT PRIMARY KEY, families INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ids (id INTEGER, session INTEGER, PRIMARY KEY (id, session)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ids_session ON ids (session);
CREATE TABLE IF NOT EXISTS ladders (
    key TEXT PRIMARY KEY, root TEXT, verb TEXT, objects TEXT, ordinal INTEGER, name TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ladders_root ON ladders (root);
CREATE INDEX IF NOT EXISTS ladders_new ON ladders (root) WHERE ordinal IS NULL;
CREATE TABLE IF NOT EXISTS seen (
    object TEXT, root TEXT, form TEXT, PRIMARY KEY (object, root, form)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seen_root ON seen (root);
CREATE TABLE IF NOT EXISTS origins (root TEXT PRIMARY KEY, origin TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS objects (object TEXT PRIMARY KEY, form TEXT, ordinal INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bans (word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS segments (session TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cuts (made INTEGER, segmenter TEXT, families INTEGER);
CREATE TABLE IF NOT EXISTS annotations (
    session TEXT, revision INTEGER, data BLOB, PRIMARY KEY (session, revision)
) WITHOUT ROWID;
"""


_FULL = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN")
"""Errors of SQLite's where a file beside the catalog cannot be made: the disk is full."""


class Opened(NamedTuple):
    """A catalog that can be asked."""

    db: sqlite3.Connection
    """Its connection, without implied transactions."""
    aside: Path | None
    """Where a store of an older layout was put, if one lay here."""
    readonly: bool
    """May this process not write here?"""


def is_store(folder: Path) -> bool:
    """Does a folder hold a store, or what is left of one?

    Args:
        folder: the workspace folder.
    """
    try:
        return (folder / "catalog.sqlite").stat().st_size > 0 or has_shards(folder)
    except FileNotFoundError:
        return has_shards(folder)


def open_catalog(folder: Path, *, renew: bool = False) -> Opened:
    """Open the catalog of a workspace folder; both are made if absent.

    Args:
        folder: the workspace folder.
        renew: put a store of an older layout aside and begin a new one.

    Returns:
        The open catalog.

    Raises:
        StoreError: the folder cannot be used, holds something else, or shards without their catalog.
        SchemaTooOld: another layout, and not to be renewed.
        SchemaTooNew: the layout of a newer tracelode.
    """
    path = folder / "catalog.sqlite"
    try:
        if not folder.exists():
            # a folder that is there already keeps its mode: it is not ours to close
            folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        return _patiently(path, renew)
    except OSError as error:
        raise StoreError(f"{folder} cannot be used: {(error.strerror or '').lower()}") from error
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"{path} cannot be opened or written now; "
            "look for a full disk, missing rights, or a process that holds it"
        ) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{path} is damaged; keep a copy, since it may hold what its sources no longer do, "
            "and name another folder with --store to import anew"
        ) from error


def _patiently(path: Path, renew: bool) -> Opened:
    """Open it, again while another process makes it: SQLite does not wait for a change of its mode."""
    until = time.monotonic() + 10
    while True:
        try:
            return _opened(path, renew)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
        time.sleep(0.02)


def _opened(path: Path, renew: bool) -> Opened:
    folder = path.parent
    db, readonly = _connect(path)
    version, aside = _version(db), None
    if version is None:
        # in this order: an import that began meanwhile made the catalog before its first shard
        orphans = has_shards(folder)
        version = _version(db)
        if version is None and orphans:
            raise StoreError(
                f"{folder} holds shards, but its catalog.sqlite is missing or empty; put it back, "
                "or move the folders operations and frames away to import anew"
            )
    if version is None and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise StoreError(f"{path} belongs to another program; name another folder with --store")
    if version is not None and version > SCHEMA:
        raise SchemaTooNew(
            f"the store in {folder} was written by a newer tracelode (schema {version}, this one "
            f"reads {SCHEMA}); upgrade tracelode or name another folder with --store"
        )
    if version is not None and version < SCHEMA:
        place = _unused(folder, f"schema-{version}")
        if not renew or readonly:
            raise SchemaTooOld(
                f"the store in {folder} was written by an older tracelode (schema {version}, this one "
                f"reads {SCHEMA}); tracelode import puts it into {place} and starts anew"
            )
        db.close()
        _put_aside(folder, place)
        (db, readonly), version, aside = _connect(path), None, place
    if version is None:
        # the salt makes this store's pseudonyms its own
        made = (
            f"INSERT OR IGNORE INTO meta VALUES ('schema', '{SCHEMA}'), ('salt', lower(hex(randomblob(16))));"
        )
        db.executescript(f"BEGIN IMMEDIATE; {_TABLES} {made} COMMIT;")
    return Opened(db, aside, readonly)


def _connect(path: Path) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether it can only read."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        db = sqlite3.connect(path, isolation_level=None, timeout=60)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            # the first look makes the files beside it that a log of changes needs
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return db, False
        except sqlite3.OperationalError as error:
            db.close()
            if not error.sqlite_errorname.startswith(_FULL) or not path.stat().st_size:
                raise
        if path.with_name(f"{path.name}-wal").exists():
            # whoever is alone with the file needs no file for what others would have to know
            db = sqlite3.connect(path, isolation_level=None, timeout=60)
            db.execute("PRAGMA locking_mode=EXCLUSIVE")
            return db, True
    # without a log of changes nobody writes now, and none can be made by us
    still = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
    name = f"file:{quote(str(path))}?mode=ro{still}"
    return sqlite3.connect(name, uri=True, isolation_level=None, timeout=60), True


def _version(db: sqlite3.Connection) -> int | None:
    if not db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'meta'").fetchone()[0]:
        return None
    try:
        row = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        return int(row[0]) if row else None
    except (sqlite3.OperationalError, ValueError):
        return None


def _unused(folder: Path, name: str) -> Path:
    """A folder that nothing lies in yet: an older one put aside before is not touched."""
    number = 1
    while (place := folder / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return place


def _put_aside(folder: Path, place: Path) -> None:
    """Move a store of an older layout into a folder of its own: it is rebuilt from the sources."""
    place.mkdir(exist_ok=True, mode=0o700)
    for name in (
        "catalog.sqlite",
        "catalog.sqlite-wal",
        "catalog.sqlite-shm",
        "operations",
        "frames",
        "content",
    ):
        if (folder / name).exists():
            os.replace(folder / name, place / name)
    os.close(os.open(folder / "catalog.sqlite", os.O_CREAT | os.O_WRONLY, 0o600))
