"""Codex rollouts: JSON Lines under ~/.codex/sessions, one file a thread.

The format has no published specification; its writer is codex-rs/rollout of github.com/openai/codex. What is
known of it is in docs/sources/codex.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tracelode.model.ports import Item, Line
from tracelode.sources.codex.context import AGENT, State
from tracelode.sources.codex.reader import Reader

__all__ = ["Codex"]

_META = re.compile(rb'"type"\s*:\s*"session_meta"')
_ENVELOPE = re.compile(rb'"type"\s*:\s*"(?:response_item|event_msg|turn_context|compacted)"')
_PAYLOAD = re.compile(rb'"payload"\s*:\s*\{')
_HEADER = re.compile(
    rb'\{"id"\s*:\s*"[^"]{1,64}"\s*,\s*"timestamp"\s*:\s*"[^"]{1,64}"\s*,\s*"(?:instructions|git)"\s*:'
)
_STATE = re.compile(rb'^\{"record_type"\s*:\s*"state"', re.MULTILINE)


class Codex:
    """Reads rollouts of all versions, forks, sub-agents, and the flat grammar of 2025."""

    name = "codex"
    version = "2"
    agent = AGENT
    layout = "session"
    suffixes: tuple[str, ...] = (".jsonl", ".jsonl.gz", ".jsonl.zst")
    roots: tuple[tuple[str, str], ...] = (
        ("$CODEX_HOME", "sessions"),
        ("$CODEX_HOME", "archived_sessions"),
        ("~/.codex", "sessions"),
        ("~/.codex", "archived_sessions"),
    )
    """(base folder, folder below it that holds rollouts), in the order they are looked for."""

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is a Codex rollout?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for a rollout's head, 0.9 for the old grammar, 0.7 for records without one, else 0.0.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if not start.startswith(b"{"):
            return 0.0
        if _PAYLOAD.search(start):
            if _META.search(start):
                return 1.0
            return 0.7 if _ENVELOPE.search(start) else 0.0
        return 0.9 if _HEADER.match(start) or _STATE.search(start) else 0.0

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
            formats: Codex.
        """
        return Reader(state, path).read(records)
