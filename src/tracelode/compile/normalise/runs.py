"""How does a recorded session become a run? Its tool calls whole, what was said, and what they cost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from tracelode.compile.normalise.failing import classed, failure
from tracelode.compile.normalise.values import LARGEST, arguments, parse
from tracelode.model.measure import TOKEN_KINDS, split_evenly
from tracelode.model.operation import Operation
from tracelode.model.run import Call, Role, Run, ToolSpec, Turn
from tracelode.model.session import Session
from tracelode.redact.fast import redact_text
from tracelode.signals.effects import effect
from tracelode.signals.lexicon import load
from tracelode.signals.shell import reading
from tracelode.signals.tools import is_shell

Texts: TypeAlias = Mapping[str, tuple[str, str]]
"""Operation id to its whole arguments and its whole output."""
Cleaner: TypeAlias = Callable[[str], str]
"""Text to text without secrets."""
Content: TypeAlias = Callable[[str], Texts]
"""Session key to the texts of its operations; a session whose source is gone has none."""

SHARED = (*TOKEN_KINDS, "tokens.unpriced", "cost", "cost.fees", "cost.reported", "calls", "time.model")
"""What a model call costs and its tool calls share, in equal parts that sum."""
_CALLS = frozenset({"tool", "subagent", "gui"})
_FAILED = {"denied": "denied", "interrupted": "interrupted"}
_CUT = re.compile(r"\n…\[\d{1,12} characters\]…|…\Z")
_FILE_TOOLS = frozenset({"explore", "edit", "create", "search"})


class Counts(msgspec.Struct):
    """What was read, and what could not be."""

    sessions: int = 0
    """Sessions read."""
    effects: int = 0
    """Sessions that hold effects only: their records are told with the calls that caused them."""
    empty: int = 0
    """Sessions without a tool call."""
    gone: int = 0
    """Calls whose whole texts are no longer there: their values are unknown."""
    large: int = 0
    """Calls whose output is larger than what is looked into."""
    calls: int = 0
    """Calls of the runs."""


def runs(
    sessions: Iterable[Session],
    operations: Callable[[str], Sequence[Operation]],
    content: Content,
    specs: Sequence[ToolSpec] = (),
    counts: Counts | None = None,
    cleaner: Cleaner = redact_text,
) -> list[Run]:
    """Sessions as runs.

    Args:
        sessions: in any order; those of logs below the tool calls belong to them.
        operations: session key to its operations in order.
        content: the port of whole texts.
        specs: what tools say of themselves, where a source or a file tells it.
        counts: receives what was read.
        cleaner: takes secrets out of a text; str where all texts come out of a store, which holds none.

    Returns:
        Runs with one tool call or more, by key.

    Source:
        compiler rules, S0.
    """
    counts = Counts() if counts is None else counts
    given = sorted(sessions, key=lambda s: s.key)
    below: dict[str, set[str]] = {}
    for session in given:
        if session.role == "effects":
            counts.effects += 1
            for call, changed in touched(operations(session.key)).items():
                below.setdefault(call, set()).update(changed)
    found = []
    for session in given:
        if session.role != "effects":
            counts.sessions += 1
            own, texts = operations(session.key), content(session.key)
            run = run_of(session, own, texts, specs, below, cleaner)
            called = {call.operation for call in run.calls}
            counts.gone += sum(not _whole(o, texts).whole for o in own if o.id in called)
            counts.large += sum(len(texts[o.id][1]) > LARGEST for o in own if o.id in called & texts.keys())
            counts.calls += len(run.calls)
            counts.empty += not run.calls
            if run.calls:
                found.append(run)
    return found


def run_of(
    session: Session,
    operations: Sequence[Operation],
    texts: Texts,
    specs: Sequence[ToolSpec] = (),
    below: Mapping[str, Iterable[str]] | None = None,
    cleaner: Cleaner = redact_text,
) -> Run:
    """One session as a run.

    Args:
        session: which.
        operations: its n operations in order, inherited ones included: they are what the agent had seen.
        texts: whole texts by operation id.
        specs: what tools say of themselves.
        below: operation id of a call to what records of another session show that it changed.
        cleaner: takes secrets out of a text.

    Returns:
        Its calls, without plan tools (an agent's notes to itself) and what was rewound. Measures of each call
        hold its share of the model call that asked for it; they sum exactly. Secrets are replaced.
    """
    kept = [o for o in operations if "rolled_back" not in o.fields]
    costs = _costs(kept)
    changed = {key: set(value) for key, value in (below or {}).items()}
    for ident, seen in touched(kept).items():
        changed.setdefault(ident, set()).update(seen)
    calls: list[Call] = []
    turns: list[Turn] = []
    groups: dict[str, int] = {}
    effects: dict[int, tuple[str, ...]] = {}
    decisions: dict[int, str] = {}
    for operation in kept:
        if operation.kind in _CALLS and operation.actor == "agent":
            call = _call(operation, len(calls), _whole(operation, texts, cleaner), groups)
            if not operation.inherited:
                call = msgspec.structs.replace(call, measures=costs.get(operation.id, {}))
            calls.append(call)
            written = changed.get(operation.id, set()) | _path_effect(operation, call)
            if written:
                effects[call.index] = tuple(sorted(written))
            if said := _said(operation):
                decisions[call.index] = said
        elif (role := _role(operation)) is not None:
            whole = _whole(operation, texts, cleaner)
            text = whole.output if role == "assistant" else whole.arguments
            if text.strip():
                turns.append(Turn(role, text, len(calls)))
    named = {call.name for call in calls} | {f"mcp__{c.server}__{c.name}" for c in calls if c.server}
    return Run(
        key=session.key,
        calls=tuple(calls),
        turns=tuple(turns),
        task=session.task,
        outcome=session.outcome,
        tools=tuple(spec for spec in specs if spec.name in named),
        effects=effects,
        decisions=decisions,
    )


def _said(operation: Operation) -> str:
    """What a person said to a call, "" where none was asked: what a rule refuses, no person did."""
    if operation.status == "denied" and operation.fields.get("human") == "denial":
        return "refused"
    return "allowed" if operation.fields.get("acp.permission", "").startswith("allow") else ""


def names(tool: str) -> tuple[str, str]:
    """The server and the tool that a tool's name names.

    Args:
        tool: name as the source has it.

    Returns:
        (server, tool); the server is "" where the name has none.

    Example:
        >>> names("mcp__files__read_page"), names("Read")
        (('files', 'read_page'), ('', 'Read'))
    """
    if tool.startswith("mcp__"):
        server, _, name = tool[5:].partition("__")
        if server and name:
            return server, name
    return "", tool


def touched(operations: Iterable[Operation]) -> dict[str, set[str]]:
    """What records below the tool calls show that calls changed.

    Args:
        operations: processes, files and hosts that an import joined to calls, and others.

    Returns:
        Operation id of a call to resources: file:PATH for what was written, renamed or deleted, host:NAME
        for what was reached.
    """
    given = list(operations)
    processes = {o.id: o.parent for o in given if o.kind == "process"}
    found: dict[str, set[str]] = {}
    for operation in given:
        if operation.kind == "file" and operation.fields.get("touch") in ("write", "rename", "delete"):
            resource = f"file:{operation.fields.get('path', '')}"
        elif operation.kind == "network" and operation.fields.get("domain"):
            resource = f"host:{operation.fields['domain']}"
        else:
            continue
        call, seen = operation.fields.get("cause") or operation.parent, set()
        while call in processes and call not in seen:
            seen.add(call)
            call = processes[call]
        if call:
            found.setdefault(call, set()).add(resource)
    return found


def _role(operation: Operation) -> Role | None:
    if operation.kind == "prompt":
        return "user"
    if operation.kind == "model":
        return "assistant"
    return "system" if operation.kind == "note" and operation.name == "system prompt" else None


class _Texts(NamedTuple):
    arguments: str
    output: str
    whole: bool


def _whole(operation: Operation, texts: Texts, cleaner: Cleaner = str) -> _Texts:
    known = texts.get(operation.id)
    if known is not None:
        return _Texts(cleaner(known[0]), cleaner(known[1]), True)
    cut = bool(_CUT.search(operation.arguments) or _CUT.search(operation.output))
    return _Texts(cleaner(operation.arguments), cleaner(operation.output), not cut)


def _call(operation: Operation, index: int, texts: _Texts, groups: dict[str, int]) -> Call:
    full = operation.fields.get("tool") or operation.name
    server, name = names(full)
    given, told, whole = texts
    verb = operation.fields.get("verb", "")
    prints = is_shell(full) or (verb in _FILE_TOOLS and "path" in operation.fields)
    output = parse(told, loose=not prints) if whole and told else None
    if output is None and told == "" and "bytes.output" in operation.measures:
        output = ""
    asked = operation.fields.get("call")
    return Call(
        index=index,
        name=name,
        server=server,
        arguments=arguments(given) if whole else {},
        output=output,
        missing=not whole or (not told and _unanswered(operation)),
        error=_error(operation, told, output, prints),
        group=groups.setdefault(asked, len(groups)) if asked else -1,
        started=operation.started,
        ended=operation.ended,
        operation=operation.id,
        origin=operation.origin,
    )


def _unanswered(operation: Operation) -> bool:
    return operation.status in ("running", "unknown") and "bytes.output" not in operation.measures


def _error(operation: Operation, told: str, output: Any, prints: bool) -> str:
    if operation.status in _FAILED:
        return _FAILED[operation.status]
    if operation.status in ("error", "nonzero"):
        return operation.fields.get("error") or classed(told)
    if "error" in operation.fields:
        return operation.fields["error"]
    return "" if prints else failure(output)


def _costs(operations: Sequence[Operation]) -> dict[str, dict[str, int]]:
    """Own measures of each call, with its part of what its model call still holds."""
    own = [o for o in operations if not o.inherited]
    costs = {o.id: dict(o.measures) for o in own if o.kind in _CALLS}
    asked: dict[str, list[str]] = {}
    for operation in own:
        if operation.id in costs and "call" in operation.fields:
            asked.setdefault(operation.fields["call"], []).append(operation.id)
    for operation in own:
        calls = asked.get(operation.id, []) if operation.kind == "model" else []
        for name in SHARED if calls else ():
            total = operation.measures.get(name)
            if total is not None:
                for call, part in zip(calls, split_evenly(total, len(calls)), strict=True):
                    costs[call][name] = costs[call].get(name, 0) + part
    return costs


def _path_effect(operation: Operation, call: Call) -> set[str]:
    """The file that a file tool, or a shell command that writes one, names itself."""
    if call.error or call.server:
        return set()
    lexicon = load()
    command = operation.fields.get("command", "")
    path = operation.fields.get("path", "")
    if command and is_shell(call.name, lexicon):
        told = reading(command, lexicon)
        writes = lexicon.verbs[told.verb].effect == "write"
        path = told.path
    else:
        writes = bool(path) and effect(call.name, command, lexicon) == "write"
    return {f"file:{path}"} if writes and path else set()
