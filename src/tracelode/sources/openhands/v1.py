"""How do V1 events (one file each) and the state beside them become operations?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode.lenient import block_text, fit, microseconds, moment
from tracelode.making import Maker, picodollars, put_count, put_input
from tracelode.model.operation import Status
from tracelode.model.ports import About, Change, Item, Skip, Tick
from tracelode.signals.arguments import argument_fields, tool_kind
from tracelode.signals.human import human_kind
from tracelode.sources.openhands.places import NAME, ZONE, conversation_of, plain

CALL = "model call"
"""Name of a call: events do not tell the model, the state does."""
QUIET = frozenset(
    ("SystemPromptEvent", "CondensationRequest", "CondensationSummaryEvent", "ConversationStateUpdateEvent",
     "TokenEvent", "LLMCompletionLogEvent", "HookExecutionEvent", "StreamingDeltaEvent", "SkillLoadEvent")
)  # fmt: skip
"""Known kinds of events without an operation of their own."""
INSTANT = frozenset(("finish", "think"))
"""Tools that are over when they are called."""


class Event(msgspec.Struct):
    """An event."""

    id: str | None = None
    """Own id."""
    kind: str | None = None
    """Class of the event."""
    timestamp: str | None = None
    """ISO 8601, without a zone: UTC is assumed."""
    source: str | None = None
    """user, agent, environment."""
    llm_message: dict[str, Any] | None = None
    """Of messages."""
    llm_response_id: str | None = None
    """API response that an event came in."""
    thought: Any = None
    """Text beside an action."""
    action: dict[str, Any] | None = None
    """Input of a tool, typed."""
    tool_name: str | None = None
    """Tool."""
    tool_call_id: str | None = None
    """Id of the call, as the provider gave it."""
    tool_call: dict[str, Any] | None = None
    """Call as the model wrote it."""
    action_id: str | None = None
    """Event of the action that an observation answers."""
    observation: dict[str, Any] | None = None
    """Result of a tool."""
    error: Any = None
    """Of AgentErrorEvent."""
    rejection_reason: str | None = None
    """Of UserRejectObservation."""
    rejection_source: str | None = None
    """user or hook."""
    detail: Any = None
    """Of ConversationErrorEvent."""
    summary: Any = None
    """Of Condensation."""


class Usage(msgspec.Struct):
    """Tokens of one API response."""

    model: str | None = None
    """Model id."""
    prompt_tokens: int | None = None
    """Input, cached tokens included."""
    completion_tokens: int | None = None
    """Output, reasoning included."""
    cache_read_tokens: int | None = None
    """Cache reads."""
    cache_write_tokens: int | None = None
    """Cache writes."""
    reasoning_tokens: int | None = None
    """Reasoning, part of output."""
    response_id: str | None = None
    """API response."""


class Cost(msgspec.Struct):
    """Money of one API response."""

    cost: float | None = None
    """Dollars."""
    timestamp: float | None = None
    """When it was counted."""


class Metrics(msgspec.Struct):
    """What one use of a model took."""

    model_name: str | None = None
    """Model id."""
    token_usages: list[Usage] | None = None
    """One an API response."""
    costs: list[Cost] | None = None
    """One an API response."""


def _about(path: str, own: str, project: str = "") -> tuple[Maker, About]:
    key = conversation_of(path) or plain(own) or "unknown"
    return Maker(NAME, NAME, path, key), About(key, key, project)


def read_event(value: dict[str, Any], path: str) -> Iterator[Item]:
    """Items of one event.

    Args:
        value: the decoded event.
        path: the file as origins name it.
    """
    complaints: list[str] = []
    event = fit(value, Event, complaints)
    for reason in complaints:
        yield Skip(1, reason)
    maker, about = _about(path, "")
    yield about
    at = microseconds(event.timestamp, 0)
    if at is None and event.timestamp:
        yield Skip(1, "timestamp is not a moment")
    if event.kind == "MessageEvent":
        yield from _message(event, maker, at)
    elif event.kind == "ActionEvent":
        yield from _action(event, maker, at)
    elif event.kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
        yield from _result(event, maker, at)
    elif event.kind in ("Condensation", "PauseEvent", "InterruptEvent", "ConversationErrorEvent"):
        yield from _note(event, maker, at)
    elif event.kind in QUIET:
        if at is not None:
            yield Tick(at, "other", None)
    else:
        yield Skip(1, "unknown kind of event")


def _native(event: Event, maker: Maker) -> str | None:
    return f"{maker.session}/{event.id}" if event.id else None


def _message(event: Event, maker: Maker, at: int | None) -> Iterator[Item]:
    text = block_text((event.llm_message or {}).get("content"))
    if event.source == "agent":
        yield from _call(event, maker, at, text)
        return
    native = _native(event, maker)
    if event.source != "user" or human_kind(text) == "wrapper":
        operation = maker.operation(native, "system", "note", "harness message", "ok", at, arguments=text)
    else:
        fields = {"human": "prompt"}
        operation = maker.operation(
            native, "human", "prompt", "prompt", "ok", at, arguments=text, fields=fields
        )
    yield operation
    if at is not None:
        yield Tick(at, "human" if "human" in operation.fields else "other", operation.id)


def _call(event: Event, maker: Maker, at: int | None, text: str) -> Iterator[Item]:
    call = maker.operation(
        _response(maker, event.llm_response_id) or f"{maker.session}/{event.id}/call",
        "agent", "model", CALL, "ok", at,
        fields={"usage_quality": "lower_bound"}, measures={"calls": 1}, output=text,
    )  # fmt: skip
    yield call
    tools: tuple[str, ...] = ()
    if event.kind == "ActionEvent":
        name = event.tool_name or "unknown tool"
        given = _arguments(event)
        instant = name in INSTANT
        tool = maker.tool(
            _tool_native(event, maker, event.id),
            name,
            call,
            "ok" if instant else "unknown",
            at,
            kind=tool_kind(name),
            ended=at if instant else None,
            fields=argument_fields(given),
            arguments=msgspec.json.encode(given).decode() if given else "",
        )
        yield tool
        tools = (tool.id,)
    if at is not None:
        yield Tick(at, "model", call.id, opens=tools)


def _action(event: Event, maker: Maker, at: int | None) -> Iterator[Item]:
    yield from _call(event, maker, at, block_text(event.thought))


def _response(maker: Maker, ident: str | None) -> str | None:
    return f"{maker.session}/response/{ident}" if ident else None


def _tool_native(event: Event, maker: Maker, action: str | None) -> str:
    """A call's id: as an error tells it, which knows no action."""
    return f"{maker.session}/{event.tool_call_id or action}"


def _arguments(event: Event) -> dict[str, Any]:
    written = (event.tool_call or {}).get("arguments")
    if isinstance(written, str):
        try:
            found = msgspec.json.decode(written)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            found = None
        if isinstance(found, dict):
            return {k: v for k, v in found.items() if k not in ("security_risk", "summary")}
    return {k: v for k, v in (event.action or {}).items() if k != "kind"}


def _result(event: Event, maker: Maker, at: int | None) -> Iterator[Item]:
    name = event.tool_name or "unknown tool"
    status, text = _ending(event)
    # the call lies in another file, perhaps one of an earlier import: it is named again with its result
    call = maker.tool(
        _tool_native(event, maker, event.action_id), name, None, status, None,
        kind=tool_kind(name), ended=at, output=text,
    )  # fmt: skip
    yield call
    fields = {"duration_quality": "upper_bound"}
    if status == "denied":
        fields = {"human": "denial"} if event.rejection_source != "hook" else {}
    yield Change(id=call.id, status=status, ended=at, output=text, fields=fields)
    if at is not None:
        yield Tick(at, "human" if "human" in fields else "tool", call.id, closes=(call.id,))


def _ending(event: Event) -> tuple[Status, str]:
    if event.kind == "UserRejectObservation":
        return "denied", event.rejection_reason or ""
    if event.kind == "AgentErrorEvent":
        return "error", event.error if isinstance(event.error, str) else ""
    found = event.observation or {}
    text = block_text(found.get("content")) or block_text(found.get("output"))
    metadata = found.get("metadata")
    for place in (found, metadata if isinstance(metadata, dict) else {}):
        code = place.get("exit_code")
        if isinstance(code, int) and not isinstance(code, bool):
            return ("running" if code == -1 else "nonzero" if code else "ok"), text
    return ("error" if found.get("is_error") is True else "ok"), text


def _note(event: Event, maker: Maker, at: int | None) -> Iterator[Item]:
    native = _native(event, maker)
    if event.kind == "Condensation":
        if event.summary and event.llm_response_id:
            yield from _call(event, maker, at, "")
            at = None
        note = maker.operation(
            native, "system", "note", "compaction", "ok", at,
            fields={"compaction": "auto"}, output=event.summary if isinstance(event.summary, str) else "",
        )  # fmt: skip
    elif event.kind == "ConversationErrorEvent":
        text = event.detail if isinstance(event.detail, str) else ""
        note = maker.operation(native, "system", "note", "error", "error", at, output=text)
    else:
        fields = {"human": "interrupt"}
        note = maker.operation(native, "human", "note", "interrupt", "interrupted", at, fields=fields)
    yield note
    if at is not None:
        yield Tick(at, "human" if "human" in note.fields else "other", note.id)


def read_state(value: dict[str, Any], path: str) -> Iterator[Item]:
    """Items of a conversation's state: the tokens of its calls.

    Args:
        value: the decoded base_state.json.
        path: the file as origins name it.
    """
    own = value.get("id")
    workspace = value.get("workspace")
    project = workspace.get("working_dir") if isinstance(workspace, dict) else None
    maker, about = _about(
        path, own if isinstance(own, str) else "", project if isinstance(project, str) else ""
    )
    yield about
    stats = value.get("stats")
    uses = stats.get("usage_to_metrics") if isinstance(stats, dict) else None
    if uses:
        # said once a conversation, not once an event
        yield Skip(1, ZONE)
    for found in uses.values() if isinstance(uses, dict) else ():
        complaints: list[str] = []
        metrics = fit(found, Metrics, complaints) if isinstance(found, dict) else Metrics()
        for reason in complaints:
            yield Skip(1, reason)
        yield from _calls(metrics, maker)


def _calls(metrics: Metrics, maker: Maker) -> Iterator[Item]:
    usages, costs = metrics.token_usages or [], metrics.costs or []
    if costs and len(costs) != len(usages):
        yield Skip(1, "costs that cannot be told to calls")
        costs = []
    for place, usage in enumerate(usages):
        complaints: list[str] = []
        measures = _measures(usage, complaints)
        for reason in complaints:
            yield Skip(1, reason)
        cost = costs[place] if costs else Cost()
        money = picodollars(cost.cost)
        if money is not None:
            measures["cost.reported"] = money
        model = usage.model or metrics.model_name
        fields = {"usage_quality": "final"} | ({"model": model} if model else {})
        yield maker.operation(
            _response(maker, usage.response_id), "agent", "model", CALL, "ok", moment(cost.timestamp),
            fields=fields, measures={**measures, "calls": 1},
        )  # fmt: skip


def _measures(usage: Usage, complaints: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    put_input(found, usage.prompt_tokens, usage.cache_read_tokens, usage.cache_write_tokens, complaints)
    output, reasoning = usage.completion_tokens, usage.reasoning_tokens
    # 0 is the default of the record, and stands for models that tell nothing as well
    put_count(found, "tokens.reasoning", reasoning or None, complaints)
    inside = found.get("tokens.reasoning", 0)
    if output is not None and inside > output:
        complaints.append("reasoning exceeds the output it should be part of, left out")
        found.pop("tokens.reasoning")
        inside = 0
    put_count(found, "tokens.output", None if output is None else output - inside, complaints)
    return found
