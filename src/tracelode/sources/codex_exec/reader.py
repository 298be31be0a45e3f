"""How do the stream's events become operations?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec

from tracelode.lenient import decode, storable
from tracelode.making import put_count, put_input
from tracelode.model.operation import Actor, Kind, Operation, Origin, Status, operation_id
from tracelode.model.ports import About, Change, Line, Skip
from tracelode.model.ports import Item as Yielded
from tracelode.sources.codex_exec.records import Event, Item, Usage
from tracelode.sources.codex_exec.tools import TOOLS

AGENT = "codex"
ADAPTER = "codex-exec"

STATUSES: dict[str, Status] = {
    "in_progress": "running",
    "completed": "ok",
    "failed": "error",
    "declined": "denied",
}
"""State of an item to status."""

_COUNTS = tuple(f.name for f in msgspec.structs.fields(Usage))


class State(msgspec.Struct):
    """What reading must remember between two reads of a growing file; no text of the trace."""

    thread: str = ""
    """Thread, "" until known."""
    run: str = ""
    """Digest of what the run began with: item ids count inside it."""
    turns: int = 0
    """Turns so far."""
    call: str = ""
    """Model operation of the present turn, "" before its first item."""
    known: list[str] = []
    """Items of the present turn that were told already."""
    totals: dict[str, list[int]] = {}
    """Thread to its last usage."""


class Reader:
    """Reads one stream from a state on.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.state = state
        self.path = path
        self.line = Line(0, 0, b"")
        self.events: dict[str, Callable[[Event], Iterator[Yielded]]] = {
            "thread.started": self._thread,
            "turn.started": self._turn,
            "turn.completed": self._completed,
            "turn.failed": self._failed,
            "item.started": self._item,
            "item.updated": self._item,
            "item.completed": self._item,
            "error": self._error,
        }

    def read(self, lines: Iterable[Line]) -> Iterator[Yielded]:
        """Items of all records, in file order."""
        if self.state.thread:
            yield About(self.state.thread, self.state.thread, "")
        for line in lines:
            self.line = line
            found, complaints = decode(line.data, Event)
            for reason in complaints:
                yield Skip(line.number, reason)
            for event in found:
                handler = self.events.get(event.type or "")
                if handler is None:
                    yield Skip(
                        line.number, "record without a type" if event.type is None else "unknown event"
                    )
                    continue
                if not self.state.thread and handler != self._thread:
                    yield from self._thread(Event())
                yield from handler(event)

    def _thread(self, event: Event) -> Iterator[Yielded]:
        state = self.state
        state.thread = event.thread_id or PurePosixPath(self.path).name.split(".")[0]
        state.run, state.turns = "", 0
        yield About(state.thread, state.thread, "")

    def _turn(self, event: Event) -> Iterator[Yielded]:
        self.state.turns += 1
        self.state.call = ""
        self.state.known = []
        yield from ()

    def _answer(self, output: str = "") -> Iterator[Yielded]:
        """The turn's one model operation: the stream does not tell how many calls it was."""
        state = self.state
        if not state.run:
            # a thread that is resumed numbers its items anew: a run is told from others by its beginning
            state.run = operation_id(AGENT, self.line.data.decode("utf-8", "replace"))
        if not state.call or output:
            state.call = self._id(f"turn {state.turns}")
            yield self._operation(
                state.call, "model", "unknown model", "ok", measures={"calls": 1}, output=output
            )

    def _completed(self, event: Event) -> Iterator[Yielded]:
        yield from self._answer()
        complaints: list[str] = []
        measures = self._added(event.usage, complaints) if event.usage else {}
        for reason in complaints:
            yield Skip(self.line.number, reason)
        yield Change(id=self.state.call, measures=measures)

    def _failed(self, event: Event) -> Iterator[Yielded]:
        yield from self._answer()
        yield Change(id=self.state.call, status="error")

    def _error(self, event: Event) -> Iterator[Yielded]:
        yield from self._note(event.message or "")

    def _note(self, text: str) -> Iterator[Yielded]:
        yield from self._answer()
        ident = self._id(f"error {self.line.number}")
        yield self._operation(ident, "note", "api error", "error", actor="system", output=text)

    def _added(self, usage: Usage, complaints: list[str]) -> dict[str, int]:
        """The turn's tokens: usage is told for the whole thread."""
        total = [storable(getattr(usage, name) or 0) for name in _COUNTS]
        before = self.state.totals.get(self.state.thread, [0] * len(total))
        if any(t < b for t, b in zip(total, before, strict=True)):
            before = [0] * len(total)
        self.state.totals[self.state.thread] = total
        told = [
            None if getattr(usage, name) is None else t - b
            for name, t, b in zip(_COUNTS, total, before, strict=True)
        ]
        fresh, read, write, output, reasoning = told
        found: dict[str, int] = {}
        put_input(found, fresh, read, write, complaints)
        put_count(found, "tokens.reasoning", reasoning, complaints)
        inside = found.get("tokens.reasoning", 0)
        put_count(found, "tokens.output", None if output is None else output - inside, complaints)
        return found

    # items ----------------------------------------------------------------------------------------

    def _item(self, event: Event) -> Iterator[Yielded]:
        item = event.item or Item()
        kind = item.type
        if kind == "agent_message":
            yield from self._answer(item.text or "")
        elif kind in ("reasoning", "plan"):
            yield from self._answer()
        elif kind == "error":
            yield from self._note(item.message or "")
        elif kind in TOOLS:
            yield from self._tool(item, *TOOLS[kind](item))
        else:
            yield Skip(self.line.number, "item without a type" if kind is None else "unknown item type")

    def _tool(
        self, item: Item, name: str, kind: Kind, fields: dict[str, str], arguments: str, output: str
    ) -> Iterator[Yielded]:
        yield from self._answer()
        ident = self._id(f"{self.state.turns}/{item.id or self.line.number}")
        status = STATUSES.get(item.status or "", "unknown")
        if item.exit_code is not None and status in ("ok", "error"):
            status = "nonzero" if item.exit_code else "ok"
        if kind == "plan" or item.type == "web_search":
            status = "ok"
        if ident not in self.state.known:
            self.state.known.append(ident)
            yield self._operation(
                ident, kind, name, status, fields={"tool": name, "call": self.state.call, **fields},
                arguments=arguments, parent=self.state.call,
            )  # fmt: skip
        if status != "running":
            yield Change(id=ident, status=status, output=output, fields=fields)

    def _id(self, native: str) -> str:
        return operation_id(AGENT, f"{self.state.thread}/{self.state.run}/{native}")

    def _operation(
        self, ident: str, kind: Kind, name: str, status: Status, *, actor: Actor = "agent", **more: Any
    ) -> Operation:
        origin = Origin(ADAPTER, self.path, self.line.number, self.line.offset)
        return Operation(
            session=self.state.thread, index=0, id=ident, actor=actor, kind=kind, name=name, status=status,
            origin=origin, **more,
        )  # fmt: skip
