"""Which cuts are worth most if each is right with a known probability? A dynamic program for expected B3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

LONGEST = 300
"""Units in one segment at the most: what bounds time and memory."""


class Taste(NamedTuple):
    """What a decoder prefers."""

    precision: float
    """Weight of expected precision against expected recall, 0..1."""
    worth: float
    """Weight of a cut's own probability."""
    price: float
    """Probability above which a cut gains by itself, 0..1."""


FINE = Taste(0.65, 4.0, 0.30)
"""Of the segments that are scored: what did best in the feasibility study."""
COARSE = Taste(0.5, 4.0, 0.35)
"""Of the level above: fewer and longer."""


def decode(chances: Sequence[float], taste: Taste, allowed: Sequence[bool] | None = None) -> list[int]:
    """The cuts with the largest expected score.

    With S(a, b) the probability that no cut lies between a and b, and G(a) the expected size of a's true
    segment, a segmentation scores the sum over its segments of precision * sum S(a, b) / size + (1 -
    precision) * sum S(a, b) / G(a), over ordered pairs (a, b) of the segment, and over its cuts of
    worth * (chance - price). Both sums grow by one unit to the right in constant time for each start.

    Args:
        chances: n probabilities that a cut lies before a unit; the first one is not looked at.
        taste: weights of the score.
        allowed: n flags of the places that may be cut, None for all.

    Returns:
        Increasing places of cuts in [1, n); of equal scores the one with the longer last segment. O(n *
        LONGEST) time; no segment is longer than LONGEST where a cut is allowed.

    Source:
        segmentation rules, section 3, step 6.

    Example:
        >>> decode([0.0, 0.1, 0.9, 0.1], FINE)
        [2]
    """
    n = len(chances)
    if n < 2:
        return []
    p = np.asarray(chances, float)
    stay = 1 - p
    inverse = 1 / _expected(stay)
    gain = taste.worth * (p - taste.price)
    gain[0] = 0
    free = np.ones(n, bool) if allowed is None else np.array(allowed, bool)
    free[0] = True
    best = np.zeros(n + 1)
    back = np.zeros(n + 1, np.int64)
    # of the segment from each start to the last unit so far: sum S, sum S / G, and the same to its last unit
    pairs, shares, column, weighed = (np.zeros(n) for _ in range(4))
    length = np.arange(n, 0, -1)
    known = 0  # last place that may be cut
    for end in range(n):
        known = end if free[end] else known
        low = min(max(0, end + 1 - LONGEST), known)
        a = slice(low, end + 1)
        near = column[a] * stay[end]
        far = weighed[a] * stay[end]
        pairs[a] += 2 * near + 1
        shares[a] += far + (near + 1) * inverse[end]
        column[a] = near + 1
        weighed[a] = far + inverse[end]
        if end + 1 < n and not free[end + 1]:
            continue
        score = best[a] + gain[a] + taste.precision * pairs[a] / length[n - 1 - end + low :]
        score += (1 - taste.precision) * shares[a]
        score[~free[a]] = -np.inf
        chosen = int(score.argmax())
        best[end + 1], back[end + 1] = score[chosen], low + chosen
    cuts = [int(back[n])]
    while cuts[-1] > 0:
        cuts.append(int(back[cuts[-1]]))
    return cuts[-2::-1]


def _expected(stay: Any) -> Any:
    """Expected size of the true segment of each unit."""
    n = len(stay)
    left, right = np.ones(n), np.ones(n)
    for i in range(1, n):
        left[i] = 1 + stay[i] * left[i - 1]
        right[n - 1 - i] = 1 + stay[n - i] * right[n - i]
    return left + right - 1
