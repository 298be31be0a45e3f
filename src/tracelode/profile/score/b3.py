"""How well do two partitions of the same operations agree, operation by operation?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import msgspec

from tracelode.errors import UsageError
from tracelode.profile.score.ratio import Score, divide, harmonic, mean


class B3(msgspec.Struct, frozen=True):
    """B-cubed sums over operations; those of several sessions add up."""

    operations: int
    """Number of operations."""
    precision: float
    """Sum over operations of the share of its predicted group that lies in its true group."""
    recall: float
    """Sum over operations of the share of its true group that lies in its predicted group."""

    def score(self) -> Score:
        """Means over operations and their F1.

        Returns:
            The score; all None without operations.
        """
        precision = divide(self.precision, self.operations)
        recall = divide(self.recall, self.operations)
        return Score(precision, recall, harmonic(precision, recall))


def b3(predicted: Sequence[Hashable], true: Sequence[Hashable]) -> B3:
    """Compare a predicted with a true partition of one session.

    Args:
        predicted: n group labels, one per operation; equal labels are one group, adjacent or not.
        true: n group labels. Only which labels are equal matters.

    Returns:
        The sums of the session. O(n): one pass counts the operations that each pair of groups shares.

    Raises:
        UsageError: the two are of different length.

    Source:
        Bagga and Baldwin (1998), B-cubed; AgentPProf (arXiv 2609.20301), section 5.3; evaluation protocol,
        segmentation.

    Example:
        >>> b3("aabb", "xxxy").score().precision
        0.75
    """
    if len(predicted) != len(true):
        raise UsageError(f"{len(predicted)} predicted labels beside {len(true)} true ones; pass one each")
    ours, theirs = Counter(predicted), Counter(true)
    shared = Counter(zip(predicted, true, strict=True))
    # Each of the m operations that two groups share finds m of its group in the other one.
    precision = sum(m * m / ours[group] for (group, _), m in shared.items())
    recall = sum(m * m / theirs[group] for (_, group), m in shared.items())
    return B3(len(true), precision, recall)


def pooled(sessions: Iterable[B3]) -> Score:
    """B3 over the operations of all sessions: groups of different sessions are different.

    Args:
        sessions: one per session.

    Returns:
        Mean precision and recall over all operations, and the F1 of these two.

    Source:
        evaluation protocol, segmentation: pooled over operations.

    Example:
        >>> pooled([b3("aa", "xx"), b3("ab", "xx")])
        Score(precision=1.0, recall=0.75, f1=0.8571428571428571)
    """
    held = list(sessions)
    return B3(
        sum(session.operations for session in held),
        sum(session.precision for session in held),
        sum(session.recall for session in held),
    ).score()


def macro(sessions: Iterable[B3]) -> Score:
    """B3 as the mean over sessions, long or short.

    Args:
        sessions: one per session; those without operations do not count.

    Returns:
        Mean precision, mean recall and mean F1.

    Source:
        evaluation protocol, segmentation: macro over sessions.

    Example:
        >>> macro([b3("aaaa", "xxxx"), b3("ab", "xx")]).recall
        0.75
    """
    return mean(session.score() for session in sessions)
