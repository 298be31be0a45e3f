"""Which of several p values still say something, where several were looked at?"""

from __future__ import annotations

from collections.abc import Sequence


def holm(values: Sequence[float | None]) -> list[float | None]:
    """p values adjusted so that the chance of any false one stays at the level.

    Args:
        values: n p values; None where there was no test, which is not counted.

    Returns:
        Adjusted values in the same order, at most 1.

    Source:
        Holm (1979).

    Example:
        >>> holm([0.01, 0.04, None, 0.03])
        [0.03, 0.06, None, 0.06]
    """
    order = sorted((p, place) for place, p in enumerate(values) if p is not None)
    found: list[float | None] = [None] * len(values)
    most = 0.0
    for rank, (p, place) in enumerate(order):
        most = max(most, min(1.0, p * (len(order) - rank)))
        found[place] = most
    return found


def benjamini_hochberg(values: Sequence[float | None]) -> list[float | None]:
    """p values adjusted so that the share of false ones among those called true stays at the level.

    Args:
        values: n p values; None where there was no test, which is not counted.

    Returns:
        Adjusted values in the same order, at most 1.

    Source:
        Benjamini and Hochberg (1995).

    Example:
        >>> benjamini_hochberg([0.01, 0.04, None, 0.03])
        [0.03, 0.04, None, 0.04]
    """
    order = sorted(((p, place) for place, p in enumerate(values) if p is not None), reverse=True)
    found: list[float | None] = [None] * len(values)
    least = 1.0
    for rank, (p, place) in enumerate(order):
        least = min(least, p * len(order) / (len(order) - rank))
        found[place] = least
    return found
