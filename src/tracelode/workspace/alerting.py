"""Who is to be told of what? Rules over stored sessions, files of plan events, and a folder that grows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tracelode.errors import ExportError, SourceError, UsageError
from tracelode.files import why
from tracelode.model.alerting import Alert, AlertReport, AlertRule
from tracelode.model.planning import SEVERITIES
from tracelode.workspace.planning import Planning
from tracelode.workspace.writing import private

if TYPE_CHECKING:
    from tracelode.model.operation import Operation
    from tracelode.model.plan import Plan
    from tracelode.plan.alerts.live import Step

LARGEST = 1 << 20
"""Bytes of a file of rules."""
OTEL = (".otlp.json", ".otel.json")
"""Endings of files that are written as OpenTelemetry logs; every other one holds JSON Lines."""


def default_rules() -> str:
    """The built-in rules as YAML, to start from."""
    from tracelode.plan.alerts.rules import default_text

    return default_text()


def rules_from(path: str | Path | None) -> list[AlertRule]:
    """Read rules.

    Args:
        path: a YAML file, None for the built-in rules.

    Returns:
        Rules in the order of the file.

    Raises:
        SourceError: it cannot be read, or a rule has a mistake; each is named with its line.
    """
    from tracelode.plan.alerts.rules import default_text, rules_of

    if path is None:
        return rules_of(default_text(), "built-in rules")
    place = Path(path).expanduser()
    try:
        with place.open("rb") as stream:
            data = stream.read(LARGEST + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise SourceError(f"cannot be read: {why(error)}", path=str(path)) from error
    except UnicodeDecodeError as error:
        raise SourceError("is no UTF-8 text", path=str(path)) from error
    if len(data) > LARGEST:
        raise SourceError("is larger than 1 MB", path=str(path))
    return rules_of(text, str(path))


def alerts_of_files(paths: Sequence[str | Path], rules: Sequence[AlertRule]) -> AlertReport:
    """At which events of some files rules fire.

    Args:
        paths: files and folders of plan events.
        rules: what is watched.

    Returns:
        Alerts in the order of time, each with what came after it.

    Raises:
        SourceError: a path cannot be read.
    """
    from tracelode.plan.alerts.live import step_of
    from tracelode.plan.alerts.replay import replay
    from tracelode.plan.read import load, stories

    loaded = load(Path(p).expanduser() for p in paths)
    sessions = {key: [step_of(event) for event in events] for key, events in stories(loaded)}
    return replay(rules, sessions, loaded.unusable)


def fires(alerts: Iterable[Alert], limit: str) -> bool:
    """Is there an alert at or above a limit?

    Args:
        alerts: n alerts.
        limit: error, warning or info.

    Raises:
        UsageError: another word.
    """
    if limit not in SEVERITIES:
        raise UsageError(f"a limit is one of {', '.join(SEVERITIES)}")
    most = SEVERITIES.index(limit)
    return any(SEVERITIES.index(alert.severity) <= most for alert in alerts)


def write_alerts(alerts: Sequence[Alert], target: str | Path | IO[bytes]) -> None:
    """Write alerts to a file.

    Args:
        alerts: n alerts.
        target: a path, written whole or not at all; OpenTelemetry logs by the ending .otlp.json, else JSON
            Lines. Or an open binary stream, which takes JSON Lines.

    Raises:
        ExportError: it cannot be written.
    """
    if not isinstance(target, str | Path):
        target.write(_lines(alerts))
        return
    name = str(Path(target).expanduser())
    with private(name) as stream:
        stream.write(otel(alerts) if name.endswith(OTEL) else _lines(alerts))


def append(alerts: Sequence[Alert], target: str | Path) -> None:
    """Add alerts to a private file as JSON Lines, each batch by one write.

    Args:
        alerts: n alerts.
        target: the file, made if absent.

    Raises:
        ExportError: it cannot be written.
    """
    place = Path(target).expanduser()
    try:
        handle = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, _lines(alerts))
        finally:
            os.close(handle)
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {why(error)}") from error


def otel(alerts: Sequence[Alert]) -> bytes:
    """Alerts as one OTLP JSON object of logs.

    Args:
        alerts: n alerts.
    """
    from tracelode import __version__
    from tracelode.plan.alerts.otel import logs

    return json.dumps(logs(alerts, __version__)).encode() + b"\n"


def row(alert: Alert) -> dict[str, object]:
    """An alert as a JSON-ready object with its moment as text.

    Args:
        alert: any.
    """
    from tracelode.plan.alerts.lines import row as made

    return made(alert)


def _lines(alerts: Iterable[Alert]) -> bytes:
    return b"".join(json.dumps(row(alert)).encode() + b"\n" for alert in alerts)


class Watching:
    """Follows a folder of plan events.

    Args:
        place: the folder, or a file; it may come later.
        rules: what is watched.
        old: False is silent about what is there at the beginning.
        clock: the present, UTC microseconds; None for the clock of the system.
    """

    def __init__(
        self,
        place: str | Path,
        rules: Sequence[AlertRule],
        *,
        old: bool = True,
        clock: Callable[[], int] | None = None,
    ) -> None:
        from tracelode.plan.alerts.watch import Watch

        self._watch = Watch(Path(place).expanduser(), rules, old=old, clock=clock)

    def poll(self) -> list[Alert]:
        """Alerts of what came since the last poll."""
        return list(self._watch.poll())

    @property
    def events(self) -> int:
        """Events taken so far."""
        return self._watch.events

    @property
    def sessions(self) -> int:
        """Sessions met so far."""
        return self._watch.sessions

    @property
    def files(self) -> int:
        """Files there are."""
        return self._watch.follower.files

    @property
    def unusable(self) -> int:
        """Lines that are no event."""
        return self._watch.follower.unusable

    @property
    def unreadable(self) -> dict[str, str]:
        """File to why it cannot be read."""
        return dict(self._watch.follower.unreadable)


class Alerting(Planning):
    """What a workspace tells of alerts."""

    def plan_alerts(self, *sessions: str, rules: str | Path | None = None) -> AlertReport:
        """At which events of stored sessions rules fire.

        Args:
            sessions: keys or unique beginnings, each with its sub-agents; none for all.
            rules: a YAML file, None for the built-in rules.

        Returns:
            Alerts in the order of time, each with what came after it.

        Raises:
            QueryError: none or several sessions match.
            SourceError: the rules cannot be read.

        Source:
            plan rules, section 10.1.
        """
        from tracelode.plan.alerts.replay import replay

        asked = rules_from(rules)
        plans = self._read(self._plans(sessions))
        return replay(asked, {plan.session: list(self._steps(plan, light)) for plan, light, _ in plans})

    def _steps(self, plan: Plan, light: list[Operation]) -> Iterator[Step]:
        """Events of a plan, and between them the session's tool calls."""
        from tracelode.plan.alerts.live import Step, step_of

        work = self._work(plan, light, whole=False)
        if work is None:
            yield from (step_of(event) for event in plan.events)
            return
        places = {(o.origin.path, o.origin.line): o.index for o in reversed(light)}
        rows: list[tuple[int, int, Step]] = []
        latest = -1
        for event in plan.events:
            at = event.source
            # what was concluded stands where the event before it does
            latest = max(latest, places.get((at.path, at.line), -1) if at is not None else -1)
            step = Step(session=plan.session, id=event.event_id, at=event.timestamp, event=event)
            rows.append((latest, 0, step))
        rows += [(c.place, 1, Step(session=plan.session, id=c.id, at=c.at, call=c)) for c in work.calls]
        rows.sort(key=lambda item: item[:2])
        yield from (step for _, _, step in rows)


__all__ = [
    "Alerting",
    "Watching",
    "alerts_of_files",
    "append",
    "default_rules",
    "fires",
    "otel",
    "row",
    "rules_from",
    "write_alerts",
]
