"""How does a log of the Agent Client Protocol become operations? Words, tools with their ends, plans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tracelode.making import Maker
from tracelode.model.operation import Kind, Operation, Status
from tracelode.model.ports import About, Change, Item, Line, Skip, Tick
from tracelode.signals.arguments import argument_fields
from tracelode.sources.acp.records import Message, messages, text_of

AGENT = "acp"

STATES: dict[str, Status] = {
    "pending": "running", "in_progress": "running", "completed": "ok", "failed": "error",
}  # fmt: skip
"""Status of a tool call in the protocol to ours."""
QUIET = frozenset(
    {
        "available_commands_update", "current_mode_update", "config_option_update", "session_info_update",
        "usage_update", "user_message_chunk",
    }
)  # fmt: skip
"""Updates that are moments and no operations."""


@dataclass(slots=True)
class Session:
    """What is open in one session."""

    key: str
    project: str = ""
    call: Operation | None = None
    """The model's present answer."""
    words: list[str] = field(default_factory=list)
    """Its words so far."""
    tools: dict[str, str] = field(default_factory=dict)
    """Id of a tool call to that of its operation."""
    begun: set[str] = field(default_factory=set)
    """Tool calls that are under way."""
    asked: dict[str, str] = field(default_factory=dict)
    """Id of a permission request to the tool call."""
    prompts: int = 0
    calls: int = 0
    plans: int = 0
    loading: str = ""
    """Id of the request whose answer ends a replay of what is known."""
    mode: str = ""


def read_log(file: Line, path: str) -> Iterator[Item]:
    """Items of one log.

    Args:
        file: the whole file.
        path: the file as origins name it.
    """
    yield from _Reader(Maker(AGENT, AGENT, path)).items(file)


class _Reader:
    """Reads the messages in order; sessions may alternate."""

    def __init__(self, maker: Maker) -> None:
        self.maker = maker
        self.sessions: dict[str, Session] = {}
        self.opening: dict[str, str] = {}
        """Id of a request for a new session to its folder."""
        self.current = ""

    def items(self, file: Line) -> Iterator[Item]:
        for message in messages(file):
            if isinstance(message, Skip):
                yield message
                continue
            self.maker.line = message.line
            yield from self._take(message)
        for session in self.sessions.values():
            yield from self._enter(session)
            yield from self._spoken(session)

    def _take(self, message: Message) -> Iterator[Item]:
        if not message.method:
            yield from self._answer(message)
            return
        params = message.params
        if message.method == "session/new":
            self.opening[message.ident] = _string(params.get("cwd"))
            return
        key = _string(params.get("sessionId"))
        if not message.method.startswith("session/") or not key:
            return
        known = key in self.sessions
        session = self.sessions.setdefault(key, Session(key))
        if message.method in ("session/load", "session/resume"):
            session.project = session.project or _string(params.get("cwd"))
            session.loading = message.ident if known else ""
            return
        yield from self._enter(session)
        if session.loading:
            # the agent tells once more what is known already
            return
        if message.method == "session/prompt":
            yield from self._prompt(session, message)
        elif message.method == "session/update":
            yield from self._update(session, message)
        elif message.method == "session/request_permission":
            call = params.get("toolCall")
            session.asked[message.ident] = _string(call.get("toolCallId")) if isinstance(call, dict) else ""
            self._options(session, message)
        elif message.method == "session/cancel":
            yield from self._spoken(session)
            note = self.maker.operation(
                None, "human", "note", "interrupt", "interrupted", message.moment,
                fields={"human": "interrupt"},
            )  # fmt: skip
            yield note
            if message.moment is not None:
                yield Tick(message.moment, "human", note.id)

    def _enter(self, session: Session) -> Iterator[Item]:
        if self.current != session.key:
            self.current = self.maker.session = session.key
            yield About(session.key, session.key, session.project)

    def _options(self, session: Session, message: Message) -> None:
        """Remember which options of a permission refuse."""
        options = message.params.get("options")
        for one in options if isinstance(options, list) else []:
            if isinstance(one, dict):
                name = f"{message.ident}\0{_string(one.get('optionId'))}"
                session.asked[name] = _string(one.get("kind"))

    def _answer(self, message: Message) -> Iterator[Item]:
        result = message.result or {}
        opened = self.opening.pop(message.ident, None)
        if opened is not None and _string(result.get("sessionId")):
            key = _string(result["sessionId"])
            self.sessions.setdefault(key, Session(key)).project = opened
            return
        for session in self.sessions.values():
            if session.loading and session.loading == message.ident:
                session.loading = ""
            tool = session.asked.pop(message.ident, None)
            if tool is not None:
                yield from self._enter(session)
                yield from self._permission(session, tool, message)

    def _permission(self, session: Session, tool: str, message: Message) -> Iterator[Item]:
        """A person's word on a tool, or a client's rule in their place: the log does not tell which."""
        outcome = (message.result or {}).get("outcome")
        chosen = _string(outcome.get("optionId")) if isinstance(outcome, dict) else ""
        kind = session.asked.pop(f"{message.ident}\0{chosen}", "") or chosen
        ident = session.tools.get(tool)
        if ident is None:
            return
        if kind.startswith("reject"):
            session.begun.discard(tool)
            yield Change(id=ident, status="denied", ended=message.moment, fields={"human": "denial"})
        elif kind:
            yield Change(id=ident, fields={"acp.permission": kind[:40]})
        if message.moment is not None:
            yield Tick(message.moment, "human", ident)

    def _prompt(self, session: Session, message: Message) -> Iterator[Item]:
        yield from self._spoken(session)
        session.prompts += 1
        fields = {"human": "prompt"} | ({"mode": session.mode} if session.mode else {})
        made = self.maker.operation(
            f"{session.key}/prompt/{session.prompts}", "human", "prompt", "prompt", "ok", message.moment,
            arguments=text_of(message.params.get("prompt")), fields=fields,
        )  # fmt: skip
        yield made
        if message.moment is not None:
            yield Tick(message.moment, "human", made.id)

    def _update(self, session: Session, message: Message) -> Iterator[Item]:
        update = message.params.get("update")
        if not isinstance(update, dict):
            yield Skip(message.line.number, "update without a body")
            return
        kind = _string(update.get("sessionUpdate"))
        if kind in ("agent_message_chunk", "agent_thought_chunk"):
            yield from self._call(session, message.moment)
            if kind == "agent_message_chunk":
                session.words.append(text_of(update.get("content")))
            if message.moment is not None and session.call is not None:
                yield Tick(message.moment, "model", session.call.id)
        elif kind == "tool_call":
            yield from self._tool(session, update, message.moment)
        elif kind == "tool_call_update":
            yield from self._changed(session, update, message.moment)
        elif kind in ("plan", "plan_update", "plan_removed"):
            yield from self._plan(session, update, message.moment)
        elif kind in QUIET:
            if kind == "current_mode_update":
                session.mode = _string(update.get("currentModeId"))[:40]
            if message.moment is not None:
                yield Tick(message.moment, "other", None)
        else:
            yield Skip(message.line.number, "unknown session update")

    def _call(self, session: Session, at: int | None) -> Iterator[Item]:
        """The operation of the present answer, made where there is none."""
        if session.call is None:
            session.calls += 1
            session.call = self.maker.operation(
                f"{session.key}/call/{session.calls}", "agent", "model", "unknown model", "ok", at,
                fields={"usage_quality": "lower_bound"}, measures={"calls": 1},
            )  # fmt: skip
            yield session.call

    def _spoken(self, session: Session) -> Iterator[Item]:
        """The present answer is over: its words are known."""
        if session.call is not None and session.words:
            yield Change(id=session.call.id, output="".join(session.words))
        session.call, session.words = None, []

    def _tool(self, session: Session, update: dict[str, Any], at: int | None) -> Iterator[Item]:
        ident = _string(update.get("toolCallId"))
        if ident in session.tools:
            yield from self._changed(session, update, at)
            return
        yield from self._call(session, at)
        status = STATES.get(_string(update.get("status")) or "pending", "running")
        made = self.maker.tool(
            f"{session.key}/{ident}" if ident else None,
            _named(update),
            session.call,
            status,
            at,
            kind=_sort(update),
            ended=at if status != "running" else None,
            fields=_fields(update),
            arguments=_given(update),
            output=_output(update),
        )
        session.tools[ident] = made.id
        yield made
        if status == "running":
            session.begun.add(ident)
        if at is not None:
            yield Tick(at, "model", made.parent, opens=(made.id,))

    def _changed(self, session: Session, update: dict[str, Any], at: int | None) -> Iterator[Item]:
        ident = _string(update.get("toolCallId"))
        known = session.tools.get(ident)
        if known is None:
            # a log that begins late: the update is the first that is known of the call
            yield from self._tool(session, update, at)
            return
        status = STATES.get(_string(update.get("status")))
        over = status in ("ok", "error")
        if status == "ok" and _failed(update):
            status = "nonzero"
        denied = ident not in session.begun and over
        yield Change(
            id=known,
            status=None if denied else status,
            ended=at if over else None,
            output=_output(update) or None,
            fields=_fields(update),
        )
        if over:
            session.begun.discard(ident)
            # what the model says next is its answer to the result
            yield from self._spoken(session)
            if at is not None:
                yield Tick(at, "tool", known, closes=(known,))

    def _plan(self, session: Session, update: dict[str, Any], at: int | None) -> Iterator[Item]:
        """A plan is told whole each time; version 2 of the protocol keeps several apart by their ids."""
        body = update.get("plan")
        plan = body if isinstance(body, dict) else update
        entries = plan.get("entries")
        if update.get("sessionUpdate") == "plan_removed":
            entries = []
        if not isinstance(entries, list):
            yield Skip(self.maker.line.number, "plan of an unknown kind")
            return
        session.plans += 1
        name = _string(plan.get("id")) or _string(update.get("planId")) or _string(update.get("id"))
        given = {"entries": entries} | ({"plan_id": name} if name else {})
        yield from self._call(session, at)
        made = self.maker.tool(
            f"{session.key}/plan/{session.plans}", "plan", session.call, "ok", at, kind="plan", ended=at,
            arguments=msgspec.json.encode(given).decode(),
        )  # fmt: skip
        yield made
        if at is not None:
            yield Tick(at, "model", made.id)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _named(update: dict[str, Any]) -> str:
    """The tool's name, as the agent tells it; else the kind of call that the protocol knows."""
    name = _string(update.get("name"))
    meta = update.get("_meta")
    for extra in meta.values() if isinstance(meta, dict) else ():
        if not name and isinstance(extra, dict):
            name = _string(extra.get("toolName"))
    return name or _string(update.get("kind")) or "other"


def _sort(update: dict[str, Any]) -> Kind:
    return "subagent" if _named(update).lower() in ("task", "agent") else "tool"


def _fields(update: dict[str, Any]) -> dict[str, str]:
    fields = argument_fields(update.get("rawInput"))
    places = update.get("locations")
    first = places[0] if isinstance(places, list) and places and isinstance(places[0], dict) else {}
    if "path" not in fields and _string(first.get("path")):
        fields["path"] = first["path"]
    return fields


def _given(update: dict[str, Any]) -> str:
    """The input; of an edit that tells none, what it changed."""
    raw = update.get("rawInput")
    if raw is None:
        content = update.get("content")
        diffs = [one for one in content if isinstance(one, dict) and one.get("type") == "diff"] \
            if isinstance(content, list) else []  # fmt: skip
        raw = diffs[0] if diffs else None
    return msgspec.json.encode(raw).decode() if raw is not None else ""


def _output(update: dict[str, Any]) -> str:
    text = text_of(update.get("content"))
    raw = update.get("rawOutput")
    return text or (raw if isinstance(raw, str) else text_of(raw))


def _failed(update: dict[str, Any]) -> bool:
    raw = update.get("rawOutput")
    code = next((raw[k] for k in ("exitCode", "exit_code", "exit") if k in raw), 0) \
        if isinstance(raw, dict) else 0  # fmt: skip
    return isinstance(code, int) and not isinstance(code, bool) and code != 0
