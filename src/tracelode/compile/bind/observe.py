"""What was seen of each argument leaf, run by run, and in what scene? The ground that rules are tried on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from tracelode.compile.evaluate import Scene
from tracelode.compile.mentions import mentions
from tracelode.compile.paths import leaves, written
from tracelode.compile.readings import Shared, canonical
from tracelode.compile.work import Alignment, Traced, Work
from tracelode.model.run import Run, Tree

MOMENTS = 12
"""Moments of an output that are looked at."""
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
LATER = 2**31
"""Place of a slot that a run does not have."""


def pseudo(slot: str, path: str) -> str:
    """The stand-in name of an argument leaf while rules are tried: its binding is put there in the end.

    Args:
        slot: step.
        path: argument path.
    """
    return f"\0{slot}\0{path}"


def mentioned(kind: str, number: int) -> str:
    """The stand-in name of something that a request mentions.

    Args:
        kind: date, time or number.
        number: from 0, in the order of the text.
    """
    return f"\0{kind}\0{number}"


@dataclass(frozen=True)
class Leaf:
    """One argument leaf of a slot over the runs."""

    slot: str
    """Step."""
    path: str
    """Concrete argument path."""
    seen: Mapping[int, Traced]
    """Place of the run to what was passed."""
    absent: frozenset[int] = frozenset()
    """Runs that took the step without the argument."""

    @property
    def name(self) -> str:
        """Its stand-in name."""
        return pseudo(self.slot, self.path)


@dataclass
class Scenes:
    """The scene of every run: what a workflow would know there.

    Args:
        work: after align and evidence.
    """

    work: Work
    by_run: list[Scene] = field(default_factory=list)
    """Per run."""
    first: list[dict[str, int]] = field(default_factory=list)
    """Per run: slot to the index of its first call."""
    last: list[dict[str, int]] = field(default_factory=list)
    """Per run: slot to the index of its last call."""
    hard: frozenset[tuple[str, str, str]] = frozenset()
    """(producer, consumer, generalised argument path) of the hard data edges of all runs."""
    _index: dict[int, dict[Shared, list[str]]] = field(default_factory=dict)
    _slots: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _moments: dict[int, list[tuple[str, str, str]]] = field(default_factory=dict)
    _empty: dict[tuple[int, int], tuple[tuple[str, Tree], ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        alignment = self.work.alignment
        assert alignment is not None
        self.hard = frozenset((e.before, e.after, e.arg) for e in self.work.edges if e.kind == "data_hard")
        for place, run in enumerate(self.work.runs):
            first: dict[str, int] = {}
            last: dict[str, int] = {}
            for index, slot in enumerate(alignment.of[place]):
                if slot:
                    first.setdefault(slot, index)
                    last[slot] = index
            outputs = {slot: slot_output(self.work, alignment, place, slot) for slot in first}
            inputs: dict[str, Tree] = {
                pseudo(alignment.of[place][t.call], t.path): t.value
                for t in self.work.traced[place]
                if alignment.of[place][t.call]
            }
            inputs.update(_mentioned(run))
            self.by_run.append(Scene(inputs, outputs))
            self.first.append(first)
            self.last.append(last)

    def before(self, run: int, producer: str, consumer: str) -> bool:
        """Did all calls of a step end up before the first one of another in a run?

        Args:
            run: place in Work.runs.
            producer: slot.
            consumer: slot.
        """
        return self.last[run].get(producer, LATER) < self.first[run].get(consumer, LATER)

    def empty(self, run: int, call: int) -> tuple[tuple[str, Tree], ...]:
        """The arguments of a call that hold nothing: null, no letters, no elements.

        Args:
            run: place in Work.runs.
            call: its index.

        Returns:
            (path, value) in the order of the arguments.
        """
        found = self._empty.get((run, call))
        if found is None:
            given = self.work.runs[run].calls[call].arguments
            told = leaves(given) if isinstance(given, dict) and given else ()
            found = self._empty[run, call] = tuple(
                (written(keys), value) for keys, value in told if value is None or value in ("", [], {})
            )
        return found

    def like(self, run: int, value: Tree) -> tuple[str, ...]:
        """Arguments and mentions of a run that are canonically equal to a value.

        Args:
            run: place in Work.runs.
            value: JSON leaf.

        Returns:
            Stand-ins, in the order of the run.
        """
        if run not in self._index:
            index: dict[Shared, list[str]] = {}
            for name, known in self.by_run[run].inputs.items():
                for key in canonical(known):
                    index.setdefault(key, []).append(name)
            self._index[run] = index
        found: dict[str, None] = {}
        for key in canonical(value):
            found.update(dict.fromkeys(self._index[run].get(key, ())))
        return tuple(found)

    def kept(self, name: str, find: Callable[[Scenes], tuple[str, ...]]) -> tuple[str, ...]:
        """Slots of a kind, looked for once.

        Args:
            name: kind.
            find: looks for them.
        """
        if name not in self._slots:
            self._slots[name] = find(self)
        return self._slots[name]

    def moments(self, run: int) -> list[tuple[str, str, str]]:
        """Dates with a time of day that outputs tell; of a list the first element is looked at.

        Args:
            run: place in Work.runs.

        Returns:
            (slot, path, text) in the order of slots and outputs; at most MOMENTS of a slot.
        """
        if run not in self._moments:
            found: list[tuple[str, str, str]] = []
            for slot, output in self.by_run[run].outputs.items():
                seen = ((slot, written(keys), text) for keys, text in _heads(output) if _MOMENT.match(text))
                found.extend(islice(seen, MOMENTS))
            self._moments[run] = found
        return self._moments[run]


def _heads(tree: Tree, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Texts of the length of a moment, in the first element of every list."""
    if isinstance(tree, dict):
        for key, inner in tree.items():
            yield from _heads(inner, (*keys, key))
    elif isinstance(tree, list):
        if tree:
            yield from _heads(tree[0], (*keys, 0))
    elif isinstance(tree, str) and 16 <= len(tree) <= 25:
        yield keys, tree


def slot_output(work: Work, alignment: Alignment, run: int, slot: str) -> Tree:
    """What a step gave in a run.

    Args:
        work: the intent.
        alignment: its slots.
        run: place in Work.runs.
        slot: step.

    Returns:
        The output; of a fan-out the list of outputs, of a poll the last one.
    """
    calls = alignment.calls(run, slot)
    outputs = [work.runs[run].calls[n].output for n in calls]
    if len(calls) > 1 and fanned(work, run, calls):
        return outputs
    return outputs[-1]


def fanned(work: Work, run: int, calls: tuple[int, ...]) -> bool:
    """Are several calls of one slot a fan-out, and no poll?

    Args:
        work: the intent.
        run: place in Work.runs.
        calls: their indexes.
    """
    return any(work.labels[run][n].kind == "fan_out" for n in calls)


def leaves_of(work: Work) -> list[Leaf]:
    """The argument leaves of all slots that have one call in each run.

    Args:
        work: after align and evidence.

    Returns:
        By slot in the order of the alignment, then by path as first seen; fan-outs are read by loops.
    """
    alignment = work.alignment
    assert alignment is not None
    found: dict[str, dict[str, dict[int, Traced]]] = {slot.name: {} for slot in alignment.slots}
    has: dict[str, set[int]] = {slot.name: set() for slot in alignment.slots}
    for run, traced in enumerate(work.traced):
        lasts = {slot: n for n, slot in enumerate(alignment.of[run]) if slot}
        for slot in lasts:
            has[slot].add(run)
        for t in traced:
            slot = alignment.of[run][t.call]
            if slot and lasts[slot] == t.call:
                found[slot].setdefault(t.path, {})[run] = t
    return [
        Leaf(slot, path, seen, frozenset(has[slot] - set(seen)))
        for slot, paths in found.items()
        for path, seen in paths.items()
    ]


def _mentioned(run: Run) -> dict[str, Tree]:
    count: dict[str, int] = {}
    found: dict[str, Tree] = {}
    for mention in mentions(run.request):
        number = count.get(mention.kind, 0)
        count[mention.kind] = number + 1
        found[mentioned(mention.kind, number)] = mention.value
    return found
