"""Copilot CLI event logs: JSON Lines in ~/.copilot/session-state/<session id>/events.jsonl.

Event types are published with the product's SDK (nodejs/src/generated/session-events.ts of
github.com/github/copilot-sdk); what is known of the files is in docs/sources/copilot-cli.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tracelode.model.ports import Item, Line
from tracelode.sources.copilot_cli.reader import Reader
from tracelode.sources.copilot_cli.state import AGENT, State

__all__ = ["CopilotCli"]

_TYPE = re.compile(
    rb'"type"\s*:\s*"(session\.(start|resume|info|model_change|shutdown|error|compaction_\w+)|user\.message'
    rb"|system\.(message|notification)|assistant\.(turn_start|turn_end|message|usage)"
    rb'|tool\.execution_(start|complete)|hook\.(start|end)|permission\.(requested|completed)|abort)"'
)
_DATA = re.compile(rb'"data"\s*:\s*\{')
_CHAIN = re.compile(rb'"parentId"\s*:\s*(null|")')


class CopilotCli:
    """Reads a session with its sub-agents, which write into the same file."""

    name = "copilot-cli"
    version = "1"
    agent = AGENT
    layout = "session"
    suffixes: tuple[str, ...] = (".jsonl",)
    roots: tuple[tuple[str, str], ...] = (("$COPILOT_HOME", "session-state"), ("~/.copilot", "session-state"))
    """(base folder, folder below it that holds sessions), in the order they are looked for."""

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is a Copilot CLI event log?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for events in a chain, 0.0 otherwise.
        """
        if not head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
            return 0.0
        return float(bool(_TYPE.search(head) and _DATA.search(head) and _CHAIN.search(head)))

    def fresh(self) -> State:
        """A resume state for the start of a file."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn events into operations and facts.

        Args:
            records: numbered lines from the cursor on.
            state: what fresh() gave or what was saved with the cursor; changed in place.
            path: the file as origins name it.

        Returns:
            Items in file order.

        Source:
            formats: other agents, Copilot CLI; token semantics.
        """
        return Reader(state, path).read(records)
