"""How does an assistant record become a model call and its tool calls?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode.model.operation import Kind, Operation
from tracelode.model.ports import Item, Skip, Tick
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.context import Context, digest
from tracelode.sources.claude_code.iterations import further
from tracelode.sources.claude_code.records import Block, Message, Record, text_of
from tracelode.sources.claude_code.usage import details_of, measures_of, picodollars


class ToolInput(msgspec.Struct):
    """The parts of a tool's input that become fields."""

    command: Any = None
    """Shell command."""
    description: Any = None
    """The agent's words."""
    file_path: Any = None
    """File."""
    notebook_path: Any = None
    """Notebook."""
    path: Any = None
    """Folder or file."""
    url: Any = None
    """Address."""
    run_in_background: Any = None
    """Sent to the background."""
    prompt: Any = None
    """Task of a sub-agent."""


_INPUT = msgspec.json.Decoder(ToolInput)


class AssistantRecords:
    """Reads assistant records.

    Args:
        context: the file.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    def read(self, record: Record, at: int | None) -> Iterator[Item]:
        """Items of one record."""
        context = self.context
        message = record.message
        if message is None:
            yield Skip(context.line.number, "assistant record without a message")
            return
        if record.parentUuid and context.role == "main":
            context.state.chained = True
        if message.model == words.SYNTHETIC or record.isApiErrorMessage:
            yield from self._synthetic(record, message, at)
            return
        complaints: list[str] = []
        measures = self.measured(record, message, complaints)
        fields, uses = details_of(message.usage)
        # a count that was left out as damage is missing in the sum
        final = message.stop_reason and not complaints
        fields["usage_quality"] = "final" if final else "lower_bound"
        if message.model:
            fields["model"] = message.model
        if record.gitBranch:
            fields["branch"] = record.gitBranch
        blocks = message.content if isinstance(message.content, list) else []
        call = context.operation(
            message.id or record.uuid,
            "agent",
            "model",
            message.model or "unknown model",
            "ok",
            at,
            fields=fields,
            measures={**measures, **uses, "calls": 1},
            output=message.content if isinstance(message.content, str) else text_of(blocks),
        )
        yield call
        if message.usage is not None and message.usage.iterations:
            yield from further(context, message, call, complaints)
        for reason in complaints:
            yield Skip(context.line.number, reason)
        opens: list[str] = []
        for block in blocks:
            if block.type in words.TOOL_USES:
                tool = self._tool(record, message, block, call.id, at)
                opens.append(tool.id)
                yield tool
        if at is not None:
            yield Tick(at, "model", call.id, opens=tuple(opens))

    def measured(self, record: Record, message: Message, complaints: list[str]) -> dict[str, int]:
        """What a record tells of its call's tokens and cost.

        Args:
            record: the record.
            message: its message.
            complaints: receives closed words on figures that were left out.

        Returns:
            Measures by name, without calls.
        """
        measures = measures_of(message.usage, complaints)
        if record.costUSD is not None:
            cost = picodollars(record.costUSD, complaints)
            if cost is not None:
                measures["cost.reported"] = cost
        return measures

    def _tool(self, record: Record, message: Message, block: Block, call: str, at: int | None) -> Operation:
        name = block.name or "unknown tool"
        native = block.id
        if native and not native.startswith(words.STRONG_IDS):
            # other models number their calls anew in every message: the id counts inside its message
            native = f"{self.context.scoped(message.id or record.uuid)}/{native}"
        fields = {"tool": name, "call": call}
        if message.model:
            fields["model"] = message.model
        if record.cwd and self.context.elsewhere(record.cwd):
            fields["cwd"] = record.cwd
        if record.teamName:
            fields["team"] = record.teamName
        raw = bytes(block.input)
        given = _decoded(raw)
        fields.update(_input_fields(given))
        kind: Kind = words.KINDS.get(name, "tool")  # type: ignore[assignment]
        tool = self.context.operation(
            native,
            "agent",
            kind,
            name,
            "unknown",
            at,
            parent=call,
            fields=fields,
            arguments=raw.decode("utf-8", "replace"),
        )
        tool = msgspec.structs.replace(tool, ended=None)
        if block.id and block.type == "tool_use":
            self.context.opened(block.id, tool.id)
            if name in words.ASKS:
                self.context.state.asks.append(tool.id)
            if kind == "subagent" and isinstance(given.prompt, str):
                waiting = self.context.state.tasks.setdefault(digest(given.prompt.strip()), [])
                waiting.append((self.context.agent or "", tool.id))
        return tool

    def _synthetic(self, record: Record, message: Message, at: int | None) -> Iterator[Item]:
        note = self.context.operation(
            record.uuid,
            "system",
            "note",
            "api error" if record.isApiErrorMessage else "synthetic message",
            "error" if record.isApiErrorMessage else "ok",
            at,
            output=message.content if isinstance(message.content, str) else text_of(message.content),
        )
        yield note
        if at is not None:
            yield Tick(at, "other", note.id)


def _decoded(raw: bytes) -> ToolInput:
    try:
        return _INPUT.decode(raw) if raw else ToolInput()
    except (msgspec.DecodeError, RecursionError):
        return ToolInput()


def _input_fields(given: ToolInput) -> dict[str, str]:
    fields: dict[str, str] = {}
    if isinstance(given.command, str):
        fields["command"] = given.command
    if isinstance(given.description, str):
        fields["description"] = given.description
    for path in (given.file_path, given.notebook_path, given.path):
        if isinstance(path, str) and path:
            fields["path"] = path
            break
    if isinstance(given.url, str):
        host = re.match(r"[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?([^/:?#\s]{1,253})", given.url)
        if host:
            fields["domain"] = host[1].lower()
    if given.run_in_background is True:
        fields["background"] = "1"
    return fields
