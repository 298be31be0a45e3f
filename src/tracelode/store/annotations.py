"""Which marks were made of a session, by whom, when? Every revision is kept; the last one counts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tracelode.errors import StoreError
from tracelode.model.annotation import Annotation
from tracelode.store.catalog import Catalog


def put(catalog: Catalog, annotations: Sequence[Annotation]) -> list[Annotation]:
    """Add revisions, all of them or none.

    Args:
        catalog: the store's catalog.
        annotations: at most one a session; their revision is given here.

    Returns:
        The same with their revisions.

    Raises:
        StoreError: the store can only be read.
    """
    if catalog.readonly:
        raise StoreError(f"the store in {catalog.folder} can only be read; it takes no annotations")
    kept: list[Annotation] = []
    with catalog.transaction():
        for annotation in annotations:
            row = catalog.db.execute(
                "SELECT COALESCE(MAX(revision), 0) FROM annotations WHERE session = ?", (annotation.session,)
            ).fetchone()
            kept.append(msgspec.structs.replace(annotation, revision=int(row[0]) + 1))
            values = (annotation.session, kept[-1].revision, msgspec.msgpack.encode(kept[-1]))
            catalog.db.execute("INSERT INTO annotations VALUES (?, ?, ?)", values)
            # from now on the rows of its family are those of another cut: the next refresh stores them again
            catalog.db.execute(
                "UPDATE families SET versions = '' WHERE root = (SELECT root FROM sessions WHERE key = ?)",
                (annotation.session,),
            )
    return kept


def latest(catalog: Catalog, sessions: Sequence[str] | None = None) -> dict[str, Annotation]:
    """The revision that counts, of each session that has one.

    Args:
        catalog: the store's catalog.
        sessions: session keys; None for all.

    Returns:
        Session key to annotation.
    """
    text = "SELECT data FROM annotations {} ORDER BY session, revision"
    if sessions is None:
        rows = catalog.db.execute(text.format("")).fetchall()
    else:
        rows = [
            row for key in sessions for row in catalog.db.execute(text.format("WHERE session = ?"), (key,))
        ]
    found = (msgspec.msgpack.decode(row[0], type=Annotation) for row in rows)
    return {annotation.session: annotation for annotation in found}


def history(catalog: Catalog, session: str) -> list[Annotation]:
    """Every revision of one session's marks, oldest first.

    Args:
        catalog: the store's catalog.
        session: its key.
    """
    rows = catalog.db.execute("SELECT data FROM annotations WHERE session = ? ORDER BY revision", (session,))
    return [msgspec.msgpack.decode(row[0], type=Annotation) for row in rows]
