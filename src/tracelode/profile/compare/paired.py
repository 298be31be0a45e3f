"""How do two sets of runs of the same tasks compare? Effect, interval, sign-flip test, gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from operator import mul
from typing import NamedTuple

from tracelode.model.comparison import Comparison
from tracelode.model.unknown import why
from tracelode.profile.compare.gate import gate
from tracelode.profile.pairs import NO_TASK, ONE_SIDE, refuse, refuse_empty, refuse_unknown
from tracelode.statistics.bootstrap import interval, resamples
from tracelode.statistics.power import detectable
from tracelode.statistics.signs import TIMES, flip_signs
from tracelode.statistics.student import widened

UNITS = 5
"""Tasks below which no interval is given: so few resample to too few different sets."""


class Outcome(NamedTuple):
    """One run of a task: what it took, and how it ended."""

    root: str
    """Key of the root session."""
    task: str | None
    """The task, None where unknown."""
    value: int | None
    """The measure, None where unknown."""
    good: bool | None
    """Whether it ended well, None where unknown."""


def compare(
    base: Sequence[Outcome],
    other: Sequence[Outcome],
    *,
    measure: str,
    names: tuple[str, str] = ("base", "other"),
    pair: Sequence[str] = ("task",),
    hold: str | None = None,
    margin: float = 0.05,
    least: int = 2,
    times: int = TIMES,
    seed: int = 0,
) -> Comparison:
    """Hold two sets of runs of the same tasks against each other.

    Args:
        base: n runs, such as those before a change.
        other: m runs.
        measure: what their values count.
        names: words for the two sets.
        pair: fields whose values stand for the task, for messages.
        hold: quality that must not get worse; None for no gate.
        margin: largest loss of quality that is accepted, as a share of runs.
        least: tasks needed.
        times: sign flips to draw where there are too many to count them all.
        seed: of flips and resamples.

    Returns:
        Means over tasks of the means of their runs, their difference with a bootstrap interval over tasks,
        the p value of a sign-flip test over tasks, and the gate. A run whose value is unknown is left out of
        the effect and counted; the gate looks at every run of the tasks that have runs on both sides.

    Raises:
        QueryError: fewer tasks than needed have runs with known values on both sides.
        UsageError: a margin that is none.

    Source:
        profile: fixes that pay.

    Example:
        >>> before = [Outcome(f"a{i}", str(i), 10 + i, True) for i in range(6)]
        >>> after = [Outcome(f"b{i}", str(i), 8 + i, True) for i in range(6)]
        >>> found = compare(before, after, measure="calls")
        >>> found.net, found.p
        (Fraction(-2, 1), 0.03125)
    """
    refuse_empty((len(base), len(other)), names)
    known = [[run for run in side if run.value is not None] for side in (base, other)]
    unknown = len(base) - len(known[0]), len(other) - len(known[1])
    refuse_unknown(measure, (len(known[0]), len(known[1])), unknown, names)
    refuse([run.task for run in base], [run.task for run in other], names, least, pair=pair, loose=False)
    by_task = [_by_task(side) for side in known]
    shared = sorted({*by_task[0]} & {*by_task[1]})
    refuse(
        [run.task for run in known[0]], [run.task for run in known[1]], names, least, pair=pair, loose=False
    )
    scale = lcm(*(len(side[task]) for task in shared for side in by_task))
    values = [[sum(side[task]) * (scale // len(side[task])) for task in shared] for side in by_task]
    gaps = [two - one for one, two in zip(*values, strict=True)]
    test = flip_signs(gaps, times, seed)
    n = len(shared)
    net, relative = _intervals(values, scale, seed)
    effect = detectable([gap / scale for gap in gaps])
    left = Counter({f"with {measure} unknown ({why(measure)})": sum(unknown)})
    for side in known:
        for run in side:
            left[NO_TASK if run.task is None else "" if run.task in shared else ONE_SIDE] += 1
    quality = None
    if hold is not None:
        quality = gate(_ends(base), _ends(other), margin, hold)
    return Comparison(
        measure=measure, names=names, tasks=n,
        sessions=(sum(len(by_task[0][t]) for t in shared), sum(len(by_task[1][t]) for t in shared)),
        base=Fraction(sum(values[0]), n * scale), other=Fraction(sum(values[1]), n * scale),
        interval=net, relative=relative, p=test.p, exact=test.exact, detectable=effect, gate=quality,
        left_out=tuple((why, count) for why, count in left.items() if why and count),
    )  # fmt: skip


def _by_task(side: Iterable[Outcome]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for run in side:
        if run.task is not None and run.value is not None:
            found.setdefault(run.task, []).append(run.value)
    return found


def _ends(side: Iterable[Outcome]) -> Mapping[str, list[bool | None]]:
    found: dict[str, list[bool | None]] = {}
    for run in side:
        if run.task is not None:
            found.setdefault(run.task, []).append(run.good)
    return found


def _intervals(
    values: Sequence[Sequence[int]], scale: int, seed: int
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Bounds of the mean difference and of its share of the base, over the same resampled tasks."""
    n = len(values[0])
    if n < UNITS:
        return None, None
    drawn = resamples(n, seed=seed)
    base, other = ([sum(map(mul, row, side)) / scale / n for row in drawn] for side in values)
    level = widened(n)
    gaps = [two - one for one, two in zip(base, other, strict=True)]
    net = interval(gaps, level)
    share = interval((gap / one for gap, one in zip(gaps, base, strict=True) if one > 0), level)
    return net, share if sum(values[0]) else None
