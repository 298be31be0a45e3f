"""How do conversations become operations? One pass over each, in the order of its messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.making import Maker, picodollars, usage_counts
from tracelode.model.operation import Actor, Kind, Operation, Status
from tracelode.model.ports import About, Change, Item, Line, Skip, Tick
from tracelode.signals.arguments import argument_fields, tool_kind
from tracelode.signals.human import human_kind
from tracelode.sources.chat.conversation import Conversation, is_message
from tracelode.sources.chat.messages import ROLES, Call, Result, parts_of, results_of
from tracelode.sources.chat.shapes import conversations, local_moment
from tracelode.sources.chat.team import team_items
from tracelode.sources.chat.values import values

USER: dict[str, tuple[Actor, Kind, str, Status, dict[str, str]]] = {
    "prompt": ("human", "prompt", "prompt", "ok", {"human": "prompt"}),
    "interrupt": ("human", "note", "interrupt", "interrupted", {"human": "interrupt"}),
    "denial": ("human", "note", "denial", "denied", {"human": "denial"}),
    "wrapper": ("system", "note", "harness message", "ok", {}),
}
"""What a text in a person's place is, and the operation it becomes."""


class Reader:
    """Reads the conversations of one file.

    Args:
        path: the file as origins name it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.seen: dict[str, int] = {}

    def read(self, file: Line) -> Iterator[Item]:
        """Items of the whole file.

        Args:
            file: its content as one record.
        """
        talk: list[Any] = []
        began = file
        for line, value, complaint in values(file):
            if complaint:
                yield Skip(line.number, complaint)
            elif is_message(value):
                # one message a line: they are one conversation
                began = began if talk else line
                talk.append(value)
            else:
                yield from self._talk(talk, began)
                talk = []
                for found in conversations(value, line):
                    yield from (found,) if isinstance(found, Skip) else self._conversation(found)
        yield from self._talk(talk, began)

    def _talk(self, messages: list[Any], line: Line) -> Iterator[Item]:
        if messages:
            yield from self._conversation(Conversation(messages=messages, line=line))

    def _conversation(self, talk: Conversation) -> Iterator[Item]:
        if not talk.messages:
            yield Skip(talk.line.number, "conversation without messages")
            return
        session = talk.session()
        copy = self.seen[session] = self.seen.get(session, -1) + 1
        if copy:
            # runs that are equal to the letter are still runs of their own
            session = f"{session}.{copy}"
        yield About(session, session, "", task=talk.task, outcome=talk.outcome, agent=talk.agent)
        maker = Maker(talk.agent, "chat", self.path, session)
        maker.line = talk.line
        make = team_items if talk.agent == "magentic-one" else _Talk(talk, maker).items
        first = True
        for item in make(talk.messages, maker):
            if first and isinstance(item, Operation):
                first = False
                cost = {} if talk.cost is None else {"cost.reported": talk.cost}
                item = msgspec.structs.replace(
                    item, fields={**item.fields, **talk.facts}, measures={**item.measures, **cost}
                )
            yield item


class _Talk:
    """Reads the messages of one conversation."""

    def __init__(self, talk: Conversation, maker: Maker) -> None:
        self.talk = talk
        self.maker = maker
        self.open: list[tuple[Call, str]] = []

    def items(self, messages: list[Any], maker: Maker) -> Iterator[Item]:
        for message in messages:
            role = ROLES.get(message["role"].lower()) if is_message(message) else None
            if role is None:
                reason = "message with an unknown role" if is_message(message) else "message without a role"
                yield Skip(maker.line.number, reason)
                continue
            at = self._moment(message)
            if role == "assistant":
                yield from self._assistant(message, at)
            elif role == "user":
                yield from self._user(message, at)
            elif role == "tool":
                yield from self._results(list(results_of(message)), at)
            else:
                yield from self._system(message, at)

    def _moment(self, message: dict[str, Any]) -> int | None:
        value = message.get("timestamp", message.get("created_at"))
        if self.talk.zone is not None and (clock := local_moment(value)) is not None:
            return clock + self.talk.zone
        return lenient.moment(value)

    def _complain(self, complaints: list[str]) -> Iterator[Skip]:
        for reason in complaints:
            yield Skip(self.maker.line.number, reason)

    def _assistant(self, message: dict[str, Any], at: int | None) -> Iterator[Item]:
        parts = parts_of(message)
        measures = usage_counts(_usage(message), parts.complaints)
        cost = picodollars(message.get("cost"))
        if cost is not None:
            measures["cost.reported"] = cost
        yield from self._complain(parts.complaints)
        model = message.get("model")
        model = model if isinstance(model, str) and model else self.talk.model
        call = self.maker.operation(
            None, "agent", "model", model or "unknown model", "ok", at,
            fields={"model": model} if model else {},
            measures={**measures, "calls": 1},
            output=parts.text,
        )  # fmt: skip
        yield call
        opens = []
        for asked in parts.calls:
            tool = self._tool(asked, None if asked.requestor == "user" else call, at)
            opens.append(tool.id)
            yield tool
        if at is not None:
            yield Tick(at, "model", call.id, opens=tuple(opens))
        yield from self._results(parts.results, at)

    def _tool(self, asked: Call, call: Operation | None, at: int | None) -> Operation:
        tool = self.maker.tool(
            self.maker.scoped(asked.id),
            asked.name,
            call,
            "unknown",
            at,
            kind=tool_kind(asked.name),
            fields=argument_fields(asked.given),
            arguments=asked.arguments,
            actor="agent" if call is not None else "human",
        )
        self.open.append((asked, tool.id))
        return tool

    def _user(self, message: dict[str, Any], at: int | None) -> Iterator[Item]:
        parts = parts_of(message)
        yield from self._complain(parts.complaints)
        yield from self._results(parts.results, at)
        charged = None
        if parts.text.strip() or (parts.other and not parts.results):
            kind = human_kind(parts.text) if parts.text.strip() else "prompt"
            if parts.results and kind in ("prompt", "wrapper"):
                kind = "wrapper"
            actor, sort, name, status, fields = USER[kind]
            prompt = self.maker.operation(
                None, actor, sort, name, status, at, fields=dict(fields), arguments=parts.text
            )
            charged = prompt.id
            yield prompt
        opens = []
        for asked in parts.calls:
            # the other side of a simulated conversation has tools of its own
            tool = self._tool(asked, None, at)
            charged = charged or tool.id
            opens.append(tool.id)
            yield tool
        if at is not None and not parts.results:
            yield Tick(at, "human", charged, opens=tuple(opens))

    def _system(self, message: dict[str, Any], at: int | None) -> Iterator[Item]:
        parts = parts_of(message)
        yield from self._complain(parts.complaints)
        note = self.maker.operation(None, "system", "note", "system prompt", "ok", at, arguments=parts.text)
        yield note
        if at is not None:
            yield Tick(at, "other", note.id)

    def _results(self, results: list[Result], at: int | None) -> Iterator[Item]:
        closed = []
        for result in results:
            target = self._waiting(result)
            if target is None:
                yield Skip(self.maker.line.number, "tool result without a call")
                continue
            closed.append(target)
            fields = {"duration_quality": "upper_bound"} if at is not None else {}
            yield Change(id=target, status=self._status(result), ended=at, output=result.text, fields=fields)
        if at is not None and results:
            yield Tick(at, "tool", closed[0] if closed else None, closes=tuple(closed))

    def _waiting(self, result: Result) -> str | None:
        """The operation a result answers: the nearest open call of its id, else the oldest of its name."""
        order = range(len(self.open) - 1, -1, -1) if result.id else range(len(self.open))
        for place in order:
            call, ident = self.open[place]
            if (result.id and call.id == result.id) or (
                not (result.id and call.id) and result.name in ("", call.name)
            ):
                del self.open[place]
                return ident
        return None

    def _status(self, result: Result) -> str:
        if result.failed is None and self.talk.errors:
            return "error" if result.text.startswith(self.talk.errors) else "ok"
        return "unknown" if result.failed is None else "error" if result.failed else "ok"


def _usage(message: dict[str, Any]) -> Any:
    """Token counts of a message: those of the server's own answer where it is kept, for they tell more."""
    raw = message.get("raw_data")
    kept = raw.get("usage") if isinstance(raw, dict) else None
    return kept if isinstance(kept, dict) else message.get("usage")
