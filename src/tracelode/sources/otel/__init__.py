"""OpenTelemetry traces and logs of agents: OTLP in JSON or protobuf, and spans in other JSON.

Specifications: github.com/open-telemetry/opentelemetry-proto, .../semantic-conventions-genai and
github.com/Arize-ai/openinference; what else is known of it is in docs/sources/otel.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.model.ports import Item, Line
from tracelode.sources.otel.reader import Reader
from tracelode.sources.otel.words import AGENT
from tracelode.wire.decode import looks_like

__all__ = ["Otel"]


class State(msgspec.Struct):
    """Nothing: a file is read whole each time, because a trace closes only at its end."""


class Otel:
    """Reads traces and logs of OTLP, GenAI and OpenInference conventions, and events of coding agents."""

    name = "otel"
    version = "2"
    agent = AGENT
    layout = "spread-document"
    suffixes: tuple[str, ...] = (
        ".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".json.zst", ".jsonl.zst", ".otlp", ".pb",
        ".binpb", ".pb.gz", ".binpb.gz", ".pb.zst", ".binpb.zst",
    )  # fmt: skip

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file holds spans or log records?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for requests of OTLP, 0.9 for spans in other JSON, 0.0 otherwise.
        """
        return looks_like(head)

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn spans and log records into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items session by session.

        Source:
            formats: OpenTelemetry; acceptance cases C1 to C4.
        """
        return Reader(path).read(records)
