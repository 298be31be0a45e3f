"""What of a turn can tell whether new work begins with it? Closed facts and words, read once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tracelode.model.operation import Operation
from tracelode.profile.name.stage import operation_facts
from tracelode.profile.turns import Turn
from tracelode.signals.tools import tool_frame

CLASSES: dict[str, str] = {
    "explore": "look", "review": "look", "inspect": "look", "compare": "look", "view": "look",
    "navigate": "look", "click": "look", "type": "look", "scroll": "look", "inspectpr": "look",
    "search": "search", "research": "search", "request": "search", "query": "search",
    "edit": "edit", "fix": "edit", "create": "create", "convert": "create", "extract": "create",
    "test": "test", "verify": "test", "lint": "test", "check": "test",
    "analyze": "run", "run": "run", "profile": "run", "train": "run", "serve": "run", "crack": "run",
    "diagnose": "run", "build": "build", "install": "install", "download": "install", "clone": "install",
    "deploy": "manage", "manage": "manage", "clean": "manage", "stop": "manage", "wait": "wait",
    "commit": "commit", "push": "commit", "pull": "commit", "sync": "commit",
    "note": "think", "plan": "think", "ask": "think", "load": "think", "reason": "think",
    "delegate": "think", "report": "finish",
}  # fmt: skip
"""Class of a verb; any other verb is of the class use."""
CLASS_NAMES: tuple[str, ...] = (*dict.fromkeys(CLASSES.values()), "use")
"""Classes in the order of their numbers."""
_NUMBERS = {name: number for number, name in enumerate(CLASS_NAMES)}
CUES: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "praise": "great perfect excellent good wonderful fantastic",
        "works": "works working worked passed pass successful successfully success correctly",
        "now": "now",
        "next": "next then finally lastly after",
        "first": "first start begin initially",
        "make": "create write implement build generate add set",
        "test": "test tests verify validate confirm",
        "run": "run execute try running",
        "idea": "solution approach strategy implementation script",
        "look": "look see check examine read view inspect",
        "again": "again still already keep continue wait",
        "other": "different alternative instead another simpler better",
        "trouble": "issue problem error fail failed fails failing wrong missing bug",
        "repair": "fix update modify change correct adjust",
        "know": "understand explore analyze structure find search",
        "install": "install installed download dependencies package packages",
        "done": "complete completed done finish finished summary submit final ready",
        "doubt": "seems looks appears might maybe hmm however but",
        "reason": "because since so therefore",
        "task": "task need requirements required requirement",
    }.items()
}
"""Closed words of what an agent says; a cue is there where one of its words is."""
_TERM = re.compile(r"[a-z0-9_]{2,}")
_PATH = re.compile(r"[\w.~-]*/[\w./-]+|\w[\w-]*\.[a-z]\w{0,4}\b")
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]?")
_PLANS = ("todo", "to-do")
_SEEN = 600
"""Characters of a command in which paths are looked for."""


def _tells(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in _PLANS)


def _frame(operation: Operation) -> str:
    fields = operation.fields
    return fields.get("frame") or tool_frame(fields.get("tool") or operation.name, fields.get("command", ""))


class Reading(NamedTuple):
    """What is known of one turn."""

    start: int
    """Place of its first operation."""
    kind: int
    """Number of its class in CLASS_NAMES."""
    frame: str
    """Tool frame of its first call."""
    said: list[str]
    """Terms of what the agent said, in order."""
    asked: list[str]
    """Terms of what it asked of tools, in order."""
    got: frozenset[str]
    """Terms of what the tools gave back."""
    paths: frozenset[str]
    """Parts of the paths it touches."""
    file: str
    """The first of those paths, "" for none."""
    failed: bool
    """Did a call fail?"""
    length: int
    """Characters of what it asked of tools."""
    spoken: int
    """Characters of what the agent said."""
    opens: bool
    """Does what was said end with a colon?"""


def read(operations: Sequence[Operation], turn: Turn, stop: int) -> Reading:
    """Read one turn.

    Args:
        operations: the operations of a session.
        turn: the turn.
        stop: place after its last operation.

    Returns:
        The reading. Sentences that speak of a to-do list are left out: where a plan is kept, it is the
        plan that cuts, and in the labelled runs such a sentence tells the label.
    """
    said = " ".join(op.output for op in operations[turn.start : stop] if op.kind == "model" and op.output)
    if _tells(said):
        said = "".join(part for part in _SENTENCE.findall(said) if not _tells(part))
    said = said.strip()
    failed, asked, touched = False, [], []
    for op in turn.tools:
        fields = op.fields
        failed = failed or bool(fields.get("error")) or op.status in ("error", "nonzero")
        path, command = fields.get("path", ""), fields.get("command", "")
        if path:
            touched.append(path)
        if command:
            touched += _PATH.findall(command[:_SEEN])
        asked.append(op.arguments or f"{path} {command}")
    text = " ".join(asked).lower()
    first = turn.tools[0] if turn.tools else None
    verb = operation_facts(first)[0] if first is not None else ""
    return Reading(
        turn.start,
        _NUMBERS[CLASSES.get(verb, "use")],
        "" if first is None else _frame(first),
        _TERM.findall(said.lower()),
        _TERM.findall(text),
        frozenset(_TERM.findall(" ".join(op.output for op in turn.tools).lower())),
        frozenset(part for path in touched for part in path.split("/") if part),
        touched[0] if touched else "",
        failed,
        len(text),
        len(said),
        said.endswith(":"),
    )
