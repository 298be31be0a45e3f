"""Logs of the Agent Client Protocol: the JSON-RPC messages between a client and an agent, one a line.

The protocol is described at https://agentclientprotocol.com; how clients write such logs it leaves open. What
is read of them is in docs/sources/acp.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.model.ports import Item, Line
from tracelode.sources.acp.reader import AGENT, read_log

__all__ = ["Acp"]

_UPDATE = re.compile(rb'"sessionUpdate"\s*:\s*"')
_METHOD = re.compile(rb'"method"\s*:\s*"session/(?:new|load|prompt|update|resume)"')


class State(msgspec.Struct):
    """Nothing: words come in pieces, so a log is read whole each time."""


class Acp:
    """Reads sessions with prompts, tool calls, permissions and plans, as they went over the wire."""

    name = "acp"
    version = "1"
    agent = AGENT
    layout = "document"
    suffixes: tuple[str, ...] = (".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst", ".log")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is such a log?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            0.9 for messages of the protocol, 0.0 otherwise.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if not start.startswith(b"{") or b'"sessionId"' not in start:
            return 0.0
        return 0.9 if _METHOD.search(start) or _UPDATE.search(start) else 0.0

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
            Items in the order of the log.

        Source:
            plan rules, section 5.4, ACP; https://agentclientprotocol.com/protocol/agent-plan.
        """
        for line in records:
            yield from read_log(line, path)
