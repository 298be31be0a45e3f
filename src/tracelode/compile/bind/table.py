"""Which runs does each rule explain? Computed once: choosing for any subset of runs only counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import msgspec

from tracelode.compile import transforms
from tracelode.compile.bind.observe import Leaf, Scenes, leaves_of
from tracelode.compile.bind.propose import selections, simple
from tracelode.compile.evaluate import Asked, Missing, Scene, value
from tracelode.compile.work import Work
from tracelode.model import binding as b

CROSS = 0.5
"""Share of runs from which a rule that reads outputs is tried on the outputs of other runs."""
RULES = 400
"""Rules of one leaf that are tried at most, those suggested first."""


@dataclass(frozen=True)
class Rule:
    """A binding, and the runs that speak for it."""

    binding: b.Binding
    """With stand-in inputs."""
    suggested: frozenset[int]
    """Runs that suggested it: a fold without them would not know it."""
    explains: frozenset[int]
    """Runs whose value it gives."""
    key: bytes
    """Canonical text, for ties."""
    reads: tuple[str, ...] = ()
    """Slots whose outputs it reads."""
    asks: tuple[str, ...] = ()
    """Stand-ins of other arguments and of mentions that it refers to; its own leaf's is not among them."""
    crossed: frozenset[tuple[int, int]] | None = None
    """(run, other run) whose outputs give the run's value as well; None where that was not tried."""


@dataclass(frozen=True)
class Row:
    """A leaf with its rules."""

    leaf: Leaf
    """What is explained."""
    rules: tuple[Rule, ...]
    """All that were tried and explain a run."""

    @cached_property
    def asked(self) -> bool:
        """Does a request tell the value in some run?"""
        return any(r.binding == b.FromInput(self.leaf.name) for r in self.rules)


def table(work: Work, scenes: Scenes | None = None) -> tuple[Row, ...]:
    """All rules of all argument leaves.

    Args:
        work: after align and evidence.
        scenes: of the same work, where they are there already.

    Returns:
        One row a leaf, in the order of leaves_of.
    """
    scenes = scenes or Scenes(work)
    return tuple(Row(leaf, tuple(_rules(leaf, scenes))) for leaf in leaves_of(work))


def _rules(leaf: Leaf, scenes: Scenes) -> Iterator[Rule]:
    tried = _tried(leaf, scenes, simple)
    yield from tried
    # fixed places first: a rule that picks from a list is only looked for where they do not do
    if not any(_proper(r.binding, leaf) and len(r.explains) == len(leaf.seen) for r in tried):
        yield from _tried(leaf, scenes, selections)


def _hard(reads: tuple[str, ...], leaf: Leaf, scenes: Scenes) -> bool:
    gpath = next(iter(leaf.seen.values())).gpath
    return all((slot, leaf.slot, gpath) in scenes.hard for slot in reads)


def _proper(binding: b.Binding, leaf: Leaf) -> bool:
    return bool(b.producers(binding)) or binding == b.FromInput(leaf.name)


def _crossed(binding: b.Binding, leaf: Leaf, scenes: Scenes) -> frozenset[tuple[int, int]]:
    """Pairs of runs of which one's outputs give the other's value: what chance alone explains."""
    found = set()
    for run, traced in leaf.seen.items():
        for other in leaf.seen:
            if other == run:
                continue
            scene = Scene(scenes.by_run[run].inputs, scenes.by_run[other].outputs)
            try:
                if transforms.same(value(binding, scene), traced.value):
                    found.add((run, other))
            except (Missing, Asked):
                continue
    return frozenset(found)


def _tried(leaf: Leaf, scenes: Scenes, propose: object) -> list[Rule]:
    suggested: dict[bytes, tuple[b.Binding, set[int]]] = {}
    for run in sorted(leaf.seen):
        for binding in propose(leaf, run, scenes):  # type: ignore[operator]
            key = msgspec.json.encode(binding)
            if key not in suggested and len(suggested) >= RULES:
                continue
            suggested.setdefault(key, (binding, set()))[1].add(run)
    found = []
    for key, (binding, runs) in suggested.items():
        reads = b.producers(binding)
        tried = () if _said(binding) else leaf.seen.keys() - runs
        explains = frozenset(runs).union(r for r in tried if explained(binding, leaf, r, scenes, reads))
        asks = tuple(n for n in b.inputs(binding) if n != leaf.name)
        enough = len(explains) >= CROSS * len(leaf.seen) and reads and not _hard(reads, leaf, scenes)
        crossed = _crossed(binding, leaf, scenes) if enough else None
        found.append(Rule(binding, frozenset(runs), explains, key, reads, asks, crossed))
    return found


def _said(binding: b.Binding) -> bool:
    """Does every run that such a rule explains suggest it by itself? Then there is nothing to try."""
    return isinstance(binding, b.Constant) and isinstance(binding.value, str)


def explained(
    binding: b.Binding, leaf: Leaf, run: int, scenes: Scenes, reads: tuple[str, ...] | None = None
) -> bool:
    """Does a rule give the value that a run passed?

    Args:
        binding: with stand-in inputs.
        leaf: what is explained.
        run: place of the run.
        scenes: all runs.
        reads: the steps that it reads, where they are known already.
    """
    traced = leaf.seen[run]
    if isinstance(binding, b.FromInput) and binding.name == leaf.name:
        return traced.prompt is not None
    reads = b.producers(binding) if reads is None else reads
    if not all(scenes.before(run, slot, leaf.slot) for slot in reads):
        return False
    try:
        found = value(binding, scenes.by_run[run])
    except (Missing, Asked):
        return False
    return transforms.same(found, traced.value)
