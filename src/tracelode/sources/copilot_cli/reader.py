"""How do Copilot CLI events become operations? One pass in file order, resumable at any line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec

from tracelode.lenient import decode, microseconds
from tracelode.making import Maker
from tracelode.model.operation import Operation, Status
from tracelode.model.ports import About, Change, Item, Line, Skip, Tick
from tracelode.signals.arguments import argument_fields, asks_person, tool_kind
from tracelode.signals.human import human_kind
from tracelode.sources.copilot_cli.ends import Ends
from tracelode.sources.copilot_cli.records import Data, Event
from tracelode.sources.copilot_cli.state import AGENT, Open, Run, State, digest
from tracelode.sources.copilot_cli.words import QUIET

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
Handler = Callable[[Event, Data, "int | None"], Iterator[Item]]


class Reader:
    """Reads one log from a state on.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.state = state
        self.maker = Maker(AGENT, AGENT, path)
        self.told = False
        ends = Ends(state, self.maker, self.switch)
        self.handlers: dict[str, Handler] = {
            "session.start": self._start,
            "session.resume": self._resume,
            "session.model_change": self._model,
            "session.error": self._error,
            "session.compaction_complete": ends.compaction,
            "session.shutdown": ends.shutdown,
            "user.message": self._user,
            "assistant.message": self._assistant,
            "assistant.usage": ends.usage,
            "subagent.started": self._subagent,
            "tool.execution_start": self._tool_start,
            "tool.execution_complete": ends.tool,
            "permission.requested": self._asked,
            "permission.completed": ends.permission,
            "abort": self._abort,
        }

    def read(self, records: Iterable[Line]) -> Iterator[Item]:
        """Items of all records, in file order."""
        for line in records:
            self.maker.line = line
            events, complaints = decode(line.data, Event)
            for reason in complaints:
                yield Skip(line.number, reason)
            for event in events:
                yield from self._event(event)

    def _event(self, event: Event) -> Iterator[Item]:
        number = self.maker.line.number
        if event.type is None:
            yield Skip(number, "record without a type")
            return
        handler = self.handlers.get(event.type)
        if handler is None and event.type not in QUIET:
            yield Skip(number, "unknown record type")
            return
        data = event.data or Data()
        at = microseconds(event.timestamp)
        if at is None and event.timestamp is not None:
            yield Skip(number, "timestamp is not a moment")
        if not self.state.session:
            self.state.session = data.sessionId or self._named()
        child = event.agentId or data.parentToolCallId
        if child and not event.type.startswith("subagent."):
            yield from self.switch(f"{self.state.session}/{child}")
        else:
            yield from self.switch(self.state.session)
        if handler is not None:
            yield from handler(event, data, at)
        elif at is not None:
            yield Tick(at, "other", None)

    def _named(self) -> str:
        """The session id that the path tells: of the folder, or of the file where it is named by it."""
        path = PurePosixPath(self.maker.path)
        found = _UUID.findall(path.name) or _UUID.findall(path.parent.name)
        return found[-1] if found else path.name.split(".")[0]

    def switch(self, session: str, project: str = "") -> Iterator[Item]:
        """Say whose items follow, where that changes."""
        if self.told and session == self.maker.session and not project:
            return
        self.told, self.maker.session = True, session
        root = self.state.session
        role = "main" if session == root else "subagent"
        yield About(session, root, project, role, self.state.parent if session == root else None)

    def native(self, event: Event) -> str:
        """An event's own id; without one its number in the session."""
        if event.id:
            return event.id
        self.state.count += 1
        return f"{self.state.session}#{self.state.count}"

    def _start(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        self.state.model = data.selectedModel or self.state.model
        self.state.parent = data.detachedFromSpawningParentSessionId
        if data.context is not None:
            self.state.branch = data.context.branch or ""
            if data.context.cwd:
                yield from self.switch(self.state.session, data.context.cwd)
        if at is not None:
            yield Tick(at, "other", None)

    def _resume(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        self.state.model = data.selectedModel or self.state.model
        if not data.sessionWasActive:
            # what the last client did without a shutdown is in no sum that is still to come
            self.state.runs.clear()
        if at is not None:
            yield Tick(at, "other", None)

    def _model(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        self.state.model = data.newModel or self.state.model
        if at is not None:
            yield Tick(at, "other", None)

    def _error(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        note = self.maker.operation(
            self.native(event), "system", "note", "api error", "error", at, output=data.message or ""
        )
        yield note
        if at is not None:
            yield Tick(at, "other", note.id)

    def _user(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        text = data.content or ""
        kind = human_kind(text) if text.strip() else "prompt"
        mode = {"mode": data.agentMode} if data.agentMode else {}
        native = self.native(event)
        if self.maker.session != self.state.session:
            operation = self.maker.operation(
                native, "agent", "prompt", "task prompt", "ok", at, arguments=text, fields=mode
            )
        elif data.source or data.isAutopilotContinuation or kind == "wrapper":
            operation = self.maker.operation(
                native, "system", "note", "harness message", "ok", at, arguments=text, fields=mode
            )
        else:
            human = "steer" if data.delivery in ("steering", "queued") else "prompt"
            operation = self.maker.operation(
                native, "human", "prompt", human, "ok", at, arguments=text, fields={**mode, "human": human}
            )
        yield operation
        if at is not None:
            yield Tick(at, "human" if "human" in operation.fields else "other", operation.id)

    def _assistant(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        model = data.model or self.state.model
        fields = {"usage_quality": "lower_bound"}
        if model:
            fields["model"] = model
        if self.state.branch:
            fields["branch"] = self.state.branch
        measures = {"calls": 1}
        output = data.outputTokens
        if output is not None and output < 0:
            yield Skip(self.maker.line.number, "negative token count left out")
        elif output is not None:
            measures["tokens.output"] = output
        call = self.maker.operation(
            data.apiCallId or data.messageId or self.native(event),
            "agent",
            "model",
            model or "unknown model",
            "ok",
            at,
            fields=fields,
            measures=measures,
            output=data.content or "",
        )
        yield call
        run = self.state.runs.setdefault(digest(model), Run())
        entry = (self.maker.session, call.id, measures.get("tokens.output", 0))
        if run.calls and run.calls[-1][1] == call.id:
            run.calls[-1] = max(run.calls[-1], entry)
        else:
            run.calls.append(entry)
        for request in data.toolRequests or []:
            name = request.name or "unknown tool"
            yield self._tool(name, request.toolCallId, request.arguments, call, at, request.intentionSummary)
        if at is not None:
            yield Tick(at, "model", call.id)

    def _tool(
        self, name: str, native: str | None, given: Any, call: Operation | None, at: int | None,
        words: str | None = None,
    ) -> Operation:  # fmt: skip
        fields = argument_fields(given)
        if words:
            fields.setdefault("description", words)
        tool = self.maker.tool(
            f"{self.state.session}/{native}" if native else self.native(Event()),
            name,
            call,
            "unknown",
            at,
            kind=tool_kind(name),
            fields=fields,
            arguments=msgspec.json.encode(given).decode() if given is not None else "",
        )
        if native:
            self.state.open[digest(native)] = Open(
                self.maker.session, tool.id, call.id if call else "", asks_person(name)
            )
        return tool

    def _tool_start(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        waiting = self.state.open.get(digest(data.toolCallId or ""))
        if waiting is None:
            # asked for by a person, or the message that asked for it is gone
            yield self._tool(data.toolName or "unknown tool", data.toolCallId, data.arguments, None, at)
            waiting = self.state.open.get(digest(data.toolCallId or ""))
        if waiting is not None and at is not None:
            waiting.started = at
            yield from self.switch(waiting.session)
            yield Tick(at, "other", waiting.operation, opens=(waiting.operation,))

    def _subagent(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        waiting = self.state.open.get(digest(data.toolCallId or ""))
        child = event.agentId or data.toolCallId
        if waiting is not None and child:
            yield from self.switch(waiting.session)
            yield Change(id=waiting.operation, fields={"spawns": f"{self.state.session}/{child}"})
        if at is not None:
            yield Tick(at, "other", waiting.operation if waiting else None)

    def _asked(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        tool = data.permissionRequest.toolCallId if data.permissionRequest else None
        if tool and data.requestId:
            self.state.asked[digest(data.requestId)] = digest(tool)
        if at is not None:
            yield Tick(at, "other", None)

    def _abort(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        status: Status = "interrupted"
        person = data.reason in (None, "user_initiated", "user_abort", "remote_command")
        note = self.maker.operation(
            self.native(event),
            "human" if person else "system",
            "note",
            "interrupt",
            status,
            at,
            fields={"human": "interrupt"} if person else {},
        )
        yield note
        if at is not None:
            yield Tick(at, "human" if person else "other", note.id)
        for waiting in self.state.open.values():
            yield from self.switch(waiting.session)
            yield Change(id=waiting.operation, status=status)
