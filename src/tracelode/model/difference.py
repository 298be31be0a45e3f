"""What is a difference of two sets of sessions? Two sums per stack, exact, and what supports each frame."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.model.measure import round_shares, unit
from tracelode.model.profile import Profile, Sample, Stack, fold
from tracelode.model.words import printable, value_text

PER = ("task", "session", "total")
"""What a difference is counted per."""


class Support(msgspec.Struct, frozen=True):
    """What a frame rests on."""

    base: int
    """Sessions of the base set that have the frame."""
    other: int
    """Sessions of the other set that have it."""
    tasks: int
    """Tasks they belong to; a session without a task is one of its own."""

    @property
    def sessions(self) -> int:
        """Sessions of either set."""
        return self.base + self.other


class Contrast(msgspec.Struct, frozen=True):
    """One stack in both sets."""

    stack: Stack
    """Frames, root to leaf."""
    base: int
    """Value in the base set, in 1/scale of the measure's unit."""
    other: int
    """Value in the other set, in 1/scale of the measure's unit."""
    low: float | None = None
    """Lower bound of the net value, per task, session or total; None where it was not resampled."""
    high: float | None = None
    """Upper bound of the net value."""

    @property
    def net(self) -> int:
        """other - base, in 1/scale of the unit."""
        return self.other - self.base

    @property
    def sure(self) -> bool:
        """Does its interval leave 0 out?"""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def width(self) -> int:
        """|base| + |other|, in 1/scale of the unit."""
        return abs(self.base) + abs(self.other)

    @property
    def only(self) -> str | None:
        """The side that has it alone: base (it vanished), other (it is new), None for both."""
        return "base" if self.base and not self.other else "other" if self.other and not self.base else None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Two sets of sessions on one stack: other minus base."""

    measure: str
    """What is counted."""
    names: tuple[str, str]
    """Words for the base and the other set."""
    per: str
    """task: every pair of one task once, each task weighs one; session: means; total: plain sums."""
    scale: int
    """Values are integers of 1/scale of the unit: the common denominator of all weights."""
    weight: int
    """What files are scaled to: tasks, sessions of the larger set, or 1."""
    rows: tuple[Contrast, ...]
    """Every stack of either set: those with enough support first, the largest |net| first."""
    support: dict[Stack, Support]
    """Every prefix of every stack."""
    least: tuple[int, int]
    """Sessions and tasks that a frame needs to be called different."""
    sessions: tuple[int, int]
    """Sessions of both sets that were compared."""
    tasks: int
    """Tasks they belong to; a session without a task is one of its own."""
    pairs: int
    """Pairs of one session of each set that share a task."""
    left_out: tuple[tuple[str, int], ...] = ()
    """(reason, sessions of either set that were not compared for it)."""
    interval: tuple[float, float] | None = None
    """Bounds of the net total; None where there are too few tasks to resample."""
    proxy: bool = False
    """True: the sets were told apart by observed proxies, not by outcomes."""
    fields: tuple[str, ...] = ()
    """The stack fields that were projected."""
    comments: tuple[str, ...] = ()
    """What it was made with."""
    notes: tuple[str, ...] = ()
    """What a reader must know: proxies, unpriced tokens, doubtful segments."""

    @property
    def unit(self) -> str:
        """Unit of the measure."""
        return unit(self.measure)

    @property
    def totals(self) -> tuple[int, int]:
        """Sums of both sets over all stacks, in 1/scale of the unit."""
        return sum(row.base for row in self.rows), sum(row.other for row in self.rows)

    def supported(self, stack: Stack) -> bool:
        """May a frame be called different?

        Args:
            stack: a prefix of a stack.

        Returns:
            True where at least `least` sessions and tasks have it.
        """
        found = self.support.get(stack)
        return found is not None and found.sessions >= self.least[0] and found.tasks >= self.least[1]

    def integers(self) -> tuple[list[int], list[int]]:
        """Both sets as integers of the unit, scaled to `weight` tasks or sessions.

        Returns:
            Values of base and other for each row; each list sums to its exact total, rounded half up.
        """
        bases = round_shares([row.base * self.weight for row in self.rows], self.scale)
        others = round_shares([row.other * self.weight for row in self.rows], self.scale)
        return bases, others

    def signed(self) -> Profile:
        """A profile of other minus base for readers of pprof.

        Returns:
            Totals are net and may be below 0; the samples of the base set are negative and carry the label
            pprof::base, as those that `go tool pprof -diff_base` makes.

        Source:
            github.com/google/pprof, internal/driver/fetch.go and profile.Sample.DiffBaseSample.
        """
        samples: list[Sample] = []
        for row, base, other in zip(self.rows, *self.integers(), strict=True):
            if base:
                samples.append(Sample(row.stack, (-base,), (("pprof::base", "true"),)))
            if other:
                samples.append(Sample(row.stack, (other,)))
        sums = fold(((s.stack, s.totals) for s in samples), (self.measure,))
        return msgspec.structs.replace(
            sums, samples=tuple(samples), comments=self.comments, fields=self.fields
        )

    def _repr_html_(self) -> str | None:
        """The signed flame viewer, for notebooks."""
        from tracelode.model.handover import framed

        return framed(self, "write_difference")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """One line for notebooks, which keep a text beside the picture."""
        base, other = map(printable, self.names)
        printer.text(f"<Difference: {other} minus {base}, {len(self.rows):,} stacks of {self.measure}>")


class Cut(msgspec.Struct, frozen=True):
    """One stage's share of both sets when sessions are cut in several ways."""

    stage: str
    """Closed name."""
    segmenters: tuple[str, ...]
    """k names of segmenters; the store's own comes first."""
    base: tuple[float, ...]
    """k shares of the base set's value, 0..1."""
    other: tuple[float, ...]
    """k shares of the other set's value, 0..1."""
    doubtful: float | None = None
    """Share of the stage's value, as the first segmenter cuts, in sessions whose work is mixed up; None where
    it cuts no such stage."""

    @property
    def net(self) -> tuple[float, ...]:
        """k differences of the shares, other - base."""
        return tuple(two - one for one, two in zip(self.base, self.other, strict=True))

    @property
    def stable(self) -> bool:
        """Does the difference have one sign under every segmenter?"""
        return all(net > 0 for net in self.net) or all(net < 0 for net in self.net)


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """How far the shares of stages move over segmenters."""

    measure: str
    """What is counted."""
    names: tuple[str, str]
    """Words for the base and the other set."""
    lexicons: tuple[str, ...]
    """Versions of the lexicon that name the segments; one is there per release."""
    cuts: tuple[Cut, ...]
    """Stages, the largest difference first."""
    doubtful: dict[str, int]
    """Why segments are doubtful (interleaved, parallel, resumed) to number of root sessions."""
    sessions: int
    """Root sessions of either set."""


class ToldApart(msgspec.Struct, frozen=True, kw_only=True):
    """Whether what differs holds on tasks it was not learned on."""

    value: float
    """Share of pairs of one task in which the failed session scores higher."""
    pairs: int
    """Pairs."""
    tasks: int
    """Tasks."""
    null: float | None
    """Mean of the same with the outcomes of each task dealt anew."""
    p: float | None
    """Share of those deals that reach as high, the observed one counted as one."""


def each_text(measure: str, value: int, divisor: int, *, sign: bool = False) -> str:
    """A mean or a sum in its measure's human unit.

    Args:
        measure: what is counted.
        value: an integer of 1/divisor of the unit.
        divisor: positive.
        sign: write + before what is above 0.

    Returns:
        Text for a table cell; means of counts below 100 have one decimal.

    Example:
        >>> each_text("calls", 7, 2, sign=True), each_text("cost", -3 * 10**12, 2)
        ('+3.5', '-$1.50')
    """
    size = abs(value)
    whole = (2 * size + divisor) // (2 * divisor)
    if unit(measure) == "count" and divisor > 1 and size < 100 * divisor:
        tenths = (20 * size + divisor) // (2 * divisor)
        text = f"{tenths // 10}.{tenths % 10}"
        nothing = not tenths
    else:
        text, nothing = value_text(measure, whole), not whole
    before = "" if nothing else "-" if value < 0 else "+" if sign else ""
    return before + text


def bound_text(measure: str, value: float) -> str:
    """A bound of a net value, with its sign.

    Args:
        measure: what is counted.
        value: in the measure's unit.

    Returns:
        Text for a table cell.
    """
    return each_text(measure, round(value * 1000), 1000, sign=True)
