"""How are all arguments of an intent bound, for any subset of its runs?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tracelode.compile.bind.blank import add_empty
from tracelode.compile.bind.choose import MENTIONS, Choice, Ground, Hard, choose
from tracelode.compile.bind.inputs import Given, gather, inputs_of
from tracelode.compile.bind.loops import fan_slots, loop, polled_slots, wait
from tracelode.compile.bind.observe import Leaf, Scenes
from tracelode.compile.bind.resolve import given_by, resolved
from tracelode.compile.bind.strict import feeding, strict
from tracelode.compile.bind.table import Row
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.evidence import Edge
from tracelode.model.workflow import Argument, ForEach, Guard, Input, Test, Wait

ROUNDS = 4
"""How far a rule may refer to another argument that refers to another."""


@dataclass(frozen=True)
class Bound:
    """All bindings of an intent, learned from some runs."""

    choices: Mapping[str, Choice]
    """Stand-in to choice."""
    given: tuple[Given, ...]
    """Inputs before they are told."""
    arguments: Mapping[str, tuple[Argument, ...]]
    """Slot to bound arguments."""
    loops: Mapping[str, ForEach]
    """Slot to its list."""
    waits: Mapping[str, Wait]
    """Slot to what it waits for."""
    slots: frozenset[str] = frozenset()
    """Slots that these runs have."""


def hard_edges(edges: tuple[Edge, ...]) -> Hard:
    """What choose() needs of the data edges.

    Args:
        edges: of all kinds.
    """
    return {(e.before, e.after, e.arg) for e in edges if e.kind == "data_hard"}


def ground_of(work: Work, runs: frozenset[int], hard: Hard) -> Ground:
    """What choices are made on.

    Args:
        work: the intent.
        runs: places of the runs to learn from.
        hard: hard data edges of these runs.
    """
    requests = {place: run.request or run.key for place, run in enumerate(work.runs)}
    writes = frozenset(slot for slot, effect in work.effects.items() if effect.writes)
    return Ground(runs, hard, work.options.accept, requests, writes=writes)


def bound(rows: tuple[Row, ...], ground: Ground, scenes: Scenes, edges: tuple[Edge, ...]) -> Bound:
    """Bind all arguments.

    Args:
        rows: the rules of every leaf.
        ground: what choices are made on.
        scenes: all runs.
        edges: edges of these runs, for the ids.

    Returns:
        Choices, inputs and final bindings.
    """
    fans, polled = scenes.kept("fan", fan_slots), scenes.kept("poll", polled_slots)
    ground = replace(ground, writes=feeding(ground))
    here = [row for row in rows if ground.runs & set(row.leaf.seen)]
    choices = _chosen(here, ground)
    asked = [
        (row.leaf, choices[row.leaf.name].optional or isinstance(choices[row.leaf.name].binding, b.Alias))
        for row in here
        if row.leaf.name in b.inputs(choices[row.leaf.name].binding)
    ]
    mentions = [
        n for choice in choices.values() for n in b.inputs(choice.binding) if n.split("\0")[1] in MENTIONS
    ]
    given = gather(asked, mentions, scenes)
    names = given_by(given)
    arguments: dict[str, list[Argument]] = {}
    for row in here:
        argument = _argument(row.leaf, choices, names, ground, edges)
        arguments.setdefault(row.leaf.slot, []).append(argument)
    add_empty(arguments, scenes, ground)
    loops: dict[str, ForEach] = {}
    for slot in fans:
        found = loop(slot, scenes, ground.runs, ground.accept)
        if found is not None:
            loops[slot] = found.each
            varying = {a.path: a for a in found.arguments}
            arguments[slot] = [varying.get(a.path, a) for a in arguments.get(slot, [])]
        else:
            arguments[slot] = [_loose(a, slot, scenes, ground.runs) for a in arguments.get(slot, [])]
    waits = {}
    for slot in polled:
        rule = wait(slot, scenes, ground.runs) if slot not in fans else None
        if rule is not None:
            waits[slot] = rule
    slots = frozenset(slot for run in ground.runs for slot in scenes.first[run])
    return Bound(choices, given, {s: tuple(a) for s, a in arguments.items()}, loops, waits, slots)


def _chosen(rows: list[Row], ground: Ground) -> dict[str, Choice]:
    """First what stands by itself; then, round by round, what refers to it."""
    choices: dict[str, Choice] = {}
    for _ in range(ROUNDS):
        known = frozenset(n for n, c in choices.items() if not _loose_end(c.binding))
        open_rows = [row for row in rows if row.leaf.name not in known]
        found = {row.leaf.name: choose(row, replace(ground, known=known)) for row in open_rows}
        choices.update(found)
        if all(_loose_end(c.binding) for c in found.values()):
            break
    return choices


def _loose_end(binding: b.Binding) -> bool:
    return b.residual(binding) or isinstance(binding, b.Unsourced)


def _loose(argument: Argument, slot: str, scenes: Scenes, runs: frozenset[int]) -> Argument:
    """An argument of a fan-out without a list: what varies inside a run is nobody's rule."""
    from tracelode.compile import transforms

    alignment = scenes.work.alignment
    assert alignment is not None
    for run in sorted(runs):
        calls = alignment.calls(run, slot)
        values = {
            transforms.text(t.value)
            for t in scenes.work.traced[run]
            if t.call in calls and t.path == argument.path
        }
        if len(values) > 1:
            return Argument(path=argument.path, binding=b.Free(), runs=argument.runs, proof="none")
    return argument


def _argument(
    leaf: Leaf,
    choices: Mapping[str, Choice],
    names: Mapping[str, str],
    ground: Ground,
    edges: tuple[Edge, ...],
) -> Argument:
    choice = choices[leaf.name]
    binding = resolved(leaf.name, choices, names)
    if leaf.slot in ground.writes:
        binding = strict(binding)
    proof = "none" if _loose_end(binding) else choice.proof
    gpath = next(iter(leaf.seen.values())).gpath
    ids = tuple(
        e.id
        for e in edges
        if e.after == leaf.slot
        and e.arg == gpath
        and e.kind == "data_hard"
        and e.before in b.producers(binding)
    )
    when = None
    if choice.optional and isinstance(binding, b.FromInput):
        when = Guard((Test(binding, "present"),), len(choice.explains), len(ground.runs & leaf.absent))
    return Argument(
        path=leaf.path,
        binding=binding,
        support=len(choice.explains),
        runs=len(ground.runs & set(leaf.seen)),
        proof=proof,
        edges=ids,
        when=when,
    )


def told(found: Bound, scenes: Scenes) -> tuple[Input, ...]:
    """The inputs of a binding, with types and what was learned of requests.

    Args:
        found: all bindings.
        scenes: all runs.
    """
    return inputs_of(found.given, scenes)
