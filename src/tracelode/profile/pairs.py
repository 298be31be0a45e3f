"""Which runs are held against which, and how much does each count? Integer weights with one denominator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import lcm
from typing import NamedTuple

from tracelode.errors import QueryError, UsageError
from tracelode.model.difference import PER
from tracelode.model.profile import Stack

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
    base: Sequence[str | None], other: Sequence[str | None], names: tuple[str, str], least: int
) -> None:
    """Stop where fewer tasks than asked for have runs on both sides.

    Args:
        base: task of each base run, None where unknown.
        other: task of each other run.
        names: words for the two sets.
        least: tasks needed.

    Raises:
        QueryError: there are fewer; the message counts what there is and says what to do.
    """
    shared = ({*base} & {*other}) - {None}
    if len(shared) >= least:
        return
    there = f"{_runs(base)} {names[0]}, {_runs(other)} {names[1]}"
    for side, name in ((base, names[0]), (other, names[1])):
        if not side and (base or other):
            raise QueryError(f"no pairs: no session belongs to the set '{name}' ({there})")
    if {*base, *other} <= {None}:
        raise QueryError(
            f"no pairs: none of the sessions has a task ({there}); say tasks with tracelode outcome "
            "import FILE.csv, pair by another field as --pair project,intent, or take --per session"
        )
    if not shared:
        raise QueryError(f"no pairs: no task has sessions on both sides ({there}); --per session needs none")
    only = "only 1 task has" if len(shared) == 1 else f"only {len(shared)} tasks have"
    raise QueryError(
        f"{only} sessions on both sides, {least} are needed ({there}): what one task shows may be that "
        "task's own; --least-tasks lowers it"
    )


def _runs(side: Sequence[str | None]) -> str:
    return f"{len(side):,} session{'' if len(side) == 1 else 's'}"
