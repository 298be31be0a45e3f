"""Plan events as JSON Lines: what tracelode's recorder and `tracelode plan export` write, or others like it.

The format is described in docs/sources/plan-events.md; `tracelode plan schema` prints its JSON Schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from tracelode.model.operation import Operation, Origin, operation_id
from tracelode.model.plan import PlanEvent
from tracelode.model.ports import About, Item, Line, Skip
from tracelode.signals.plan.kept import event_packed
from tracelode.signals.plan.lines import is_goal, read_line

__all__ = ["PlanEvents"]

NAME = "plan-events"
_MARKS = (b'"event_type"', b'"node_id"', b'"session_id"', b'"actor"')
_STATUS = {"running": "running", "succeeded": "ok", "failed": "error"}


class State(msgspec.Struct):
    """What reading must remember between two reads: nothing, every line says whose it is."""


class PlanEvents:
    """Reads what people and agents planned, started, finished, changed and decided."""

    name = NAME
    version = "1"
    agent = "plan-events"
    layout = "sessions"
    suffixes: tuple[str, ...] = (".jsonl", ".jsonl.gz", ".jsonl.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file holds plan events?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            0.95 where the first line has the fields of one, 0.0 otherwise.
        """
        first = head.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0]
        return 0.95 if first.startswith(b"{") and all(mark in first for mark in _MARKS) else 0.0

    def fresh(self) -> State:
        """A resume state for the start of a file."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn lines into operations.

        Args:
            records: numbered lines, from the cursor on.
            state: what fresh() gave; not needed.
            path: the file as origins name it.

        Returns:
            One operation an event; what is off in an event that can be used is counted.
        """
        session = ""
        for line in records:
            for reading in read_line(line, path):
                event = reading.event
                if event is None:
                    yield Skip(line.number, "line or object that is no plan event")
                    continue
                if reading.faults:
                    yield Skip(line.number, "plan event that is kept, with something off in it", 1)
                if event.session_id != session:
                    session = event.session_id
                    yield About(session=session, root=session, project="", task=event.task_id)
                yield _operation(event, line, path)


def _operation(event: PlanEvent, line: Line, path: str) -> Operation:
    payload = event.payload
    tool = payload.get("tool")
    tool = tool if isinstance(tool, str) and event.event_type == "execute" else ""
    goal = is_goal(event) and event.event_type == "plan" and event.actor == "human"
    text = payload.get("input_summary") if tool else payload.get("description")
    result = payload.get("result_summary")
    # an event that comes again word for word is one, another one under the same id is not
    kept = event_packed(event)
    content = sha256(kept.encode("utf-8", "replace")).hexdigest()[:16]
    fields = {"plan": kept}
    if tool:
        fields["tool"] = tool
    return Operation(
        session=event.session_id,
        index=0,
        id=operation_id(NAME, f"{event.session_id}\0{event.event_id}\0{content}"),
        actor=event.actor,
        kind="prompt" if goal else "tool" if tool else "plan",
        name="prompt" if goal else tool or event.event_type,
        status=_STATUS.get(event.status, "ok") if event.event_type == "execute" else "ok",  # type: ignore[arg-type]
        started=event.timestamp,
        ended=event.timestamp,
        fields=fields,
        arguments=text if isinstance(text, str) else "",
        output=result if isinstance(result, str) else "",
        origin=Origin(NAME, path, line.number, line.offset),
    )
