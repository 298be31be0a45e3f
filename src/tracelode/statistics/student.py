"""How much wider than normal are quantiles of means of few values?"""

from __future__ import annotations

import math
from statistics import NormalDist

from tracelode.statistics.bootstrap import LEVEL


def widened(n: int, level: float = LEVEL) -> float:
    """The level at which percentile intervals of means over n resampled values hold the wanted one.

    Args:
        n: values that are resampled, 5 or more.
        level: what the interval is to hold.

    Returns:
        A level a little above: resamples of few values vary too little, by sqrt((n - 1) / n), and their tails
        are those of the normal where Student's are meant.

    Source:
        Hesterberg (2015), What Teachers Should Know About the Bootstrap: expanded percentile interval.

    Example:
        >>> round(widened(10), 3), round(widened(1000), 3)
        (0.983, 0.95)
    """
    tail = NormalDist().cdf(math.sqrt(n / (n - 1)) * student((1 - level) / 2, n - 1))
    return 1 - 2 * tail


def student(share: float, freedom: int) -> float:
    """Quantile of Student's t.

    Args:
        share: 0..1, exclusive.
        freedom: degrees of freedom, 4 or more for two decimals.

    Returns:
        The quantile.

    Source:
        Abramowitz and Stegun (1964), 26.7.5.

    Example:
        >>> round(student(0.975, 10), 3)
        2.228
    """
    z = NormalDist().inv_cdf(share)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(z + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1)))
