"""How do Claude Code records become operations? One pass in file order, resumable at any line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tracelode.model.ports import Item, Line, Skip, Tick
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.assistant import AssistantRecords
from tracelode.sources.claude_code.context import Context, State
from tracelode.sources.claude_code.records import Record, decode, microseconds
from tracelode.sources.claude_code.side import SideRecords
from tracelode.sources.claude_code.user import UserRecords


class Reader:
    """Reads one transcript from a state on.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.context = Context(state, path)
        side = SideRecords(self.context)
        self.handlers: dict[str, Callable[[Record, int | None], Iterator[Item]]] = {
            "assistant": AssistantRecords(self.context).read,
            "user": UserRecords(self.context).read,
            "system": side.system,
            "queue-operation": side.queue,
            "attachment": side.attachment,
        }

    def read(self, records: Iterable[Line]) -> Iterator[Item]:
        """Items of all records, in file order."""
        for line in records:
            self.context.line = line
            found, complaints = decode(line.data)
            for reason in complaints:
                yield Skip(line.number, reason)
            for record in found:
                yield from self._record(record)

    def _record(self, record: Record) -> Iterator[Item]:
        kind = record.type
        if kind is None:
            yield Skip(self.context.line.number, "record without a type")
            return
        handler = self.handlers.get(kind)
        if handler is None:
            if kind not in words.QUIET:
                yield Skip(self.context.line.number, "unknown record type")
            if kind != "progress":
                return
        if not self.context.state.session or (not self.context.state.project and record.cwd):
            yield from self.context.identify(record)
        at = microseconds(record.timestamp)
        if at is None and record.timestamp is not None:
            yield Skip(self.context.line.number, "timestamp is not a moment")
        if handler is not None:
            yield from handler(record, at)
        elif at is not None:
            yield Tick(at, "other", None)
