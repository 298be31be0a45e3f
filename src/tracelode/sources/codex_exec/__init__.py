"""Codex's own stream, `codex exec --json`: JSON Lines of a run's events, without moments.

Its events are in codex-rs/exec/src/exec_events.rs of github.com/openai/codex; see docs/sources/codex-exec.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tracelode.model.ports import Item, Line
from tracelode.sources.codex_exec.reader import ADAPTER, AGENT, Reader, State

__all__ = ["CodexExec"]

_FIRST = re.compile(rb'\{"type"\s*:\s*"thread\.started"\s*,\s*"thread_id"\s*:')
_EVENT = re.compile(
    rb'"type"\s*:\s*"(?:item\.(?:started|updated|completed)|turn\.(?:started|completed|failed))"'
)
_ITEM = re.compile(rb'"item"\s*:\s*\{|"usage"\s*:\s*\{')


class CodexExec:
    """Reads runs of `codex exec --json`, also several in one file."""

    name = ADAPTER
    version = "1"
    agent = AGENT
    layout = "sessions"
    suffixes: tuple[str, ...] = (".jsonl", ".jsonl.gz", ".jsonl.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is such a stream?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 where a thread starts first, 0.7 for other events of the stream, else 0.0.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if not start.startswith(b"{"):
            return 0.0
        if _FIRST.match(start):
            return 1.0
        return 0.7 if _EVENT.search(start) and _ITEM.search(start) else 0.0

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
            formats: Codex; acceptance case B11.
        """
        return Reader(state, path).read(records)
