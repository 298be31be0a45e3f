"""When is somebody to be told? Rules over plans, their conditions, and the alerts that they gave."""

from __future__ import annotations

from typing import Literal

import msgspec

from tracelode.model.planning import Severity

Scope = Literal["session", "task", "fleet"]
SCOPES: tuple[Scope, ...] = ("session", "task", "fleet")


class Extent(msgspec.Struct, frozen=True):
    """How far something reaches: so many events, so much time, or so many sessions."""

    amount: int
    """Events, microseconds or sessions."""
    unit: Literal["events", "time", "sessions"]
    """Of what."""


class Compare(msgspec.Struct, frozen=True):
    """A figure against a bound."""

    op: Literal[">", ">=", "<", "<=", "==", "!="]
    """How."""
    value: float
    """The bound; seconds of a length of time; the share of a quantile."""
    quantile: bool = False
    """Is the bound a quantile of what was seen before?"""


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold."""

    text: str
    """As it is written."""
    compares: tuple[Compare, ...] = ()
    """All of them must hold."""
    band: float | None = None
    """Probability inside of a beta-binomial band; the figure must lie outside. None: no band."""
    ewma: tuple[float, float] | None = None
    """(weight of the newest, standard deviations) of a moving average that must leave its limits."""


class AlertRule(msgspec.Struct, frozen=True, kw_only=True):
    """What is watched."""

    name: str
    """Its own name."""
    scope: Scope
    """session: each alone; task: sessions that share one together; fleet: sessions one after the other."""
    metrics: tuple[str, ...]
    """Each is watched for itself."""
    condition: Condition
    """What must hold."""
    window: Extent | None = None
    """What counts: None for everything so far; of a fleet the last sessions."""
    least: float = 0
    """Least denominator, or sessions of a fleet, below which nothing is said (min_volume)."""
    severity: Severity = "warning"
    """error, warning or info."""
    cooldown: Extent | None = None
    """After an alert there is none of the same rule for so long."""
    lasting: Extent | None = None
    """It must hold for so long (for)."""
    text: str = ""
    """The rule on one line."""
    line: int = 0
    """1-based line of its file."""


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """A rule whose condition came to hold."""

    rule: str
    """Name of the rule."""
    severity: Severity
    """Of the rule."""
    scope: Scope
    """Of the rule."""
    metric: str
    """What is beyond its bound."""
    subject: str
    """Session or task; "" for the fleet."""
    session_id: str
    """Session whose event made it fire."""
    node_id: str
    """The node, where the figure is of one; "" else."""
    event_id: str
    """Event, or tool call, at which it fired."""
    place: int
    """1-based number of that event among the session's."""
    timestamp: int | None
    """Its moment, UTC microseconds."""
    value: float | None
    """The figure."""
    numerator: float | None
    """What it is made of."""
    denominator: float | None
    """Of how many; None where it is no share."""
    limits: tuple[float, float] | None
    """Band or limits that it left, None where there are none."""
    events: tuple[str, ...]
    """Ids of the events behind the figure, the latest ones where there are many."""
    text: str
    """The rule."""
    left_events: int | None = None
    """Events of the session that came after it (lead time); None while it is not over."""
    left_time: int | None = None
    """Microseconds from it to the session's last event; None where that is unknown."""
    ended: str | None = None
    """How the session ended: succeeded or failed, None where nothing says."""


class AlertReport(msgspec.Struct, frozen=True, kw_only=True):
    """What rules said to some events."""

    alerts: tuple[Alert, ...]
    """In the order of time."""
    rules: tuple[AlertRule, ...]
    """Those that were asked."""
    sessions: int
    """Sessions looked at."""
    events: int
    """Events looked at."""
    unusable: int
    """Lines that are no event."""
    silent: dict[str, str]
    """Rule to why it could not say anything, where that is so."""
