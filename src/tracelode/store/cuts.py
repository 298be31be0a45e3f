"""By what were the sessions of a store cut, one rule after the other? A row whenever that changed."""

from __future__ import annotations

import time

import msgspec

from tracelode.store.catalog import Catalog


class Cut(msgspec.Struct, frozen=True):
    """What cut the families of a store from a moment on."""

    made: int
    """UTC microseconds."""
    segmenter: str
    """Name, version and parameters of the segmenter, as every stored family is marked with."""
    families: int
    """Families that were stored again because of it, 0 for the first."""


def note(catalog: Catalog, segmenter: str, families: int) -> None:
    """Keep what cuts the families from now on, where it is not what cut them before.

    Args:
        catalog: the store's catalog.
        segmenter: its name and version.
        families: families that were cut anew.
    """
    before = catalog.db.execute(
        "SELECT segmenter FROM cuts ORDER BY made DESC, rowid DESC LIMIT 1"
    ).fetchone()
    if before is None or before[0] != segmenter:
        made = time.time_ns() // 1000
        catalog.db.execute("INSERT INTO cuts VALUES (?, ?, ?)", (made, segmenter, families))


def cuts(catalog: Catalog) -> list[Cut]:
    """What cut the families, oldest first.

    Args:
        catalog: the store's catalog.
    """
    rows = catalog.db.execute("SELECT made, segmenter, families FROM cuts ORDER BY made, rowid")
    return [Cut(*row) for row in rows]
