"""For how many sessions does one that was kept stand? Weights of sampling, and figures corrected by them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from tracelode.model.plan import PlanEvent


def weight_of(events: Iterable[PlanEvent]) -> float:
    """What the recorder says of a session's weight.

    Args:
        events: of one session.

    Returns:
        1 / the rate at which sessions like it were kept; 1 where nothing says that any was left out.

    Source:
        plan rules, section 10.2; the recorder writes it into the complete event.
    """
    weight = 1.0
    for event in events:
        told = event.payload.get("sampling")
        if event.event_type == "complete" and isinstance(told, dict):
            given = told.get("weight")
            if (
                isinstance(given, int | float)
                and not isinstance(given, bool)
                and isfinite(given)
                and given >= 1
            ):
                weight = float(given)
    return weight


def median(values: Sequence[float], weights: Sequence[float]) -> float:
    """A median of sessions, corrected for those that were not kept.

    Args:
        values: n at least 1.
        weights: n, each at least 1.

    Returns:
        The middle of the values up to and from which half the weight lies.

    Example:
        >>> median([1.0, 2.0, 3.0], [1.0, 1.0, 5.0]), median([1.0, 2.0], [1.0, 1.0])
        (3.0, 1.5)
    """
    pairs = sorted(zip(values, weights, strict=True))
    half, below = sum(weights) / 2, 0.0
    for place, (value, weight) in enumerate(pairs):
        below += weight
        if below > half:
            return value
        if below == half and place + 1 < len(pairs):
            return (value + pairs[place + 1][0]) / 2
    return pairs[-1][0]
