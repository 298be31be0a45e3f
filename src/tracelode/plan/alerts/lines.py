"""How is an alert written as a line? JSON with the moment as text and lengths of time in microseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

from tracelode.model.alerting import Alert

SCHEMA_VERSION = 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def row(alert: Alert) -> dict[str, Any]:
    """A JSON-ready object.

    Args:
        alert: any.
    """
    at = None
    if alert.timestamp is not None:
        at = f"{_EPOCH + timedelta(microseconds=alert.timestamp):%Y-%m-%dT%H:%M:%S.%f}Z"
    limits = alert.limits
    return {
        "schema_version": SCHEMA_VERSION,
        "rule": alert.rule,
        "severity": alert.severity,
        "scope": alert.scope,
        "metric": alert.metric,
        "subject": alert.subject,
        "session_id": alert.session_id,
        "node_id": alert.node_id,
        "event_id": alert.event_id,
        "place": alert.place,
        "timestamp": at,
        "value": alert.value,
        "numerator": alert.numerator,
        "denominator": alert.denominator,
        "limits": list(limits) if limits is not None and all(map(isfinite, limits)) else None,
        "events": list(alert.events),
        "rule_text": alert.text,
        "left_events": alert.left_events,
        "left_us": alert.left_time,
        "ended": alert.ended,
    }
