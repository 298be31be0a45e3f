"""Could a mean of paired differences be luck? The sign of each difference flipped, exactly or by a sample."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

EXACT = 16
"""Differences up to which every way of flipping is counted: 65,536 ways."""
TIMES = 10_000
"""Flips that are drawn above that."""
_BLOCK = 8


class SignTest(NamedTuple):
    """What a sign-flip test says."""

    p: float
    """Two-sided p value."""
    exact: bool
    """True: every flip was counted."""


def flip_signs(differences: Sequence[int], times: int = TIMES, seed: int = 0) -> SignTest:
    """Is the sum of paired differences further from 0 than with signs given at random?

    Args:
        differences: one integer per task, other minus base, all in one unit.
        times: flips to draw where there are too many to count them all.
        seed: the same seed gives the same flips.

    Returns:
        Share of the flips whose |sum| is at least the observed one; p is 1 without a difference. Sums are
        integers, so that ties are exact. Drawn flips count the observed one as one of them.

    Source:
        Fisher (1935), the permutation test of paired differences; profile: fixes that pay.

    Example:
        >>> flip_signs([1, 1, 1, 1, 1, 1])
        SignTest(p=0.03125, exact=True)
    """
    # a difference of 0 is the same under both signs
    moved = [value for value in differences if value]
    observed = abs(sum(differences))
    if not moved:
        return SignTest(1.0, True)
    tables = [_sums(moved[start : start + _BLOCK]) for start in range(0, len(moved), _BLOCK)]
    if len(moved) <= EXACT:
        rest = tables[1] if len(tables) > 1 else [0]
        far = sum(abs(a + b) >= observed for a in tables[0] for b in rest)
        return SignTest(far / (len(tables[0]) * len(rest)), True)
    return SignTest(_drawn(tables, observed, times, seed), False)


def _sums(values: Sequence[int]) -> list[int]:
    """Sums under every way of giving signs, 2 ** len(values) of them."""
    found = [0]
    for value in values:
        found = [base + signed for base in found for signed in (value, -value)]
    return found


def _drawn(tables: Sequence[Sequence[int]], observed: int, times: int, seed: int) -> float:
    """Share of random flips that reach as far: one random byte picks the signs of eight differences."""
    chance = random.Random(seed)
    width = len(tables)
    drawn = chance.randbytes(times * width)
    sums = [0] * times
    for place, table in enumerate(tables):
        # the last table is shorter, and a power of two: the low bits are as random as the byte
        mask = len(table) - 1
        for i, byte in enumerate(drawn[place::width]):
            sums[i] += table[byte & mask]
    far = sum(abs(total) >= observed for total in sums)
    return (far + 1) / (times + 1)
