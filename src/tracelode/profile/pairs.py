"""Which runs are held against which, and how much does each count? Integer weights with one denominator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import lcm
from typing import NamedTuple

from tracelode.errors import QueryError, UsageError
from tracelode.model.difference import PER
from tracelode.model.numbers import number
from tracelode.model.profile import Stack
from tracelode.model.unknown import why

NO_TASK = "without a task"
ONE_SIDE = "of tasks on one side only"


class Run(NamedTuple):
    """One session of a set, with its sub-agents."""

    root: str
    """Key of the root session."""
    task: str | None
    """What it shares with the runs it is held against, None where that is not known."""
    stacks: Mapping[Stack, int]
    """Value of each stack, in the measure's unit."""


class Weights(NamedTuple):
    """What each run of both sets counts."""

    base: tuple[int, ...]
    """One integer per base run, in 1/scale; 0 for a run that is left out."""
    other: tuple[int, ...]
    """One integer per other run, in 1/scale."""
    scale: int
    """The common denominator."""
    weight: int
    """Tasks, sessions of the larger set, or 1: what a total of the files stands for."""
    tasks: int
    """Tasks that were compared; a run without a task is one of its own."""
    pairs: int
    """Pairs of one run of each set that share a task."""
    left_out: tuple[tuple[str, int], ...]
    """(reason, runs of either set that count 0 for it)."""


def weigh(base: Sequence[str | None], other: Sequence[str | None], per: str) -> Weights:
    """How much does each run count?

    Args:
        base: task of each of the n base runs, None where unknown.
        other: task of each of the m other runs.
        per: task, session or total.

    Returns:
        The weights. Per task, each pair of a base and another run of one of T tasks counts once and the
        pairs of a task together 1 / T: a base run of a task with b of them counts 1 / (b T). Per session a
        base run counts 1 / n, and in total 1. Every side's weights sum to scale (total: to its runs).

    Raises:
        UsageError: per is none of these.

    Source:
        profile: differences, every pair once, weights sum to one per task.

    Example:
        >>> weigh(["a", "a", "b"], ["a", "c"], "task")[:3]
        ((1, 1, 0), (2, 0), 2)
    """
    if per not in PER:
        raise UsageError(f"a difference is per {', '.join(PER)}, not per {per!r}")
    ours, theirs = Counter(base), Counter(other)
    shared = sorted({task for task in ours if task is not None and task in theirs}, key=str)
    pairs = sum(ours[task] * theirs[task] for task in shared)
    if per == "task":
        scale = len(shared) * lcm(*(n for task in shared for n in (ours[task], theirs[task])))
        held = set(shared)
        weights = [
            tuple(scale // (counts[task] * len(shared)) if task in held else 0 for task in side)
            for counts, side in ((ours, base), (theirs, other))
        ]
        unknown = ours[None] + theirs[None]
        alone = len(base) + len(other) - unknown - sum(ours[task] + theirs[task] for task in shared)
        left = tuple((why, n) for why, n in ((NO_TASK, unknown), (ONE_SIDE, alone)) if n)
        return Weights(weights[0], weights[1], scale, len(shared), len(shared), pairs, left)
    tasks = len({*ours, *theirs} - {None}) + ours[None] + theirs[None]
    if per == "total" or not base or not other:
        return Weights((1,) * len(base), (1,) * len(other), 1, 1, tasks, pairs, ())
    scale = lcm(len(base), len(other))
    weights = [(scale // len(side),) * len(side) for side in (base, other)]
    return Weights(weights[0], weights[1], scale, max(len(base), len(other)), tasks, pairs, ())


def refuse(
    base: Sequence[str | None],
    other: Sequence[str | None],
    names: tuple[str, str],
    least: int,
    *,
    pair: Sequence[str] = ("task",),
    loose: bool = True,
) -> None:
    """Stop where fewer tasks than asked for have runs on both sides.

    Args:
        base: task of each base run, None where unknown.
        other: task of each other run.
        names: words for the two sets.
        least: tasks needed.
        pair: fields whose values stand for the task.
        loose: whether who asks can go without pairs, and with fewer, as diff can.

    Raises:
        QueryError: there are fewer; the message counts what there is and says what to do.
    """
    shared = ({*base} & {*other}) - {None}
    if len(shared) >= least:
        return
    refuse_empty((len(base), len(other)), names)
    word = ",".join(pair)
    one = "a task" if word == "task" else f"a value of {word}"
    there = f"{_runs(base)} {names[0]}, {_runs(other)} {names[1]}"
    ways = ["pair by another field with --pair"] + (["take --per session"] if loose else [])
    if {*base, *other} <= {None}:
        tell = ["say tasks with tracelode outcome import FILE.csv"] if word == "task" else []
        raise QueryError(
            f"no pairs: none of the sessions has {one} ({there}); {', or '.join([*tell, *ways])}"
        )
    if not shared:
        ours, theirs = (f"{len({*side} - {None}):,} in {_runs(side)}" for side in (base, other))
        raise QueryError(
            f"no pairs: no two sessions share {one} across the sets ({names[0]} has {ours}, {names[1]} "
            f"{theirs}); {', or '.join(ways)}"
        )
    noun = "task" if word == "task" else "value"
    only = f"only {number(len(shared), noun)}{'' if word == 'task' else f' of {word}'}"
    only += " has" if len(shared) == 1 else " have"
    lower = "--least-tasks lowers it" if loose else f"add runs of another {word}, or {ways[0]}"
    raise QueryError(
        f"{only} sessions on both sides, {least} are needed ({there}): what one {word} shows may be that "
        f"{word}'s own; {lower}"
    )


def refuse_empty(sizes: tuple[int, int], names: tuple[str, str]) -> None:
    """Stop where a set has no session.

    Args:
        sizes: sessions of both sets.
        names: words for them.

    Raises:
        QueryError: one or both are empty.
    """
    if not any(sizes):
        raise QueryError(f"no session matches {names[0]!r}, and none {names[1]!r}; loosen the filters")
    for place, (size, name) in enumerate(zip(sizes, names, strict=True)):
        if not size:
            there = (
                f"{sizes[1 - place]:,} {'matches' if sizes[1 - place] == 1 else 'match'} {names[1 - place]!r}"
            )
            raise QueryError(f"no session matches {name!r} ({there}); loosen its filters")


def refuse_unknown(
    measure: str, told: tuple[int, int], unknown: tuple[int, int], names: tuple[str, str]
) -> None:
    """Stop where no session of a set tells a measure.

    Args:
        measure: what is compared.
        told: sessions of both sets that tell it.
        unknown: those that do not.
        names: words for the sets.

    Raises:
        QueryError: at least one set has sessions, and none that tells it.
    """
    mute = [place for place in (0, 1) if unknown[place] and not told[place]]
    if mute:
        where = "both sets" if len(mute) == 2 else repr(names[mute[0]])
        there = " and ".join(f"{unknown[place]:,}" for place in mute)
        raise QueryError(
            f"{measure} is unknown in every session of {where} ({there}: {why(measure)}), and unknown is not "
            "0; name another --measure"
        )


def _runs(side: Sequence[str | None]) -> str:
    return number(len(side), "session")
