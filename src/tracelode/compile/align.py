"""Which call of which run is which step? Slots: a tool and a role of it, whatever the place in the run.

Units of one tool are put into roles. A role is what the units of many runs have in common: argument keys,
where values come from and where they go (roles.py). Two units of a run never share a role. In each run
units and roles are matched so that the marks agree best; the order decides only among equals. A unit that
agrees with no free role (other argument keys, or identifiers from other tools) opens one. Then everything
is matched again, with roles instead of tools in the marks, until nothing moves.

A slot that one run alone has (of three or more) is left out: a branch that was seen once cannot be learned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from tracelode.compile.matching import matched
from tracelode.compile.roles import DROPPED, WEIGHTS, Mark, Unit, units
from tracelode.compile.work import Alignment, Label, Slot, Variant, Work
from tracelode.model.run import Run

ROUNDS = 5
"""Most times that all units are matched again."""
ORDER = 0.1
"""Most that equal order adds to an agreement of 0 to 1: it breaks ties."""
KEYS = 0.5
"""Share of the smaller set of argument keys that a unit and a role must have in common."""
MOSTLY, SELDOM = 0.5, 0.2
"""Share of a role's units from which a source is its source, and below which it is none of its sources."""
FEWEST = 3
"""Runs from which a slot of one run alone is left out."""
MANY = 40
"""Units of one name in a run from which their order alone counts: no such thing is a workflow's step."""
VALUES = 2
"""Units that must pass a value before it is a mark."""


def align(work: Work) -> Work:
    """Put the calls of all runs into slots.

    Args:
        work: runs, with labels where they were denoised.

    Returns:
        The same with its alignment; failed runs are put into the slots of the others.
    """
    dropped = _dropped(work)
    parts = [_Part(run, _labels(work, n), dropped) for n, run in enumerate(work.runs)]
    order = sorted(range(len(parts)), key=lambda n: work.runs[n].key)
    names = sorted({unit.name for part in parts for unit in part.units})
    tables = {name: _Table(name, [parts[n] for n in order]) for name in names}
    for number in range(ROUNDS):
        moved = [table.match(known=number > 0, anew=number < 2) for table in tables.values()]
        if number > 1 and not any(moved):
            break
    failed = [_Part(run, (), dropped) for run in sorted(work.failed, key=lambda run: run.key)]
    for table in tables.values():
        table.match_others(failed)
    by_key = {part.run.key: part for part in failed}
    return replace(work, alignment=_alignment(parts, tables, [by_key[run.key] for run in work.failed]))


def _labels(work: Work, place: int) -> tuple[Label, ...]:
    return work.labels[place] if work.labels else ()


def _dropped(work: Work) -> frozenset[str]:
    """Classes without slot: habits stay where the runs differ, since a guard may read them."""
    if not work.labels:
        return DROPPED
    habit = DROPPED | {"dead_output"}
    sets = {
        frozenset(call.name for call in run.calls if labels[call.index].kind not in habit)
        for run, labels in zip(work.runs, work.labels, strict=True)
    }
    sets |= {frozenset(call.name for call in run.calls) & frozenset().union(*sets) for run in work.failed}
    return habit if len(sets) <= 1 else DROPPED


class _Part:
    """A run on its way into slots."""

    def __init__(self, run: Run, labels: Sequence[Label], dropped: frozenset[str]) -> None:
        self.run = run
        self.units = units(run, labels, dropped)
        self.roles: list[_Role | None] = [None] * len(self.units)

    def marks(self, place: int, common: frozenset[Mark], known: bool) -> frozenset[Mark]:
        unit = self.units[place]
        own = {mark for mark in unit.marks if mark[0] != "is" or mark in common}
        own.update(("from", path, self.units[other].name) for path, other in unit.sources)
        own.update(("to", self.units[other].name, path) for other, path in unit.sinks)
        if known:
            own.update(("role-from", path, self._who(other)) for path, other in unit.sources)
            own.update(("role-to", self._who(other), path) for other, path in unit.sinks)
        return frozenset(own)

    def _who(self, place: int) -> str:
        role = self.roles[place]
        return f"{self.units[place].name}#{role.number if role is not None else 0}"


@dataclass(eq=False)
class _Role:
    """What the units of one slot have in common."""

    number: int
    counts: Counter[Mark] = field(default_factory=Counter)
    units: int = 0
    places: float = 0.0
    _share: dict[Mark, float] | None = None
    _usual: frozenset[Mark] = frozenset()
    _told: frozenset[str] = frozenset()
    _weight: float = 0.0

    def add(self, marks: frozenset[Mark], place: float, sign: int = 1) -> None:
        for mark in marks:
            self.counts[mark] += sign
        self.units += sign
        self.places += sign * place
        self._share = None

    def empty(self) -> None:
        self.counts.clear()
        self.units, self.places, self._share = 0, 0.0, None

    def share(self) -> dict[Mark, float]:
        """Of its units, how many have a mark."""
        if self._share is None:
            self._share = {mark: count / self.units for mark, count in self.counts.items() if count}
            self._usual = frozenset(m for m, of in self._share.items() if m[0] == "key" and of >= MOSTLY)
            self._told = frozenset(
                m[1] for m, of in self._share.items() if m[0] == "from" and m[2] and of >= MOSTLY
            )
            # marks are sets: an exact sum is the same in any order
            self._weight = fsum(WEIGHTS[mark[0]] * of for mark, of in self._share.items())
        return self._share

    def agreement(self, marks: frozenset[Mark], place: float) -> float | None:
        """0 to 1 and a little for the order; None where the unit cannot be of this role."""
        if not self.units:
            return ORDER
        share = self.share()
        keys = [mark for mark in marks if mark[0] == "key"]
        usual = self._usual
        if keys and usual and sum(key in usual for key in keys) < KEYS * min(len(keys), len(usual)):
            return None
        if self._elsewhere(marks, share):
            return None
        both = fsum(WEIGHTS[mark[0]] * share.get(mark, 0.0) for mark in marks)
        every = fsum(WEIGHTS[mark[0]] for mark in marks) - both + self._weight
        return (both / every if every else 1.0) + ORDER * (1 - abs(place - self.places / self.units))

    def _elsewhere(self, marks: frozenset[Mark], share: dict[Mark, float]) -> bool:
        """Do most of its values come from other outputs than the role's?"""
        mine: dict[str, list[Mark]] = {}
        for mark in marks:
            if mark[0] == "from" and mark[2]:
                mine.setdefault(mark[1], []).append(mark)
        against = sum(
            path in self._told and all(share.get(mark, 0.0) < SELDOM for mark in found)
            for path, found in mine.items()
        )
        return against > len(mine) - against


class _Table:
    """The roles of the units of one name."""

    def __init__(self, name: str, parts: Sequence[_Part]) -> None:
        self.name = name
        self.parts = [(part, [n for n, u in enumerate(part.units) if u.name == name]) for part in parts]
        self.parts = [(part, places) for part, places in self.parts if places]
        values = Counter(
            mark
            for part, places in self.parts
            for place in places
            for mark in part.units[place].marks
            if mark[0] == "is"
        )
        self.common = frozenset(mark for mark, count in values.items() if count >= VALUES)
        # the most usual number of units first: it gives the roles that the others are matched with
        usual = Counter(len(places) for _, places in self.parts)
        self.parts.sort(key=lambda item: (-usual[len(item[1])], -len(item[1])))
        self.roles: list[_Role] = []
        self.many = bool(usual) and max(usual) > MANY

    def match(self, known: bool, anew: bool) -> bool:
        """Match the units of every run with the roles; did one move?

        Roles that were found by tools alone can be so mixed that every unit agrees with all of them alike: so
        the first round that knows roles begins anew, and later ones take the units out run by run.
        """
        moved = False
        marks = [[part.marks(n, self.common, known) for n in places] for part, places in self.parts]
        if anew:
            self.roles = []
        for one in self.roles:
            one.empty()
        if not anew:
            for (part, places), mine in zip(self.parts, marks, strict=True):
                self._count(part, places, mine)
        for (part, places), mine in zip(self.parts, marks, strict=True):
            before = [part.roles[n] for n in places]
            if not anew:
                self._count(part, places, mine, -1)
            for n, role in zip(places, self._matched(mine, opens=True), strict=True):
                part.roles[n] = role
            self._count(part, places, mine)
            moved = moved or before != [part.roles[n] for n in places]
        self.roles = [one for one in self.roles if one.units]
        return moved

    def match_others(self, parts: Sequence[_Part]) -> None:
        """Match the units of further runs with the roles as they are; what fits none has none."""
        for part in parts:
            places = [n for n, unit in enumerate(part.units) if unit.name == self.name]
            mine = [part.marks(n, self.common, known=False) for n in places]
            for n, role in zip(places, self._matched(mine, opens=False), strict=True):
                part.roles[n] = role

    def _count(
        self, part: _Part, places: Sequence[int], marks: Sequence[frozenset[Mark]], sign: int = 1
    ) -> None:
        for at, (n, mine) in enumerate(zip(places, marks, strict=True)):
            role = part.roles[n]
            if role is not None:
                role.add(mine, _share(at, len(places)), sign)

    def _matched(self, marks: Sequence[frozenset[Mark]], opens: bool) -> list[_Role | None]:
        if self.many:
            return self._in_order(len(marks), opens)
        scores = [
            [role.agreement(mine, _share(at, len(marks))) for role in self.roles]
            for at, mine in enumerate(marks)
        ]
        found: list[_Role | None] = []
        for choice in matched(scores):
            if choice is not None:
                found.append(self.roles[choice])
            elif opens:
                opened = _Role(1 + max((role.number for role in self.roles), default=0))
                self.roles.append(opened)
                found.append(opened)
            else:
                found.append(None)
        return found

    def _in_order(self, count: int, opens: bool) -> list[_Role | None]:
        """The n-th unit is of the n-th role."""
        while opens and len(self.roles) < count:
            self.roles.append(_Role(len(self.roles) + 1))
        return [self.roles[n] if n < len(self.roles) else None for n in range(count)]


def _share(at: int, count: int) -> float:
    return at / (count - 1) if count > 1 else 0.5


def _alignment(parts: Sequence[_Part], tables: dict[str, _Table], failed: Sequence[_Part]) -> Alignment:
    seen: dict[int, list[tuple[int, int]]] = {}
    roles: dict[int, tuple[_Role, Unit]] = {}
    for n, part in enumerate(parts):
        for place, unit in enumerate(part.units):
            role = part.roles[place]
            assert role is not None
            seen.setdefault(id(role), []).append((n, unit.calls[0]))
            roles.setdefault(id(role), (role, unit))
    few = len(parts) >= FEWEST
    kept = [key for key, where in seen.items() if len(where) > 1 or not few]
    ordered = _ordered(kept, seen, {key: _shown(*roles[key]) for key in kept}, len(parts))
    names = _names(ordered, {key: roles[key][1] for key in kept})
    slots = tuple(Slot(names[key], roles[key][1].tool, roles[key][1].server) for key in ordered)
    of = tuple(_of(part, names) for part in parts)
    groups: dict[frozenset[str], list[int]] = {}
    for n, called in enumerate(of):
        groups.setdefault(frozenset(name for name in called if name), []).append(n)
    variants = [Variant(slots, tuple(runs)) for slots, runs in groups.items()]
    variants.sort(key=lambda variant: (-len(variant.runs), sorted(variant.slots)))
    rare = sum(1 for key in seen if key not in names)
    return Alignment(slots, of, tuple(variants), tuple(_of(part, names) for part in failed), rare)


def _shown(role: _Role, unit: Unit) -> tuple[str, str, int]:
    return unit.tool, unit.name, role.number


def _ordered(
    keys: Sequence[int],
    seen: dict[int, list[tuple[int, int]]],
    shown: dict[int, tuple[str, str, int]],
    runs: int,
) -> list[int]:
    """Slots in the order that was seen most: by how many slots one precedes in most runs of both."""
    where = {key: dict(seen[key]) for key in keys}
    ahead: Counter[int] = Counter()
    for n, one in enumerate(keys):
        for other in keys[n + 1 :]:
            both = [run for run in where[one] if run in where[other]]
            lead = sum(1 if where[one][run] < where[other][run] else -1 for run in both)
            ahead[one if lead > 0 else other] += lead != 0
    mean = {key: sum(place for _, place in seen[key]) / len(seen[key]) for key in keys}
    return sorted(keys, key=lambda key: (-ahead[key], mean[key], shown[key]))


def _names(ordered: Sequence[int], units: dict[int, Unit]) -> dict[int, str]:
    """tool#1, tool#2, ... in the order of the slots."""
    count: Counter[str] = Counter()
    names = {}
    for key in ordered:
        count[units[key].tool] += 1
        names[key] = f"{units[key].tool}#{count[units[key].tool]}"
    return names


def _of(part: _Part, names: dict[int, str]) -> tuple[str, ...]:
    called = [""] * len(part.run.calls)
    for place, unit in enumerate(part.units):
        for index in unit.calls:
            called[index] = names.get(id(part.roles[place]), "")
    return tuple(called)
