"""A log of your own: JSON Lines in any shape, read through a mapping file that says where everything is.

The form of a mapping is in docs/sources/map.md. This source is not registered: it is made of a mapping file
and reads only what is named together with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tracelode.model.ports import Item, Line
from tracelode.sources.map import mapping as mappings
from tracelode.sources.map.reader import NAME, Reader, State

__all__ = ["MapSource", "made_of"]


class MapSource:
    """Reads JSON Lines through a mapping.

    Args:
        mapping: the checked mapping.
    """

    name = NAME
    version = "1"
    agent = NAME
    suffixes: tuple[str, ...] = (
        ".jsonl",
        ".ndjson",
        ".json",
        ".log",
        ".jsonl.gz",
        ".jsonl.zst",
        ".ndjson.gz",
    )

    def __init__(self, mapping: mappings.Mapping) -> None:
        self.mapping = mapping
        self.layout = "spread" if mapping.spread else "sessions"
        self.key = f"{NAME}:{mapping.digest}"
        """What the store calls the format of files that were read through this mapping."""

    def sniff(self, head: bytes) -> float:
        """Can a file be lines of JSON objects?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 if it begins with an object, 0.0 otherwise; the rest is the mapping's word.
        """
        return float(head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"))

    def fresh(self) -> State:
        """A resume state for the start of a file."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn lines into operations and facts.

        Args:
            records: numbered lines, from the cursor on.
            state: what fresh() gave or what was saved with the cursor; changed in place.
            path: the file as origins name it.

        Returns:
            Items in file order.
        """
        return Reader(self.mapping, state, path).read(records)


def made_of(path: Path) -> MapSource:
    """The source that a mapping file describes.

    Args:
        path: the mapping.

    Raises:
        UsageError: the file cannot be read or a key of it is wrong.
    """
    return MapSource(mappings.load(path))
