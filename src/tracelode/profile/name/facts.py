"""What did one call do, as far as names care? Its act, the role of its path, how it failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tracelode.model.operation import Operation
from tracelode.signals.command import Call
from tracelode.signals.enrich import enrich
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.shell import reading
from tracelode.signals.text import text_verb
from tracelode.signals.tools import is_shell

_FAILED = frozenset({"error", "nonzero"})
_WIDE = frozenset({"check", "manage", "request", "load", "search", "sync"})
"""Verbs of which a command or a tool tells a narrower act."""
_TOLD = 400
"""Characters of an answer that tell whether a file was there before."""


class Fact(NamedTuple):
    """One tool call."""

    verb: str
    """Closed verb."""
    act: str
    """What it does: its verb, or a narrower act where the verb is a wide word."""
    role: str
    """Role of its path, "" for none."""
    failed: bool
    """True where it failed or its output tells of a failure."""
    error: str
    """Class of the failure, "" for none."""
    path: str
    """File it is about, "" if none is in sight."""
    text: str
    """Command and output of a call that failed, which may name a file; "" of others."""


def operation_facts(operation: Operation) -> tuple[str, str, bool, str]:
    """What cutting needs to know of one tool call.

    Args:
        operation: a tool call; its verb, path_role and error are worked out if they are not set.

    Returns:
        (verb, role or "", failed, error class or "").
    """
    fields = operation.fields
    if "verb" not in fields:
        fields = dict(fields)
        enrich(
            fields, kind=operation.kind, status=operation.status, name=operation.name, output=operation.output
        )
    error = fields.get("error", "")
    return (
        fields.get("verb", "use"),
        fields.get("path_role", ""),
        bool(error) or operation.status in _FAILED,
        error,
    )


def facts(operations: Sequence[Operation], ahead: Sequence[Operation] = ()) -> tuple[list[Fact], list[Fact]]:
    """What naming needs to know of some tool calls.

    Args:
        operations: n tool calls, in order.
        ahead: the tool calls before them.

    Returns:
        n facts, and those of the calls ahead. Writing a file that one of these calls read, changed or wrote
        before, or that was there by the answer of the tool, is an edit; changes of a file that one of the n
        calls made go on making it.

    Source:
        decision 0024.
    """
    lexicon = load()
    known: set[str] = set()
    made: set[str] = set()
    found = []
    for place, operation in enumerate((*ahead, *operations)):
        fact = _fact(operation, lexicon)
        if fact.path and fact.act in ("explore", "edit", "create"):
            if fact.act == "create" and fact.path in known and fact.path not in made:
                fact = fact._replace(act="edit")
            elif fact.act == "edit" and fact.path in made:
                fact = fact._replace(act="create")
            if not fact.failed:
                known.add(fact.path)
                if fact.act == "create" and place >= len(ahead):
                    made.add(fact.path)
        found.append(fact)
    return found[len(ahead) :], found[: len(ahead)]


def _fact(operation: Operation, lexicon: Lexicon) -> Fact:
    verb, role, failed, error = operation_facts(operation)
    fields = operation.fields
    tool, command = fields.get("tool") or operation.name, fields.get("command", "")
    call = reading(command, lexicon) if command and is_shell(tool, lexicon) else None
    act = verb
    if verb == "create" and call is None:
        told = operation.output[:_TOLD]
        act = "edit" if any(word in told for word in lexicon.sentences["rewritten"]) else verb
    elif call is not None and call.verb in ("run", "note") and verb != "note":
        act = _run(verb, call, fields.get("description", ""), lexicon)
    elif verb in _WIDE:
        act = _narrow(verb, tool.lower(), call, command, lexicon)
    path = fields.get("path") or (call.path if call is not None else "")
    text = f"{command}\n{operation.output}" if failed else ""
    return Fact(verb, act, role, failed, error, path, text)


def _run(verb: str, call: Call, description: str, lexicon: Lexicon) -> str:
    """What the run of a program does: words tell it only where they can be believed."""
    inline = call.script and not call.path
    if verb == "verify" and text_verb(description, lexicon) in (None, "test"):
        return "try"
    if verb in lexicon.words["told_inline" if inline else "told"]:
        return verb
    if call.script:
        return "snippet" if inline else "script"
    return "program"


def _narrow(verb: str, tool: str, call: Call | None, command: str, lexicon: Lexicon) -> str:
    words = lexicon.words
    if verb == "load":
        return "tooling" if tool in words["finds_tools"] else verb
    if verb == "search":
        return "find" if (call.word in words["finders"] if call else tool in words["finds_files"]) else verb
    if call is None:
        return "agent" if verb == "manage" else verb
    if verb == "sync":  # a checkout right after a clone belongs to it
        return "clone" if "git clone " in command else verb
    word = call.word or ""
    if verb == "manage":
        return "arrange" if word in words["moves_files"] else verb
    if verb == "request":
        return "connect" if word in words["to_hosts"] else verb
    # a check by a word of another verb asks for a version or a help text
    return "usage" if word in words["asks_tools"] or lexicon.commands.get(word) != "check" else verb
