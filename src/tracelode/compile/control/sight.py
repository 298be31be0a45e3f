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
from tracelode.model.run import Run, Tree

DEEP = 4
"""Keys of a path that is looked at."""
MANY = 400
"""Places of one output that are looked at, the shallow ones first."""
LONG = 80
"""Characters of a text that can be compared."""


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
        calls = [call for call, name in zip(run.calls, called, strict=True) if name == slot]
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
        found = []
        for other in self.names:
            if other != slot and self.taken[other].issuperset(runs):
                both = [n for n in runs if n in self.taken[slot]]
                if all(_last(self.of[n], other) < self.of[n].index(slot) for n in both):
                    found.append(other)
        near = {
            other: sum(
                self.of[n].index(slot) - _last(self.of[n], other) for n in runs if n in self.taken[slot]
            )
            for other in found
        }
        return sorted(found, key=lambda other: (near[other], self.names.index(other)))

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
        for away, other in enumerate(earlier):
            outputs = [self.output(self.runs[n], self.of[n], other) for n in runs]
            found.extend(told(other, outputs, away))
        found.extend(self._inputs(earlier, runs))
        return sorted(found, key=lambda feature: feature.order)

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
        call = self.runs[run].calls[self.of[run].index(slot)]
        try:
            return get(call.arguments, path)
        except LookupError:
            return ABSENT


def _last(called: Sequence[str], slot: str) -> int:
    return len(called) - 1 - list(called)[::-1].index(slot)


def told(slot: str, outputs: Sequence[Any], away: int) -> Iterator[Feature]:
    """The places of a slot's outputs that a guard may look at.

    Args:
        slot: which.
        outputs: one for each run, or ABSENT.
        away: slots between it and the step.

    Yields:
        Dict keys and the first element of lists, to a depth; of a list also its count.
    """
    places: dict[tuple[Key, ...], None] = {}
    rows = [_shallow(output) for output in outputs]
    for row in rows:
        places.update(dict.fromkeys(row))
    for keys in sorted(places, key=lambda keys: (len(keys), written(keys)))[:MANY]:
        left = b.Copy(slot, written(keys))
        values = tuple(row.get(keys, ABSENT) for row in rows)
        yield Feature(left, values, away, slot)
        if any(isinstance(value, list) for value in values):
            counts = tuple(len(value) if isinstance(value, list) else ABSENT for value in values)
            yield Feature(b.Derived("count", (left,)), counts, away, slot, "count")


def _shallow(output: Any) -> Mapping[tuple[Key, ...], Tree]:
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
