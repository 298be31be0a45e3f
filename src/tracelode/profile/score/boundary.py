"""How many cuts are where they should be, exactly or one place beside?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import msgspec

from tracelode.errors import UsageError
from tracelode.profile.score.partition import cuts
from tracelode.profile.score.ratio import Score, divide, mean


class Boundary(msgspec.Struct, frozen=True):
    """Counts of cuts; those of several sessions add up."""

    matched: int
    """Predicted cuts with a true cut of their own."""
    predicted: int
    """Predicted cuts."""
    true: int
    """True cuts."""

    def score(self) -> Score:
        """Precision, recall and F1 of the cuts.

        Returns:
            Precision is None without a predicted cut, recall without a true one. F1 is
            2 matched / (predicted + true): 0 where only one side has cuts, None where neither has.
        """
        return Score(
            divide(self.matched, self.predicted),
            divide(self.matched, self.true),
            divide(2 * self.matched, self.predicted + self.true),
        )


def boundaries(predicted: Sequence[Hashable], true: Sequence[Hashable], tolerance: int = 0) -> Boundary:
    """Compare the cuts of two partitions of one session.

    A cut lies between two adjacent operations with different labels. Cuts match one to one, greedily from the
    left: of the leftmost unmatched cuts of both sides the two match if they lie at most tolerance places
    apart, else the one further left stays unmatched. No other one-to-one matching has more pairs, so ties
    (a cut with a true one on either side) do not change the count.

    Args:
        predicted: n group labels, one per operation.
        true: n group labels.
        tolerance: places that a match may be apart; 0 for exact.

    Returns:
        The counts of the session. O(n).

    Raises:
        UsageError: the two are of different length, or tolerance is negative.

    Source:
        evaluation protocol, segmentation: boundary F1 on exact adjacent pairs, and with tolerance 1.

    Example:
        >>> boundaries("aabbbb", "xxxyyz").matched, boundaries("aabbbb", "xxxyyz", 1).matched
        (0, 1)
    """
    if len(predicted) != len(true):
        raise UsageError(f"{len(predicted)} predicted labels beside {len(true)} true ones; pass one each")
    if tolerance < 0:
        raise UsageError(f"a tolerance is 0 or more places, not {tolerance}")
    ours, theirs = cuts(predicted), cuts(true)
    i = j = matched = 0
    while i < len(ours) and j < len(theirs):
        if abs(ours[i] - theirs[j]) <= tolerance:
            matched, i, j = matched + 1, i + 1, j + 1
        elif ours[i] < theirs[j]:
            i += 1
        else:
            j += 1
    return Boundary(matched, len(ours), len(theirs))


def pooled(sessions: Iterable[Boundary]) -> Score:
    """Boundary precision, recall and F1 over the cuts of all sessions.

    Args:
        sessions: one per session.

    Returns:
        The score of the summed counts.

    Source:
        evaluation protocol, segmentation: pooled.

    Example:
        >>> pooled([boundaries("aab", "xxy"), boundaries("abb", "xxy")]).f1
        0.5
    """
    held = list(sessions)
    return Boundary(
        sum(session.matched for session in held),
        sum(session.predicted for session in held),
        sum(session.true for session in held),
    ).score()


def macro(sessions: Iterable[Boundary]) -> Score:
    """Boundary precision, recall and F1 as means over sessions.

    Args:
        sessions: one per session; one in which a figure is not known does not count for it.

    Returns:
        The three means.

    Source:
        evaluation protocol, segmentation: macro over sessions.

    Example:
        >>> macro([boundaries("aab", "xxy"), boundaries("abb", "xxy")]).f1
        0.5
    """
    return mean(session.score() for session in sessions)
