"""Where do two sets of runs differ? Weighted sums per stack, what supports each frame, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter, mul

import msgspec

from tracelode.model.difference import Contrast, Difference, Support
from tracelode.model.profile import Stack
from tracelode.profile.pairs import Run, refuse, weigh
from tracelode.statistics.bootstrap import interval, resamples
from tracelode.statistics.student import widened

HEADLINE = 20
"""Stacks whose net value gets an interval."""
UNITS = 5
"""Tasks below which no interval is given: so few resample to too few different sets."""
TIMES = 1_000
"""Resamples, where they are cheap."""
DRAWS = 1_000_000
"""Tasks that are drawn in all resamples together: above 1,000 tasks there are fewer resamples."""
FEWEST = 200
"""But never fewer than these."""
LEAST = (3, 2)
"""Sessions and tasks that a frame needs to be called different."""


def difference(
    base: Sequence[Run],
    other: Sequence[Run],
    *,
    measure: str,
    names: tuple[str, str] = ("base", "other"),
    per: str = "task",
    pair: Sequence[str] = ("task",),
    least: tuple[int, int] = LEAST,
    headline: int = HEADLINE,
    seed: int = 0,
) -> Difference:
    """Other minus base, stack by stack.

    Args:
        base: n runs.
        other: m runs.
        measure: what their integers count.
        names: words for the two sets.
        per: task, session or total; see weigh().
        pair: fields whose values stand for the task, for messages.
        least: sessions and tasks that a frame needs to be called different.
        headline: number of stacks, the largest |net| first, that get an interval; of these the ones whose
            interval leaves 0 out come first, by |net|.
        seed: of the resamples.

    Returns:
        The difference. In exact integers: the sum of each side over all rows is the weighted sum of its
        runs, and swapping the sets changes the sign of every net value and of nothing else.

    Raises:
        QueryError: per task, and fewer than least[1] tasks have runs on both sides.
        UsageError: per is none of the known words.

    Source:
        profile: differences; AgentPProf (arXiv 2609.20301), section 5.2: failed minus succeeded.

    Example:
        >>> runs = [Run("a", "t", {("fix",): 6}), Run("b", "t", {("fix",): 2})]
        >>> found = difference(runs, [Run("c", "t", {("fix",): 9})], measure="calls", least=(1, 1))
        >>> [(row.base, row.other, row.net) for row in found.rows], found.scale
        ([(8, 18, 10)], 2)
    """
    tasks = [run.task for run in base], [run.task for run in other]
    if per == "task":
        refuse(*tasks, names, least[1], pair=pair)
    weights = weigh(*tasks, per)
    sides = [
        [(run, weight) for run, weight in zip(runs, held, strict=True) if weight]
        for runs, held in ((base, weights.base), (other, weights.other))
    ]
    sums = [_sums(side) for side in sides]
    stacks = sorted({*sums[0], *sums[1]})
    rows = [Contrast(stack, sums[0].get(stack, 0), sums[1].get(stack, 0)) for stack in stacks]
    made = Difference(
        measure=measure, names=names, per=per, scale=weights.scale, weight=weights.weight, rows=tuple(rows),
        support=_support([run for run, _ in sides[0]], [run for run, _ in sides[1]]), least=least,
        sessions=(len(sides[0]), len(sides[1])), tasks=weights.tasks, pairs=weights.pairs,
        left_out=weights.left_out,
    )  # fmt: skip
    # what is too thinly supported comes last: the largest values of one session or task are chance
    rows.sort(key=lambda row: (not made.supported(row.stack), -abs(row.net), row.stack))
    made = msgspec.structs.replace(made, rows=tuple(rows))
    return _with_intervals(made, sides, headline, seed)


def _sums(side: Iterable[tuple[Run, int]]) -> dict[Stack, int]:
    found: dict[Stack, int] = {}
    for run, weight in side:
        for stack, value in run.stacks.items():
            found[stack] = found.get(stack, 0) + weight * value
    return found


def _unit(run: Run) -> tuple[str, str]:
    """What is resampled: the task, or the run where it has none."""
    return ("", run.root) if run.task is None else ("task", run.task)


def _support(base: Sequence[Run], other: Sequence[Run]) -> dict[Stack, Support]:
    seen: dict[Stack, tuple[set[str], set[str], set[tuple[str, str]]]] = {}
    for place, runs in enumerate((base, other)):
        for run in runs:
            unit = _unit(run)
            held: set[Stack] = set()
            for stack, value in run.stacks.items():
                if value:
                    held.update(stack[:depth] for depth in range(1, len(stack) + 1))
            for prefix in held:
                row = seen.get(prefix)
                if row is None:
                    row = seen[prefix] = (set(), set(), set())
                row[place].add(run.root)  # type: ignore[arg-type]
                row[2].add(unit)
    return {prefix: Support(len(a), len(b), len(units)) for prefix, (a, b, units) in seen.items()}


def _with_intervals(
    made: Difference, sides: Sequence[Sequence[tuple[Run, int]]], headline: int, seed: int
) -> Difference:
    """Percentile intervals of the net total and of the headline rows, over resampled tasks."""
    units = {unit: i for i, unit in enumerate(sorted({_unit(run) for side in sides for run, _ in side}))}
    if len(units) < UNITS or not all(made.sessions):
        return made
    places = {row.stack: i for i, row in enumerate(made.rows[:headline], 1)}
    bounds = _bounds(sides, units, places, made, seed)
    shown = [
        msgspec.structs.replace(row, low=low, high=high)
        for row, (low, high) in zip(made.rows, bounds[1:], strict=False)
    ]
    # one long run can make the largest value: what may as well be 0 stands behind what is not
    shown.sort(key=lambda row: (not made.supported(row.stack), not row.sure))
    return msgspec.structs.replace(made, rows=(*shown, *made.rows[headline:]), interval=bounds[0])


def _bounds(
    sides: Sequence[Sequence[tuple[Run, int]]],
    units: dict[tuple[str, str], int],
    places: dict[Stack, int],
    made: Difference,
    seed: int,
) -> list[tuple[float, float]]:
    """Bounds of the net total, then of each placed stack."""
    times = max(FEWEST, min(TIMES, DRAWS // len(units)))
    drawn = resamples(len(units), times, seed)
    means: list[list[list[float | None]]] = []
    for side in sides:
        columns: list[dict[int, float]] = [{} for _ in range(len(places) + 1)]
        runs: dict[int, float] = {}
        for run, weight in side:
            unit = units[_unit(run)]
            share = weight / made.scale if made.per == "task" else 1.0
            runs[unit] = runs.get(unit, 0.0) + 1.0
            for stack, value in run.stacks.items():
                for place in (0, places.get(stack)):
                    if place is not None:
                        columns[place][unit] = columns[place].get(unit, 0.0) + value * share
        sizes = _drawn_sums(drawn, runs) if made.per == "session" else [1.0] * times
        # a resample without a run of this set has no mean
        means.append([_ratios(_drawn_sums(drawn, column), sizes) for column in columns])
    level = widened(len(units))
    found = []
    for base, other in zip(*means, strict=True):
        gaps = (None if a is None or b is None else b - a for a, b in zip(base, other, strict=True))
        bounds = interval(gaps, level)
        found.append((0.0, 0.0) if bounds is None else (bounds.low, bounds.high))
    return found


def _drawn_sums(drawn: Sequence[Sequence[int]], column: dict[int, float]) -> list[float]:
    """The sum of a column in each resample; units that are not in it count 0."""
    places, values = list(column), list(column.values())
    if len(places) < 2:
        return [sum(row[place] * column[place] for place in places) for row in drawn]
    pick = itemgetter(*places)
    return [sum(map(mul, pick(row), values)) for row in drawn]


def _ratios(sums: Sequence[float], sizes: Sequence[float]) -> list[float | None]:
    return [total / size if size else None for total, size in zip(sums, sizes, strict=True)]
