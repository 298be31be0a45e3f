"""How good is a segmenter, how sure is that, and how much better than cutting blindly?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from tracelode.errors import UsageError
from tracelode.profile.score.bootstrap import difference, replicate
from tracelode.profile.score.partition import windows
from tracelode.profile.score.permutation import exchange
from tracelode.profile.score.tally import Figures, Tally, figures, tally, total
from tracelode.statistics.bootstrap import Interval, interval

SIZES = range(1, 13)
"""Window sizes of the evaluation protocol."""

Figure = Callable[[Tally], float | None]
"""One figure of summed sessions."""


def b3_f1(sums: Tally) -> float | None:
    """B3 F1 pooled over operations.

    Args:
        sums: summed sessions.

    Returns:
        0..1, None without operations.

    Example:
        >>> b3_f1(tally("aabb", "xxyy"))
        1.0
    """
    return figures(sums).b3.f1


def boundary_f1(sums: Tally) -> float | None:
    """Boundary F1 on exact adjacent pairs, pooled.

    Args:
        sums: summed sessions.

    Returns:
        0..1, None without a cut on either side.

    Example:
        >>> boundary_f1(tally("aabb", "xxyy"))
        1.0
    """
    return figures(sums).exact.f1


def window_tallies(truths: Sequence[Sequence[Hashable]], size: int) -> list[Tally]:
    """What a fixed window scores on each session.

    Args:
        truths: true labels of s sessions.
        size: operations in a group.

    Returns:
        s tallies.

    Raises:
        UsageError: size below 1.

    Example:
        >>> [sums.exact for sums in window_tallies(["xxyy", "xyyy"], 2)]
        [1, 0]
    """
    return [tally(windows(len(true), size), true) for true in truths]


def best_window(
    truths: Sequence[Sequence[Hashable]], figure: Figure = b3_f1, sizes: Sequence[int] = SIZES
) -> int:
    """The window size that scores best on these very sessions.

    Args:
        truths: true labels of s sessions.
        figure: what to score by.
        sizes: candidates, ascending.

    Returns:
        The size; the smallest of equals. It is chosen with the truth in sight, in the control's favour.

    Raises:
        UsageError: no candidate, or one below 1.

    Source:
        evaluation protocol, segmentation: the best fixed window of 1..12.

    Example:
        >>> best_window(["xxyyzz", "xxy"])
        2
    """
    if not sizes:
        raise UsageError("the best window needs a size to choose from")
    scores = {size: figure(total(window_tallies(truths, size))) or 0.0 for size in sizes}
    return max(sizes, key=lambda size: (scores[size], -size))


class Sample:
    """A method's sessions and their sums in every resample, for one comparison after the other.

    Args:
        tallies: s sessions.
        drawn: rows of s weights, as resamples() gives them; the same for all methods that are compared.
    """

    def __init__(self, tallies: Sequence[Tally], drawn: Sequence[Sequence[float]]) -> None:
        self.tallies = tallies
        self.again = replicate(tallies, drawn)


class Assessment(NamedTuple):
    """Figures of a method with their bootstrap intervals over sessions."""

    figures: Figures
    """The figures on all sessions."""
    b3: Interval | None
    """Of pooled B3 F1."""
    b3_macro: Interval | None
    """Of macro B3 F1."""
    exact: Interval | None
    """Of pooled boundary F1, exact."""
    near: Interval | None
    """Of pooled boundary F1 with tolerance 1."""


def assess(sample: Sample) -> Assessment:
    """Figures of a method and how sure they are.

    Args:
        sample: s sessions and their resamples.

    Returns:
        The assessment. O(s + resamples).

    Source:
        evaluation protocol, segmentation: bootstrap over sessions for intervals.

    Example:
        >>> from tracelode.statistics.bootstrap import resamples
        >>> held = [tally("aabb", "xxyy"), tally("aabb", "xxxy")]
        >>> found = assess(Sample(held, resamples(2, times=100)))
        >>> found.b3.low < found.figures.b3.f1 < found.b3.high
        True
    """
    again = [figures(sums) for sums in sample.again]
    return Assessment(
        figures(total(sample.tallies)),
        interval(row.b3.f1 for row in again),
        interval(row.b3_macro.f1 for row in again),
        interval(row.exact.f1 for row in again),
        interval(row.near.f1 for row in again),
    )


class Lift(NamedTuple):
    """How much better a method is than another one on the same sessions."""

    value: float | None
    """Difference of the figure."""
    interval: Interval | None
    """Paired bootstrap interval of the difference."""
    p: float | None
    """Two-sided p value of exchanging the two session by session."""


def lift(one: Sample, other: Sample, figure: Figure = b3_f1, *, seed: int = 0) -> Lift:
    """How much better is a method than another one on the same sessions?

    Args:
        one: s sessions of the method.
        other: the same sessions and resamples of the other one, such as the best fixed window.
        figure: what to compare.
        seed: of the exchanges for the p value, of which there are as many as resamples.

    Returns:
        Difference, paired interval and p value.

    Raises:
        UsageError: not the same number of sessions.

    Source:
        evaluation protocol, segmentation: paired lift over the best fixed window.

    Example:
        >>> from tracelode.statistics.bootstrap import resamples
        >>> rows = resamples(3, times=10)
        >>> good, blind = Sample([tally("aabb", "xxyy")] * 3, rows), Sample([tally("abbb", "xxyy")] * 3, rows)
        >>> lift(good, blind).value > 0
        True
    """
    p = exchange(one.tallies, other.tallies, figure, times=len(one.again), seed=seed)
    left, right = figure(total(one.tallies)), figure(total(other.tallies))
    value = None if left is None or right is None else left - right
    return Lift(value, difference(one.again, other.again, figure), p)
