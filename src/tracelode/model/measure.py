"""Which integers an operation can carry, in which unit, and how derived ones are made of them."""

from __future__ import annotations

from collections.abc import Iterable

from tracelode.errors import UnknownMeasure

TOKEN_KINDS: tuple[str, ...] = (
    "tokens.input_fresh",
    "tokens.cache_read",
    "tokens.cache_write_5m",
    "tokens.cache_write_1h",
    "tokens.output",
    "tokens.reasoning",
)
"""Six disjoint kinds: a token is counted in exactly one."""

TIME_KINDS: tuple[str, ...] = (
    "time.model",
    "time.tool",
    "time.blocked",
    "time.idle",
    "time.unknown",
)
"""Disjoint parts of a session's span, in microseconds."""

UNITS: dict[str, str] = {
    **dict.fromkeys(TOKEN_KINDS, "tokens"),
    "tokens.unpriced": "tokens",
    "cost": "picodollars",
    "cost.fees": "picodollars",
    "cost.reported": "picodollars",
    **dict.fromkeys(TIME_KINDS, "microseconds"),
    "calls": "count",
    "calls.lower_bound": "count",
    "operations": "count",
    "bytes.arguments": "bytes",
    "bytes.output": "bytes",
    "bytes.read": "bytes",
    "bytes.written": "bytes",
    "bytes.received": "bytes",
    "bytes.sent": "bytes",
    "events": "count",
}
"""Stored measures in storage order, and their units."""

DERIVED: dict[str, tuple[str, ...]] = {
    "tokens": TOKEN_KINDS,
    "tokens.input": TOKEN_KINDS[:4],
    "time.active": ("time.model", "time.tool"),
    "time": TIME_KINDS,
}
"""Measures that are sums of stored ones."""

STORED: tuple[str, ...] = tuple(UNITS)
"""Names of the stored measures."""

NULLABLE: frozenset[str] = frozenset({"tokens.reasoning", "cost.reported"})
"""Measures a source may not tell: a sum over none of them is unknown, not 0."""


def parts(measure: str) -> tuple[str, ...]:
    """The stored measures a measure is the sum of.

    Args:
        measure: a stored or derived name.

    Returns:
        One name for a stored measure, several for a derived one.

    Raises:
        UnknownMeasure: no such measure; the message lists the nearest.

    Example:
        >>> parts("time.active")
        ('time.model', 'time.tool')
    """
    if measure in DERIVED:
        return DERIVED[measure]
    if measure in UNITS:
        return (measure,)
    raise UnknownMeasure(measure, known())


def unit(measure: str) -> str:
    """Unit of a measure.

    Args:
        measure: a stored or derived name.

    Returns:
        tokens, picodollars, microseconds, count or bytes.

    Raises:
        UnknownMeasure: no such measure.
    """
    return UNITS[parts(measure)[0]]


def known() -> tuple[str, ...]:
    """Every measure name, sorted."""
    return tuple(sorted({*UNITS, *DERIVED}))


def split_evenly(total: int, n: int) -> list[int]:
    """Share an integer in n parts that sum to it, larger parts first.

    Args:
        total: what is shared; may be 0.
        n: number of parts, at least 1.

    Returns:
        n integers that differ by at most 1 and sum to total.

    Source:
        accounting rules: equal shares by largest remainder, earlier call first.

    Example:
        >>> split_evenly(10, 4)
        [3, 3, 2, 2]
    """
    base, rest = divmod(total, n)
    return [base + 1] * rest + [base] * (n - rest)


def first_shares(total: int, n: int, count: int) -> list[int]:
    """The first of the parts that split_evenly() makes, where a file tells how many there are.

    Args:
        total: what is shared; may be 0.
        n: number of parts, at least 1; it may be any number that a file can hold.
        count: how many of them are wanted, at most n.

    Returns:
        count integers.

    Example:
        >>> first_shares(10, 4, 3)
        [3, 3, 2]
    """
    base, rest = divmod(total, n)
    return [base + (place < rest) for place in range(count)]


def round_shares(values: Iterable[int], divisor: int) -> list[int]:
    """Divide integers by one divisor so that the results sum to the divided total.

    Args:
        values: n integers in the fine unit.
        divisor: fine units in one coarse unit, positive.

    Returns:
        n integers; their sum is the total divided by divisor, rounded half up.

    Source:
        accounting rules: nanodollars by largest remainder.

    Example:
        >>> round_shares([1500, 1500], 1000)
        [2, 1]
    """
    items = list(values)
    target = (2 * sum(items) + divisor) // (2 * divisor)
    floors = [v // divisor for v in items]
    rests = [v % divisor for v in items]
    # A reversed sort keeps the order of equals, so ties go to the earlier item.
    order = sorted(range(len(items)), key=rests.__getitem__, reverse=True)
    for i in order[: target - sum(floors)]:
        floors[i] += 1
    return floors


def outward(unit: str, values: Iterable[int]) -> tuple[str, list[int]]:
    """The unit and the integers in which pprof files and viewers carry a column.

    Args:
        unit: unit of the stored values.
        values: n integers of one measure.

    Returns:
        nanodollars by largest remainder for picodollars; any other unit and its values unchanged.

    Source:
        accounting rules: the viewer and pprof use nanodollars, rounded so that they sum.

    Example:
        >>> outward("picodollars", [1500, 1500])
        ('nanodollars', [2, 1])
    """
    if unit == "picodollars":
        return "nanodollars", round_shares(values, 1000)
    return unit, list(values)
