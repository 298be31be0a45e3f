"""OpenCode sessions as `opencode export` writes them: one JSON object a session.

The writer is packages/opencode/src/cli/cmd/export.ts of github.com/anomalyco/opencode, the messages are those
of session/message-v2.ts. What is known of them is in docs/sources/opencode.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.model.ports import Item, Line
from tracelode.outline import outline
from tracelode.sources.opencode.reader import AGENT, read_session

__all__ = ["OpenCode"]


class State(msgspec.Struct):
    """Nothing: an export is read whole each time."""


class OpenCode:
    """Reads exported sessions with their tools, plans, steps and the sub-agents they started."""

    name = "opencode"
    version = "1"
    agent = AGENT
    # an export of a sub-agent names its parent, which lies in another file
    layout = "spread-document"
    suffixes: tuple[str, ...] = (".json", ".json.gz", ".json.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is an export of OpenCode?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for a session with messages in parts, 0.0 otherwise.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if not start.startswith(b"{") or b'"info"' not in start or b'"messages"' not in start:
            return 0.0
        keys = outline(head)
        there = {"info.id", "messages[].info.role", "messages[].parts[].type"} <= set(keys)
        return 1.0 if there else 0.0

    def kin(self, path: str) -> str:
        """Files with the same answer may hold parts of one family.

        Args:
            path: the file as origins name it.
        """
        return path.rpartition("/")[0]

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn an export into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items, message by message.

        Source:
            formats: other agents, OpenCode; token semantics.
        """
        for line in records:
            yield from read_session(line, path)
