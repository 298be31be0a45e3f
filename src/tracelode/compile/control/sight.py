"""What was known in each run before a step could be taken? Values by binding: earlier outputs, and inputs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import re2

from tracelode.compile.paths import Key, get, parsed, written
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.run import Call, Run, Tree

DEEP = 4
"""Keys of a path that is looked at."""
MANY = 400
"""Places of one output that are looked at, the shallow ones first."""
LONG = 80
"""Characters of a text that can be compared."""


NEAREST = 60
"""Earlier steps whose outputs are looked at for one step: it bounds the time of long runs."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()
"""Nothing lies there in this run."""


@dataclass(frozen=True)
class Feature:
    """A value that was known in runs."""

    left: b.Binding
    """Where it lies."""
    values: tuple[Any, ...]
    """Per run: it, or ABSENT."""
    away: int
    """Slots between it and the step; inputs are farther than all slots."""
    slot: str = ""
    """Slot whose output it is of, "" for an input."""
    shape: str = ""
    """"" for a value; count of a list; given for whether a request tells an input."""

    @property
    def depth(self) -> int:
        """Keys of its path: 0 for a whole output and for an input."""
        if isinstance(self.left, b.Derived):
            return len(parsed(self.left.of[0].path)) if isinstance(self.left.of[0], b.Copy) else 0
        return len(parsed(self.left.path)) if isinstance(self.left, b.Copy) else 0

    @property
    def order(self) -> tuple[int, int, str, str]:
        """Shallower, nearer ones first."""
        left = self.left.of[0] if isinstance(self.left, b.Derived) else self.left
        return self.depth, self.away, self.slot, left.path if isinstance(left, b.Copy) else ""


class Sight:
    """The runs of a work as far as guards may look.

    Args:
        work: with its alignment.
        runs: places of those that count; None for all.
    """

    def __init__(self, work: Work, runs: Iterable[int] | None = None) -> None:
        assert work.alignment is not None
        self.work = work
        self.names = [slot.name for slot in work.alignment.slots]
        self.runs: Sequence[Run] = work.runs
        self.of = work.alignment.of[: len(work.runs)]
        self.among = sorted(range(len(work.runs)) if runs is None else runs)
        """Places of the runs that count."""
        self.taken: dict[str, frozenset[int]] = {
            name: frozenset(n for n in self.among if name in self.of[n]) for name in self.names
        }

        self._seen: dict[tuple[int, str], Mapping[tuple[Key, ...], Tree]] = {}
        self.first: list[dict[str, int]] = []
        """Per run: slot to its first call."""
        self.calls: list[dict[str, list[int]]] = []
        """Per run: slot to its calls."""
        for called in self.of:
            at: dict[str, list[int]] = {}
            for index, name in enumerate(called):
                at.setdefault(name, []).append(index)
            self.calls.append(at)
            self.first.append({name: indexes[0] for name, indexes in at.items()})

    @cached_property
    def read(self) -> dict[str, list[str]]:
        """Slot to the slots whose outputs it reads, by edge."""
        found: dict[str, list[str]] = {}
        for edge in self.work.edges:
            if edge.kind == "data_hard":
                found.setdefault(edge.after, []).append(edge.before)
        return found

    @cached_property
    def fanned(self) -> frozenset[str]:
        """Slots whose output is the list of the outputs of several calls."""
        labels = self.work.labels
        return frozenset(self.work.loops) | {
            name
            for n, called in enumerate(self.of)
            for index, name in enumerate(called)
            if name and labels and labels[n][index].kind == "fan_out"
        }

    def output(self, run: Run, called: Sequence[str], slot: str) -> Any:
        """What a slot gave in a run.

        Args:
            run: which.
            called: slot of each of its calls.
            slot: which.

        Returns:
            The output; of a fan-out a list, of a poll the last one; ABSENT where there is none or an error.
        """
        return self._output(
            slot, [call for call, name in zip(run.calls, called, strict=True) if name == slot]
        )

    def _output(self, slot: str, calls: Sequence[Call]) -> Any:
        if slot in self.fanned:
            return [call.output for call in calls] if calls else ABSENT
        if not calls or calls[-1].missing or calls[-1].error:
            return ABSENT
        return calls[-1].output

    def before(self, slot: str, runs: Sequence[int]) -> list[str]:
        """Slots that all of some runs took, and that were over before a slot wherever that was taken.

        Args:
            slot: which.
            runs: places.

        Returns:
            Names, the nearest first.
        """
        own = self.first
        both = [n for n in runs if n in self.taken[slot]]
        near = {
            other: sum(own[n][slot] - self.calls[n][other][-1] for n in both)
            for other in self.names
            if self.over(other, slot, runs)
        }
        # the sort is stable: of two that are as near, the first of the slots comes first
        return sorted(near, key=near.__getitem__)

    def over(self, other: str, slot: str, runs: Sequence[int]) -> bool:
        """Did all of some runs take a slot, and was it over before another wherever that was taken?

        Args:
            other: the slot that was over.
            slot: the other one.
            runs: places.
        """
        if other == slot or not self.taken[other].issuperset(runs):
            return False
        return all(self.calls[n][other][-1] < self.first[n][slot] for n in runs if n in self.taken[slot])

    def features(self, slot: str, runs: Sequence[int]) -> list[Feature]:
        """What was known before a slot in all of some runs.

        Args:
            slot: which.
            runs: places.

        Returns:
            In the order in which they are tried.
        """
        earlier = self.before(slot, runs)
        found: list[Feature] = []
        for away, other in enumerate(earlier[:NEAREST]):
            found.extend(told(other, self._rows(other, runs), away))
        found.extend(self._inputs(earlier, runs))
        return sorted(found, key=lambda feature: feature.order)

    def _rows(self, slot: str, runs: Sequence[int]) -> list[Mapping[tuple[Key, ...], Tree]]:
        """Per run: the places of what a slot gave."""
        found = []
        for n in runs:
            if (n, slot) not in self._seen:
                calls = [self.runs[n].calls[c] for c in self.calls[n].get(slot, ())]
                self._seen[n, slot] = shallow(self._output(slot, calls))
            found.append(self._seen[n, slot])
        return found

    def _inputs(self, earlier: Sequence[str], runs: Sequence[int]) -> Iterator[Feature]:
        """Inputs that an earlier slot passed in each run, and whether a request tells an input at all."""
        seen: set[str] = set()
        for slot in earlier:
            for argument in self.work.bindings.get(slot, ()):
                left = argument.binding
                if not isinstance(left, b.FromInput) or left.transforms or left.name in seen:
                    continue
                values = [self._passed(n, slot, argument.path) for n in runs]
                if ABSENT not in values:
                    seen.add(left.name)
                    yield Feature(left, tuple(values), len(self.names))
        for given in self.work.inputs:
            if given.patterns and not given.required:
                texts = [self.runs[n].request for n in runs]
                said = tuple(any(re2.search(p, text) for p in given.patterns) for text in texts)
                yield Feature(b.FromInput(given.name), said, len(self.names), shape="given")

    def _passed(self, run: int, slot: str, path: str) -> Any:
        call = self.runs[run].calls[self.first[run][slot]]
        try:
            return get(call.arguments, path)
        except LookupError:
            return ABSENT


def told(slot: str, rows: Sequence[Mapping[tuple[Key, ...], Tree]], away: int) -> Iterator[Feature]:
    """The places of a slot's outputs that a guard may look at.

    Args:
        slot: which.
        rows: one for each run, as shallow() gives it.
        away: slots between it and the step.

    Yields:
        Dict keys and the first element of lists, to a depth; of a list also its count.
    """
    places: dict[tuple[Key, ...], None] = {}
    for row in rows:
        places.update(dict.fromkeys(row))
    for keys in sorted(places, key=lambda keys: (len(keys), written(keys)))[:MANY]:
        left = b.Copy(slot, written(keys))
        values = tuple(row.get(keys, ABSENT) for row in rows)
        yield Feature(left, values, away, slot)
        if any(isinstance(value, list) for value in values):
            counts = tuple(len(value) if isinstance(value, list) else ABSENT for value in values)
            yield Feature(b.Derived("count", (left,)), counts, away, slot, "count")


def shallow(output: Any) -> Mapping[tuple[Key, ...], Tree]:
    """The places of an output that are looked at, the shallow ones first.

    Args:
        output: JSON value, or ABSENT.
    """
    found: dict[tuple[Key, ...], Tree] = {}
    todo: deque[tuple[tuple[Key, ...], Any]] = deque([] if output is ABSENT else [((), output)])
    while todo and len(found) < MANY:
        keys, value = todo.popleft()
        found[keys] = value
        if len(keys) < DEEP:
            if isinstance(value, dict):
                todo.extend(((*keys, key), value[key]) for key in sorted(value))
            elif isinstance(value, list) and value:
                todo.append(((*keys, 0), value[0]))
    return found
