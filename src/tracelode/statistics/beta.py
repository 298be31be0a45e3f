"""How sure is a share of a few cases? Bounds of a beta posterior with whole counts."""

from __future__ import annotations

import math


def posterior(hits: int, misses: int, share: float) -> float:
    """Quantile of the posterior of a rate under a flat prior.

    Args:
        hits: cases with it, 0 or more.
        misses: cases without it, 0 or more.
        share: 0..1, such as .05 for a lower bound that holds in 95 %.

    Returns:
        0..1, to 1e-9: the quantile of Beta(1 + hits, 1 + misses).

    Source:
        plan rules, section 11.2: Beta(1, 1) posterior; its distribution function is a tail of the binomial.

    Example:
        >>> round(posterior(0, 0, 0.05), 3), round(posterior(9, 1, 0.05), 3)
        (0.05, 0.636)
    """
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if _below(hits, misses, middle) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _below(hits: int, misses: int, x: float) -> float:
    """Chance that the rate is below x: that of more than `hits` successes in hits + misses + 1 trials."""
    n = hits + misses + 1
    few = hits + 1 <= n // 2
    # the shorter tail is summed
    places = range(hits + 1) if few else range(hits + 1, n + 1)
    total = sum(
        math.exp(
            math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            + k * math.log(x) + (n - k) * math.log1p(-x)
        )
        for k in places
    )  # fmt: skip
    return 1 - total if few else total
