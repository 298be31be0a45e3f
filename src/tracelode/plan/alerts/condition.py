"""What does a condition say? Comparisons, bands and limits are parsed; nothing is ever evaluated as code."""

from __future__ import annotations

import re

from tracelode.model.alerting import Compare, Condition, Extent

_SECONDS = {"s": 1, "sec": 1, "min": 60, "h": 3600, "d": 86_400}
_NUMBER = r"(?:[0-9]{1,12}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})"
_COMPARE = re.compile(
    rf"(?P<op>>=|<=|==|!=|>|<)\s*(?:p(?P<quantile>[0-9]{{1,2}})|(?P<value>{_NUMBER})\s*"
    r"(?P<unit>%|s|sec|min|h|d)?)"
)
_BAND = re.compile(rf"outside\s+(?:a\s+)?band\s+(?P<level>{_NUMBER})\s*%")
_EWMA = re.compile(rf"outside\s+ewma\s+(?P<weight>{_NUMBER})\s+(?P<sigmas>{_NUMBER})\s+sigma")
_EXTENT = re.compile(r"(?:last\s+)?(?P<amount>[0-9]{1,9})\s*(?P<unit>events?|sessions?|s|sec|min|h|d)")
WORDS = '"> 0.25", ">= 3", "> p95 and > 30 min", "outside band 99 %" or "outside ewma 0.2 3 sigma"'
"""What a condition may look like."""
EXTENTS = '"10 events", "30 min" or "last 50 sessions"'
"""What an extent may look like."""


def condition(text: str) -> Condition:
    """Read a condition.

    Args:
        text: comparisons joined by "and", or "outside band N %", or "outside ewma WEIGHT N sigma".

    Returns:
        The condition.

    Raises:
        ValueError: it is none of these; the message says what one looks like.

    Example:
        >>> [c.op for c in condition("> p95 and > 30 min").compares]
        ['>', '>']
    """
    plain = " ".join(text.split())
    if found := _BAND.fullmatch(plain):
        level = float(found["level"])
        if not 50 <= level < 100:
            raise ValueError("a band holds 50 % to less than 100 % of what is expected")
        return Condition(text=plain, band=level / 100)
    if found := _EWMA.fullmatch(plain):
        weight, sigmas = float(found["weight"]), float(found["sigmas"])
        if not 0 < weight <= 1 or sigmas <= 0:
            raise ValueError("an ewma has a weight above 0 and up to 1, and more than 0 sigma")
        return Condition(text=plain, ewma=(weight, sigmas))
    parts = [_COMPARE.fullmatch(part.strip()) for part in re.split(r"\band\b", plain)]
    compares = []
    for part in parts:
        if part is None:
            raise ValueError(f"cannot be read; write it as {WORDS}")
        compares.append(_compare(part))
    return Condition(text=plain, compares=tuple(compares))


def _compare(found: re.Match[str]) -> Compare:
    op = found["op"]
    if found["quantile"]:
        share = int(found["quantile"])
        if not share:
            raise ValueError("a quantile is p1 to p99")
        return Compare(op, share / 100, quantile=True)  # type: ignore[arg-type]
    value, unit = float(found["value"]), found["unit"]
    scale = 0.01 if unit == "%" else _SECONDS.get(unit or "", 1)
    return Compare(op, value * scale)  # type: ignore[arg-type]


def extent(text: str) -> Extent:
    """Read how far something reaches.

    Args:
        text: such as "10 events", "30 min", "last 50 sessions".

    Returns:
        It.

    Raises:
        ValueError: it is none; the message says what one looks like.

    Example:
        >>> extent("30 min")
        Extent(amount=1800000000, unit='time')
    """
    found = _EXTENT.fullmatch(" ".join(text.split()))
    if found is None or not int(found["amount"]):
        raise ValueError(f"cannot be read; write it as {EXTENTS}")
    amount, unit = int(found["amount"]), found["unit"]
    if unit.startswith("event"):
        return Extent(amount, "events")
    if unit.startswith("session"):
        return Extent(amount, "sessions")
    return Extent(amount * _SECONDS[unit] * 1_000_000, "time")


def holds(compare: Compare, value: float, bound: float) -> bool:
    """Does a comparison hold?

    Args:
        compare: how.
        value: the figure.
        bound: its bound, or the quantile that stands for it.
    """
    # a bound of decimals such as .25 is met by 1/4 whatever way it was summed
    near = abs(value - bound) <= 1e-12 * max(1.0, abs(bound))
    answers = {
        ">": value > bound and not near,
        ">=": value > bound or near,
        "<": value < bound and not near,
        "<=": value < bound or near,
        "==": near,
        "!=": not near,
    }
    return answers[compare.op]
