"""Inspect logs: .eval archives (ZIP with a header and one JSON file a sample) and whole .json logs.

Specification: inspect.aisi.org.uk/eval-logs.html; the schema is src/inspect_ai/log/_log.py of
github.com/UKGovernmentBEIS/inspect_ai.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.model.ports import Item, Line
from tracelode.outline import outline
from tracelode.sources.inspect.reader import NAME, read_log

__all__ = ["Inspect"]

_MAGIC = b"PK\x03\x04"
_OWN = {"version", "status", "eval.task", "eval.model"}


class State(msgspec.Struct):
    """Nothing: logs are read whole."""


class Inspect:
    """Reads both layouts; every sample is a session."""

    name = NAME
    version = "1"
    agent = NAME
    layout = "document"
    suffixes: tuple[str, ...] = (".eval", ".json")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is an Inspect log?

        Args:
            head: the first bytes of the file.

        Returns:
            1.0 for an archive with a journal, or for a log's own keys; 0.0 otherwise.
        """
        if head.startswith(_MAGIC):
            first = head[30:200]
            begins = first.startswith((b"_journal/start.json", b"header.json", b"samples/"))
            return float(begins or (b"_journal/" in head and b"samples/" in head))
        if not head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
            return 0.0
        return float(outline(head) >= _OWN)

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn a log into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items, one sample after the other.

        Source:
            formats: other agents, Inspect; token semantics.
        """
        for line in records:
            yield from read_log(line, path)
