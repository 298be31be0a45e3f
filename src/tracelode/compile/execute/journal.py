"""What is on disk of runs? One SQLite file: who began what, how it ended, and what is needed to go on.

A write is noted, and the note is on the disk, before the write is made; its end is noted after it. Whoever
dies between the two leaves a write in doubt, and nobody makes it again. The rules are those of
docs/decisions/0023-run-journal.md.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from tracelode.errors import NoRun, RunError, SchemaTooNew, StoreError

VERSION = 1
"""Of the tables; a journal of a newer one is refused."""
APPLICATION = 0x74_72_6C_6A
"""SQLite's application_id of our files."""

BEGUN, DONE, FAILED, IN_DOUBT = "begun", "done", "failed", "in_doubt"
"""States of a call: noted before it; ended well; ended badly for certain; nobody knows."""

_TABLES = """
CREATE TABLE runs(
  run TEXT PRIMARY KEY, workflow TEXT NOT NULL, digest TEXT NOT NULL, mode TEXT NOT NULL,
  status TEXT NOT NULL, inputs BLOB, secrets TEXT NOT NULL, state BLOB, pending BLOB,
  started INTEGER NOT NULL, ended INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE calls(
  run TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, arguments TEXT NOT NULL, output BLOB,
  size INTEGER, error TEXT NOT NULL, baseline INTEGER, tries INTEGER NOT NULL, begun INTEGER NOT NULL,
  ended INTEGER, seal BLOB NOT NULL,
  PRIMARY KEY(run, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE replies(run TEXT NOT NULL, key TEXT NOT NULL, reply BLOB NOT NULL, PRIMARY KEY(run, key))
  STRICT, WITHOUT ROWID;
CREATE TABLE notes(
  number INTEGER PRIMARY KEY, run TEXT NOT NULL, workflow TEXT NOT NULL, slot TEXT NOT NULL,
  code TEXT NOT NULL, guard TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
CREATE TABLE demoted(workflow TEXT PRIMARY KEY, reason TEXT NOT NULL, at INTEGER NOT NULL)
  STRICT, WITHOUT ROWID;
CREATE INDEX notes_of ON notes(workflow, run);
"""


_SCHEMAS = (
    "CREATE TABLE IF NOT EXISTS schemas(workflow TEXT NOT NULL, slot TEXT NOT NULL, digest TEXT NOT NULL, "
    "PRIMARY KEY(workflow, slot)) STRICT, WITHOUT ROWID"
)
"""Journals of before do not have it."""


class Row(msgspec.Struct, frozen=True):
    """What is noted of one call."""

    state: str
    """One of the four states."""
    arguments: str
    """Digest of its arguments."""
    output: bytes | None
    """JSON; None until it is done, and again once nothing needs it."""
    error: str
    """kind and message of a failure, apart by a line feed; "" for none."""
    baseline: int | None
    """Records that showed such a write before it began."""


class Journal:
    """An open journal; one run of it belongs to one process at a time.

    Args:
        path: the file; it is made if it is not there, for its owner alone.

    Raises:
        SchemaTooNew: written by a newer version.
        StoreError: it cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._full: bool | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._db = sqlite3.connect(path, isolation_level=None, timeout=30.0)
            self._open()
        except OSError as error:
            raise StoreError(f"{path} cannot be used: {(error.strerror or '').lower()}") from None
        except sqlite3.DatabaseError as error:
            why = type(error).__name__
            raise StoreError(
                f"{path} is no journal that can be read ({why}); keep it: it may tell of writes in doubt"
            ) from None

    def _open(self) -> None:
        one = self._db.execute
        one("PRAGMA busy_timeout=30000")
        if self._ours():
            one("PRAGMA journal_mode=WAL")
            self._synced(False)
            one(_SCHEMAS)
            return
        one("PRAGMA journal_mode=WAL")
        self._synced(False)
        with self.writing():
            if self._ours():
                return  # another process made it meanwhile
            for statement in (*_TABLES.split(";\n"), _SCHEMAS):
                one(statement)
            one(f"PRAGMA application_id={APPLICATION}")
            one(f"PRAGMA user_version={VERSION}")

    def _ours(self) -> bool:
        """Is it a journal already? A file of something else is left as it is."""
        application, version, tables = (
            self._db.execute(text).fetchone()[0]
            for text in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
        )
        if application == APPLICATION and version > VERSION:
            raise SchemaTooNew(
                f"{self.path} was written by a newer tracelode; upgrade, or name another journal"
            )
        if application == APPLICATION and version == VERSION:
            return True
        if application or version or tables:
            raise StoreError(f"{self.path} is a database of something else; name another journal")
        return False

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """All that is noted inside is on the disk together, or none of it; others wait meanwhile.

        Raises:
            StoreError: it cannot be noted; nothing of it was.
        """
        self._do("BEGIN IMMEDIATE")
        try:
            yield
            self._do("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # a full disk has taken it back already
                self._db.execute("ROLLBACK")
            raise

    def _do(self, text: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(text, values)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise StoreError(
                f"{self.path} cannot be read or written ({type(error).__name__}); the run stops here, "
                "and can be resumed once it can"
            ) from None

    def _synced(self, full: bool) -> None:
        # NORMAL survives the death of the process, FULL that of the machine: a write's beginning must.
        if self._full != full:
            self._db.execute(f"PRAGMA synchronous={'FULL' if full else 'NORMAL'}")
            self._full = full

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin_run(
        self, run: str, workflow: str, digest: str, mode: str, inputs: bytes, secrets: str, state: bytes
    ) -> None:
        """Note that a run begins.

        Args:
            run: run id.
            workflow: workflow id.
            digest: of the workflow.
            mode: act or shadow.
            inputs: JSON, without secrets.
            secrets: names of the inputs that are not noted, apart by commas.
            state: JSON of the values of the moment.

        Raises:
            RunError: there is a run of this id.
        """
        values = (run, workflow, digest, mode, "open", inputs, secrets, state, time.time_ns() // 1_000)
        try:
            self._do(
                "INSERT INTO runs(run, workflow, digest, mode, status, inputs, secrets, state, started) "
                "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
        except sqlite3.IntegrityError:
            raise RunError(f"there is a run {run} already; resume it, or choose another id") from None

    def run(self, run: str) -> dict[str, Any]:
        """What is noted of a run.

        Args:
            run: run id.

        Returns:
            Its columns by name.

        Raises:
            NoRun: there is none.
        """
        cursor = self._do("SELECT * FROM runs WHERE run = ?", (run,))
        row = cursor.fetchone()
        if row is None:
            raise NoRun(f"there is no run {run} in {self.path}")
        return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}

    def set_run(self, run: str, status: str, pending: bytes | None) -> None:
        """Note how far a run is.

        Args:
            run: run id.
            status: open, escalated, done, stopped or handed_over.
            pending: JSON of the question it stands at.
        """
        ended = None if status in ("open", "escalated") else time.time_ns() // 1_000
        self._do(
            "UPDATE runs SET status = ?, pending = ?, ended = ? WHERE run = ?", (status, pending, ended, run)
        )

    def call(self, run: str, key: str) -> Row | None:
        """What is noted of a call.

        Args:
            run: run id.
            key: of the call.

        Raises:
            RunError: something else wrote into the journal.
        """
        found = self._do(
            "SELECT state, arguments, output, error, baseline, seal FROM calls WHERE run = ? AND key = ?",
            (run, key),
        ).fetchone()
        if found is None:
            return None
        row = Row(*found[:5])
        if _seal(run, key, row) != found[5]:
            raise RunError(f"the journal's note of {key} was changed by something else; run {run} stops here")
        return row

    def write(
        self, run: str, key: str, row: Row, *, tries: int = 0, synced: bool = False, begun: int | None = None
    ) -> None:
        """Note a call.

        Args:
            run: run id.
            key: of the call.
            row: all of it; replaces what was there.
            tries: times the call is made by what is noted.
            synced: it is on the disk when this returns.
            begun: UTC microseconds at which the call began; None leaves what is noted, or else it is now.
        """
        self._synced(synced)
        now = time.time_ns() // 1_000
        ended = None if row.state == BEGUN else now
        size = None if row.output is None else len(row.output)
        self._do(
            "INSERT INTO calls VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT(run, key) DO UPDATE SET state = excluded.state, "
            "output = excluded.output, size = excluded.size, error = excluded.error, "
            "baseline = excluded.baseline, tries = tries + excluded.tries, ended = excluded.ended, "
            "begun = coalesce(?, begun), seal = excluded.seal",
            (run, key, row.state, row.arguments, row.output, size, row.error, row.baseline, tries,
             now if begun is None else begun, ended, _seal(run, key, row), begun),
        )  # fmt: skip

    def begun(self, run: str, key: str) -> int | None:
        """When a call began, in UTC microseconds; None where there is no note of it.

        Args:
            run: run id.
            key: of the call.
        """
        found = self._do("SELECT begun FROM calls WHERE run = ? AND key = ?", (run, key)).fetchone()
        return None if found is None else int(found[0])

    def count(self, run: str) -> tuple[int, int]:
        """How many calls and replies a run has.

        Args:
            run: run id.
        """
        calls = self._do("SELECT coalesce(sum(tries), 0) FROM calls WHERE run = ?", (run,)).fetchone()[0]
        return calls, self._do("SELECT count(*) FROM replies WHERE run = ?", (run,)).fetchone()[0]

    def reply(self, run: str, key: str) -> bytes | None:
        """The reply to a question of a run.

        Args:
            run: run id.
            key: of the question.
        """
        found = self._do("SELECT reply FROM replies WHERE run = ? AND key = ?", (run, key)).fetchone()
        return None if found is None else bytes(found[0])

    def replied(self, run: str, key: str, reply: bytes) -> None:
        """Note a reply; the first one stays.

        Args:
            run: run id.
            key: of the question.
            reply: JSON.
        """
        self._do("INSERT OR IGNORE INTO replies VALUES(?, ?, ?)", (run, key, reply))

    def end_run(self, run: str, status: str, pending: bytes | None) -> None:
        """Note how far a run came; of one that ended, all is dropped that was only kept to go on.

        Args:
            run: run id.
            status: escalated, done, stopped or handed_over.
            pending: JSON of the question it stands at.

        Raises:
            StoreError: it cannot be noted: the run counts as one that broke off, and can be resumed.
        """
        with self.writing():
            self.set_run(run, status, pending)
            if status != "escalated":
                self._forget(run)

    def _forget(self, run: str) -> None:
        """Drop inputs, outputs and replies. That it happened stays."""
        rows = self._do("SELECT key FROM calls WHERE run = ? AND output IS NOT NULL", (run,)).fetchall()
        for (key,) in rows:
            row = self.call(run, key)
            assert row is not None
            bare = msgspec.structs.replace(row, output=None)
            self._do(
                "UPDATE calls SET output = NULL, seal = ? WHERE run = ? AND key = ?",
                (_seal(run, key, bare), run, key),
            )
        self._do("UPDATE replies SET reply = x'' WHERE run = ?", (run,))
        self._do("UPDATE runs SET inputs = NULL, state = NULL, pending = NULL WHERE run = ?", (run,))

    def note(self, run: str, workflow: str, slot: str, code: str, guard: str) -> None:
        """Note that a run stood still.

        Args:
            run: run id.
            workflow: workflow id.
            slot: step.
            code: of the escalation.
            guard: what did not hold.
        """
        values = (run, workflow, slot, code, guard, time.time_ns() // 1_000)
        self._do("INSERT INTO notes(run, workflow, slot, code, guard, at) VALUES(?, ?, ?, ?, ?, ?)", values)

    def schemas(self, workflow: str) -> dict[str, str]:
        """Slot to the digest of what its tool took when the workflow last ran to its end.

        Args:
            workflow: its id.
        """
        return dict(self.rows("SELECT slot, digest FROM schemas WHERE workflow = ?", (workflow,)))

    def keep_schemas(self, workflow: str, schemas: Mapping[str, str]) -> None:
        """Note what the tools of a workflow take, for its next runs.

        Args:
            workflow: its id.
            schemas: slot to digest; "" is not noted.
        """
        for slot, digest in sorted(schemas.items()):
            if digest:
                self._do("INSERT OR REPLACE INTO schemas VALUES(?, ?, ?)", (workflow, slot, digest))

    def rows(self, text: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Rows of a query of ours: for the monitor.

        Args:
            text: SQL.
            values: its parameters.
        """
        return self._do(text, values).fetchall()


def _seal(run: str, key: str, row: Row) -> bytes:
    parts = (run, key, row.state, row.arguments, row.output, row.error, row.baseline)
    return blake2b(msgspec.msgpack.encode(parts), digest_size=16).digest()
