"""What a profile is: totals per stack per measure, a sum that folds in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from tracelode.errors import ModelError, UnknownMeasure
from tracelode.model.measure import NULLABLE, unit

Stack: TypeAlias = tuple[str, ...]
"""Frames, root to leaf."""


class Sample(msgspec.Struct, frozen=True):
    """One operation (or one session's share of a stack) inside a profile."""

    stack: Stack
    """Frames, root to leaf."""
    totals: tuple[int, ...]
    """One integer per measure of the profile."""
    labels: tuple[tuple[str, str], ...] = ()
    """(key, value) pairs: session, operation, origin."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Totals per stack per measure."""

    measures: tuple[str, ...]
    """m measure names; the first is the default."""
    totals: dict[Stack, tuple[int, ...]]
    """n stacks to m integers each."""
    samples: tuple[Sample, ...] = ()
    """Detail that sums to totals, or empty when only totals were asked for."""
    comments: tuple[str, ...] = ()
    """What the profile was made with: segmenter, lexicon and price-table version, filters."""
    fields: tuple[str, ...] = ()
    """The stack fields that were projected."""
    untold: dict[str, frozenset[Stack]] = {}
    """Measure to the stacks of which no operation tells it: their integer is 0 and means unknown."""

    def told(self, stack: Stack) -> tuple[int | None, ...]:
        """Totals of one stack, None where unknown.

        Args:
            stack: one of totals.

        Returns:
            m integers or None.
        """
        values = self.totals[stack]
        if not self.untold:
            return values
        return tuple(
            None if stack in self.untold.get(measure, ()) else value
            for measure, value in zip(self.measures, values, strict=True)
        )

    def known(self, measure: int = 0) -> bool:
        """Does any stack tell a measure?

        Args:
            measure: place in measures.

        Returns:
            True, or False where the sum of the measure is unknown; an empty profile knows that it is 0.
        """
        missing = self.untold.get(self.measures[measure], frozenset())
        return not missing or len(missing) < len(self.totals)

    def told_below(self, measure: int = 0) -> frozenset[Stack] | None:
        """Prefixes under which some stack tells a measure.

        Args:
            measure: place in measures.

        Returns:
            The prefixes; None where every stack tells it, which is the usual case.
        """
        missing = self.untold.get(self.measures[measure])
        if not missing:
            return None
        told = (stack for stack in self.totals if stack not in missing)
        return frozenset(stack[:depth] for stack in told for depth in range(len(stack) + 1))

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each measure."""
        return tuple(unit(m) for m in self.measures)

    def place(self, measure: str | None = None) -> int:
        """Place of a measure in measures.

        Args:
            measure: one of measures; None for the default.

        Returns:
            Its 0-based place.

        Raises:
            UnknownMeasure: the profile does not carry it.
        """
        if measure is None:
            return 0
        if measure not in self.measures:
            raise UnknownMeasure(measure, self.measures)
        return self.measures.index(measure)

    def total(self, measure: int = 0) -> int:
        """Sum of one measure over all stacks.

        Args:
            measure: place in measures.

        Returns:
            The sum.
        """
        return sum(t[measure] for t in self.totals.values())

    def flat_cum(self, measure: int = 0) -> list[tuple[Stack, int, int]]:
        """Flat and cumulative value of every node of the tree.

        Args:
            measure: place in measures.

        Returns:
            (stack prefix, flat, cum) for every prefix of every stack, sorted by prefix.
        """
        flat: dict[Stack, int] = {}
        cum: dict[Stack, int] = {}
        for stack, values in self.totals.items():
            flat[stack] = flat.get(stack, 0) + values[measure]
            for depth in range(1, len(stack) + 1):
                prefix = stack[:depth]
                cum[prefix] = cum.get(prefix, 0) + values[measure]
        return [(prefix, flat.get(prefix, 0), cum[prefix]) for prefix in sorted(cum)]

    def top(self, n: int | None = None, measure: int = 0) -> list[tuple[Stack, int, int]]:
        """The largest stacks.

        Args:
            n: at most this many rows, None for all.
            measure: place in measures.

        Returns:
            (stack, flat, cum), largest flat first, ties by stack.
        """
        cum = {prefix: value for prefix, _, value in self.flat_cum(measure)}
        rows = [(stack, values[measure], cum[stack]) for stack, values in self.totals.items()]
        rows.sort(key=lambda row: (-row[1], row[0]))
        return rows[:n]

    def to_arrow(self) -> Any:
        """The stacks as a pyarrow.Table, see handover.to_arrow().

        Raises:
            MissingExtra: pyarrow is not installed.
        """
        from tracelode.model.handover import to_arrow

        return to_arrow(self)

    def to_pandas(self) -> Any:
        """The stacks as a pandas.DataFrame, see handover.to_pandas().

        Raises:
            MissingExtra: pandas is not installed.
        """
        from tracelode.model.handover import to_pandas

        return to_pandas(self)

    def to_polars(self) -> Any:
        """The stacks as a polars.DataFrame, see handover.to_polars().

        Raises:
            MissingExtra: polars is not installed.
        """
        from tracelode.model.handover import to_polars

        return to_polars(self)

    def _repr_html_(self) -> str | None:
        """The flame viewer, for notebooks."""
        from tracelode.model.handover import framed

        return framed(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """One line for notebooks, which keep a text beside the picture."""
        printer.text(f"<Profile: {len(self.totals):,} stacks of {', '.join(self.measures)}>")


def fold(samples: Iterable[tuple[Stack, Sequence[int | None]]], measures: tuple[str, ...]) -> Profile:
    """Sum samples that share a stack: the reference every engine must agree with.

    Args:
        samples: n pairs (stack, totals); each totals has len(measures) integers, None where unknown.
        measures: m names, in the order of the totals.

    Returns:
        Profile with at most n stacks, sorted. O(n * m) time, O(stacks * m) memory.

    Raises:
        ModelError: a sample has no frame, or not m totals.

    Source:
        AgentPProf (arXiv 2609.20301), operation stacks.

    Example:
        >>> fold([(("fix",), (7,)), (("fix",), (3,))], ("tokens",)).totals[("fix",)]
        (10,)
    """
    sums: dict[Stack, list[int | None]] = {}
    for stack, values in samples:
        if not stack:
            raise ModelError("a sample has no frame")
        if len(values) != len(measures):
            raise ModelError(f"a sample has {len(values)} totals, not {len(measures)}")
        row = sums.get(stack)
        if row is None:
            sums[stack] = list(values)
        else:
            for i, value in enumerate(values):
                if value is not None:
                    row[i] = value + (row[i] or 0)
    return made(((stack, sums[stack]) for stack in sorted(sums)), measures)


def made(rows: Iterable[tuple[Stack, Sequence[int | None]]], measures: tuple[str, ...]) -> Profile:
    """A profile of totals some of which may be unknown.

    Args:
        rows: n stacks, each once and in the order they are to have, with m integers or None each.
        measures: m names.

    Returns:
        The profile; what is unknown is 0 and listed in untold.
    """
    untold: dict[str, set[Stack]] = {}
    open_ = [(i, measure) for i, measure in enumerate(measures) if measure in NULLABLE]
    totals: dict[Stack, tuple[int, ...]] = {}
    for stack, values in rows:
        totals[stack] = tuple(value or 0 for value in values)
        for i, measure in open_:
            if values[i] is None:
                untold.setdefault(measure, set()).add(stack)
    missing = {measure: frozenset(stacks) for measure, stacks in untold.items()}
    return Profile(measures=measures, totals=totals, untold=missing)


def merge(profiles: Iterable[Profile]) -> Profile:
    """Add profiles of equal measures.

    Args:
        profiles: at least one; all with the same measures.

    Returns:
        Their sum: in any order the same.

    Raises:
        ModelError: none given, or different measures.
    """
    items = list(profiles)
    if not items or any(p.measures != items[0].measures for p in items):
        raise ModelError("merge takes one or more profiles of equal measures")
    return fold(((stack, p.told(stack)) for p in items for stack in p.totals), items[0].measures)
