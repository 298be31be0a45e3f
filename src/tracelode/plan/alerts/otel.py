"""How do alerts look as OpenTelemetry logs? One OTLP JSON object that any collector's file receiver takes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from tracelode.model.alerting import Alert

_LEVELS = {"info": (9, "INFO"), "warning": (13, "WARN"), "error": (17, "ERROR")}


def logs(alerts: Iterable[Alert], version: str) -> dict[str, Any]:
    """Alerts as log records.

    Args:
        alerts: n alerts.
        version: of tracelode.

    Returns:
        An ExportLogsServiceRequest, JSON-ready: 64-bit integers are text, as OTLP's JSON has them.

    Source:
        OpenTelemetry logs data model, and OTLP 1.x JSON encoding.
    """
    scope = {"name": "tracelode.alerts", "version": version}
    resource = {"attributes": [_pair("service.name", "tracelode")]}
    records = [_record(alert) for alert in alerts]
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": records}]}]}


def _record(alert: Alert) -> dict[str, Any]:
    number, word = _LEVELS[alert.severity]
    told = {
        "tracelode.rule": alert.rule,
        "tracelode.rule.text": alert.text,
        "tracelode.scope": alert.scope,
        "tracelode.metric": alert.metric,
        "tracelode.value": alert.value,
        "tracelode.numerator": alert.numerator,
        "tracelode.denominator": alert.denominator,
        "tracelode.events": list(alert.events),
        "tracelode.event_id": alert.event_id,
        "session.id": alert.session_id,
        "tracelode.node_id": alert.node_id or None,
        "tracelode.left_events": alert.left_events,
    }
    record: dict[str, Any] = {
        "observedTimeUnixNano": str(time.time_ns()),
        "severityNumber": number,
        "severityText": word,
        "eventName": "tracelode.alert",
        "body": {"stringValue": f"{alert.rule}: {alert.metric}"},
        "attributes": [_pair(key, value) for key, value in told.items() if value is not None],
    }
    if alert.timestamp is not None:
        record["timeUnixNano"] = str(alert.timestamp * 1_000)
    return record


def _pair(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"key": key, "value": {"arrayValue": {"values": [{"stringValue": v} for v in value]}}}
    if isinstance(value, int):
        return {"key": key, "value": {"intValue": str(value)}}
    if isinstance(value, float):
        return {"key": key, "value": {"doubleValue": value}}
    return {"key": key, "value": {"stringValue": str(value)}}
