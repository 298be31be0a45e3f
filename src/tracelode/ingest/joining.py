"""To which session does a log of effects belong? What the user says is kept, and a log can be moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tracelode.ingest.discover import Found
from tracelode.ingest.effects import ASSIGNED
from tracelode.ingest.jobs import FamilyJob
from tracelode.store.catalog import Catalog

NOT_A_LOG = "no log of processes, files and hosts; --into says nothing of it"
"""Why a file that was named with --into is read as if it was not."""


class Joiner:
    """Keeps which session the user joined a log to.

    Args:
        catalog: the store's catalog.
        stored: gives the job that stores a family again as it is.
        store: has a family of such a job stored.
    """

    def __init__(
        self, catalog: Catalog, stored: Callable[[str], FamilyJob], store: Callable[[FamilyJob], object]
    ) -> None:
        self.catalog = catalog
        self._stored = stored
        self._store = store

    def among(self, found: Iterable[Any], session: str, skew: int) -> Iterator[Any]:
        """Join files to a session; those that were read before are to be read again.

        Args:
            found: files and lost places, with their clean names.
            session: root key.
            skew: microseconds by which the clock of the log may differ.

        Returns:
            The same items.
        """
        known = self.catalog.joins()
        items = list(found)
        for item in items:
            if not isinstance(item, Found) or known.get(item.name) == (session, skew):
                continue
            with self.catalog.transaction():
                self._forget(item.name)
                self.catalog.put_join(item.name, session, skew)
        return iter(items)

    def _forget(self, name: str) -> None:
        """Take what a log told out of the family it lies in."""
        roots = {s.key: s.root for s in self.catalog.sessions_from(name)}
        for root in sorted(set(roots.values())):
            job = self._stored(root)
            job.sessions = [s for s in job.sessions if s.key not in roots]
            self._store(job)
        if self.catalog.source(name) is not None:
            self.catalog.drop_source(name)


def summed(families: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """How the effects of some families were assigned; empty where there are none.

    Args:
        families: counts by how, a family each.
    """
    counts = list(families)
    return {how: sum(one.get(how, 0) for one in counts) for how in ASSIGNED} if counts else {}
