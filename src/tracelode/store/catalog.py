"""What does the store know without opening a shard? Sources, sessions, families, ids: one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tracelode.errors import StoreError
from tracelode.model.session import Session
from tracelode.store.opening import open_catalog
from tracelode.store.source import SourceRow as SourceRow
from tracelode.store.source import source_row


class Catalog:
    """The store's SQLite file.

    Args:
        folder: the workspace folder, made if absent.
        renew: put a store of an older layout aside and begin a new one.

    Raises:
        StoreError: the folder cannot be used, or holds something else.
        SchemaTooOld: another layout, and not to be renewed.
        SchemaTooNew: the layout of a newer tracelode.
    """

    def __init__(self, folder: Path, *, renew: bool = False) -> None:
        self.folder = folder
        opened = open_catalog(folder, renew=renew)
        self.db = opened.db
        self.aside = opened.aside
        """Where a store of an older layout was put, if one lay here."""
        self.readonly = opened.readonly
        """May this process not write here?"""

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; the write lock is taken at once.

        Raises:
            StoreError: the disk is full, or the file cannot be written.
        """
        try:
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"the catalog in {self.folder} cannot be written; look for a full disk or missing rights, "
                "then import again: what was stored so far stays"
            ) from error

    # meta ---------------------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """A setting, None if unset."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Set a setting.

        Raises:
            StoreError: the store can only be read.
        """
        if self.readonly:
            raise StoreError(f"the store in {self.folder} can only be read; its settings stay as they are")
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    # sources ------------------------------------------------------------------------------------

    def sources(self) -> dict[str, SourceRow]:
        """Every file the store has read, by path."""
        rows = self.db.execute("SELECT * FROM sources")
        return {row[0]: source_row(row) for row in rows}

    def source_paths(self) -> set[str]:
        """Names of every file the store has read."""
        return {row[0] for row in self.db.execute("SELECT path FROM sources")}

    def source(self, path: str) -> SourceRow | None:
        """What is known of one file."""
        row = self.db.execute("SELECT * FROM sources WHERE path = ?", (path,)).fetchone()
        return None if row is None else source_row(row)

    def sources_of(self, root: str) -> list[SourceRow]:
        """The files of one family, by path."""
        rows = self.db.execute("SELECT * FROM sources WHERE root = ? ORDER BY path", (root,))
        return [source_row(row) for row in rows]

    def sources_with(self, session: str) -> list[SourceRow]:
        """The files a session was read from: its own, or the one that holds several."""
        rows = self.db.execute(
            "SELECT * FROM sources WHERE session = ?1 OR path = (SELECT source FROM sessions WHERE key = ?1) "
            "ORDER BY path",
            (session,),
        )
        return [source_row(row) for row in rows]

    def joins(self) -> dict[str, tuple[str, int]]:
        """Logs of effects that the user joined to a session: path to (root key, skew in microseconds)."""
        return {row[0]: (row[1], row[2]) for row in self.db.execute("SELECT path, session, skew FROM joins")}

    def put_join(self, path: str, session: str, skew: int) -> None:
        """Keep which session a log of effects belongs to."""
        self.db.execute("INSERT OR REPLACE INTO joins VALUES (?, ?, ?)", (path, session, skew))

    def drop_source(self, path: str) -> None:
        """Forget a file: the next import reads it anew."""
        self.db.execute("DELETE FROM sources WHERE path = ?", (path,))

    def drop_shard(self, name: str) -> None:
        """Forget a shard."""
        self.db.execute("DELETE FROM shards WHERE name = ?", (name,))
        self.db.execute("DELETE FROM dead WHERE shard = ?", (name,))

    def put_source(self, source: SourceRow) -> None:
        """Store what is known of a file."""
        values = msgspec.structs.astuple(source)[:-1]
        skipped = msgspec.msgpack.encode(source.skipped) if source.skipped else b""
        marks = ",".join("?" * (len(values) + 1))
        self.db.execute(f"INSERT OR REPLACE INTO sources VALUES ({marks})", (*values, skipped))

    # sessions and families ----------------------------------------------------------------------

    def number(self, key: str) -> int:
        """The row number of a session, made if absent."""
        self.db.execute("INSERT OR IGNORE INTO sessions (key) VALUES (?)", (key,))
        row = self.db.execute("SELECT number FROM sessions WHERE key = ?", (key,)).fetchone()
        return int(row[0])

    def put_session(self, session: Session, ticks: bytes) -> int:
        """Store a session and its timeline; its row number."""
        number = self.number(session.key)
        self.db.execute(
            "UPDATE sessions SET root = ?, source = ?, data = ?, ticks = ? WHERE number = ?",
            (session.root, session.source, msgspec.msgpack.encode(session), ticks, number),
        )
        return number

    def drop_sessions(self, keys: Iterable[str]) -> None:
        """Forget sessions whose file was rewritten into another one."""
        for key in keys:
            row = self.db.execute("SELECT number FROM sessions WHERE key = ?", (key,)).fetchone()
            if row:
                self.db.execute("DELETE FROM ids WHERE session = ?", row)
                self.db.execute("DELETE FROM segments WHERE session = ?", (key,))
                self.db.execute("DELETE FROM sessions WHERE number = ?", row)

    def sessions(self, root: str | None = None) -> list[Session]:
        """Stored sessions, sorted by key.

        Args:
            root: only those of this family; None for all.
        """
        where, values = ("AND root = ?", (root,)) if root is not None else ("", ())
        rows = self.db.execute(
            f"SELECT data FROM sessions WHERE data IS NOT NULL {where} ORDER BY key", values
        )
        return [msgspec.msgpack.decode(row[0], type=Session) for row in rows]

    def sessions_from(self, source: str) -> list[Session]:
        """Sessions that were last read from a file."""
        rows = self.db.execute(
            "SELECT data FROM sessions WHERE source = ? AND data IS NOT NULL ORDER BY key", (source,)
        )
        return [msgspec.msgpack.decode(row[0], type=Session) for row in rows]

    def root_of(self, key: str) -> str | None:
        """The root of a stored session, None if it is not stored."""
        row = self.db.execute("SELECT root FROM sessions WHERE key = ?", (key,)).fetchone()
        return None if row is None or row[0] is None else str(row[0])

    def ticks(self, root: str) -> dict[str, bytes]:
        """Timelines of a family's sessions, by session key."""
        rows = self.db.execute("SELECT key, ticks FROM sessions WHERE root = ? AND data IS NOT NULL", (root,))
        return dict(rows)

    def verdict(self, root: str) -> tuple[str | None, str | None] | None:
        """(outcome, task) the user gave a root session, None if none."""
        row = self.db.execute("SELECT outcome, task FROM verdicts WHERE root = ?", (root,)).fetchone()
        return None if row is None else (row[0], row[1])

    def put_verdict(self, root: str, outcome: str | None, task: str | None) -> None:
        """Keep what the user says of a root session; what was said earlier stays where nothing is said."""
        old = self.verdict(root) or (None, None)
        outcome, task = outcome or old[0], task or old[1]
        self.db.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", (root, outcome, task))

    def put_family(self, root: str, shard: str, versions: str) -> None:
        """A family's rows are now in this shard; rows elsewhere are dead."""
        row = self.db.execute("SELECT shard FROM families WHERE root = ?", (root,)).fetchone()
        if row and row[0] != shard:
            self.db.execute("INSERT OR IGNORE INTO dead VALUES (?, ?)", (row[0], root))
            self._forget_empty(row[0])
        self.db.execute("INSERT OR REPLACE INTO families VALUES (?, ?, ?)", (root, shard, versions))

    def bury(self, shard: str, root: str) -> None:
        """A family's rows in a shard are dead."""
        self.db.execute("INSERT OR IGNORE INTO dead VALUES (?, ?)", (shard, root))

    def drop_family(self, root: str) -> None:
        """Forget a family that has no session any more."""
        row = self.db.execute("SELECT shard FROM families WHERE root = ?", (root,)).fetchone()
        if row:
            self.db.execute("INSERT OR IGNORE INTO dead VALUES (?, ?)", (row[0], root))
            self.db.execute("DELETE FROM families WHERE root = ?", (root,))
            self._forget_empty(row[0])

    def _forget_empty(self, shard: str) -> None:
        alive = self.db.execute(
            "SELECT s.families - (SELECT count(*) FROM dead d WHERE d.shard = s.name) "
            "FROM shards s WHERE s.name = ?",
            (shard,),
        ).fetchone()
        if alive and alive[0] <= 0:
            self.db.execute("DELETE FROM shards WHERE name = ?", (shard,))
            self.db.execute("DELETE FROM dead WHERE shard = ?", (shard,))

    def shard_of(self, root: str) -> str | None:
        """The shard that holds a family, None if it is not stored."""
        row = self.db.execute("SELECT shard FROM families WHERE root = ?", (root,)).fetchone()
        return None if row is None else str(row[0])

    def families(self) -> dict[str, tuple[str, str]]:
        """Root key to (shard, versions)."""
        return {root: (shard, v) for root, shard, v in self.db.execute("SELECT * FROM families")}

    def put_shard(self, name: str, operations: int, families: int) -> None:
        """Enter a shard whose files are in place."""
        self.db.execute("INSERT OR REPLACE INTO shards VALUES (?, ?, ?)", (name, operations, families))

    def shards(self) -> dict[str, list[str]]:
        """Shard name to the roots whose rows in it are dead."""
        found: dict[str, list[str]] = {
            row[0]: [] for row in self.db.execute("SELECT name FROM shards ORDER BY name")
        }
        for shard, root in self.db.execute("SELECT shard, root FROM dead ORDER BY shard, root"):
            if shard in found:
                found[shard].append(root)
        return found

    def sizes(self) -> list[tuple[str, int, int]]:
        """(shard, operations, families) of every shard."""
        return [(n, o, f) for n, o, f in self.db.execute("SELECT * FROM shards ORDER BY name")]

    def replace_shards(self, old: Iterable[str], new: str, operations: int, roots: Iterable[str]) -> None:
        """Enter a shard that holds the living rows of others, and forget those.

        Args:
            old: shards that were merged.
            new: the shard that holds their living rows.
            operations: rows in it.
            roots: families in it.
        """
        moved = list(roots)
        for name in old:
            self.db.execute("DELETE FROM shards WHERE name = ?", (name,))
            self.db.execute("DELETE FROM dead WHERE shard = ?", (name,))
        self.put_shard(new, operations, len(moved))
        self.db.executemany("UPDATE families SET shard = ? WHERE root = ?", ((new, r) for r in moved))

    def contents(self) -> list[str]:
        """Names of the archive's shards."""
        return [row[0] for row in self.db.execute("SELECT name FROM contents ORDER BY name")]

    def put_contents(self, name: str, operations: int) -> None:
        """Enter a shard of the archive."""
        self.db.execute("INSERT OR REPLACE INTO contents VALUES (?, ?)", (name, operations))

    # shared records -----------------------------------------------------------------------------

    def put_ids(self, number: int, ids: Iterable[int]) -> None:
        """Replace the record ids of a session."""
        self.db.execute("DELETE FROM ids WHERE session = ?", (number,))
        self.db.executemany("INSERT OR IGNORE INTO ids VALUES (?, ?)", ((i, number) for i in ids))

    def group(self, number: int) -> set[int]:
        """Numbers of the sessions that hang together with a session by shared records, itself included.

        Each record is looked up once, however many sessions hold it.
        """
        found, edge = {number}, [number]
        seen: set[int] = set()
        while edge:
            records = self._column("SELECT DISTINCT id FROM ids WHERE session IN ({})", edge) - seen
            seen |= records
            holders = self._column("SELECT DISTINCT session FROM ids WHERE id IN ({})", sorted(records))
            edge = sorted(holders - found)
            found |= holders
        return found

    def holding(self, record: int) -> list[tuple[str, str]]:
        """(key, root) of the sessions that hold a record."""
        inside = "SELECT session FROM ids WHERE id = ?"
        text = f"SELECT key, root FROM sessions WHERE number IN ({inside}) ORDER BY key"
        return [(key, root) for key, root in self.db.execute(text, (record,))]

    def _column(self, text: str, values: list[int]) -> set[int]:
        found: set[int] = set()
        for start in range(0, len(values), 900):
            part = values[start : start + 900]
            found.update(row[0] for row in self.db.execute(text.format(_marks(part)), part))
        return found

    def keys(self, numbers: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Session number to (key, root)."""
        marks = sorted(set(numbers))
        rows = self.db.execute(
            f"SELECT number, key, root FROM sessions WHERE number IN ({_marks(marks)})", marks
        )
        return {number: (key, root) for number, key, root in rows}


def _marks(values: list[int]) -> str:
    return ",".join("?" * len(values))
