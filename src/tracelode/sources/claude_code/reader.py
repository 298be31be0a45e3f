"""How do Claude Code records become operations? One pass in file order, resumable at any line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec

from tracelode.model.operation import Actor, Kind, Operation, Origin, Status, operation_id
from tracelode.model.ports import About, Change, Item, Line, Skip, Tick
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.records import (
    Block,
    Message,
    Record,
    ToolResult,
    decode,
    microseconds,
    text_of,
)
from tracelode.sources.claude_code.usage import details_of, measures_of

AGENT = "claude-code"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class State(msgspec.Struct):
    """What reading must remember between two reads of a growing file; no text of the trace."""

    session: str = ""
    """Session key, "" until known."""
    root: str = ""
    """Root session key."""
    role: str = "main"
    """main or subagent."""
    project: str = ""
    """Digest of the first working folder seen."""
    count: int = 0
    """Operations without an id of the source's own so far."""
    open: dict[str, list[str]] = {}
    """Digest of a tool use id to the operations that still wait for a result, oldest first."""
    asks: list[str] = []
    """Open operations that wait for a person's answer."""
    queued: list[tuple[str, str]] = []
    """(operation id, digest of the text) of queued messages not yet taken up."""
    last_call: str = ""
    """Id of the latest model operation."""


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


_INPUT = msgspec.json.Decoder(ToolInput)


class Reader:
    """Reads one transcript from a state on.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.state = state
        self.path = path
        self.line = Line(0, 0, b"")
        self._cwd = ("", False)
        self.handlers: dict[str, Callable[[Record, int | None], Iterator[Item]]] = {
            "assistant": self._assistant,
            "user": self._user,
            "system": self._system,
            "queue-operation": self._queue,
            "attachment": self._attachment,
        }

    def read(self, records: Iterable[Line]) -> Iterator[Item]:
        """Items of all records, in file order."""
        for line in records:
            self.line = line
            found, complaints = decode(line.data)
            for reason in complaints:
                yield Skip(line.number, reason)
            for record in found:
                yield from self._record(record)

    # one record ---------------------------------------------------------------------------------

    def _record(self, record: Record) -> Iterator[Item]:
        kind = record.type
        if kind is None:
            yield Skip(self.line.number, "record without a type")
            return
        handler = self.handlers.get(kind)
        if handler is None:
            if kind not in words.QUIET:
                yield Skip(self.line.number, "unknown record type")
            if kind != "progress":
                return
        if not self.state.session or (not self.state.project and record.cwd):
            yield from self._identify(record)
        at = microseconds(record.timestamp)
        if at is None and record.timestamp is not None:
            yield Skip(self.line.number, "timestamp is not a moment")
        if handler is not None:
            yield from handler(record, at)
        elif at is not None:
            yield Tick(at, "other", None)

    def _identify(self, record: Record) -> Iterator[Item]:
        state = self.state
        if not state.session:
            stem = PurePosixPath(self.path).name.split(".")[0]
            if record.agentId:
                state.root = record.sessionId or self._folder_root() or stem
                state.session = f"{state.root}/{record.agentId}"
                state.role = "subagent"
            else:
                # the file name is the session's own id; records may carry the id of a resumed one
                own = _UUID.findall(stem)
                state.session = state.root = own[-1] if own else (record.sessionId or stem)
        if record.cwd:
            state.project = _digest(record.cwd)
        yield About(state.session, state.root, record.cwd or "", state.role)

    def _folder_root(self) -> str:
        found = _UUID.findall(self.path.rsplit("/", 1)[0])
        return found[-1] if found else ""

    def _elsewhere(self, cwd: str) -> bool:
        if cwd != self._cwd[0]:
            self._cwd = (cwd, _digest(cwd) != self.state.project)
        return self._cwd[1]

    def _origin(self) -> Origin:
        return Origin(AGENT, self.path, self.line.number, self.line.offset)

    def _native(self, native: str | None) -> str:
        if native:
            return operation_id(AGENT, native)
        self.state.count += 1
        return operation_id(AGENT, f"{self.state.session}#{self.state.count}")

    def _scoped(self, native: str | None) -> str | None:
        """An id as it is unique: short ids of other gateways (msg_1) count inside their session."""
        if native and len(native) < words.UNIQUE_LENGTH:
            return f"{self.state.session}/{native}"
        return native

    def _operation(
        self,
        native: str | None,
        actor: Actor,
        kind: Kind,
        name: str,
        status: Status,
        at: int | None,
        **more: Any,
    ) -> Operation:
        return Operation(
            session=self.state.session,
            index=0,
            id=self._native(self._scoped(native)),
            actor=actor,
            kind=kind,
            name=name,
            status=status,
            started=at,
            ended=at,
            origin=self._origin(),
            **more,
        )

    # assistant ----------------------------------------------------------------------------------

    def _assistant(self, record: Record, at: int | None) -> Iterator[Item]:
        message = record.message
        if message is None:
            yield Skip(self.line.number, "assistant record without a message")
            return
        if message.model == words.SYNTHETIC or record.isApiErrorMessage:
            yield from self._synthetic(record, message, at)
            return
        complaints: list[str] = []
        measures = measures_of(message.usage, complaints)
        for reason in complaints:
            yield Skip(self.line.number, reason)
        fields, uses = details_of(message.usage)
        fields["usage_quality"] = "final" if message.stop_reason else "lower_bound"
        if message.model:
            fields["model"] = message.model
        if record.gitBranch:
            fields["branch"] = record.gitBranch
        blocks = message.content if isinstance(message.content, list) else []
        call = self._operation(
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
        self.state.last_call = call.id
        yield call
        opens: list[str] = []
        for block in blocks:
            if block.type in words.TOOL_USES:
                tool = self._tool(record, message, block, call.id, at)
                opens.append(tool.id)
                yield tool
        if at is not None:
            yield Tick(at, "model", call.id, opens=tuple(opens))

    def _tool(self, record: Record, message: Message, block: Block, call: str, at: int | None) -> Operation:
        name = block.name or "unknown tool"
        native = block.id
        if native and not native.startswith(words.STRONG_IDS):
            # other models number their calls anew in every message: the id counts inside its message
            native = f"{self._scoped(message.id or record.uuid)}/{native}"
        fields = {"tool": name, "call": call}
        if message.model:
            fields["model"] = message.model
        if record.cwd and self._elsewhere(record.cwd):
            fields["cwd"] = record.cwd
        raw = bytes(block.input)
        if raw:
            fields.update(_input_fields(raw))
        kind: Kind = words.KINDS.get(name, "tool")  # type: ignore[assignment]
        tool = self._operation(
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
            self.state.open.setdefault(_digest(block.id), []).append(tool.id)
            if name in words.ASKS:
                self.state.asks.append(tool.id)
        return tool

    def _synthetic(self, record: Record, message: Message, at: int | None) -> Iterator[Item]:
        note = self._operation(
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

    # user ---------------------------------------------------------------------------------------

    def _user(self, record: Record, at: int | None) -> Iterator[Item]:
        message = record.message
        if message is None:
            yield Skip(self.line.number, "user record without a message")
            return
        content = message.content
        blocks = content if isinstance(content, list) else []
        results = [block for block in blocks if block.type == "tool_result"]
        if results:
            yield from self._results(record, results, at)
        text = content if isinstance(content, str) else text_of([b for b in blocks if b.type == "text"])
        images = any(block.type == "image" for block in blocks)
        if results and not text:
            return
        kind = words.user_kind(record, text, bool(results), self.state.role)
        if kind is None and not images:
            if at is not None:
                yield Tick(at, "other", None)
            return
        actor, sort, name, human = words.USER_KINDS[kind or "prompt"]
        fields = {"human": human} if human else {}
        if record.permissionMode:
            fields["mode"] = record.permissionMode
        operation = self._operation(
            f"{record.uuid}:{kind}" if results and record.uuid else record.uuid,
            actor,
            sort,
            name,
            "interrupted" if human == "interrupt" else "ok",
            at,
            fields=fields,
            arguments=text,
        )
        yield operation
        if at is not None and not results:
            yield Tick(at, "human" if human else "other", operation.id)

    def _results(self, record: Record, results: list[Block], at: int | None) -> Iterator[Item]:
        extra = record.toolUseResult if isinstance(record.toolUseResult, ToolResult) else None
        closed: list[str] = []
        human = False
        for block in results:
            waiting = self.state.open.get(_digest(block.tool_use_id or ""))
            if not waiting:
                yield Skip(self.line.number, "tool result without a call")
                continue
            target = waiting.pop()
            if not waiting:
                del self.state.open[_digest(block.tool_use_id or "")]
            text = text_of(block.content)
            status = words.result_status(text, bool(block.is_error), record, extra)
            fields: dict[str, str] = {}
            if target in self.state.asks:
                self.state.asks.remove(target)
                if status != "error":
                    fields["human"] = "denial" if status == "denied" else "answer"
            elif status == "denied":
                fields["human"] = "denial"
            human = human or "human" in fields
            if extra is not None:
                agent = extra.agentId or extra.agent_id
                if agent:
                    fields["spawns"] = f"{self.state.root}/{agent}"
                if extra.backgroundTaskId or extra.isAsync:
                    fields["background"] = "1"
            own = words.own_duration(extra) if len(results) == 1 else None
            if own is None and not human:
                fields["duration_quality"] = "upper_bound"
            closed.append(target)
            yield Change(id=target, status=status, ended=at, output=text, fields=fields)
            if at is not None and own is not None:
                yield Tick(at, "tool", target, closes=(target,), own=own)
                closed.pop()
        if at is not None:
            yield Tick(at, "human" if human else "tool", closed[0] if closed else None, closes=tuple(closed))

    # the rest -----------------------------------------------------------------------------------

    def _system(self, record: Record, at: int | None) -> Iterator[Item]:
        name = words.SYSTEM_NOTES.get(record.subtype or "")
        note = None
        if name:
            fields = {}
            if record.compactMetadata is not None and record.compactMetadata.trigger:
                fields["compaction"] = record.compactMetadata.trigger
            status: Status = "error" if name == "api error" else "ok"
            note = self._operation(record.uuid, "system", "note", name, status, at, fields=fields)
            yield note
        if at is not None:
            yield Tick(at, "other", note.id if note else None)

    def _queue(self, record: Record, at: int | None) -> Iterator[Item]:
        state = self.state
        text = text_of(record.content)
        if record.operation == "enqueue":
            if text and not words.is_harness(text) and not text.startswith(("{", "/")):
                steer = self._steer(None, text, at)
                state.queued.append((steer.id, _digest(text)))
                yield steer
                if at is not None:
                    yield Tick(at, "human", steer.id)
                return
        elif record.operation in ("dequeue", "remove") and state.queued:
            # what is dequeued comes again as a record of its own; what is removed was taken back
            place = next((i for i, q in enumerate(state.queued) if text and q[1] == _digest(text)), 0)
            yield Change(id=state.queued.pop(place)[0], dropped=True)
        elif record.operation == "popAll":
            for queued, _ in state.queued:
                yield Change(id=queued, dropped=True)
            state.queued.clear()
        if at is not None:
            yield Tick(at, "other", None)

    def _attachment(self, record: Record, at: int | None) -> Iterator[Item]:
        attachment = record.attachment
        if attachment is not None and attachment.type == "queued_command":
            text = text_of(attachment.prompt)
            if text and not words.is_harness(text):
                place = next((i for i, q in enumerate(self.state.queued) if q[1] == _digest(text)), None)
                if place is not None:
                    yield Change(id=self.state.queued.pop(place)[0], dropped=True)
                steer = self._steer(record.uuid, text, at)
                yield steer
                if at is not None:
                    yield Tick(at, "other", steer.id)
                return
        if at is not None:
            yield Tick(at, "other", None)

    def _steer(self, native: str | None, text: str, at: int | None) -> Operation:
        return self._operation(
            native, "human", "prompt", "steer", "ok", at, fields={"human": "steer"}, arguments=text
        )


def _digest(text: str) -> str:
    return operation_id(AGENT, text)


def _input_fields(raw: bytes) -> dict[str, str]:
    try:
        given = _INPUT.decode(raw)
    except msgspec.DecodeError:
        return {}
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
