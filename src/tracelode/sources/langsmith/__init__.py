"""LangSmith runs: lists of runs, and the batches of posts and patches that its SDKs send.

Schema: api.smith.langchain.com/openapi.json (RunSchema) and python/langsmith/schemas.py of
github.com/langchain-ai/langsmith-sdk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.lenient import objects
from tracelode.model.ports import Item, Line, Skip
from tracelode.sources.langsmith.reader import NAME, read_runs

__all__ = ["LangSmith"]

_TYPE = re.compile(rb'"run_type"\s*:\s*"(llm|chain|tool|retriever|embedding|prompt|parser|chat_model)"')
_OWN = (
    "dotted_order",
    "trace_id",
    "parent_run_id",
    "child_runs",
    "session_name",
    "ls_model_name",
    "revision_id",
)


class State(msgspec.Struct):
    """Nothing: files are read whole."""


class LangSmith:
    """Reads runs in any of the shapes they are exported or sent in."""

    name = NAME
    version = "1"
    agent = NAME
    # a run may be posted in one batch and patched in another, and threads span traces
    layout = "spread-document"
    suffixes: tuple[str, ...] = (".json", ".jsonl")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file holds LangSmith runs?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for runs with LangSmith's own keys, 0.8 for a batch of updates alone, 0.0 otherwise.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if start[:1] not in (b"{", b"["):
            return 0.0
        own = sum(f'"{key}"'.encode() in head for key in _OWN)
        if _TYPE.search(head) and own >= 2:
            return 1.0
        return 0.8 if b'"patch"' in start[:2_000] and b'"dotted_order"' in head and own >= 2 else 0.0

    def kin(self, path: str) -> str:
        """Files with the same answer may hold parts of one thread: those of one folder.

        Args:
            path: the file as origins name it.
        """
        return path.rpartition("/")[0]

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn runs into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items, one session after the other.

        Source:
            formats: other agents, LangSmith; acceptance case C2.
        """
        for line in records:
            values: list[Any] = []
            try:
                values.append(msgspec.json.decode(line.data))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                for value, complaint in objects(line.data.decode("utf-8", "replace")):
                    if complaint:
                        yield Skip(1, complaint)
                    else:
                        values.append(value)
            yield from read_runs(values, path)
