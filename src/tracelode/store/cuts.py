"""How is each session of a store cut, and by what were they cut before? A row whenever that changed."""

from __future__ import annotations

import time
from collections.abc import Iterable

import msgspec

from tracelode.model.segment import Segmentation
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


def put(catalog: Catalog, segmentations: Iterable[Segmentation]) -> None:
    """Keep how sessions are cut now: by which segmenter and version, into what, how sure each cut is.

    Args:
        catalog: the store's catalog, inside the transaction that stores their rows.
        segmentations: of sessions, each in place of what was kept of it.
    """
    rows = [(cut.session, msgspec.msgpack.encode(cut)) for cut in segmentations]
    catalog.db.executemany("INSERT OR REPLACE INTO segments VALUES (?, ?)", rows)


def cut_of(catalog: Catalog, session: str) -> Segmentation | None:
    """How a session is cut, None where that is not kept.

    Args:
        catalog: the store's catalog.
        session: its key.
    """
    row = catalog.db.execute("SELECT data FROM segments WHERE session = ?", (session,)).fetchone()
    return None if row is None else msgspec.msgpack.decode(row[0], type=Segmentation)


def unfinished(catalog: Catalog, segmenter: str) -> dict[str, int]:
    """Families that another segmenter than the store's has cut: a change that was stopped left them.

    Args:
        catalog: the store's catalog.
        segmenter: name of the store's.

    Returns:
        Name of what cut them to their number.
    """
    found: dict[str, int] = {}
    for _, versions in catalog.families().values():
        name = versions.partition(" ")[0]
        if name != segmenter:
            found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))


def cuts(catalog: Catalog) -> list[Cut]:
    """What cut the families, oldest first.

    Args:
        catalog: the store's catalog.
    """
    rows = catalog.db.execute("SELECT made, segmenter, families FROM cuts ORDER BY made, rowid")
    return [Cut(*row) for row in rows]
