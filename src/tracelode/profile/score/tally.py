"""What does one session add to every figure of a segmentation, so that resampled sets are sums?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from operator import mul
from typing import NamedTuple

from tracelode.errors import UsageError
from tracelode.profile.score.b3 import b3
from tracelode.profile.score.boundary import boundaries
from tracelode.profile.score.ratio import Score, divide, harmonic


class Tally(NamedTuple):
    """Sums over sessions; every figure is a ratio of two of them or follows from such ratios."""

    sessions: float
    """Sessions with an operation."""
    operations: float
    """Operations."""
    precision: float
    """B3 precision, summed over operations."""
    recall: float
    """B3 recall, summed over operations."""
    session_precision: float
    """B3 precision of a session, summed over sessions."""
    session_recall: float
    """B3 recall of a session, summed over sessions."""
    session_f1: float
    """B3 F1 of a session, summed over sessions."""
    predicted: float
    """Predicted cuts."""
    true: float
    """True cuts."""
    exact: float
    """Cuts matched at the same place."""
    near: float
    """Cuts matched at most one place apart."""
    cut_sessions: float
    """Sessions with a predicted or a true cut."""
    session_exact: float
    """Boundary F1 of a session, summed over those."""
    session_near: float
    """The same with tolerance 1."""


def tally(predicted: Sequence[Hashable], true: Sequence[Hashable]) -> Tally:
    """What one session adds.

    Args:
        predicted: n group labels, one per operation.
        true: n group labels.

    Returns:
        The sums of the session, all 0 for n = 0. O(n).

    Raises:
        UsageError: the two are of different length.

    Source:
        evaluation protocol, segmentation.

    Example:
        >>> tally("aabb", "xxyy").exact
        1
    """
    groups = b3(predicted, true)
    exact, near = boundaries(predicted, true), boundaries(predicted, true, 1)
    own = groups.score()
    return Tally(
        sessions=int(groups.operations > 0),
        operations=groups.operations,
        precision=groups.precision,
        recall=groups.recall,
        session_precision=own.precision or 0,
        session_recall=own.recall or 0,
        session_f1=own.f1 or 0,
        predicted=exact.predicted,
        true=exact.true,
        exact=exact.matched,
        near=near.matched,
        cut_sessions=int(exact.predicted + exact.true > 0),
        session_exact=exact.score().f1 or 0,
        session_near=near.score().f1 or 0,
    )


def total(tallies: Iterable[Tally], weights: Sequence[float] | None = None) -> Tally:
    """The sums over several sessions.

    Args:
        tallies: s sessions.
        weights: how many times each counts; None for once.

    Returns:
        The weighted sums.

    Raises:
        UsageError: not one weight per session.

    Example:
        >>> total([tally("ab", "xx"), tally("aa", "xx")], [1, 2]).operations
        6
    """
    held = list(tallies)
    if weights is not None and len(weights) != len(held):
        raise UsageError(f"{len(weights)} weights for {len(held)} sessions; pass one each")
    return weighted(columns(held), weights)


def columns(tallies: Sequence[Tally]) -> list[tuple[float, ...]]:
    """The same numbers by field, for many weighted sums over the same sessions.

    Args:
        tallies: s sessions.

    Returns:
        One tuple of s numbers for each field of Tally.

    Example:
        >>> columns([tally("ab", "xx"), tally("a", "x")])[1]
        (2, 1)
    """
    return list(zip(*tallies, strict=True)) if tallies else [()] * len(Tally._fields)


def weighted(numbers: Sequence[Sequence[float]], weights: Sequence[float] | None = None) -> Tally:
    """Weighted sums of columns.

    Args:
        numbers: what columns() gave.
        weights: one per session; None for once each.

    Returns:
        The sums.

    Example:
        >>> weighted(columns([tally("ab", "xx"), tally("a", "x")]), [0, 3]).operations
        3
    """
    if weights is None:
        return Tally(*map(sum, numbers))
    return Tally(*(sum(map(mul, weights, column)) for column in numbers))


def average(tallies: Sequence[Tally]) -> Tally:
    """One session under a method that draws lots: the mean over its draws.

    Args:
        tallies: d >= 1 draws over the same session.

    Returns:
        The sums divided by d.

    Raises:
        UsageError: no draw.

    Example:
        >>> average([tally("aa", "xx"), tally("ab", "xx")]).recall
        1.5
    """
    if not tallies:
        raise UsageError("an average needs at least one draw")
    return Tally(*(number / len(tallies) for number in total(tallies)))


class Figures(NamedTuple):
    """What a table of segmentation methods shows."""

    b3: Score
    """B3 pooled over operations."""
    b3_macro: Score
    """B3, mean over sessions."""
    exact: Score
    """Boundaries on exact adjacent pairs, pooled."""
    near: Score
    """Boundaries with tolerance 1, pooled."""
    exact_macro: float | None
    """Boundary F1, mean over the sessions with a cut on either side."""
    near_macro: float | None
    """The same with tolerance 1."""


def figures(sums: Tally) -> Figures:
    """Every figure of summed sessions.

    Args:
        sums: what total() gave.

    Returns:
        The figures; None where one divides by nothing.

    Source:
        evaluation protocol, segmentation.

    Example:
        >>> figures(total([tally("aabb", "xxyy")])).exact.f1
        1.0
    """
    precision, recall = divide(sums.precision, sums.operations), divide(sums.recall, sums.operations)
    return Figures(
        b3=Score(precision, recall, harmonic(precision, recall)),
        b3_macro=Score(
            divide(sums.session_precision, sums.sessions),
            divide(sums.session_recall, sums.sessions),
            divide(sums.session_f1, sums.sessions),
        ),
        exact=_cuts(sums, sums.exact),
        near=_cuts(sums, sums.near),
        exact_macro=divide(sums.session_exact, sums.cut_sessions),
        near_macro=divide(sums.session_near, sums.cut_sessions),
    )


def _cuts(sums: Tally, matched: float) -> Score:
    return Score(
        divide(matched, sums.predicted),
        divide(matched, sums.true),
        divide(2 * matched, sums.predicted + sums.true),
    )
