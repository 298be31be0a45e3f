"""strace, the tracer of system calls: text logs of one command and what it started, one line a call.

Its manual is https://man7.org/linux/man-pages/man1/strace.1.html; see docs/sources/strace.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tracelode.model.ports import Item, Line
from tracelode.sources.strace.lines import parse
from tracelode.sources.strace.reader import ADAPTER, Reader
from tracelode.sources.strace.state import State
from tracelode.touches import MARK

__all__ = ["Strace"]

LOOKED_AT = 20
"""Lines by which a log is known."""


class Strace:
    """Reads logs of `strace -f -ttt -y -o FILE`, and those that `tracelode record` wrote with it."""

    name = ADAPTER
    version = "3"
    agent = ADAPTER
    layout = "session"
    effects = True
    suffixes: tuple[str, ...] = (".strace", ".strace.gz", ".strace.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is such a log?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for a recording with strace, 0.9 where most of the first lines are calls with a process
            or a moment, 0.6 for calls without either, else 0.0.
        """
        if head.startswith(MARK):
            return 1.0 if b'"tracer":"strace"' in head[:4096] else 0.0
        lines = head.split(b"\n")
        lines = [line[:4096] for line in (lines[:-1] or lines) if line.strip()][:LOOKED_AT]
        entries = [parse(line.decode("utf-8", "replace").rstrip("\r")) for line in lines]
        calls = [e for e in entries if e.what in ("call", "begun", "resumed") and e.name]
        if not calls or len(entries) - len(calls) > len(entries) // 3:
            return 0.0
        return 0.9 if any(e.pid or e.at for e in calls) else 0.6 if len(calls) > 2 else 0.0

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
            docs/decisions/0014-effects.md.
        """
        return Reader(state, path).read(records)
