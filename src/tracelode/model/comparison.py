"""What does a paired comparison of two sets of runs say? An effect, its certainty, and a gate on quality."""

from __future__ import annotations

from fractions import Fraction

import msgspec


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """Is the quality of the other set not worse than a margin below that of the base set?"""

    hold: str
    """What was to hold: success, or proxy."""
    margin: float
    """Largest loss that is accepted, as a share of runs."""
    tasks: int
    """Tasks with a known quality on both sides."""
    base: float | None
    """Share of good runs of the base set, mean over tasks; None where no task tells it."""
    other: float | None
    """The same of the other set."""
    low: float | None
    """Lower bound of other - base, one-sided 95 %."""
    high: float | None
    """Upper bound of other - base, one-sided 95 %."""
    reach: float | None
    """Smallest margin that so many tasks could hold if all ended alike on both sides."""
    left_out: int
    """Runs of compared tasks whose quality is unknown."""

    @property
    def passed(self) -> bool:
        """Does the whole interval lie above -margin? What is unknown did not pass."""
        return self.low is not None and self.low >= -self.margin


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two sets of runs of the same tasks: other minus base."""

    measure: str
    """What was compared."""
    names: tuple[str, str]
    """Words for the base and the other set."""
    tasks: int
    """Tasks with known runs on both sides: the units of every test."""
    sessions: tuple[int, int]
    """Their runs on each side."""
    base: Fraction
    """Mean of the base set: mean over tasks of the means of their runs, in the measure's unit."""
    other: Fraction
    """The same of the other set."""
    interval: tuple[float, float] | None
    """Bounds of other - base, bootstrap over tasks; None below 5 tasks."""
    relative: tuple[float, float] | None
    """Bounds of (other - base) / base, from the same resamples; None where base is 0, or below 5 tasks."""
    p: float
    """Two-sided p value of flipping the sign of each task's difference."""
    exact: bool
    """True: all sign flips were counted; False: a seeded sample of them."""
    detectable: float | None
    """Smallest difference that so many tasks would show in 80 % of repetitions; None below 6 tasks."""
    gate: Gate | None
    """None where no quality was to hold."""
    left_out: tuple[tuple[str, int], ...] = ()
    """(reason, runs of either set that were not compared for it)."""
    notes: tuple[str, ...] = ()
    """What a reader must know."""

    @property
    def net(self) -> Fraction:
        """other - base, in the measure's unit."""
        return self.other - self.base

    @property
    def change(self) -> Fraction | None:
        """(other - base) / base; None where base is 0."""
        return self.net / self.base if self.base else None
