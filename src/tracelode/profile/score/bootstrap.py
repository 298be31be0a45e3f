"""How far could a figure of segments be off because other sessions might have been drawn?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tracelode.profile.score.tally import Tally, columns, weighted
from tracelode.statistics.bootstrap import LEVEL, Interval, interval


def replicate(tallies: Sequence[Tally], drawn: Iterable[Sequence[float]]) -> list[Tally]:
    """The sums of every resample.

    Args:
        tallies: s sessions of one method.
        drawn: rows of s weights, as resamples() gives them.

    Returns:
        One sum per row.

    Example:
        >>> from tracelode.profile.score.tally import tally
        >>> [sums.operations for sums in replicate([tally("ab", "xx"), tally("a", "x")], [[2, 0], [1, 1]])]
        [4, 3]
    """
    numbers = columns(tallies)
    return [weighted(numbers, row) for row in drawn]


def difference(
    one: Iterable[Tally],
    other: Iterable[Tally],
    figure: Callable[[Tally], float | None],
    level: float = LEVEL,
) -> Interval | None:
    """Percentile interval of a figure's difference between two methods, resample by resample.

    Args:
        one: sums of one method, as replicate() gives them.
        other: sums of the other method over the same sessions and resamples.
        figure: the figure of a sum.
        level: share of the resamples inside, 0..1.

    Returns:
        Bounds of figure(one) - figure(other), None where it is known in no resample.

    Source:
        evaluation protocol, segmentation: paired differences.

    Example:
        >>> from tracelode.profile.score.tally import tally
        >>> from tracelode.statistics.bootstrap import resamples
        >>> rows = resamples(1, times=5)
        >>> good, bad = replicate([tally("ab", "xy")], rows), replicate([tally("aa", "xy")], rows)
        >>> difference(good, bad, lambda sums: sums.precision / sums.operations)
        Interval(low=0.5, high=0.5)
    """

    def gaps() -> Iterable[float | None]:
        for left, right in zip(one, other, strict=True):
            a, b = figure(left), figure(right)
            yield None if a is None or b is None else a - b

    return interval(gaps(), level)
