"""Claude Code transcripts: JSON Lines under ~/.claude/projects, one file a session or sub-agent.

The format has no published specification; what is known of it is in docs/sources/claude-code.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tracelode.model.ports import Item, Line
from tracelode.sources.claude_code.context import AGENT, State
from tracelode.sources.claude_code.reader import Reader

__all__ = ["ClaudeCode"]

_MARKS = (
    re.compile(rb'"sessionId"\s*:\s*"'),
    re.compile(
        rb'"type"\s*:\s*"(assistant|user|system|summary|progress|attachment|queue-operation'
        rb'|file-history-snapshot|custom-title|ai-title|last-prompt|permission-mode)"'
    ),
    re.compile(rb'"(uuid|leafUuid|parentUuid|messageId)"\s*:'),
    re.compile(rb'"isSidechain"\s*:'),
)
_BARE = (
    re.compile(rb'"version"\s*:\s*"1\.'),
    re.compile(rb'"message"\s*:\s*\{'),
    re.compile(rb'"(costUSD|requestId)"\s*:'),
    re.compile(rb'"usage"\s*:\s*\{'),
)
_STREAM = re.compile(rb'"(session_id|parent_tool_use_id)"\s*:')


class ClaudeCode:
    """Reads all Claude Code layouts: main files, sub-agents beside or inside them, forks and resumes."""

    name = "claude-code"
    version = "2"
    agent = AGENT
    layout = "session"
    suffixes: tuple[str, ...] = (".jsonl", ".jsonl.gz", ".jsonl.zst")
    sides: tuple[str, ...] = (".meta.json",)
    """Endings of files beside transcripts that hold nothing of their own to import."""
    roots: tuple[tuple[str, str], ...] = (
        ("$CLAUDE_CONFIG_DIR", "projects"),
        ("~/.claude", "projects"),
        ("~/.config/claude", "projects"),
    )
    """(base folder, folder below it that holds transcripts), in the order they are looked for."""

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is a Claude Code transcript?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for records with a message tree, 0.6 for bare state lines and for lines without a type,
            0.0 otherwise.
        """
        if b'"payload"' in head[:2000] and b'"session_meta"' in head[:2000]:
            return 0.0
        hits = [bool(mark.search(head)) for mark in _MARKS]
        if not hits[0] and not hits[3] and _STREAM.search(head):
            return 0.0
        if hits[1] and hits[3] and (hits[0] or hits[2]):
            return 1.0
        if hits[1] and (hits[0] or hits[2]) and head.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"{"):
            return 0.6
        if hits[0] and all(mark.search(head) for mark in _BARE):
            return 0.6
        return 0.0

    def fresh(self) -> State:
        """A resume state for the start of a file."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn records into operations and facts.

        Args:
            records: numbered lines from the cursor on.
            state: what fresh() gave or what was saved with the cursor; changed in place.
            path: the file as origins name it.

        Returns:
            Items in file order.

        Source:
            formats: Claude Code.
        """
        return Reader(state, path).read(records)
