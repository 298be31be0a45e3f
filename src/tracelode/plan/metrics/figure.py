"""How is one figure made? A ratio with its proof; without a denominator there is no value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import PlanMetric
from tracelode.statistics.bootstrap import quantile as quantile_of


def ratio(
    name: str,
    top: Sequence[PlanEvent] | int,
    bottom: Sequence[PlanEvent] | int,
    *,
    why: str,
    unit: str = "ratio",
    basis: Iterable[PlanEvent] = (),
    note: str = "",
) -> PlanMetric:
    """A share of events or nodes.

    Args:
        name: of the metric.
        top: events counted, or how many nodes.
        bottom: events it is a share of, or how many nodes.
        why: reason of no value where the denominator is 0.
        unit: of the value.
        basis: events that it rests on, where top and bottom are numbers.
        note: what was left out.

    Returns:
        The metric; a denominator of 0 gives no value and the reason.
    """
    above = list(top) if not isinstance(top, int) else None
    below = list(bottom) if not isinstance(bottom, int) else None
    numerator = top if isinstance(top, int) else len(top)
    denominator = bottom if isinstance(bottom, int) else len(bottom)
    rests = [*basis, *(above or ()), *(below or ())]
    return PlanMetric(
        name=name,
        value=numerator / denominator if denominator else None,
        numerator=numerator,
        denominator=denominator,
        unit=unit,
        n=denominator,
        reason=note if denominator else why,
        evidence=mix(rests),
        events=tuple(e.event_id for e in (above if above is not None else basis)),
    )


def amount(
    name: str,
    value: float | int | None,
    unit: str,
    n: int,
    *,
    reason: str = "",
    basis: Iterable[PlanEvent] = (),
    parts: tuple[float | int | None, float | int | None] = (None, None),
) -> PlanMetric:
    """A figure that is no share of events.

    Args:
        name: of the metric.
        value: None where it cannot be told.
        unit: of the value.
        n: nodes, events or calls that it rests on.
        reason: why there is no value, or what was left out.
        basis: events behind it.
        parts: numerator and denominator, where it has them.
    """
    events = list(basis)
    numerator, denominator = parts
    return PlanMetric(
        name=name,
        value=value,
        numerator=numerator if numerator is not None or value is None else value,
        denominator=denominator,
        unit=unit,
        n=n,
        reason=reason,
        evidence=mix(events),
        events=tuple(e.event_id for e in events),
    )


def absent(name: str, unit: str, reason: str) -> PlanMetric:
    """A metric that cannot be told.

    Args:
        name: of the metric.
        unit: its value would have.
        reason: why.
    """
    return PlanMetric(name=name, value=None, numerator=None, denominator=None, unit=unit, n=0, reason=reason)


def mix(events: Iterable[PlanEvent]) -> dict[str, int]:
    """Events by evidence, each counted once.

    Args:
        events: perhaps with repeats.
    """
    once = {event.event_id: event.evidence for event in events}
    return dict(sorted(Counter(once.values()).items()))


def quantile(values: Sequence[float], share: float) -> float | None:
    """A quantile by linear interpolation.

    Args:
        values: n numbers in any order.
        share: 0 to 1.

    Returns:
        The quantile, None of no numbers.
    """
    return quantile_of(sorted(values), share) if values else None
