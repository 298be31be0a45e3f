"""How do V0 events (action and observation, linked by cause) become operations?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode.lenient import as_object, fit, microseconds
from tracelode.making import Maker, picodollars, put_count, put_input, usage_counts
from tracelode.model.operation import Operation, Status, operation_id
from tracelode.model.ports import About, Change, Item, Skip, Tick
from tracelode.signals.arguments import argument_fields, tool_kind
from tracelode.signals.human import human_kind
from tracelode.sources.openhands.places import NAME, ZONE, conversation_of

QUIET_ACTIONS = frozenset(("change_agent_state", "null", "system", "recall", "condensation_request", "start"))
"""Actions that are the harness's own steps."""
QUIET_OBSERVATIONS = frozenset(
    ("agent_state_changed", "null", "recall", "loop_detection", "download", "agent_condensation")
)
"""Observations that answer no tool."""
NAMES = {"run": "execute_bash", "run_ipython": "execute_ipython_cell", "call_tool_mcp": "mcp"}
"""Tool names of actions that come without one."""
QUARTER = 900_000_000
"""Zones lie on quarters of an hour; microseconds."""


class Event(msgspec.Struct):
    """An event."""

    id: int | None = None
    """Number in the conversation."""
    timestamp: str | None = None
    """ISO 8601, mostly without a zone."""
    source: str | None = None
    """user, agent or environment."""
    action: str | None = None
    """What is to be done."""
    observation: str | None = None
    """What came of it."""
    cause: int | None = None
    """Number of the action that an observation answers."""
    message: Any = None
    """Text for a person."""
    content: Any = None
    """Text of an observation."""
    args: dict[str, Any] | None = None
    """Of an action."""
    extras: dict[str, Any] | None = None
    """Of an observation."""
    tool_call_metadata: dict[str, Any] | None = None
    """Tool call and the API response it came in."""
    llm_metrics: dict[str, Any] | None = None
    """Sums up to this event."""


def read_events(values: list[Any], path: str, single: bool) -> Iterator[Item]:
    """Items of a list of events.

    Args:
        values: decoded events.
        path: the file as origins name it.
        single: the file holds this one event; others of the conversation lie beside it.
    """
    complaints: list[str] = []
    events: list[Event] = []
    for value in values:
        if isinstance(value, dict):
            events.append(fit(value, Event, complaints))
        else:
            complaints.append("record is not an object")
    for reason in complaints:
        yield Skip(1, reason)
    if not events:
        return
    key = conversation_of(path) if single else ""
    if not key:
        # no field names the conversation; its first event, to the microsecond, is its own
        first = next(value for value in values if isinstance(value, dict))
        key = operation_id(NAME, msgspec.json.encode(first, order="sorted").decode())
    yield About(key, key, _folder(events))
    # events in files of their own must agree on a zone, and most of them tell nothing of it
    offset = None if single else _offset(events)
    if offset is None and not single:
        yield Skip(1, ZONE)
    reader = _Reader(Maker(NAME, NAME, path, key), key, offset or 0)
    for event in events:
        yield from reader.event(event)


def _folder(events: list[Event]) -> str:
    for event in events:
        found = (event.extras or {}).get("metadata")
        if isinstance(found, dict) and isinstance(found.get("working_dir"), str):
            return str(found["working_dir"])
    return ""


def _response(event: Event) -> dict[str, Any]:
    found = (event.tool_call_metadata or {}).get("model_response")
    return found if isinstance(found, dict) else {}


def _offset(events: list[Event]) -> int | None:
    """What makes the events' times UTC: the first API response's own moment tells, None where none does."""
    for event in events:
        created, at = _response(event).get("created"), microseconds(event.timestamp, 0)
        if isinstance(created, int) and at is not None and 0 < created < 10**11 and event.action:
            return round((created * 1_000_000 - at) / QUARTER) * QUARTER
    return None if any(microseconds(e.timestamp, 0) != microseconds(e.timestamp) for e in events) else 0


class _Reader:
    """Reads events in order."""

    def __init__(self, maker: Maker, key: str, offset: int) -> None:
        self.maker = maker
        self.key = key
        self.offset = offset
        self.calls: dict[str, Operation] = {}
        self.open: dict[int, Operation] = {}
        self.sums: dict[str, float] = {}
        self.model = ""

    def event(self, event: Event) -> Iterator[Item]:
        at = microseconds(event.timestamp, self.offset)
        if at is None and event.timestamp:
            yield Skip(1, "timestamp is not a moment")
        if event.observation is not None:
            yield from self._observation(event, at)
        elif event.action is None:
            yield Skip(1, "event without an action or an observation")
        elif event.action == "condensation":
            fields = {"compaction": "auto"}
            native = self._native(event)
            yield self.maker.operation(native, "system", "note", "compaction", "ok", at, fields=fields)
        elif event.action == "message" and event.source == "user":
            yield from self._user(event, at)
        elif event.source == "agent" and event.action not in QUIET_ACTIONS:
            yield from self._agent(event, at)
        elif event.action == "change_agent_state" and self._stopped(event):
            fields = {"human": "interrupt"}
            native = self._native(event)
            note = self.maker.operation(
                native, "human", "note", "interrupt", "interrupted", at, fields=fields
            )
            yield note
            if at is not None:
                yield Tick(at, "human", note.id)
        elif at is not None:
            yield Tick(at, "other", None)

    def _native(self, event: Event) -> str | None:
        return f"{self.key}/{event.id}" if event.id is not None else None

    def _stopped(self, event: Event) -> bool:
        return event.source == "user" and (event.args or {}).get("agent_state") in ("stopped", "paused")

    def _user(self, event: Event, at: int | None) -> Iterator[Item]:
        text = _text((event.args or {}).get("content")) or _text(event.message)
        native = self._native(event)
        if text.strip() and human_kind(text) == "wrapper":
            operation = self.maker.operation(
                native, "system", "note", "harness message", "ok", at, arguments=text
            )
        else:
            fields = {"human": "prompt"}
            operation = self.maker.operation(
                native, "human", "prompt", "prompt", "ok", at, arguments=text, fields=fields
            )
        yield operation
        if at is not None:
            yield Tick(at, "human" if "human" in operation.fields else "other", operation.id)

    def _agent(self, event: Event, at: int | None) -> Iterator[Item]:
        response = _response(event)
        ident = response.get("id")
        known = self.calls.get(ident) if isinstance(ident, str) else None
        call = known
        if call is None:
            complaints: list[str] = []
            call = self._call(event, response, at, complaints)
            for reason in complaints:
                yield Skip(1, reason)
            yield call
            if isinstance(ident, str):
                self.calls[ident] = call
        if event.action == "message":
            if at is not None:
                yield Tick(at, "model", call.id)
            return
        tool = self._tool(event, call, at)
        yield tool
        if event.id is not None:
            self.open[event.id] = tool
        if at is not None:
            # later actions of one response wait for the earlier ones, not for the model
            yield Tick(at, "model" if known is None else "other", call.id, opens=(tool.id,))

    def _call(
        self, event: Event, response: dict[str, Any], at: int | None, complaints: list[str]
    ) -> Operation:
        fields: dict[str, str] = {}
        measures = usage_counts(response.get("usage"), complaints)
        before = dict(self.sums)
        told = self._since(event, before, complaints)
        if not any(name.startswith("tokens.") for name in measures):
            measures = {**told, **measures}
        if "cost.reported" in told:
            measures["cost.reported"] = told["cost.reported"]
        if not any(name.startswith("tokens.") for name in measures):
            fields["usage_quality"] = "lower_bound"
        model = response.get("model")
        # messages without a tool come without their response; one agent asks one model
        self.model = model if isinstance(model, str) and model else self.model
        if self.model:
            fields["model"] = self.model
        ident = response.get("id")
        args = event.args or {}
        text = _text(args.get("content")) if event.action == "message" else _text(args.get("thought"))
        return self.maker.operation(
            f"{self.key}/{ident}" if isinstance(ident, str) else f"{self.key}/{event.id}/call",
            "agent",
            "model",
            fields.get("model", "unknown model"),
            "ok",
            at,
            fields=fields,
            measures={**measures, "calls": 1},
            output=text,
        )

    def _since(self, event: Event, before: dict[str, float], complaints: list[str]) -> dict[str, int]:
        """What the running sums grew by since the event before: the usage of this call."""
        metrics = event.llm_metrics or {}
        usage = metrics.get("accumulated_token_usage")
        usage = usage if isinstance(usage, dict) else {}
        sums: dict[str, float] = {}
        sums |= {k: v for k, v in usage.items() if isinstance(v, int) and not isinstance(v, bool)}
        cost = metrics.get("accumulated_cost")
        if isinstance(cost, int | float) and not isinstance(cost, bool):
            sums["cost"] = cost
        if not sums:
            return {}
        self.sums = dict(sums)
        if any(value < before.get(name, 0) for name, value in sums.items()):
            before = {}  # counted anew, by another agent
        grown = {name: value - before.get(name, 0) for name, value in sums.items()}
        found: dict[str, int] = {}
        money = picodollars(round(grown.pop("cost"), 12)) if "cost" in grown else None
        if money is not None:
            found["cost.reported"] = money
        if usage:
            whole, read = int(grown.get("prompt_tokens", 0)), int(grown.get("cache_read_tokens", 0))
            put_input(found, whole, read, int(grown.get("cache_write_tokens", 0)), complaints)
            put_count(found, "tokens.output", int(grown.get("completion_tokens", 0)), complaints)
        return found

    def _tool(self, event: Event, call: Operation, at: int | None) -> Operation:
        metadata = event.tool_call_metadata or {}
        name = metadata.get("function_name")
        if not isinstance(name, str) or not name:
            name = NAMES.get(event.action or "", event.action or "unknown tool")
        given = _written(event)
        if given is None:
            given = {k: v for k, v in (event.args or {}).items() if k not in ("thought", "hidden") and v}
        ended = at if event.action in ("finish", "think") else None
        return self.maker.tool(
            f"{self.key}/{event.id}" if event.id is not None else None,
            name,
            call,
            "ok" if ended is not None else "unknown",
            at,
            kind="subagent" if event.action == "delegate" else tool_kind(name),
            ended=ended,
            fields=argument_fields(given),
            arguments=msgspec.json.encode(given).decode(),
        )

    def _observation(self, event: Event, at: int | None) -> Iterator[Item]:
        tool = self.open.pop(event.cause, None) if event.cause is not None else None
        if tool is None:
            if event.observation not in QUIET_OBSERVATIONS and event.cause is not None:
                tool = self._elsewhere(event)
            if tool is None:
                if at is not None:
                    yield Tick(at, "other", None)
                return
            yield tool
        text = _text(event.content) or _text(event.message)
        status = _status(event)
        human = {"human": "denial"} if status == "denied" else {"duration_quality": "upper_bound"}
        yield Change(id=tool.id, status=status, ended=at, output=text, fields=human)
        if at is not None:
            yield Tick(at, "human" if status == "denied" else "tool", tool.id, closes=(tool.id,))

    def _elsewhere(self, event: Event) -> Operation:
        """The call that an observation answers, where it lies in another file."""
        name = (event.tool_call_metadata or {}).get("function_name")
        if not isinstance(name, str) or not name:
            name = NAMES.get(event.observation or "", event.observation or "unknown tool")
        native = f"{self.key}/{event.cause}"
        return self.maker.tool(native, name, None, "unknown", None, kind=tool_kind(name))


def _written(event: Event) -> dict[str, Any] | None:
    """A tool's input as the model wrote it, None where the event does not hold it."""
    ident = (event.tool_call_metadata or {}).get("tool_call_id")
    choices = _response(event).get("choices")
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and call.get("id") == ident and isinstance(call.get("function"), dict):
                return as_object(call["function"].get("arguments")) or None
    return None


def _status(event: Event) -> Status:
    """How a tool ended, as its observation tells it."""
    if event.observation == "user_rejected":
        return "denied"
    if event.observation == "error":
        return "error"
    extras = event.extras or {}
    metadata = extras.get("metadata")
    for place in (extras, metadata if isinstance(metadata, dict) else {}):
        code = place.get("exit_code")
        if isinstance(code, int) and not isinstance(code, bool):
            # -1: the command runs on
            return "running" if code == -1 else "nonzero" if code else "ok"
    if extras.get("error") is True:
        return "error"
    if event.observation == "mcp" and '"isError": true' in _text(event.content)[-2_000:]:
        return "error"
    return "ok"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
