"""What are precision, recall and F1, and which of them is not known?"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Score(msgspec.Struct, frozen=True):
    """Precision, recall and F1; each 0..1, None where it divides by nothing."""

    precision: float | None
    """Share of what was predicted that is true."""
    recall: float | None
    """Share of what is true that was predicted."""
    f1: float | None
    """Their harmonic mean."""


def divide(part: float, whole: float) -> float | None:
    """A share.

    Args:
        part: not above whole.
        whole: what it is a share of.

    Returns:
        part / whole, None where whole is 0.

    Example:
        >>> divide(1, 4), divide(0, 0)
        (0.25, None)
    """
    return part / whole if whole else None


def harmonic(precision: float | None, recall: float | None) -> float | None:
    """F1 of two known shares.

    Args:
        precision: 0..1, None where it is not known.
        recall: 0..1, None where it is not known.

    Returns:
        2PR / (P + R); 0.0 where both are 0; None where either is not known.

    Example:
        >>> harmonic(0.5, 1.0)
        0.6666666666666666
    """
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def mean(scores: Iterable[Score]) -> Score:
    """Macro average: every session counts the same.

    Args:
        scores: one per session.

    Returns:
        Mean precision, mean recall and mean F1, each over the sessions in which it is known; the mean F1 is
        not the F1 of the two means.

    Source:
        evaluation protocol, segmentation: macro over sessions.

    Example:
        >>> mean([Score(1.0, 0.5, 0.6), Score(0.5, None, 0.4)])
        Score(precision=0.75, recall=0.5, f1=0.5)
    """
    held = list(scores)

    def middle(values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return divide(sum(known), len(known))

    return Score(
        middle(score.precision for score in held),
        middle(score.recall for score in held),
        middle(score.f1 for score in held),
    )
