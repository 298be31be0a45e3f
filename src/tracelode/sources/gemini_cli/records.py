"""Which parts of a Gemini CLI chat do we read, and what is a chat after all its rewrites and rewinds?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.model.ports import Line


class Tokens(msgspec.Struct):
    """Token counts of one API response."""

    input: int | None = None
    """Prompt, cached tokens included."""
    output: int | None = None
    """Visible output."""
    cached: int | None = None
    """Tokens of the prompt that were read from a cache."""
    thoughts: int | None = None
    """Reasoning, beside the output."""
    tool: int | None = None
    """Prompt of tools on the provider's side, beside the input."""
    total: int | None = None
    """Sum of all but cached."""


class ToolCall(msgspec.Struct):
    """A tool call with its result."""

    id: str | None = None
    """Id the client gave it."""
    name: str | None = None
    """Tool name."""
    args: Any = None
    """Input."""
    result: Any = None
    """Parts of the answer to the model."""
    status: str | None = None
    """success, error, cancelled, or a state before the end."""
    timestamp: str | None = None
    """When it ended."""
    agentId: str | None = None
    """Session id of the sub-agent that ran."""


class Message(msgspec.Struct):
    """A message of a chat."""

    id: str | None = None
    """Own id."""
    type: str | None = None
    """user, gemini, info, warning, error."""
    timestamp: str | None = None
    """When it was first recorded."""
    content: Any = None
    """Text or parts."""
    model: str | None = None
    """Model id."""
    tokens: Tokens | None = None
    """Token counts."""
    toolCalls: list[ToolCall] | None = None
    """Tool calls."""


class Record(Message):
    """A line of the newer layout, or the only object of the older one."""

    sessionId: str | None = None
    """Session id."""
    projectHash: str | None = None
    """Digest of the working folder."""
    kind: str | None = None
    """main or subagent."""
    directories: list[str] | None = None
    """Folders of the workspace."""
    messages: list[Message] | None = None
    """The whole chat."""
    change: Record | None = msgspec.field(name="$set", default=None)
    """New values of the chat's own fields."""
    rewind: str | None = msgspec.field(name="$rewindTo", default=None)
    """The message from which on all are taken back."""


class Entry(msgspec.Struct):
    """A message as the chat holds it in the end."""

    message: Message
    """Merged from all its copies."""
    line: Line
    """Where its first copy lies."""
    dead: bool = False
    """A rewind took it back."""


class Chat:
    """A chat while its records are applied."""

    def __init__(self) -> None:
        self.session = ""
        self.kind = "main"
        self.directories: list[str] = []
        self.entries: dict[str, Entry] = {}
        self.complaints: list[tuple[int, str]] = []

    def apply(self, record: Record, line: Line) -> None:
        """Apply one record.

        Args:
            record: a line, or the whole object.
            line: where it lies.
        """
        if record.rewind is not None:
            self._rewind(record.rewind)
        elif record.change is not None:
            self._about(record.change, line)
        elif record.id is not None:
            self._message(record, line)
        elif record.sessionId is not None or record.messages is not None:
            self._about(record, line)
        else:
            self.complaints.append((line.number, "unknown record"))

    def _about(self, record: Record, line: Line) -> None:
        self.session = record.sessionId or self.session
        self.kind = record.kind or self.kind
        self.directories = record.directories or self.directories
        for message in record.messages or []:
            self._message(message, line)

    def _message(self, message: Message, line: Line) -> None:
        key = message.id or f"#{len(self.entries)}"
        old = self.entries.get(key)
        if old is None:
            self.entries[key] = Entry(message, line)
            return
        old.dead = False
        kept = old.message
        # texts are kept as first given: later copies may be masked to save context
        kept.content = kept.content or message.content
        kept.tokens = message.tokens or kept.tokens
        kept.model = message.model or kept.model
        kept.timestamp = kept.timestamp or message.timestamp
        kept.toolCalls = _merged(kept.toolCalls or [], message.toolCalls or [])

    def _rewind(self, to: str) -> None:
        dead = to not in self.entries
        for key, entry in self.entries.items():
            dead = dead or key == to
            entry.dead = entry.dead or dead


def _merged(old: list[ToolCall], new: list[ToolCall]) -> list[ToolCall]:
    places = {call.id: place for place, call in enumerate(old) if call.id}
    merged = list(old)
    for call in new:
        place = places.get(call.id) if call.id else None
        if place is None:
            merged.append(call)
        else:
            if text_of(merged[place].result):
                call.result = merged[place].result
            merged[place] = call
    return merged


def chat_of(file: Line) -> Chat:
    """A chat as its file tells it.

    Args:
        file: the whole file.

    Returns:
        Its messages in order, rewound ones marked; complaints with 1-based line numbers.
    """
    chat = Chat()
    for line in _lines(file):
        records, complaints = lenient.decode(line.data, Record)
        chat.complaints.extend((line.number, reason) for reason in complaints)
        for record in records:
            chat.apply(record, line)
    return chat


def _lines(file: Line) -> Iterator[Line]:
    """The lines of the newer layout; the whole file where its first line is no whole object."""
    first, _, rest = file.data.partition(b"\n")
    if not rest.strip() or not _whole(first):
        yield Line(1, 0, file.data)
        return
    offset = 0
    for number, data in enumerate(file.data.split(b"\n"), 1):
        if data.strip():
            yield Line(number, offset, data)
        offset += len(data) + 1


def _whole(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def text_of(content: Any, depth: int = 8) -> str:
    """The text of a message or of a tool's answer.

    Args:
        content: a string, a part or a list of parts.
        depth: how deep lists are followed.

    Returns:
        Texts, outputs and errors joined by newlines; "" for none.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, list) and depth > 0:
        return "\n".join(text for text in (text_of(part, depth - 1) for part in content) if text)
    if not isinstance(content, dict):
        return ""
    if isinstance(content.get("text"), str) and not content.get("thought"):
        return str(content["text"])
    answer = content.get("functionResponse")
    response = answer.get("response") if isinstance(answer, dict) else None
    if not isinstance(response, dict):
        return ""
    for key in ("output", "error"):
        if isinstance(response.get(key), str):
            return str(response[key])
    return msgspec.json.encode(response).decode()
