"""Gemini CLI chats: one JSON object or JSON Lines under ~/.gemini/tmp/<project>/chats, one file a session.

The format has no published specification; its writer is packages/core/src/services/chatRecordingService.ts
of github.com/google-gemini/gemini-cli. What is known of it is in docs/sources/gemini-cli.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.model.ports import Item, Line
from tracelode.sources.gemini_cli.reader import AGENT, read_chat

__all__ = ["GeminiCli"]

_SESSION = re.compile(rb'"sessionId"\s*:\s*"')
_PROJECT = re.compile(rb'"projectHash"\s*:\s*"')
_OTHERS = re.compile(rb'"(startTime|lastUpdated|messages|kind)"\s*:')


class State(msgspec.Struct):
    """Nothing: a chat is read whole each time, because its messages may be rewritten."""


class GeminiCli:
    """Reads both layouts, with rewritten messages, rewinds and sub-agents."""

    name = "gemini-cli"
    version = "1"
    agent = AGENT
    # a sub-agent's file and a chat that was moved to the newer layout belong to one family
    layout = "spread-document"
    suffixes: tuple[str, ...] = (".json", ".jsonl")
    roots: tuple[tuple[str, str], ...] = (("~/.gemini", "tmp"),)
    """(base folder, folder below it that holds chats)."""

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is a Gemini CLI chat?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for a chat's head, 0.0 otherwise.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:4_000]
        if not start.startswith(b"{"):
            return 0.0
        return float(bool(_SESSION.search(start) and _PROJECT.search(start) and _OTHERS.search(start)))

    def kin(self, path: str) -> str:
        """Files with the same answer may hold parts of one family.

        Args:
            path: the file as origins name it.
        """
        before, found, _ = path.rpartition("/chats/")
        return before if found else path.rpartition("/")[0]

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn a chat into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items in the order of the chat.

        Source:
            formats: other agents, Gemini CLI; token semantics.
        """
        for line in records:
            yield from read_chat(line, path)
