"""What does the catalog know of focus names? Ladders, which family saw which object, the registry, bans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from tracelode.store.catalog import Catalog
from tracelode.store.engine import connect
from tracelode.store.shards import relation

APART = "|"
"""Between the objects of a stored ladder."""


class Rung(NamedTuple):
    """A ladder as it is stored."""

    key: str
    """What the frames hold in its place."""
    verb: str
    """First word of its name."""
    objects: tuple[str, ...]
    """What may complete it, best first, without banned ones."""
    ordinal: int | None = None
    """Ordinal of the registry it was named with; None while it has no name yet."""
    name: str | None = None
    """Its name, None where nothing it holds is registered."""


class Objects:
    """The part of a catalog that focus names are made of.

    Args:
        catalog: the store's catalog; whoever writes holds the import lock and a transaction.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._db = catalog.db

    # families -----------------------------------------------------------------------------------

    def put(self, root: str, rungs: Sequence[Rung], forms: Mapping[str, str], origin: str | None) -> None:
        """Store the ladders of a family; those it has already keep their names.

        Args:
            root: key of its root session.
            rungs: its ladders, without banned objects, none without any.
            forms: each of their objects as written to the form that counts.
            origin: key of the session it was forked from, None for none.
        """
        had = {row[0] for row in self._db.execute("SELECT key FROM ladders WHERE root = ?", (root,))}
        now = {rung.key: rung for rung in rungs}
        self._db.executemany("DELETE FROM ladders WHERE key = ?", [(key,) for key in had - now.keys()])
        self._db.executemany(
            "INSERT INTO ladders VALUES (?, ?, ?, ?, NULL, NULL)",
            [(r.key, root, r.verb, APART.join(r.objects)) for key, r in now.items() if key not in had],
        )
        self._db.execute("DELETE FROM seen WHERE root = ?", (root,))
        self._db.executemany(
            "INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", [(key, root, form) for form, key in forms.items()]
        )
        self._db.execute("DELETE FROM origins WHERE root = ?", (root,))
        if origin is not None:
            self._db.execute("INSERT INTO origins VALUES (?, ?)", (root, origin))

    def gone(self) -> list[str]:
        """Families that the store no longer has."""
        text = "SELECT root FROM ladders UNION SELECT root FROM seen UNION SELECT root FROM origins"
        return [row[0] for row in self._db.execute(f"{text} EXCEPT SELECT root FROM families")]

    def forget_families(self, roots: Iterable[str]) -> None:
        """Forget what families said."""
        gone = [(root,) for root in roots]
        for table in ("ladders", "seen", "origins"):
            self._db.executemany(f"DELETE FROM {table} WHERE root = ?", gone)

    # the registry -------------------------------------------------------------------------------

    def pending(self) -> bool:
        """Is there a ladder that was never named?"""
        row = self._db.execute("SELECT 1 FROM ladders WHERE ordinal IS NULL LIMIT 1").fetchone()
        return row is not None

    def ladders(self, *, pending: bool = False) -> list[Rung]:
        """Stored ladders by key.

        Args:
            pending: only those that were never named.
        """
        where = " WHERE ordinal IS NULL" if pending else ""
        text = f"SELECT key, verb, objects, ordinal, name FROM ladders{where} ORDER BY key"
        return [_rung(row) for row in self._db.execute(text)]

    def seen(self, *, pending: bool = False) -> list[tuple[str, str]]:
        """(object as written, family) of what is seen; families that fork each other are one.

        Args:
            pending: only objects of families with ladders that were never named, not yet registered.
        """
        where = (
            " WHERE object IN (SELECT object FROM seen WHERE root IN "
            "(SELECT root FROM ladders WHERE ordinal IS NULL)) AND object NOT IN (SELECT object FROM objects)"
        )
        first = self._first()
        rows = self._db.execute(f"SELECT form, root FROM seen{where if pending else ''}")
        return [(form, first.get(root, root)) for form, root in rows]

    def _first(self) -> dict[str, str]:
        """Root of a forked family to one root that stands for all of its kin."""
        above: dict[str, str] = {}

        def top(root: str) -> str:
            while above.get(root, root) != root:
                root = above[root]
            return root

        rows = self._db.execute(
            "SELECT o.root, s.root FROM origins o JOIN sessions s ON s.key = o.origin "
            "WHERE s.data IS NOT NULL"
        ).fetchall()
        for root, origin in sorted(rows):
            one, other = sorted((top(root), top(origin)))
            above[other] = one
        return {root: top(root) for pair in rows for root in pair}

    def registered(self) -> dict[str, tuple[str, int]]:
        """Object to (how it is written, ordinal of its admission)."""
        return {key: (form, ordinal) for key, form, ordinal in self._db.execute("SELECT * FROM objects")}

    def ordinal(self) -> int:
        """Ordinal of the object that was admitted last, 0 for none."""
        return int(self._db.execute("SELECT COALESCE(max(ordinal), 0) FROM objects").fetchone()[0])

    def known(self) -> int:
        """Number of objects that any family has."""
        return int(self._db.execute("SELECT count(DISTINCT object) FROM seen").fetchone()[0])

    def admit(self, rows: Iterable[tuple[str, str, int]]) -> None:
        """Enter objects: (object, how it is written, ordinal)."""
        self._db.executemany("INSERT OR REPLACE INTO objects VALUES (?, ?, ?)", rows)

    def dismiss(self, objects: Iterable[str]) -> None:
        """Take objects out of the registry."""
        self._db.executemany("DELETE FROM objects WHERE object = ?", ((name,) for name in objects))

    def name(self, rows: Iterable[tuple[str | None, int, str]]) -> None:
        """Give ladders their names: (name, ordinal of the registry, key)."""
        self._db.executemany("UPDATE ladders SET name = ?, ordinal = ? WHERE key = ?", rows)

    # bans ---------------------------------------------------------------------------------------

    def digest(self, word: str) -> str:
        """How a banned word is stored: not as a word."""
        return _digest(word)

    def bans(self) -> set[str]:
        """Digests of every banned word."""
        return {row[0] for row in self._db.execute("SELECT word FROM bans")}

    def ban(self, digests: Iterable[str]) -> list[str]:
        """Ban words for ever; the stored objects that hold one of them, which are forgotten at once."""
        new = set(digests)
        self._db.executemany("INSERT OR IGNORE INTO bans VALUES (?)", ((word,) for word in sorted(new)))
        known = [
            row[0] for row in self._db.execute("SELECT object FROM seen UNION SELECT object FROM objects")
        ]
        return [name for name in known if any(self.digest(word) in new for word in name.split())]

    def holding(self, objects: Iterable[str]) -> list[Rung]:
        """Ladders of the families that saw some objects."""
        roots = set[str]()
        for name in objects:
            rows = self._db.execute("SELECT DISTINCT root FROM seen WHERE object = ?", (name,))
            roots.update(row[0] for row in rows)
        text = "SELECT key, verb, objects, ordinal, name FROM ladders WHERE root = ?"
        return [_rung(row) for root in sorted(roots) for row in self._db.execute(text, (root,))]

    def forget(self, objects: Iterable[str], kept: Iterable[Rung]) -> None:
        """Take objects out of everything that is stored.

        Args:
            objects: banned ones.
            kept: the ladders that held one, without it; one that holds nothing more is forgotten.
        """
        gone = [(name,) for name in objects]
        self._db.executemany("DELETE FROM seen WHERE object = ?", gone)
        self._db.executemany("DELETE FROM objects WHERE object = ?", gone)
        for rung in kept:
            if rung.objects:
                self._db.execute(
                    "UPDATE ladders SET objects = ?, name = ? WHERE key = ?",
                    (APART.join(rung.objects), rung.name, rung.key),
                )
            else:
                self._db.execute("DELETE FROM ladders WHERE key = ?", (rung.key,))

    def names(self) -> list[tuple[str, str]]:
        """(key, name) of every ladder that has a name."""
        return self._db.execute("SELECT key, name FROM ladders WHERE name IS NOT NULL").fetchall()


def filled_in(query: str, table: str, shards: dict[str, list[str]], catalog: Catalog, database: Any) -> str:
    """A query with a table's living rows in place of {table}; with names in frames, where it asks for them.

    Args:
        query: reads frames as f; read as anything else, their column focus shows the keys of ladders.
        table: operations or frames.
        shards: shard name to roots whose rows in it are dead.
        catalog: the store's catalog.
        database: DuckDB connection; gets a temporary table of names.

    Returns:
        The query.

    Source:
        decision 0011.
    """
    place = "{" + table + "}"
    if place not in query:
        return query
    rows = relation(catalog.folder, table, shards)
    if table == "frames" and "f.focus" in query:
        database.execute("CREATE OR REPLACE TEMP TABLE focus_names (key VARCHAR, name VARCHAR)")
        appender = database.appender("focus_names")
        appender.append_rows(Objects(catalog).names())
        appender.flush()
        del appender
        named = "x LEFT JOIN focus_names n ON n.key = x.focus"
        rows = f"SELECT x.* REPLACE (n.name AS focus) FROM ({rows}) {named}"
    return query.replace(place, f"({rows})")


def weights(catalog: Catalog, columns: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """What the frames under each ladder weigh.

    Args:
        catalog: the store's catalog.
        columns: columns of FRAMES that are added up.

    Returns:
        Key of a ladder to its sums, unknown values left out.
    """
    shards = catalog.shards()
    if not shards:
        return {}
    sums = ", ".join(f"CAST(COALESCE(SUM({name}), 0) AS HUGEINT)" for name in columns)
    rows = relation(catalog.folder, "frames", shards)
    database = connect()
    found = database.execute(f"SELECT focus, {sums} FROM ({rows}) WHERE focus IS NOT NULL GROUP BY focus")
    return {key: tuple(map(int, values)) for key, *values in found.fetchall()}


def _rung(row: tuple[Any, ...]) -> Rung:
    key, verb, objects, ordinal, name = row
    return Rung(key, verb, tuple(objects.split(APART)), ordinal, name)


@lru_cache(maxsize=65_536)
def _digest(word: str) -> str:
    return blake2b(word.encode(), digest_size=8, person=b"bans").hexdigest()
