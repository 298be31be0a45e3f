"""OpenHands: a list of events (V0 trajectory), or a folder with one JSON file an event (V0 and V1).

V1 events are defined in openhands-sdk/openhands/sdk/event of github.com/OpenHands/software-agent-sdk, V0
ones in openhands/events of github.com/OpenHands/OpenHands up to version 0.62.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.lenient import objects
from tracelode.model.ports import Item, Line, Skip
from tracelode.outline import outline
from tracelode.sources.openhands.places import NAME, kin_of, order_of
from tracelode.sources.openhands.v0 import read_events
from tracelode.sources.openhands.v1 import read_event, read_state

__all__ = ["OpenHands"]

_SOURCE = re.compile(rb'"source"\s*:\s*"(user|agent|environment|hook)"')
_KIND = re.compile(rb'"kind"\s*:\s*"\w*(Event|Observation|Condensation|CondensationRequest)"')
_STATE = {"execution_status", "persistence_dir", "stats.usage_to_metrics", "stats", "workspace.working_dir"}


class State(msgspec.Struct):
    """Nothing: files are read whole."""


class OpenHands:
    """Reads conversations of both generations."""

    name = NAME
    version = "1"
    agent = NAME
    layout = "spread-document"
    suffixes: tuple[str, ...] = (".json",)
    roots: tuple[tuple[str, str], ...] = (("~/.openhands", "conversations"), ("~/.openhands", "sessions"))
    """(base folder, folder below it that holds conversations)."""

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is one of OpenHands' events, event lists or conversation states?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for events, 0.9 for the state of a conversation, 0.0 otherwise.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1]
        if start not in (b"{", b"["):
            return 0.0
        keys = outline(head)
        place = "[]." if start == b"[" else ""
        envelope = {f"{place}id", f"{place}timestamp", f"{place}source"} <= keys
        if envelope and _SOURCE.search(head):
            does = bool({f"{place}action", f"{place}observation"} & keys)
            says = bool({f"{place}args", f"{place}extras", f"{place}message"} & keys)
            if does and says and f"{place}kind" not in keys:
                return 1.0
            if start == b"{" and "kind" in keys and _KIND.search(head):
                return 1.0
        return 0.9 if start == b"{" and len(keys & _STATE) >= 4 else 0.0

    def kin(self, path: str) -> str:
        """Files with the same answer may hold parts of one conversation.

        Args:
            path: the file as origins name it.
        """
        return kin_of(path)

    def order(self, path: str) -> str:
        """What the files of a conversation are read in order of: events by number, the state last.

        Args:
            path: the file as origins name it.
        """
        return order_of(path)

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn a file into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items in the order of the events.

        Source:
            formats: benchmarks' trajectories, OpenHands.
        """
        for line in records:
            try:
                value = msgspec.json.decode(line.data)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                value, complaint = next(objects(line.data.decode("utf-8", "replace")), (None, "empty"))
                if complaint:
                    yield Skip(1, complaint)
                    continue
            yield from _any(value, path)


def _any(value: Any, path: str) -> Iterator[Item]:
    if isinstance(value, list):
        yield from read_events(value, path, single=False)
    elif not isinstance(value, dict):
        yield Skip(1, "record is not an object")
    elif "kind" in value and "timestamp" in value:
        yield from read_event(value, path)
    elif "execution_status" in value or "stats" in value:
        yield from read_state(value, path)
    else:
        yield from read_events([value], path, single=True)
