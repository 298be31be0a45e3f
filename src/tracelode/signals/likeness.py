"""How alike are two actions, or two results? Shares of short pieces of text that both have."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

PIECE = 4
"""Characters of a piece: from 4 on, longer ones tell repetition no better (benchmarks/looping.py)."""
SPAN = 1_500
"""Characters of a text that are looked at."""


_FEW = 8
"""Pairs of words below which texts are always looked at closely."""


class _Read(NamedTuple):
    text: str
    """Blanks folded, cut."""
    pairs: frozenset[tuple[str, str]]
    """Its words, each with the next one."""


@lru_cache(maxsize=256)
def _read(text: str) -> _Read:
    folded = " ".join(text.split())[:SPAN]
    words = folded.split()
    return _Read(folded, frozenset(pairwise(words)))


@lru_cache(maxsize=256)
def _pieces(text: str) -> frozenset[str]:
    return frozenset([text[i : i + PIECE] for i in range(max(1, len(text) - PIECE + 1))])


def likeness(one: str, other: str, least: float = 0.0) -> float:
    """How alike two texts are.

    Args:
        one: a text; its first SPAN characters are looked at, blanks folded.
        other: another one.
        least: 0 is given without a closer look where the lengths lie farther apart, or less than half of that
            share of their neighbouring words is common to both.

    Returns:
        0..1, 1 for equal ones: the Dice coefficient of the sets of their four-character pieces. Symmetric.
        O(SPAN) time.

    Source:
        Dice (1945); Ukkonen (1992), q-gram distance.

    Example:
        >>> likeness("pytest -q a.py", "pytest  -q a.py"), round(likeness("cat a.py", "cat b.py"), 2)
        (1.0, 0.2)
    """
    if one == other:
        return 1.0
    short, long = sorted((min(len(one), SPAN), min(len(other), SPAN)))
    if 2 * short < least * (short + long):
        return 0.0
    first, second = _read(one), _read(other)
    if first.text == second.text:
        return 1.0
    if least and _apart(first, second, least):
        return 0.0
    a, b = _pieces(first.text), _pieces(second.text)
    return 2 * len(a & b) / (len(a) + len(b))


def _apart(one: _Read, other: _Read, least: float) -> bool:
    """Are the words of two texts too far apart for that likeness?"""
    few = min(len(one.pairs), len(other.pairs)) < _FEW
    # a changed character changes four pieces, and two pairs of the fewer words
    return not few and 4 * len(one.pairs & other.pairs) < least * (len(one.pairs) + len(other.pairs))
