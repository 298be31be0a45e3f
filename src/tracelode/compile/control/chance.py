"""Could a test that tells the runs apart do so by chance? Counted, not guessed.

Tests are tried in a fixed order that does not look at which runs took the step. Of all ways to pick so many
runs out of these, a test picks one. The share of ways that the tests tried so far pick is the chance that
runs which took the step for no reason at all are told apart by one of them. A test is believed where that
share is small, so that over all tests a false one is believed no more often than that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeVar

WRITE, READ = 0.05, 0.1
"""Largest share for a step that writes, or may, and for one that reads."""
FEWEST = 2
"""Runs that must be on each side."""

Found = TypeVar("Found")


def hopeless(taken: int, runs: int, most: float) -> bool:
    """Would no test at all be believed, whatever it says?

    Args:
        taken: runs that took the step.
        runs: how many there are.
        most: largest share.
    """
    return min(taken, runs - taken) < FEWEST or 1 / math.comb(runs, taken) > most


def first(
    tried: Iterable[tuple[int, Found]],
    wanted: int,
    runs: int,
    most: float,
    right: Callable[[Found], bool] = lambda _: True,
) -> tuple[Found, float, int] | None:
    """The first test that tells the runs apart and that is believed.

    Args:
        tried: (runs for which a test holds, as bits; the test), in order.
        wanted: runs that took the step, as bits.
        runs: how many there are.
        most: largest share.
        right: a last look at a test that tells them apart.

    Returns:
        (test, share, ways that were picked until then); None where there is none.
    """
    taken = wanted.bit_count()
    if hopeless(taken, runs, most):
        return None
    ways = math.comb(runs, taken)
    picked: set[int] = set()
    for bits, test in tried:
        if bits.bit_count() == taken:
            picked.add(bits)
            share = len(picked) / ways
            if share > most:
                return None
            if bits == wanted and right(test):
                return test, share, len(picked)
    return None
