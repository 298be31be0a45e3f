"""tracelode plan alerts: at which event does a rule fire, and how long before the end?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tracelode.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracelode.cli.options import StoreOptions
    from tracelode.model.alerting import Alert, AlertReport

FAILED = 4
"""Exit code of alerts at or above the limit."""
ROWS = 30
"""Alerts on the screen."""
_STYLES = {"error": "red", "warning": "yellow", "info": "dim"}


def alerts(
    targets: tuple[str, ...],
    rules: str | None,
    limit: str,
    output: Path | None,
    store: StoreOptions,
    *,
    files: bool,
) -> int:
    """Replay what is recorded.

    Args:
        targets: files or sessions.
        rules: a file of rules, "default" to print the built-in ones, None for these.
        limit: lowest severity that makes the exit code 4.
        output: file of alerts.
        store: where sessions are.
        files: are the targets files?

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.nothing import no_plan_event, nothing_found
    from tracelode.cli.text import clean, number
    from tracelode.cli.view import open_workspace
    from tracelode.workspace import alerting

    if rules == "default":
        if targets or output is not None:
            raise UsageError("--rules default prints the built-in rules; it takes no file")
        sys.stdout.write(alerting.default_rules())
        return 0
    asked = alerting.rules_from(rules)
    if files:
        report = alerting.alerts_of_files(targets, asked)
    else:
        report = open_workspace(store).plan_alerts(*targets, rules=rules)
    if not report.sessions:
        return nothing_found(no_plan_event(report.unusable), answer(report) if store.json else None)
    if output is not None:
        to_stream = str(output) == "-"
        sys.stdout.flush()
        alerting.write_alerts(report.alerts, sys.stdout.buffer if to_stream else output)
        if not to_stream and store.json:
            shapes.write({"output": str(output), "alerts": len(report.alerts)})
        elif not to_stream:
            sys.stdout.write(f"wrote {number(len(report.alerts), 'alert')} to {clean(str(output))}\n")
    elif store.json:
        shapes.write(answer(report))
    else:
        draw(report)
    return FAILED if alerting.fires(report.alerts, limit) else 0


def answer(report: AlertReport) -> dict[str, object]:
    """What plan alerts answers as JSON."""
    from tracelode.workspace import alerting

    return {
        "sessions": report.sessions,
        "events": report.events,
        "unusable": report.unusable,
        "rules": [
            {"name": r.name, "scope": r.scope, "severity": r.severity, "metrics": list(r.metrics),
             "text": r.text, "silent": report.silent.get(r.name)}
            for r in report.rules
        ],
        "alerts": [alerting.row(alert) for alert in report.alerts],
    }  # fmt: skip


def draw(report: AlertReport) -> None:
    """Write alerts, the oldest first, and the rules that could not say anything.

    Args:
        report: of a replay.
    """
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import number

    screen = Screen()
    parts = [number(len(report.alerts), "alert"), number(len(report.rules), "rule"),
             number(report.sessions, "session"), number(report.events, "event")]  # fmt: skip
    if report.unusable:
        parts.append(f"{number(report.unusable, 'line')} cannot be used")
    screen.sentence(", ".join(parts))
    for alert in report.alerts[:ROWS]:
        say(screen, alert)
    if len(report.alerts) > ROWS:
        screen.sentence(f"and {len(report.alerts) - ROWS:,} more; see --json, or write them with -o")
    groups: dict[str, list[str]] = {}
    for name, why in report.silent.items():
        groups.setdefault(why, []).append(name)
    for why, names in groups.items():
        screen.flow("silent", [f"{', '.join(names)}: {why}"], indent=9)


def say(screen: object, alert: Alert) -> None:
    """Write one alert.

    Args:
        screen: where.
        alert: any.
    """
    from rich.text import Text

    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean, moment, rough

    assert isinstance(screen, Screen)
    when = moment(alert.timestamp, "UTC", "%Y-%m-%d %H:%M:%S") if alert.timestamp is not None else "no time"
    screen.flow(
        alert.severity,
        [Text(alert.rule, style=_STYLES[alert.severity]), f"{alert.metric} {_value(alert)}",
         f"event {clean(alert.event_id)} ({alert.place:,})", when],
        joint="; ", indent=9,
    )  # fmt: skip
    parts = [f"session {clean(alert.session_id)}"]
    if alert.scope == "task" and alert.subject != alert.session_id:
        parts.append(f"task {clean(alert.subject)}")
    if alert.node_id:
        parts.append(f"node {clean(alert.node_id)}")
    if alert.left_events is not None:
        lead = f"{alert.left_events:,} events"
        if alert.left_time is not None:
            lead += f" and {rough(alert.left_time)}"
        ended = f", which {alert.ended}" if alert.ended else ""
        parts.append(f"{lead} before the end{ended}")
    screen.flow("", parts, joint="; ", indent=9)
    shown = ", ".join(clean(e) for e in alert.events[:5])
    more = f" and {len(alert.events) - 5:,} more" if len(alert.events) > 5 else ""
    screen.flow("", [Text(f"of {shown}{more}", style="dim")], indent=9)
    screen.flow("", [Text(clean(alert.text), style="dim")], indent=9)


def _value(alert: Alert) -> str:
    from math import isfinite

    if alert.value is None:
        return "-"
    text = (
        f"{alert.value:,.3f}" if isinstance(alert.value, float) and alert.value % 1 else f"{alert.value:,.0f}"
    )
    if alert.metric == "node_running":
        text += " s"
    if alert.denominator and alert.numerator is not None:
        text += f" ({alert.numerator:,.0f}/{alert.denominator:,.0f})"
    if alert.limits is not None and all(map(isfinite, alert.limits)):
        text += f", expected {alert.limits[0]:.3f} to {alert.limits[1]:.3f}"
    return text


def draw_new(alerts: Sequence[Alert]) -> None:
    """Write alerts as they come.

    Args:
        alerts: new ones.
    """
    from tracelode.cli.screen import Screen

    screen = Screen()
    for alert in alerts:
        say(screen, alert)
    sys.stdout.flush()
