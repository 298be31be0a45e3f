"""Where does a session go round in circles, and what does that cost?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from tracelode.model.measure import parts
from tracelode.model.operation import Operation
from tracelode.model.ranking import Loop, Loops
from tracelode.profile.rank.collect import Given
from tracelode.signals.likeness import likeness
from tracelode.signals.repeats import LOOPS, SORTS, Repeat, action_text, acts, chains, repeats

LEAST = 1
"""Repetitions that make a loop."""
LIMIT = 200
"""Loops kept at most."""


def score(earlier: Operation, later: Operation) -> float:
    """How much an action is the one before it once more.

    Args:
        earlier: an action.
        later: the action right after it.

    Returns:
        0..1: likeness of their inputs, 0 where the tools differ. No training; results do not enter, they say
        little about what people call repetition (benchmarks/looping.py).
    """
    one, other = (o.fields.get("tool") or o.name for o in (earlier, later))
    return likeness(action_text(earlier), action_text(later)) if one == other else 0.0


class Found(NamedTuple):
    """What one session holds."""

    loops: list[Loop]
    """Its loops, by first place."""
    repeats: list[Repeat]
    """All of its repeats."""
    actions: int
    """Its tool calls."""


def of_session(
    operations: Sequence[Operation], measures: Sequence[str], chosen: Sequence[bool] = (), least: int = LEAST
) -> Found:
    """The loops of one session.

    Args:
        operations: its n own operations in order, with stage, frame and the stored measures.
        measures: stored or derived measures that repetitions are summed on.
        chosen: for each whether it may begin a loop; () for all.
        least: repetitions that make a loop.

    Returns:
        Chains of retries, redundant looks and plain repeats whose results are equal or nearly so; the first
        action is no repetition and costs nothing here. Pure.

    Source:
        profile rules: loops.
    """
    repeated = repeats(operations)
    loops = [
        _loop(operations, chain, measures)
        for chain in chains(r for r in repeated if r.sort in LOOPS and r.same_result)
        if len(chain) >= least and (not chosen or chosen[chain[0].place])
    ]
    return Found(loops, repeated, sum(map(acts, operations)))


def _loop(operations: Sequence[Operation], chain: Sequence[Repeat], measures: Sequence[str]) -> Loop:
    first = operations[chain[0].place]
    sorts = Counter(repeat.sort for repeat in chain)
    sort = min(sorts, key=lambda s: (-sorts[s], s))
    again = [operations[repeat.place] for repeat in chain]
    origin = operations[chain[0].of]
    exact = all(r.likeness == 1.0 for r in chain) and all(o.output == origin.output for o in again)
    return Loop(
        session=first.session,
        stage=first.fields.get("stage", ""),
        tool=first.fields.get("frame") or first.fields.get("tool") or first.name,
        sort=sort,
        words=SORTS[sort],
        places=(origin.index, *(o.index for o in again)),
        exact=exact,
        alike=round(fmean(score(a, b) for a, b in pairwise([origin, *again])), 3),
        measures={measure: total(again, measure) for measure in measures},
        path=first.origin.path,
        line=first.origin.line,
    )


def total(operations: Iterable[Operation], measure: str) -> int | None:
    """A measure summed over operations.

    Args:
        operations: with stored measures.
        measure: a stored or derived one.

    Returns:
        An integer, None where no operation tells any part of it.

    Raises:
        UnknownMeasure: no such measure.
    """
    names = parts(measure)
    told = [o.measures[name] for o in operations for name in names if name in o.measures]
    return sum(told) if told else None


class LoopCollector:
    """Finds the loops of the sessions that are added.

    Args:
        measures: measures that repetitions are summed on, the first one sorts.
        least: repetitions that make a loop.
        limit: loops kept.
        roots: session key to the key of its root; what is not in it is a root itself.
    """

    def __init__(
        self,
        measures: Sequence[str],
        least: int = LEAST,
        limit: int = LIMIT,
        roots: Mapping[str, str] | None = None,
    ) -> None:
        self._measures, self._least, self._limit = tuple(measures), least, limit
        self._kept: list[tuple[tuple[int, int, str, tuple[int, ...]], Loop]] = []
        self._sorts: Counter[str] = Counter()
        self._sums: dict[str, int | None] = dict.fromkeys(self._measures)
        self._total = self._repeats = self._operations = 0
        self._roots, self._below, self._families = dict(roots or {}), 0, set[str]()

    def add(self, given: Given) -> None:
        """Look for the loops of one session.

        Args:
            given: the session; nothing of it is kept but its loops.
        """
        found = of_session(given.operations, self._measures, given.chosen, self._least)
        root = self._roots.get(given.session, given.session)
        self._families.add(root)
        self._below += root != given.session
        self._operations += found.actions
        self._sorts.update(r.sort for r in found.repeats if given.chosen[r.place])
        for loop in found.loops:
            self._total += 1
            self._repeats += loop.repeats
            for name, value in loop.measures.items():
                if value is not None:
                    self._sums[name] = (self._sums[name] or 0) + value
            first = loop.measures[self._measures[0]] if self._measures else None
            self._kept.append(((-(first or 0), -loop.repeats, loop.session, loop.places), loop))
        if len(self._kept) > 2 * self._limit + 64:
            self._cut()

    def _cut(self) -> None:
        self._kept.sort(key=lambda row: row[0])
        del self._kept[self._limit :]

    def loops(self) -> Loops:
        """What was found.

        Returns:
            The dearest loops; the same whatever order the sessions were added in.
        """
        self._cut()
        return Loops(
            loops=tuple(loop for _, loop in self._kept),
            total=self._total,
            repeats=self._repeats,
            operations=self._operations,
            sessions=len(self._families),
            subagents=self._below,
            by_sort={sort: self._sorts[sort] for sort in SORTS},
            measures=dict(self._sums),
            words=dict(SORTS),
        )
