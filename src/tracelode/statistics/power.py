"""Which effect could so few pairs show at all, and which margin could they hold?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import stdev

from tracelode.statistics.student import student

LEVEL = 0.05
"""Two-sided level of the test."""
POWER = 0.8
"""Share of repetitions in which the effect is shown."""
FEWEST = 6
"""Pairs below which no difference whatever reaches the level: 2 / 2 ** 5 is above .05."""


def detectable(differences: Sequence[float], power: float = POWER) -> float | None:
    """The smallest mean difference that as many pairs, spread as these are, would show.

    Args:
        differences: one per task.
        power: share of repetitions in which it is to be shown.

    Returns:
        In the unit of the differences: (t(1 - .05/2) + t(power)) * s / sqrt(n), quantiles of Student's t with
        n - 1 degrees of freedom; None below 6 pairs.

    Source:
        Cohen (1988), power of the paired t test, which the sign-flip test follows closely; measured by
        simulation in benchmarks/compare_errors.py.

    Example:
        >>> round(detectable([1.0, -1.0] * 8), 2)
        0.77
    """
    n = len(differences)
    if n < FEWEST:
        return None
    spread = stdev(differences) / math.sqrt(n)
    return (student(1 - LEVEL / 2, n - 1) + student(power, n - 1)) * spread
