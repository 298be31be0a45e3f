"""By what are two calls of one tool told apart? Marks: argument keys, where values come from, where they go.

A unit is one call, or the calls of one fan-out or poll. Its marks are tuples:

    ("key", path)               it passes an argument there
    ("is", path, value)         with this short value
    ("from", path, who)         with a value that the output of who tells and that no request tells
    ("from", path, "")          with a value that a request before it tells
    ("to", who, path)           who passes there a value that its output tells
    ("rank", path, n)           whose value there is the n-th told, among the units of its tool that one text
                                tells: the second of three results, the first city asked for

who is a tool; once roles are known, "role-from" and "role-to" say the same of a role of it. Values are
looked for as text in outputs, so that numbers written as text and pieces of prose count as well; a value
that a call passes itself is none that it tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from tracelode.compile.paths import general, leaves, written
from tracelode.compile.telling import standing
from tracelode.compile.work import Label
from tracelode.model.run import Call, Run, Tree
from tracelode.signals.tools import is_shell, operation_verb, tool_frame

Mark: TypeAlias = tuple[str, ...]

WEIGHTS: Mapping[str, float] = {
    "key": 1.0,
    "is": 1.0,
    "from": 2.0,
    "to": 2.0,
    "rank": 0.5,
    "role-from": 2.0,
    "role-to": 2.0,
}
"""What a mark counts, by its first part."""
DROPPED = frozenset({"retry", "exploratory", "redundant"})
"""Classes of calls that no workflow repeats; dead_output hangs on whether there are branches (align)."""
GROUPED = frozenset({"fan_out", "poll"})
"""Classes whose calls are one step."""
WINDOW = 40
"""Earlier units whose outputs are searched: it bounds the time of long runs."""
_SHORT, _LONG = 3, 200
_MANY = 64
"""Values of one argument that are looked for: of a long list the first."""


@dataclass(frozen=True)
class Unit:
    """Calls of a run that are one step."""

    name: str
    """What kind of call: only units of one name are compared. The tool; of a shell tool with the program."""
    tool: str
    """Tool."""
    server: str
    """Server."""
    calls: tuple[int, ...]
    """Indexes, rising."""
    marks: frozenset[Mark]
    """Marks that say nothing of other units."""
    sources: tuple[tuple[str, int], ...] = ()
    """(argument path, place of the unit that tells the value)."""
    sinks: tuple[tuple[int, str], ...] = ()
    """(place of the unit that passes the value on, its argument path with list places)."""


@dataclass
class _Draft:
    name: str
    call: Call
    calls: list[int]
    leaves: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    outputs: list[Tree] = field(default_factory=list)
    blob: bytes | None = None

    def find(self, value: str) -> int:
        """Where its output tells a value, as a piece that is no part of a longer word; -1 for nowhere."""
        if self.blob is None:
            self.blob = b"\n".join(map(msgspec.json.encode, self.outputs))
        return standing(self.blob, msgspec.json.encode(value)[1:-1])


def units(run: Run, labels: Sequence[Label], dropped: frozenset[str]) -> tuple[Unit, ...]:
    """The units of a run with their marks.

    Args:
        run: which.
        labels: one for each call, or none at all where nothing was denoised.
        dropped: classes that give no unit.

    Returns:
        Units in the order of their first calls.
    """
    drafts = _drafts(run, labels, dropped)
    asked = _asked(run)
    marks: list[set[Mark]] = [set() for _ in drafts]
    sources: list[set[tuple[str, int]]] = [set() for _ in drafts]
    sinks: list[set[tuple[int, str]]] = [set() for _ in drafts]
    told: dict[tuple[str, str, int], dict[int, int]] = {}
    for place, draft in enumerate(drafts):
        for path, values in draft.leaves.items():
            marks[place].add(("key", path))
            for value, where in values:
                if len(value) <= _LONG:
                    marks[place].add(("is", path, value))
                for other, at in _tellers(value, place, drafts, asked):
                    told.setdefault((draft.name, path, other), {}).setdefault(place, at)
                    if other < 0:
                        marks[place].add(("from", path, ""))
                    else:
                        sources[place].add((path, other))
                        sinks[other].add((place, where))
    _rank(told, marks)
    return tuple(
        Unit(
            draft.name,
            draft.call.name,
            draft.call.server,
            tuple(draft.calls),
            frozenset(marks[place]),
            tuple(sorted(sources[place])),
            tuple(sorted(sinks[place])),
        )
        for place, draft in enumerate(drafts)
    )


def _tellers(
    value: str, place: int, drafts: Sequence[_Draft], asked: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """(unit, place in its output) of each that tells a value; (-1, place) alone where a request tells it."""
    if not _tells_much(value):
        return
    at = asked[drafts[place].calls[0]].find(value.lower())
    if at >= 0:
        yield -1, at
        return
    for other in range(max(0, place - WINDOW), place):
        if value not in drafts[other].own:
            at = drafts[other].find(value)
            if at >= 0:
                yield other, at


def _rank(told: Mapping[tuple[str, str, int], Mapping[int, int]], marks: Sequence[set[Mark]]) -> None:
    for (_, path, _), places in told.items():
        offsets = sorted(set(places.values()))
        if len(offsets) > 1:
            for place, at in places.items():
                marks[place].add(("rank", path, str(offsets.index(at))))


def _drafts(run: Run, labels: Sequence[Label], dropped: frozenset[str]) -> list[_Draft]:
    found: list[_Draft] = []
    groups: dict[tuple[str, str, str, int], _Draft] = {}
    for call in run.calls:
        label = labels[call.index] if labels else None
        if label is not None and label.kind in dropped:
            continue
        draft = None
        group = ("", "", "", 0)
        if label is not None and label.kind in GROUPED:
            group = (label.kind, call.server, call.name, _first(call.index, labels))
            draft = groups.get(group)
        if draft is None:
            draft = _Draft(_kind(call), call, [])
            found.append(draft)
            if group[0]:
                groups[group] = draft
        draft.calls.append(call.index)
        draft.outputs.append(call.output)
        for keys, value in leaves(call.arguments):
            if value is None or value == {} or value == []:
                continue
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            values = draft.leaves.setdefault(general(keys), [])
            if len(values) < _MANY:
                values.append((text, written(keys)))
            draft.own.add(text)
    return found


def _first(index: int, labels: Sequence[Label]) -> int:
    """The first call of a group: labels of its members lead to it; -1 where they lead nowhere."""
    seen = {index}
    pointed = any(label.of == index and label.kind == labels[index].kind for label in labels)
    while 0 <= labels[index].of < len(labels) and labels[labels[index].of].kind == labels[index].kind:
        index = labels[index].of
        if index in seen:
            return min(seen)
        seen.add(index)
        pointed = True
    return index if pointed else -1


def _kind(call: Call) -> str:
    if not is_shell(call.name):
        return call.name
    given = call.arguments
    command = (
        next((given[k] for k in ("command", "cmd") if isinstance(given.get(k), str)), "")
        if isinstance(given, dict)
        else given
        if isinstance(given, str)
        else ""
    )
    return f"{tool_frame(call.name, command)} {operation_verb(call.name, command)}"


def _asked(run: Run) -> list[str]:
    """Per call: what was asked before it, in lower case."""
    texts: list[str] = []
    turns = [turn for turn in run.turns if turn.role == "user"]
    for call in run.calls:
        if texts and not any(turn.before == call.index for turn in turns):
            texts.append(texts[-1])
        else:
            texts.append("\n".join(turn.text.lower() for turn in turns if turn.before <= call.index))
    return texts


def _tells_much(value: str) -> bool:
    if not _SHORT <= len(value) <= _LONG or value in ("true", "false"):
        return False
    return not (value.isdigit() and len(value) < 4)
