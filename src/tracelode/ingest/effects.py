"""Which tool call did this? Processes, files and hosts are joined to calls, or left alone: never guessed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

KINDS = frozenset({"process", "file", "network"})
"""Kinds of operations that are effects."""
TOOLS = frozenset({"tool", "subagent", "gui", "plan"})
"""Kinds of operations that can have effects."""
ROLE = "effects"
"""Role of a session that holds effects only."""
ASSIGNED: tuple[str, ...] = ("id", "tree", "ambiguous", "none")
"""How an assignment can end, the surest first."""
SURE = frozenset({"id", "tree"})
"""Of these: those that name a tool call."""
FOREVER = 1 << 62
"""Later than any moment."""


class Call(msgspec.Struct, frozen=True):
    """A tool call, as far as effects need it."""

    id: str
    """Id of its operation."""
    start: int | None
    """UTC microseconds, None if unknown."""
    end: int | None
    """UTC microseconds, None if unknown or still running."""
    after: int = -FOREVER
    """What is unknown of the start lies at or after this moment."""
    within: str | None = None
    """Id of the call that started the sub-agent which issued this one."""


class Effect(msgspec.Struct, frozen=True):
    """A process, or something that one did."""

    id: str
    """Id of its operation."""
    process: str | None = None
    """Id of the process that did it, or that started this process."""
    start: int | None = None
    """UTC microseconds at which a process started; of no use for others."""
    slack: int = 0
    """Microseconds by which the start may be wrong, in either direction."""
    root: bool = False
    """Did nothing that was recorded have to start it? The recorded command, or the agent itself."""
    cause: str | None = None
    """Id of the tool operation that the source itself names."""
    is_process: bool = False
    """Is it one?"""


Found: TypeAlias = tuple[str, str | None]
"""(one of ASSIGNED, id of the tool operation or None)."""

_LOST: Found = ("none", "?")
"""A process of unknown descent: no tool, and none for what it started either."""
_NONE: Found = ("none", None)
_AMBIGUOUS: Found = ("ambiguous", None)


def assign(calls: Iterable[Call], effects: Iterable[Effect]) -> dict[str, Found]:
    """Join effects to tool calls, or say that they cannot be.

    Args:
        calls: n tool calls of one family.
        effects: m effects of the same family, in any order; a process that is not among them is unknown.

    Returns:
        Effect id to (how, tool id); the tool is None unless how is id or tree. O((n + m) log n) where
        few calls run at once.

    Source:
        profile: below the tool call; docs/decisions/0014-effects.md.
    """
    given = list(effects)
    times = Times(calls)
    processes = {e.id: e for e in given if e.is_process}
    known: dict[str, Found] = {}
    for effect in given:
        if effect.is_process:
            _descend(effect, processes, times, known)
    found: dict[str, Found] = {}
    for effect in given:
        if effect.is_process:
            how, tool = known[effect.id]
        elif effect.cause in times.by_id:
            how, tool = "id", effect.cause
        else:
            how, tool = known.get(effect.process or "", _NONE)
        found[effect.id] = (how, tool if how in SURE else None)
    return found


def _descend(effect: Effect, processes: Mapping[str, Effect], times: Times, known: dict[str, Found]) -> None:
    """Decide on a process and on all that lie between it and the first decided one above."""
    line = [effect]
    seen = {effect.id}
    while line[-1].id not in known:
        above = processes.get(line[-1].process or "")
        if above is None or above.id in seen:
            break
        seen.add(above.id)
        line.append(above)
    for one in reversed(line):
        if one.id not in known:
            known[one.id] = _of_process(one, known.get(one.process or ""), times)


def _of_process(process: Effect, above: Found | None, times: Times) -> Found:
    if process.cause in times.by_id:
        return "id", process.cause
    if above is not None and above not in (_NONE, _LOST):
        return above
    if above in (None, _LOST) and not process.root:
        return _LOST
    if process.start is None:
        # what was there before the log began; a child without a start has nothing to be judged by
        return _NONE if process.root else _LOST
    return times.at(process.start, process.slack)


class Times:
    """When tool calls ran.

    Args:
        calls: tool calls of one family.
    """

    def __init__(self, calls: Iterable[Call]) -> None:
        self.by_id = {call.id: call for call in calls}
        rows = [
            (c.after if c.start is None else c.start, FOREVER if c.end is None else c.end, c)
            for c in self.by_id.values()
        ]
        rows.sort(key=lambda row: (row[0], row[1], row[2].id))
        self._rows = rows
        self._ends: list[int] = []
        """Largest end of any call up to here: where a search backwards may stop."""
        for _, end, _ in rows:
            self._ends.append(max(end, self._ends[-1]) if self._ends else end)

    def at(self, moment: int, slack: int) -> Found:
        """Which call was running?

        Args:
            moment: UTC microseconds.
            slack: microseconds by which the moment may be wrong.

        Returns:
            tree and the call that ran for sure where no other one may have run; ambiguous where one
            or several may have; none where none can have.
        """
        from bisect import bisect_right

        first, last = moment - slack, moment + slack
        possible: list[Call] = []
        place = bisect_right(self._rows, last, key=lambda row: row[0])
        while place and self._ends[place - 1] >= first:
            place -= 1
            if self._rows[place][1] >= first:
                possible.append(self._rows[place][2])
        left = self._without_waiting(possible)
        if not left:
            return _NONE
        (call, *more) = left
        if more or call.start is None or call.end is None:
            return _AMBIGUOUS
        inside = call.start <= first and last <= call.end
        return ("tree", call.id) if inside else _AMBIGUOUS

    def _without_waiting(self, calls: Sequence[Call]) -> list[Call]:
        """Calls without those that only wait for a sub-agent whose call is among them."""
        if len(calls) < 2:
            return list(calls)
        waiting: set[str] = set()
        for call in calls:
            # a call that is not sure to run leaves the one around it in its place
            if call.start is None or call.end is None:
                continue
            above = call.within
            while above is not None and above not in waiting:
                waiting.add(above)
                around = self.by_id.get(above)
                above = around.within if around else None
        return [call for call in calls if call.id not in waiting]
