"""Journals of AIDE and its relatives: a search tree of programs, one journal.json a run or a stage of one.

The writers are aide/journal.py and aide/utils/serialize.py of github.com/WecoAI/aideml; AI-Scientist-v2 and
others write the same with more fields. What is known of them is in docs/sources/aide.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.model.ports import Item, Line
from tracelode.outline import outline
from tracelode.sources.aide.reader import AGENT, read_journal
from tracelode.sources.aide.tree import STAGE

__all__ = ["Aide"]

_NODES = re.compile(rb'"nodes"\s*:\s*\[')


class State(msgspec.Struct):
    """Nothing: a journal is rewritten whole each time."""


class Aide:
    """Reads the nodes of a search as a plan: what was tried, from where, and what came of it."""

    name = "aide"
    version = "1"
    agent = AGENT
    # the stages of a run lie in folders of their own and repeat the node they start from
    layout = "spread-document"
    suffixes: tuple[str, ...] = (".json", ".json.gz", ".json.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is a journal?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for nodes of code with the moment they were made, 0.0 otherwise.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if not start.startswith(b"{") or not _NODES.search(start[:200]):
            return 0.0
        keys = set(outline(head))
        there = {"nodes[].code", "nodes[].plan", "nodes[].id"} <= keys
        return 1.0 if there and {"nodes[].ctime", "nodes[].is_buggy", "nodes[].exec_time"} & keys else 0.0

    def kin(self, path: str) -> str:
        """Files with the same answer may hold parts of one run.

        Args:
            path: the file as origins name it.
        """
        folder = path.rpartition("/")[0]
        above, _, name = folder.rpartition("/")
        return above if STAGE.match(name) else folder

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn a journal into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items, node by node.

        Source:
            plan rules, section 5.4, AIDE.
        """
        for line in records:
            yield from read_journal(line, path, self.kin(path))
