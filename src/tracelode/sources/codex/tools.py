"""How do calls, results and ends of tools become operations and what is known of them later?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from tracelode.model.operation import Kind, Operation, Status, operation_id
from tracelode.model.ports import Change, Item, Skip
from tracelode.signals.failures import error_class
from tracelode.sources.codex import words
from tracelode.sources.codex.context import AGENT, Context, Process, digest, unique
from tracelode.sources.codex.records import Event, text_of
from tracelode.sources.codex.records import Item as Record
from tracelode.sources.codex.talk import Responses

_HOST = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?([^/:?#\s]{1,253})")
_SHELL, _ASK, _WAIT, _POLL = "shell", "ask", "wait", "poll:"


class ToolRecords:
    """Reads tool calls, their results and their ends.

    Args:
        context: the file.
        responses: the model's responses, which issue the calls.
    """

    def __init__(self, context: Context, responses: Responses) -> None:
        self.context = context
        self.responses = responses
        self.ends: dict[str, Callable[[Event], Iterator[Item]]] = {
            "exec_command_end": self._command_end,
            "patch_apply_end": self._patch_end,
            "mcp_tool_call_end": self._mcp_end,
            "dynamic_tool_call_response": self._dynamic_end,
            "collab_agent_spawn_end": self._spawn_end,
            "sub_agent_activity": self._activity,
        }

    # calls ----------------------------------------------------------------------------------------

    def call(self, item: Record) -> Iterator[Item]:
        """A call the model issued; its result comes in a record of its own."""
        name = _name(item)
        given = _arguments(item)
        native = item.call_id or item.id
        yield from self.responses.open()
        tool = self._operation(native, name, given, _text(item))
        if native:
            self.context.state.open[digest(native)] = (tool.id, _sort(name, given))
        yield tool
        opens = () if name in words.WAITS else (tool.id,)
        yield from self.context.tick("model", self.context.state.call, opens=opens)

    def hosted(self, item: Record) -> Iterator[Item]:
        """A call that ran inside the model's response: a web search, an image."""
        name = (item.type or "").removesuffix("_call")
        yield from self.responses.open()
        action = item.action if isinstance(item.action, dict) else {}
        status: Status = "error" if item.status == "failed" else "ok"
        text = msgspec.json.encode(action).decode() if action else ""
        yield msgspec.structs.replace(
            self._operation(item.id, name, action, text), status=status, ended=self.context.at
        )
        yield from self.context.tick("model", self.context.state.call)

    def _operation(self, native: str | None, name: str, given: dict[str, Any], text: str) -> Operation:
        state = self.context.state
        if native is not None and unique(native):
            ident, known = operation_id(AGENT, native), dict[str, str]()
        else:
            ident, known = self.context.placed(name, f"{native or ''}\0{text}")
        fields = {**known, "tool": name, "call": state.call, **_fields(given, text)}
        if state.model:
            fields["model"] = state.model
        folder = given.get("workdir", given.get("working_directory"))
        if isinstance(folder, str) and folder and digest(folder) != state.project:
            fields["cwd"] = folder
        kind: Kind = words.KINDS.get(name, "tool")  # type: ignore[assignment]
        return self.context.operation(
            ident,
            "agent",
            kind,
            name,
            "unknown",
            fields=fields,
            arguments=text,
            parent=state.call,
            ended=None,
        )

    # results --------------------------------------------------------------------------------------

    def result(self, item: Record) -> Iterator[Item]:
        """What a call brought."""
        state = self.context.state
        state.answered = True
        key = digest(item.call_id or "")
        found = state.open.pop(key, None)
        if found is None:
            if not self.context.old:
                yield Skip(self.context.line.number, "tool result without a call")
            yield from self.context.tick("other")
            return
        target, sort = found
        text = text_of(item.output)
        told = words.outcome(text, sort == _SHELL)
        if isinstance(item.output, dict) and item.output.get("success") is False and told.status == "ok":
            told = msgspec.structs.replace(told, status="error")
        over = target in state.ended
        fields: dict[str, str] = {}
        if told.human or (sort == _ASK and told.status == "ok"):
            fields["human"] = "denial" if told.human else "answer"
        elif told.own is None and not over and sort != _WAIT:
            fields["duration_quality"] = "upper_bound"
        status: Status | None = None if over else told.status
        if sort.startswith(_POLL):
            yield from self._polled(sort.removeprefix(_POLL), told)
            status = "ok" if status in ("nonzero", "running") else status
        elif told.process:
            self.context.remember(Process(target, key, digest(told.process)))
        if not self.context.old:
            spawned = _spawned(text)
            if spawned:
                fields["spawns"] = spawned
        yield Change(id=target, status=status, ended=self.context.at, output=told.text, fields=fields)
        if over:
            state.ended.remove(target)
            yield from self.context.tick("tool", target)
        else:
            ends = "human" if "human" in fields else "family" if sort == _WAIT else "tool"
            yield from self.context.tick(ends, target, closes=(target,), own=told.own)

    def found(self, item: Record) -> Iterator[Item]:
        """The tools that a search for tools brought."""
        yield from self.result(msgspec.structs.replace(item, output=""))

    def _polled(self, process: str, told: words.Outcome) -> Iterator[Item]:
        """The command that a poll watched has ended: its exit code is the command's, not the poll's."""
        if told.code is None:
            return
        yield from self._ended(lambda known: known.name == process, told.code, told.text)

    def _ended(self, wanted: Callable[[Process], bool], code: int, text: str = "") -> Iterator[Item]:
        state = self.context.state
        known = next((p for p in state.running if wanted(p)), None)
        if known is None:
            return
        state.running = [p for p in state.running if p is not known]
        found = error_class(text) if code and text else None
        yield Change(
            id=known.operation,
            status="nonzero" if code else "ok",
            ended=self.context.at,
            fields={"error": found} if found else {},
        )

    # ends -----------------------------------------------------------------------------------------

    def _command_end(self, event: Event) -> Iterator[Item]:
        key = digest(event.call_id or "")
        found = self.context.state.open.get(key)
        code = event.exit_code
        if found is None:
            if code is not None:
                yield from self._ended(lambda known: known.call == key, code)
            return
        target = found[0]
        status: Status = "unknown" if code is None else "nonzero" if code else "ok"
        if event.status == "declined":
            status = "denied"
        own = words.own_duration(event.duration)
        yield Change(id=target, status=status, ended=self.context.at)
        if self.context.at is not None and own is not None and target not in self.context.state.ended:
            self.context.state.ended.append(target)
            yield from self.context.tick("tool", target, closes=(target,), own=own)

    def _patch_end(self, event: Event) -> Iterator[Item]:
        yield from self._flag(event.call_id, event.success)

    def _mcp_end(self, event: Event) -> Iterator[Item]:
        result = event.result if isinstance(event.result, dict) else {}
        fine = result.get("Ok")
        failed = "Err" in result or (
            isinstance(fine, dict) and fine.get("isError", fine.get("is_error")) is True
        )
        yield from self._close(event, None if not result else not failed)

    def _dynamic_end(self, event: Event) -> Iterator[Item]:
        yield from self._close(event, event.success)

    def _close(self, event: Event, good: bool | None) -> Iterator[Item]:
        """An end that knows its own duration; the result follows."""
        found = self.context.state.open.get(digest(event.call_id or ""))
        own = words.own_duration(event.duration)
        yield from self._flag(event.call_id, good)
        if found and own is not None and good is not None and found[0] not in self.context.state.ended:
            self.context.state.ended.append(found[0])
            yield from self.context.tick("tool", found[0], closes=(found[0],), own=own)

    def _flag(self, call_id: str | None, good: bool | None) -> Iterator[Item]:
        found = self.context.state.open.get(digest(call_id or ""))
        if found and good is not None:
            yield Change(id=found[0], status="ok" if good else "error", ended=self.context.at)

    def _spawn_end(self, event: Event) -> Iterator[Item]:
        yield from self._link(event.call_id, event.new_thread_id)

    def _activity(self, event: Event) -> Iterator[Item]:
        if event.kind == "started":
            yield from self._link(event.event_id, event.agent_thread_id)

    def _link(self, call_id: str | None, child: str | None) -> Iterator[Item]:
        found = self.context.state.open.get(digest(call_id or ""))
        if found and child and not self.context.old:
            yield Change(id=found[0], fields={"spawns": child})

    def interrupted(self) -> Iterator[Item]:
        """The turn was stopped: what has no result yet will get none."""
        for target, _ in self.context.state.open.values():
            if target not in self.context.state.ended:
                yield Change(id=target, status="interrupted")
        self.forget()

    def forget(self) -> None:
        """A turn is over: calls without a result get none."""
        self.context.state.open.clear()
        self.context.state.ended.clear()


def _name(item: Record) -> str:
    if item.type == "local_shell_call":
        return "local_shell"
    name = item.name or (item.type or "unknown tool").removesuffix("_call")
    space = item.namespace or ""
    return f"{space.rstrip('_')}__{name.lstrip('_')}" if space.startswith("mcp__") else name


def _sort(name: str, given: dict[str, Any]) -> str:
    """What reading the result needs to know of the call."""
    if name in words.SHELLS:
        return _SHELL
    if name in words.ASKS:
        return _ASK
    if name in words.WAITS:
        return _WAIT
    process = given.get("session_id") if name == "write_stdin" else None
    return "" if process is None else _POLL + digest(str(process))


def _text(item: Record) -> str:
    """The call's input as it was written."""
    for value in (item.arguments, item.input, item.action):
        if isinstance(value, str):
            return value
        if value is not None:
            return msgspec.json.encode(value).decode()
    return ""


def _arguments(item: Record) -> dict[str, Any]:
    """The call's input by name, {} where it has none."""
    value = item.arguments if item.arguments is not None else item.action
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _fields(given: dict[str, Any], text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    command = _command(given.get("cmd", given.get("command")))
    if command:
        fields["command"] = command
    for name in ("justification", "explanation"):
        if isinstance(given.get(name), str):
            fields["description"] = given[name]
            break
    paths = (given.get(name) for name in ("file_path", "path", "dir_path"))
    path = next((p for p in paths if isinstance(p, str) and p), None)
    if path is None and not command:
        inner = next((given[k] for k in ("input", "patch") if isinstance(given.get(k), str)), text)
        path = words.patched(inner)
    if path:
        fields["path"] = path
    host = _HOST.match(given["url"]) if isinstance(given.get("url"), str) else None
    if host:
        fields["domain"] = host[1].lower()
    return fields


def _command(value: Any) -> str:
    """A shell command as one would type it: without the shell it is handed to."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return ""
    if len(value) == 3 and re.fullmatch(r"-[a-z]*c|-Command|/[cC]", value[1]):
        return str(value[2])
    return shlex.join(value)


class _Started(msgspec.Struct):
    agent_id: str


_STARTED = msgspec.json.Decoder(_Started)


def _spawned(text: str) -> str | None:
    """The thread that a spawn's result names."""
    if not text.startswith('{"agent_id"'):
        return None
    try:
        return _STARTED.decode(text).agent_id
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
