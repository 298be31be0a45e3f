"""How do Claude Code records become operations? One pass in file order, resumable at any line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tracelode.model.ports import Change, Item, Line, Skip, Tick
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.assistant import AssistantRecords
from tracelode.sources.claude_code.bare import typed
from tracelode.sources.claude_code.context import Context, State
from tracelode.sources.claude_code.inline import InlineAgents
from tracelode.sources.claude_code.progress import begins, nested
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
        self.inline = InlineAgents(self.context)
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
        back = self.context.leave()
        if back is not None:
            yield back

    def _record(self, record: Record) -> Iterator[Item]:
        context = self.context
        kind = record.type
        if kind is None:
            kind = typed(record)
            if kind is None:
                yield Skip(context.line.number, "record without a type")
                return
        handler = self.handlers.get(kind)
        if handler is None:
            if kind not in words.QUIET:
                yield Skip(context.line.number, "unknown record type")
            if kind != "progress":
                return
        agent = record.agentId or ("" if record.isSidechain is False else context.own)
        if not agent and record.isSidechain:
            if not context.state.session:
                record.agentId = context.named_agent()
            agent, spawner = (record.agentId, None) if record.agentId else self.inline.place(record)
            if spawner is not None:
                yield from self._spawned(spawner, agent, record)
        if agent != context.agent or (record.cwd and not context.state.project):
            yield context.enter(agent, record)
        at = microseconds(record.timestamp)
        if at is None and record.timestamp is not None:
            yield Skip(context.line.number, "timestamp is not a moment")
        if handler is not None:
            yield from handler(record, at)
            return
        if at is not None:
            yield Tick(at, "other", None)
        yield from self._nested(record)

    def _spawned(self, spawner: tuple[str, str], agent: str, record: Record) -> Iterator[Item]:
        """Say in the caller's thread which sub-agent an operation started."""
        caller, operation = spawner
        if caller != self.context.agent:
            yield self.context.enter(caller, record)
        yield Change(id=operation, fields={"spawns": self.context.child(agent)})

    def _nested(self, record: Record) -> Iterator[Item]:
        """A sub-agent's record inside a progress record of its caller."""
        inner, complaints = nested(record)
        for reason in complaints:
            yield Skip(self.context.line.number, reason)
        if inner is None:
            return
        if begins(inner):
            operation = self.context.waiting(record.parentToolUseID)
            if operation is not None:
                yield Change(id=operation, fields={"spawns": self.context.child(inner.agentId or "")})
        yield from self._record(inner)
