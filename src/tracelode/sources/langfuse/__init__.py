"""Langfuse exports: traces with their observations, as the web page or the public API writes them.

Schema: cloud.langfuse.com/generated/api/openapi.yml (TraceWithFullDetails, ObservationsView).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.lenient import objects
from tracelode.model.ports import Item, Line, Skip
from tracelode.outline import outline
from tracelode.sources.langfuse.reader import NAME, read_traces

__all__ = ["Langfuse"]

_TYPE = re.compile(
    rb'"type"\s*:\s*"(SPAN|GENERATION|TOOL|AGENT|EVENT|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL)"'
)
_BATCH = re.compile(rb'"type"\s*:\s*"(trace|span|generation|observation|event)-(create|update)"')
_OWN = ("usageDetails", "costDetails", "parentObservationId", "statusMessage", "htmlPath", "promptTokens")


class State(msgspec.Struct):
    """Nothing: files are read whole."""


class Langfuse:
    """Reads traces, lists of traces or observations, and ingestion batches."""

    name = NAME
    version = "1"
    agent = NAME
    # a session's traces may be exported one a file
    layout = "spread-document"
    suffixes: tuple[str, ...] = (".json", ".jsonl")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is a Langfuse export?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for observations with Langfuse's own keys, 0.0 otherwise.
        """
        if head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] not in (b"{", b"["):
            return 0.0
        if _BATCH.search(head) and b'"batch"' in head and b'"body"' in head:
            return 1.0
        if not _TYPE.search(head) and not any(key.endswith("observations") for key in outline(head)):
            return 0.0
        own = sum(f'"{key}"'.encode() in head for key in _OWN)
        traced = b'"traceId"' in head or b'"observations"' in head
        return 1.0 if traced and own >= 2 and b'"startTime"' in head else 0.0

    def kin(self, path: str) -> str:
        """Files with the same answer may hold parts of one session: those of one folder.

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
            Items, one session after the other.

        Source:
            formats: other agents, Langfuse; token semantics; acceptance cases C1, C2, C4.
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
            yield from read_traces(values, path)
