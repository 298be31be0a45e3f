"""AgentSight, which watches agents from the kernel: snapshots as JSON, and logs of events as JSON Lines.

It is at https://github.com/eunomia-bpf/agentsight; see docs/sources/agentsight.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.model.ports import Item, Line
from tracelode.sources.agentsight import events, snapshot

__all__ = ["AgentSight", "AgentSightEvents"]

_NODES = re.compile(rb'"(?:process_nodes|audit_events)"\s*:\s*\[')
_VERSION = re.compile(rb'\{\s*"(?:schema_version|generated_at|summary)"\s*:')
_EVENT = re.compile(rb'"event"\s*:\s*"(?:EXEC|EXIT|FILE_OPEN|BASH_READLINE|SUMMARY)"')
_SOURCE = re.compile(rb'"source"\s*:\s*"(?:process|ssl|http_parser|sse_processor|system)"')
_RAW = re.compile(rb'"function"\s*:\s*"(?:READ/RECV|WRITE/SEND|HANDSHAKE)"')


class Nothing(msgspec.Struct):
    """No resume state: a snapshot is read whole."""


class AgentSight:
    """Reads AgentSight's snapshots."""

    name = snapshot.ADAPTER
    version = "1"
    agent = snapshot.ADAPTER
    layout = "document"
    effects = True
    suffixes: tuple[str, ...] = (".json", ".json.gz", ".json.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is such a snapshot?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for a snapshot's first members with its processes or events, 0.7 for its first members
            and a sum that only a snapshot has, else 0.0.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if not _VERSION.match(start):
            return 0.0
        if _NODES.search(start):
            return 1.0
        return 0.7 if b'"audit_events"' in start and b'"llm_calls"' in start else 0.0

    def fresh(self) -> Nothing:
        """A resume state for the start of a file."""
        return Nothing()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn records into operations and facts.

        Args:
            records: the whole file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items in file order.

        Source:
            docs/decisions/0014-effects.md.
        """
        return snapshot.Reader(path).read(records)


class AgentSightEvents:
    """Reads AgentSight's logs of events."""

    name = events.ADAPTER
    version = "1"
    agent = snapshot.ADAPTER
    layout = "session"
    effects = True
    suffixes: tuple[str, ...] = (".jsonl", ".jsonl.gz", ".jsonl.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is such a log?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            0.9 where the first line is an event of one of its tracers, else 0.0.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        line = start.split(b"\n", 1)[0][:16_384]
        if not line.startswith(b"{") or b'"timestamp' not in line or b'"pid"' not in line:
            return 0.0
        wrapped = _SOURCE.search(line) and b'"data"' in line
        return 0.9 if wrapped or (_EVENT.search(line) and b'"comm"' in line) or _RAW.search(line) else 0.0

    def fresh(self) -> events.State:
        """A resume state for the start of a file."""
        return events.State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn records into operations and facts.

        Args:
            records: numbered lines from the cursor on.
            state: what fresh() gave or what was saved with the cursor; changed in place.
            path: the file as origins name it.

        Returns:
            Items in file order.

        Source:
            docs/decisions/0014-effects.md.
        """
        return events.Reader(state, path).read(records)
