"""How is a session deleted so that it stays deleted? Forgotten in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from tracelode.ingest.jobs import FamilyJob, Result
from tracelode.ingest.naming import Naming
from tracelode.ingest.settle import Group
from tracelode.store.catalog import Catalog
from tracelode.store.tombstones import bury


class Forgotten(msgspec.Struct, kw_only=True):
    """What forgetting did to the catalog."""

    sessions: list[str] = []
    """Keys that are gone, sub-agents included."""
    kin: list[str] = []
    """Sessions that hold copies of its records and stay: forks, and what it was forked from."""


class Forgetter:
    """Deletes families.

    Args:
        catalog: the store's catalog; the caller holds the import lock.
        naming: of the store.
        stored: a family as a job that reads nothing.
        settle: finds out who owns the records of groups.
        store: enters what came of it.
    """

    def __init__(
        self,
        catalog: Catalog,
        naming: Naming,
        stored: Callable[[str], FamilyJob],
        settle: Callable[[list[Group]], Result],
        store: Callable[[Result], list[int]],
    ) -> None:
        self.catalog = catalog
        self.naming = naming
        self._stored, self._settle, self._store = stored, settle, store

    def forget(self, roots: Iterable[str], why: str) -> Forgotten:
        """Delete families and keep them from coming back; whoever held copies of their records owns them now.

        Args:
            roots: root keys of stored families.
            why: asked, or expired.

        Returns:
            What is gone, and what holds copies.

        Raises:
            StoreError: the store cannot be written.
        """
        catalog, gone = self.catalog, Forgotten()
        # what is deleted is overwritten, not only unlinked
        catalog.db.execute("PRAGMA secure_delete = ON")
        with catalog.transaction():
            kin: set[int] = set()
            for root in sorted(set(roots)):
                keys = [s.key for s in catalog.sessions(root)]
                for key in keys:
                    kin |= catalog.group(catalog.number(key))
                gone.sessions += keys
                bury(catalog, {root, *keys}, why)
                self._drop(root, keys)
            names = catalog.keys(kin)
            gone.kin = sorted(key for key, _ in names.values())
            groups = self._groups(set(names))
            if groups:
                settled = self._settle(groups)
                if settled.families:
                    self._store(settled)
        self.naming.settle()
        return gone

    def _drop(self, root: str, keys: list[str]) -> None:
        catalog = self.catalog
        for key in keys:
            for row in catalog.sources_with(key):
                # a file that holds other sessions too is read again, without this one
                catalog.drop_source(row.path)
            catalog.db.execute("DELETE FROM annotations WHERE session = ?", (key,))
        for row in catalog.sources_of(root):
            catalog.drop_source(row.path)
        for table in ("verdicts", "ladders", "seen", "origins"):
            catalog.db.execute(f"DELETE FROM {table} WHERE root = ?", (root,))
        catalog.db.execute("DELETE FROM joins WHERE session = ?", (root,))
        catalog.drop_sessions(keys)
        catalog.drop_family(root)

    def _groups(self, numbers: set[int]) -> list[Group]:
        """Sessions that hang together still, one alone too: it may own now what it inherited."""
        groups, done = [], set[int]()
        for number in sorted(numbers):
            if number in done:
                continue
            group = self.catalog.group(number)
            done |= group
            named = self.catalog.keys(group).values()
            families = [self._stored(root) for root in sorted({root for _, root in named if root})]
            groups.append(Group(keys={key for key, _ in named}, families=families))
        return groups


def clear(catalog: Catalog) -> None:
    """Have the catalog's file hold nothing of what was deleted.

    Args:
        catalog: the store's catalog, outside of a transaction.
    """
    db: Any = catalog.db
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
