"""How do Codex records become operations? One pass in file order, resumable at any line."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TypeVar

import msgspec

from tracelode.lenient import decode, microseconds
from tracelode.model.ports import Item, Line, Skip
from tracelode.sources.codex import words
from tracelode.sources.codex.context import Context, State
from tracelode.sources.codex.records import Event, Meta, Record, Turn, text_of
from tracelode.sources.codex.records import Item as ItemRecord
from tracelode.sources.codex.talk import Responses, Talk
from tracelode.sources.codex.tools import ToolRecords

T = TypeVar("T", bound=msgspec.Struct)
_FOLDER = re.compile(r"<cwd>([^<\n]{1,1024})</cwd>|Current working directory: ([^\n]{1,1024})")


class Reader:
    """Reads one rollout from a state on.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.context = Context(state, path)
        self.responses = Responses(self.context)
        self.talk = Talk(self.context, self.responses)
        self.tools = ToolRecords(self.context, self.responses)
        self.records: dict[str, Callable[[Record], Iterator[Item]]] = {
            "turn_context": self._turn,
            "response_item": self._response_item,
            "event_msg": self._event_msg,
            "compacted": lambda _: self.talk.compacted(False),
        }
        self.items: dict[str, Callable[[ItemRecord], Iterator[Item]]] = {
            "message": self._message,
            "reasoning": self.responses.reasoning,
            **dict.fromkeys(
                ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call"), self.tools.call
            ),
            **dict.fromkeys(("web_search_call", "image_generation_call"), self.tools.hosted),
            **dict.fromkeys(("function_call_output", "custom_tool_call_output"), self.tools.result),
            "tool_search_output": self.tools.found,
        }
        self.events: dict[str, Callable[[Event], Iterator[Item]]] = {
            "token_count": self.responses.count,
            "user_message": lambda event: self.talk.told(event.message or ""),
            "item_completed": self.talk.completed,
            **dict.fromkeys(("task_started", "turn_started"), self._started),
            **dict.fromkeys(("task_complete", "turn_complete"), lambda _: self.talk.over()),
            "turn_aborted": self._aborted,
            "context_compacted": lambda _: self.talk.compacted(True),
            **dict.fromkeys(("error", "stream_error"), self.talk.failed),
            **self.tools.ends,
        }

    def read(self, lines: Iterable[Line]) -> Iterator[Item]:
        """Items of all records, in file order."""
        for line in lines:
            self.context.line = line
            found, complaints = decode(line.data, Record)
            for reason in complaints:
                yield Skip(line.number, reason)
            for record in found:
                yield from self._record(record)

    def _record(self, record: Record) -> Iterator[Item]:
        context = self.context
        if bytes(record.payload) == b"" and record.type != "session_meta":
            yield from self._bare(record)
            return
        context.at = microseconds(record.timestamp)
        if context.at is None and record.timestamp is not None:
            yield Skip(context.line.number, "timestamp is not a moment")
        if record.type == "session_meta":
            yield from context.identify((yield from self._payload(record, Meta)))
            return
        if not context.state.session:
            yield from context.identify(Meta())
        context.number(record.ordinal)
        handler = self.records.get(record.type or "")
        if handler is not None:
            yield from handler(record)
        elif record.type is None:
            yield Skip(context.line.number, "record without a type")
        elif record.type not in words.QUIET:
            yield Skip(context.line.number, "unknown record type")

    def _payload(self, record: Record, struct: type[T]) -> Generator[Item, None, T]:
        """Decode a payload; what it returns is the last of its objects."""
        found, complaints = decode(bytes(record.payload), struct)
        for reason in complaints:
            yield Skip(self.context.line.number, reason)
        return found[-1] if found else struct()

    # records --------------------------------------------------------------------------------------

    def _turn(self, record: Record) -> Iterator[Item]:
        turn: Turn = yield from self._payload(record, Turn)
        self.context.begin(turn.turn_id, None)
        self.context.settings(turn)

    def _response_item(self, record: Record) -> Iterator[Item]:
        item: ItemRecord = yield from self._payload(record, ItemRecord)
        yield from self._item(item)

    def _item(self, item: ItemRecord) -> Iterator[Item]:
        kind = item.type or ("message" if item.role else "")
        handler = self.items.get(kind)
        if handler is not None:
            yield from handler(item)
        elif kind not in words.QUIET_ITEMS:
            yield Skip(self.context.line.number, "unknown response item")

    def _event_msg(self, record: Record) -> Iterator[Item]:
        event: Event = yield from self._payload(record, Event)
        self.context.state.events = True
        kind = event.type or ""
        handler = self.events.get(kind)
        if handler is not None:
            yield from handler(event)
        elif kind in words.ECHOES:
            yield from self.context.tick("model", self.context.state.call or None)
        elif kind not in words.QUIET_EVENTS:
            yield Skip(self.context.line.number, "unknown event")

    # what they hold -------------------------------------------------------------------------------

    def _message(self, item: ItemRecord) -> Iterator[Item]:
        if item.role == "assistant":
            yield from self.responses.message(item)
        elif item.role == "user" and not self.context.state.events:
            # where events tell a message too, they alone tell whether a person wrote it
            yield from self.talk.written(text_of(item.content))

    def _started(self, event: Event) -> Iterator[Item]:
        self.context.begin(event.turn_id, event.started_at)
        self.tools.forget()
        yield from self.talk.started()

    def _aborted(self, event: Event) -> Iterator[Item]:
        yield from self.tools.interrupted()
        yield from self.talk.aborted(event)

    # the old grammar ------------------------------------------------------------------------------

    def _bare(self, record: Record) -> Iterator[Item]:
        """A line without an envelope: the header, a mark, or an item, none with a moment of its own."""
        state = self.context.state
        self.context.at = None
        if record.type is None and record.record_type is None and record.id and not state.session:
            state.old_grammar = True
            yield from self.context.identify(Meta(id=record.id, git=record.git))
            return
        if record.type is None and record.record_type is None and record.role is None:
            yield Skip(self.context.line.number, "record without a type")
            return
        if not state.session:
            state.old_grammar = True
            yield from self.context.identify(Meta())
        if record.record_type is not None:
            # written once a response, ahead of its items
            self.responses.close()
            return
        if record.role == "user":
            self.responses.close()
            yield from self._folder(text_of(record.content))
        elif record.type in ("function_call", "local_shell_call", "custom_tool_call"):
            # calls and results of one response take turns here
            state.answered = False
        yield from self._item(record)

    def _folder(self, text: str) -> Iterator[Item]:
        """The working folder, which the old grammar tells only in the harness's first message."""
        found = _FOLDER.search(text) if not self.context.state.project else None
        if found:
            yield from self.context.place((found[1] or found[2]).strip())
