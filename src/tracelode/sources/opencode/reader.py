"""How does an export of OpenCode become operations? One model call a step, its tools below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.making import Maker, picodollars, put_count
from tracelode.model.operation import Operation, Status
from tracelode.model.ports import About, Item, Line, Skip, Tick
from tracelode.signals.arguments import argument_fields, asks_person, tool_kind
from tracelode.signals.human import human_kind
from tracelode.sources.opencode.records import Export, Info, Message, Part, Time, Tokens, ToolState

AGENT = "opencode"

REFUSED = "rejected permission to use this specific tool call"
"""Says that a person refused a tool."""
ASKS = frozenset({"question"})
"""Tools whose result is a person's answer, beside those that other agents have."""
STATES: dict[str, Status] = {
    "completed": "ok", "error": "error", "pending": "running", "running": "running",
}  # fmt: skip
"""Status of a tool call in the file to ours."""
_ABORTED = "MessageAbortedError"


def read_session(file: Line, path: str) -> Iterator[Item]:
    """Items of one export.

    Args:
        file: the whole file.
        path: the file as origins name it.
    """
    found, complaints = lenient.decode(file.data, Export)
    for reason in complaints:
        yield Skip(file.number, reason)
    for export in found[:1]:
        info = export.info
        if info is None or not info.id:
            yield Skip(file.number, "session without an id")
            return
        role = "subagent" if info.parentID else "main"
        root = info.parentID or info.id
        key = f"{root}/{info.id}" if info.parentID else info.id
        yield About(key, root, info.directory or "", role)
        reader = _Reader(Maker(AGENT, AGENT, path, key), role)
        reader.maker.line = file
        for message in export.messages or []:
            yield from reader.message(message)


class _Reader:
    """Reads the messages of one session in order."""

    def __init__(self, maker: Maker, role: str) -> None:
        self.maker = maker
        self.role = role

    def message(self, message: Message) -> Iterator[Item]:
        info = message.info or Info()
        if info.role == "user":
            yield from self._user(info, message.parts or [])
        elif info.role == "assistant":
            yield from self._assistant(info, message.parts or [])
        else:
            yield Skip(self.maker.line.number, "message of an unknown role")

    def _user(self, info: Info, parts: list[Part]) -> Iterator[Item]:
        at = _at(info.time, "created")
        for part in parts:
            if part.type == "compaction":
                cause = "auto" if part.auto else "manual"
                yield self._note("compaction", at, {"compaction": cause}, part.id)
        text = "\n".join(p.text for p in parts if p.type == "text" and p.text and not p.synthetic)
        if not text.strip():
            if at is not None:
                yield Tick(at, "other", None)
            return
        native = self.maker.scoped(info.id)
        if human_kind(text) == "wrapper":
            made = self.maker.operation(native, "system", "note", "harness message", "ok", at, arguments=text)
        elif self.role == "subagent":
            made = self.maker.operation(native, "agent", "prompt", "task prompt", "ok", at, arguments=text)
        else:
            fields = {"human": "prompt"}
            made = self.maker.operation(
                native, "human", "prompt", "prompt", "ok", at, arguments=text, fields=fields
            )
        yield made
        if at is not None:
            yield Tick(at, "human" if "human" in made.fields else "other", made.id)

    def _note(
        self, name: str, at: int | None, fields: dict[str, str], native: str | None, status: Status = "ok"
    ) -> Operation:
        actor: Any = "human" if "human" in fields else "system"
        return self.maker.operation(self.maker.scoped(native), actor, "note", name, status, at, fields=fields)

    def _assistant(self, info: Info, parts: list[Part]) -> Iterator[Item]:
        """One call a step; a message whose steps do not say where they end is one call."""
        steps = _steps(parts)
        told = [s[-1] for s in steps if s and s[-1].type == "step-finish"]
        at, ended = _at(info.time, "created"), _at(info.time, "completed")
        for number, step in enumerate(steps):
            finish = step[-1] if step and step[-1].type == "step-finish" else None
            tokens = finish.tokens if finish is not None else info.tokens if not told else None
            cost = finish.cost if finish is not None else info.cost if not told else None
            moments = [m for p in step for m in (_at(p.time, "start"), _tool_at(p, "start")) if m is not None]
            begun = at if number == 0 else min(moments, default=None)
            last = number == len(steps) - 1
            yield from self._step(info, number, step, tokens, cost, begun, ended if last else None)
        if info.error is not None:
            yield self._failure(info, ended if ended is not None else at)

    def _failure(self, info: Info, at: int | None) -> Operation:
        native = f"{info.id}/error" if info.id else None
        if info.error is not None and info.error.name == _ABORTED:
            return self._note("interrupt", at, {"human": "interrupt"}, native, "interrupted")
        return self._note("api error", at, {}, native, "error")

    def _step(
        self, info: Info, number: int, step: list[Part], tokens: Tokens | None, cost: float | None,
        at: int | None, ended: int | None,
    ) -> Iterator[Item]:  # fmt: skip
        complaints: list[str] = []
        measures = measures_of(tokens, complaints)
        for reason in complaints:
            yield Skip(self.maker.line.number, reason)
        spent = picodollars(cost)
        if spent is not None and spent >= 0:
            measures["cost.reported"] = spent
        fields = {"model": info.modelID} if info.modelID else {}
        if info.mode:
            fields["mode"] = info.mode
        if tokens is None:
            fields["usage_quality"] = "lower_bound"
        text = "\n".join(p.text for p in step if p.type == "text" and p.text)
        call = self.maker.operation(
            self.maker.scoped(f"{info.id}/{number}" if info.id else None),
            "agent",
            "model",
            info.modelID or "unknown model",
            "ok" if info.error is None else "interrupted" if info.error.name == _ABORTED else "error",
            at,
            ended,
            fields=fields,
            measures={**measures, "calls": 1},
            output=text,
        )
        yield call
        tools = [self._tool(part, part.state or ToolState(), call) for part in step if part.type == "tool"]
        yield from tools
        if at is not None:
            yield Tick(at, "model", call.id)
        for tool in sorted((t for t in tools if t.started is not None), key=lambda t: t.started or 0):
            yield Tick(tool.started or 0, "model", call.id, opens=(tool.id,))
            if tool.ended is not None:
                ends = "human" if "human" in tool.fields else "tool"
                yield Tick(tool.ended, ends, tool.id, closes=(tool.id,))

    def _tool(self, part: Part, state: ToolState, call: Operation) -> Operation:
        name = part.tool or "unknown tool"
        facts = state.metadata if isinstance(state.metadata, dict) else {}
        output = _text(state.error) or _text(state.output)
        status = status_of(state, facts)
        fields = argument_fields(state.input)
        child = facts.get("sessionId")
        if name == "task" and isinstance(child, str) and child:
            fields["spawns"] = f"{self.maker.session}/{child}"
        if status == "denied":
            fields["human"] = "denial"
        elif status == "ok" and (asks_person(name) or name in ASKS):
            fields["human"] = "answer"
        return self.maker.tool(
            self.maker.scoped(part.callID or part.id),
            name,
            call,
            status,
            _at(state.time, "start"),
            kind="subagent" if "spawns" in fields else tool_kind(name),
            ended=_at(state.time, "end"),
            fields=fields,
            arguments=msgspec.json.encode(state.input).decode() if state.input is not None else "",
            output=output,
        )


def _steps(parts: list[Part]) -> list[list[Part]]:
    """The parts of a message, step by step."""
    found: list[list[Part]] = [[]]
    for part in parts:
        if part.type == "step-start" and found[-1]:
            found.append([])
        elif part.type != "step-start":
            found[-1].append(part)
            if part.type == "step-finish":
                found.append([])
    return [step for step in found if step] or [[]]


def status_of(state: ToolState, facts: dict[str, Any]) -> Status:
    """How a tool call ended.

    Args:
        state: the call.
        facts: its metadata.

    Returns:
        A status; an exit code other than 0 is nonzero, a person's refusal denied.
    """
    status = STATES.get(state.status or "", "unknown")
    if status == "error" and REFUSED in _text(state.error)[:300]:
        return "denied"
    if status == "error" and (facts.get("interrupted") is True or "aborted" in _text(state.error)[:40]):
        return "interrupted"
    code = facts.get("exit")
    if status == "ok" and isinstance(code, int) and not isinstance(code, bool) and code:
        return "nonzero"
    return status


def measures_of(tokens: Tokens | None, complaints: list[str]) -> dict[str, int]:
    """Token measures of one step.

    Args:
        tokens: as recorded, None where nothing is told.
        complaints: receives closed words on figures that contradict each other.

    Returns:
        Measures by name.

    Source:
        formats: token semantics, OpenCode: the cache is beside the input. Reasoning is part of the output,
        unless the total tells that it stands beside it (later versions).
    """
    if tokens is None:
        return {}
    found: dict[str, int] = {}
    cache = tokens.cache
    put_count(found, "tokens.input_fresh", tokens.input, complaints)
    put_count(found, "tokens.cache_read", cache.read if cache is not None else None, complaints)
    put_count(found, "tokens.cache_write_5m", cache.write if cache is not None else None, complaints)
    apart = sum(found.values()) + (tokens.output or 0) + (tokens.reasoning or 0)
    put_count(found, "tokens.output", tokens.output, complaints)
    put_count(found, "tokens.reasoning", tokens.reasoning, complaints)
    reasoning, output = found.get("tokens.reasoning", 0), found.get("tokens.output", 0)
    if not reasoning or (tokens.total is not None and tokens.total == apart):
        return found
    if tokens.total is not None and tokens.total != apart - reasoning:
        complaints.append("token total differs from its parts")
    if reasoning > output:
        # more than all of it: it stands beside the output
        return found
    found["tokens.output"] = output - reasoning
    return found


def _at(time: Time | None, name: str) -> int | None:
    """A moment in microseconds."""
    value: int | float | None = getattr(time, name) if time is not None else None
    if value is None or not 0 < value < 10**13:
        return None
    return round(value * 1000)


def _tool_at(part: Part, name: str) -> int | None:
    return _at(part.state.time, name) if part.state is not None else None


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()
