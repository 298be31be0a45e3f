"""Did quality hold? A bound on the loss of successes, that has to lie above the margin."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist

from tracelode.errors import UsageError
from tracelode.model.comparison import Gate

SIDE = 0.95
"""Level of each one-sided bound."""


def gate(
    base: Mapping[str, Sequence[bool | None]],
    other: Mapping[str, Sequence[bool | None]],
    margin: float,
    hold: str = "success",
) -> Gate:
    """Is the other set's share of good runs not worse than a margin below the base set's?

    Args:
        base: task to whether each of its runs was good, None where unknown.
        other: the same tasks in the other set.
        margin: largest loss that is accepted, in [0, 1).
        hold: what was to hold.

    Returns:
        The gate. A task's difference is that of its two shares of good runs. To T of them two made-up tasks
        are added, one better and one worse; the bounds are the mean of all T + 2, less and plus z(.95)
        standard errors. Without them, tasks that all ended alike would bound any loss at 0, however few
        they are.

    Raises:
        UsageError: a margin outside [0, 1).

    Source:
        docs/decisions/0013-quality-gate.md; Bonett and Price (2012), adjusted interval of paired shares.

    Example:
        >>> runs = {str(i): [True] for i in range(50)}
        >>> gate(runs, runs, 0.05).passed, gate({"0": [True]}, {"0": [True]}, 0.05).passed
        (True, False)
    """
    if not 0 <= margin < 1:
        raise UsageError(f"a margin is a share of runs from 0 to below 1, not {margin}; write it as 0.05")
    gaps: list[Fraction] = []
    shares: tuple[list[Fraction], list[Fraction]] = ([], [])
    unknown = 0
    for task in sorted({*base} & {*other}):
        known = [[good for good in side[task] if good is not None] for side in (base, other)]
        unknown += len(base[task]) + len(other[task]) - len(known[0]) - len(known[1])
        if known[0] and known[1]:
            one, two = (Fraction(sum(goods), len(goods)) for goods in known)
            shares[0].append(one)
            shares[1].append(two)
            gaps.append(two - one)
    n = len(gaps)
    low = high = None
    if n:
        low, high = _bounds(sum(gaps), sum(gap * gap for gap in gaps), n)
    return Gate(
        hold=hold, margin=margin, tasks=n, left_out=unknown, low=low, high=high,
        base=float(sum(shares[0]) / n) if n else None,
        other=float(sum(shares[1]) / n) if n else None,
        reach=-_bounds(0, 0, n)[0] if n else None,
    )  # fmt: skip


def _bounds(total: Fraction | int, squares: Fraction | int, n: int) -> tuple[float, float]:
    """Bounds of a mean difference of n tasks and two made-up ones, of 1 and of -1."""
    mean = float(total) / (n + 2)
    spread = (float(squares) + 2) / (n + 2) - mean * mean
    reach = NormalDist().inv_cdf(SIDE) * math.sqrt(spread / (n + 2))
    return max(-1.0, mean - reach), min(1.0, mean + reach)
