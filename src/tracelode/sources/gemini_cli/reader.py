"""How does a Gemini CLI chat become operations?"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from tracelode.lenient import microseconds
from tracelode.making import Maker, put_count, put_input
from tracelode.model.operation import Operation, Status
from tracelode.model.ports import About, Item, Line, Skip, Tick
from tracelode.signals.arguments import argument_fields, asks_person, tool_kind
from tracelode.signals.human import human_kind
from tracelode.signals.tools import is_shell
from tracelode.sources.gemini_cli.records import Chat, Entry, Message, Tokens, ToolCall, chat_of, text_of

AGENT = "gemini-cli"

SUMMARIES = ("<state_snapshot>",)
"""Beginnings of the text that stands for a compressed history."""
HARNESS = ("<session_context>", "This is the Gemini CLI. We are setting up the context for our chat.")
"""Beginnings of texts that the client puts in a person's place."""
CANCELLED = "Request cancelled."
"""What an info message says when a person stops the model."""
NOTES = {"info": "info", "warning": "warning", "error": "error"}
"""Message types that are the client's own words, and the names of their operations."""
STATES: dict[str, Status] = {
    "success": "ok",
    "error": "error",
    "cancelled": "interrupted",
    "validating": "running",
    "scheduled": "running",
    "executing": "running",
    "awaiting_approval": "running",
}
"""Status of a tool call in the file to ours."""

_DENIED = "did not allow"
_EXIT = re.compile(r"^Exit Code: *[1-9-]", re.MULTILINE)


def read_chat(file: Line, path: str) -> Iterator[Item]:
    """Items of one chat file.

    Args:
        file: the whole file.
        path: the file as origins name it.
    """
    chat = chat_of(file)
    for number, reason in chat.complaints:
        yield Skip(number, reason)
    session, root = _keys(chat, path)
    if not session:
        yield Skip(1, "chat without a session id")
        return
    role = "main" if session == root else "subagent"
    # only a sub-agent's file lists the working folder itself; a main one lists folders that were added
    project = chat.directories[0] if role == "subagent" and chat.directories else ""
    yield About(session, root, project, role)
    reader = _Reader(Maker(AGENT, AGENT, path, session), role)
    for entry in chat.entries.values():
        yield from reader.entry(entry)


def _keys(chat: Chat, path: str) -> tuple[str, str]:
    """(session key, root key): a sub-agent lies in a folder named by its root session."""
    if chat.kind != "subagent" or not chat.session:
        return chat.session, chat.session
    parts = path.split("/")
    root = parts[-2] if len(parts) > 2 and parts[-3] == "chats" else "unknown"
    return f"{root}/{chat.session}", root


class _Reader:
    """Reads the messages of one chat in order."""

    def __init__(self, maker: Maker, role: str) -> None:
        self.maker = maker
        self.role = role

    def entry(self, entry: Entry) -> Iterator[Item]:
        self.maker.line = entry.line
        for item in self._message(entry.message):
            if entry.dead and isinstance(item, Operation):
                item = msgspec.structs.replace(item, fields={**item.fields, "rolled_back": "1"})
            yield item

    def _message(self, message: Message) -> Iterator[Item]:
        at = microseconds(message.timestamp)
        if at is None and message.timestamp:
            yield Skip(self.maker.line.number, "timestamp is not a moment")
        if message.type == "user":
            yield from self._user(message, at)
        elif message.type == "gemini":
            yield from self._gemini(message, at)
        elif message.type in NOTES:
            yield from self._note(message, at)
        else:
            yield Skip(self.maker.line.number, "unknown message type")

    def _user(self, message: Message, at: int | None) -> Iterator[Item]:
        text = text_of(message.content)
        if not text.strip():
            # answers of tools, put back into the history after a compression
            if at is not None:
                yield Tick(at, "other", None)
            return
        native = self.maker.scoped(message.id)
        lead = text.lstrip()
        if lead.startswith(SUMMARIES):
            operation = self.maker.operation(
                native, "system", "note", "compaction summary", "ok", at, arguments=text
            )
        elif lead.startswith(HARNESS) or human_kind(text) == "wrapper":
            operation = self.maker.operation(
                native, "system", "note", "harness message", "ok", at, arguments=text
            )
        elif self.role == "subagent":
            operation = self.maker.operation(
                native, "agent", "prompt", "task prompt", "ok", at, arguments=text
            )
        else:
            fields = {"human": "prompt"}
            operation = self.maker.operation(
                native, "human", "prompt", "prompt", "ok", at, arguments=text, fields=fields
            )
        yield operation
        if at is not None:
            yield Tick(at, "human" if "human" in operation.fields else "other", operation.id)

    def _note(self, message: Message, at: int | None) -> Iterator[Item]:
        text = text_of(message.content)
        native = self.maker.scoped(message.id)
        if message.type == "info" and text.startswith(CANCELLED):
            fields = {"human": "interrupt"}
            note = self.maker.operation(
                native, "human", "note", "interrupt", "interrupted", at, fields=fields, arguments=text
            )
        else:
            name = NOTES[message.type or "info"]
            status: Status = "error" if name == "error" else "ok"
            note = self.maker.operation(native, "system", "note", name, status, at, arguments=text)
        yield note
        if at is not None:
            yield Tick(at, "human" if "human" in note.fields else "other", note.id)

    def _gemini(self, message: Message, at: int | None) -> Iterator[Item]:
        native = self.maker.scoped(message.id)
        text = text_of(message.content)
        if message.model is None and message.tokens is None and not message.toolCalls:
            # put into the history by the client after a compression: no call was made for it
            note = self.maker.operation(native, "system", "note", "synthetic message", "ok", at, output=text)
            yield note
            if at is not None:
                yield Tick(at, "other", note.id)
            return
        complaints: list[str] = []
        measures = measures_of(message.tokens, complaints)
        for reason in complaints:
            yield Skip(self.maker.line.number, reason)
        fields = {"model": message.model} if message.model else {}
        if message.tokens is None:
            fields["usage_quality"] = "lower_bound"
        call = self.maker.operation(
            native,
            "agent",
            "model",
            message.model or "unknown model",
            "ok",
            at,
            fields=fields,
            measures={**measures, "calls": 1},
            output=text,
        )
        yield call
        tools = [(tool, self._tool(message, tool, call, at)) for tool in message.toolCalls or []]
        for _, operation in tools:
            yield operation
        if at is not None:
            yield Tick(at, "model", call.id, opens=tuple(operation.id for _, operation in tools))
        yield from _closings(tools)

    def _tool(self, message: Message, tool: ToolCall, call: Operation, at: int | None) -> Operation:
        name = tool.name or "unknown tool"
        output = text_of(tool.result)
        status = status_of(tool, output)
        fields = argument_fields(tool.args)
        if tool.agentId:
            fields["spawns"] = f"{self.maker.session}/{tool.agentId}"
        if status == "denied":
            fields["human"] = "denial"
        elif asks_person(name) and status == "ok":
            fields["human"] = "answer"
        ended = microseconds(tool.timestamp) if status not in ("running", "unknown") else None
        if ended is not None and "human" not in fields:
            fields["duration_quality"] = "upper_bound"
        return self.maker.tool(
            self.maker.scoped(f"{message.id}/{tool.id}" if tool.id else None),
            name,
            call,
            status,
            at,
            kind="subagent" if tool.agentId else tool_kind(name),
            ended=ended,
            fields=fields,
            arguments=msgspec.json.encode(tool.args).decode() if tool.args is not None else "",
            output=output,
        )


def _closings(tools: list[tuple[ToolCall, Operation]]) -> Iterator[Tick]:
    """The ends of a message's tool calls, in the order of time."""
    ended = [(o.ended, o) for _, o in tools if o.ended is not None]
    for moment, operation in sorted(ended, key=lambda pair: pair[0]):
        ends = "human" if "human" in operation.fields else "tool"
        yield Tick(moment, ends, operation.id, closes=(operation.id,))


def status_of(tool: ToolCall, output: str) -> Status:
    """How a tool call ended.

    Args:
        tool: the call.
        output: its result as text.

    Returns:
        A status; an exit code other than 0 of a command is nonzero, a refusal by a person denied.
    """
    status = STATES.get(tool.status or "", "unknown")
    if status == "interrupted" and _DENIED in output[:300]:
        return "denied"
    if status in ("ok", "error") and is_shell(tool.name or "") and _EXIT.search(output):
        return "nonzero"
    return status


def measures_of(tokens: Tokens | None, complaints: list[str]) -> dict[str, int]:
    """Token measures of one API call.

    Args:
        tokens: as recorded, None where the call was cut off.
        complaints: receives closed words on figures that were left out or contradict each other.

    Returns:
        Measures by name.

    Source:
        formats: token semantics, Gemini CLI (cached is part of input, thoughts are beside output, the
        prompt of tools on the provider's side is beside input); acceptance case D3.
    """
    if tokens is None:
        return {}
    found: dict[str, int] = {}
    put_input(found, tokens.input, tokens.cached, None, complaints)
    if tokens.tool and "tokens.input_fresh" in found:
        put_count(found, "tokens.input_fresh", found["tokens.input_fresh"] + tokens.tool, complaints)
    put_count(found, "tokens.output", tokens.output, complaints)
    put_count(found, "tokens.reasoning", tokens.thoughts, complaints)
    if tokens.total is not None and not complaints and sum(found.values()) != tokens.total:
        complaints.append("token total differs from its parts")
    return found
