"""What does the store know of one file it has read?"""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.model.report import Skipped


class SourceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One file the store has read."""

    path: str
    """As origins name it."""
    session: str = ""
    """Key of the session in it, "" where it holds none."""
    root: str = ""
    """Root session key."""
    adapter: str = ""
    """Source adapter, "" for an unknown format."""
    version: str = ""
    """Version of the adapter that read it."""
    size: int = 0
    """Bytes on disk when it was read."""
    mtime: int = 0
    """Modification time in nanoseconds when it was read."""
    head: str = ""
    """Digest of its first bytes."""
    tail: str = ""
    """Digest of the bytes before the place where reading stopped."""
    position: int = 0
    """Bytes of the decompressed stream that are done."""
    line: int = 0
    """Lines that are done."""
    state: bytes = b""
    """Resume state of the adapter, redacted."""
    skipped: list[Skipped] = []
    """What could not be used in it."""


def source_row(row: tuple[Any, ...]) -> SourceRow:
    """A row of the catalog's table, whose columns stand in the order of the fields, as a SourceRow."""
    skipped = msgspec.msgpack.decode(row[-1], type=list[Skipped]) if row[-1] else []
    return SourceRow(**dict(zip(SourceRow.__struct_fields__, (*row[:-1], skipped), strict=True)))
