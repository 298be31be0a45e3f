"""What does a line of plan events say? Read leniently, with a closed word for everything that is off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from tracelode.lenient import clean, objects
from tracelode.model.operation import Origin
from tracelode.model.plan import DECISIONS, GOAL, OPS, REQUIRED, STATUSES, PlanEvent
from tracelode.model.plan_schema import ACTORS, DESCRIPTION, EVIDENCE, NAME, OPTIONAL, SUMMARY, TIMESTAMP
from tracelode.model.ports import Line
from tracelode.signals.plan.status import closed

ADAPTER = "plan-events"
FOREIGN = "foreign"
"""Payload key under which fields that the published form does not know are kept."""
NATIVE = "native_status"
"""Payload key of a status that is none of the five."""
TEXT = 20_000
"""Characters kept of any other text of a payload."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(2200, 1, 1, tzinfo=UTC) - _EPOCH
"""No clock of a record shows more."""
_FIXED = re.compile(TIMESTAMP)
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?\s*(Z|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_STATE = {
    "pending": "planned", "in_progress": "running", "completed": "succeeded", "failed": "failed",
    "paused": "planned", "removed": "updated",
}  # fmt: skip
_BOUNDS = {"description": DESCRIPTION, "input_summary": SUMMARY, "result_summary": SUMMARY}


class Fault(NamedTuple):
    """Something that is off in a line."""

    code: str
    """Code of the finding."""
    message: str
    """Closed words with field names; never text of the trace."""
    line: int
    """1-based line."""
    event_id: str = ""
    """The event, "" where it has none."""


class Reading(NamedTuple):
    """One JSON object of a line."""

    event: PlanEvent | None
    """None where it cannot be an event."""
    faults: tuple[Fault, ...]
    """What is off in it."""


def read_line(line: Line, path: str) -> Iterator[Reading]:
    """The events of a line.

    Args:
        line: a numbered line.
        path: the file as it is named in output.

    Returns:
        One reading for each JSON object on it, and one without an event for each part that is none. Texts
        of payloads are cut to the bounds of the published form, so a huge line does not stay in memory.
    """
    found = 0
    for value, complaint in objects(line.data.decode("utf-8", "replace")):
        if complaint:
            yield Reading(None, (Fault("PT010", complaint, line.number),))
        elif not isinstance(value, dict):
            yield Reading(None, (Fault("PT010", "the line is no JSON object", line.number),))
        else:
            found += 1
            if found > 1:
                yield Reading(None, (Fault("PT010", "several objects on one line", line.number),))
            yield read_row(value, line.number, path)


def read_row(row: dict[str, Any], number: int, path: str) -> Reading:
    """The event that a decoded object is.

    Args:
        row: a JSON object.
        number: 1-based line.
        path: the file as it is named in output.

    Returns:
        The event, with what is off in it. A status of other words is brought to the nearest of the five and
        kept as it was; fields that the form does not know are kept in the payload. No event: the type is
        none of the five, or no session or place in the life cycle can be told.
    """
    return _Row(clean(row), number, path).reading()


def moment(given: Any) -> tuple[str, int | None]:
    """When a timestamp says something happened.

    Args:
        given: text with any precision and offset, or epoch seconds, milliseconds or microseconds.

    Returns:
        ("" or what keeps it from being of the published form, UTC microseconds or None). A local time
        without an offset tells no moment.
    """
    if isinstance(given, bool) or given is None:
        return "timestamp is missing", None
    if isinstance(given, int | float):
        size = abs(given)
        scale = 1 if size > 1e14 else 1_000 if size > 1e11 else 1_000_000
        if not 1e8 < size < 1e17:
            return "timestamp is a number that tells no moment", None
        return "timestamp is a number, not UTC text of fixed precision", int(given * scale)
    match = _MOMENT.fullmatch(given.strip()) if isinstance(given, str) else None
    if match is None:
        return "timestamp cannot be read", None
    day, clock, fraction, zone = match.groups()
    if zone is None:
        return "timestamp is a local time without an offset", None
    try:
        offset = "+00:00" if zone in "Zz" else zone
        at = datetime.fromisoformat(f"{day}T{clock}{offset}") - _EPOCH
    except (ValueError, OverflowError):
        return "timestamp names a moment that does not exist", None
    if at < timedelta(0) or at > _LATEST:
        return "timestamp lies before 1970 or after 2200", None
    found = at // timedelta(microseconds=1) + int((fraction or "").ljust(6, "0")[:6])
    return "" if _FIXED.match(given) else "timestamp is not UTC text of fixed precision", found


class _Row:
    """Reads one object."""

    def __init__(self, row: dict[str, Any], number: int, path: str) -> None:
        self.row, self.number, self.path = row, number, path
        self.faults: list[tuple[str, str]] = []
        self.ident = ""

    def reading(self) -> Reading:
        event = self._event()
        made = (Fault(code, message, self.number, self.ident) for code, message in self.faults)
        return Reading(event, tuple(made))

    def _event(self) -> PlanEvent | None:
        row = self.row
        self.ident = self._ident()
        payload = self._payload()
        session = self._text("session_id", code="PT040")
        event_type = row.get("event_type")
        executes = event_type == "execute"
        node = self._text("node_id", code="PT050" if executes else "PT000")
        actor = self._word("actor", ACTORS)
        status = self._status(payload)
        why, at = moment(row.get("timestamp"))
        if why:
            self.faults.append(("PT070", why))
        if not isinstance(event_type, str) or event_type not in STATUSES:
            self._off("event_type", "missing" if event_type is None else "none of the five types")
            return None
        if not session or status is None:
            return None
        if status not in STATUSES[event_type]:
            self._off("status", f"one that events of type {event_type} cannot have")
            if executes:
                return None
        self._changed(event_type, payload)
        return PlanEvent(
            session_id=session, event_id=self.ident, timestamp=at,
            actor=actor or "system",  # type: ignore[arg-type]
            event_type=event_type,  # type: ignore[arg-type]
            node_id=node, parent_node_id=self._parent(),
            status=status,  # type: ignore[arg-type]
            payload=payload, **self._optional(),
        )  # fmt: skip

    def _off(self, field: str, what: str) -> None:
        self.faults.append(("PT000", f"{field} is {what}"))

    def _ident(self) -> str:
        given = self._text("event_id")
        if given:
            return given
        # the same line is the same event at every reading
        return sha256(f"{self.path}\0{self.number}\0{self.row!r}".encode("utf-8", "replace")).hexdigest()[:32]

    def _text(self, field: str, code: str = "PT000") -> str:
        given = self.row.get(field)
        if isinstance(given, int) and not isinstance(given, bool):
            self._off(field, "a number, not text")
            return str(given)
        if not isinstance(given, str) or not given.strip():
            what = "missing" if field not in self.row else "empty" if given in ("", None) else "no text"
            self.faults.append((code, f"{field} is {what}"))
            return ""
        if len(given) > NAME:
            self._off(field, f"longer than {NAME} characters")
            return given[: NAME - 17] + "-" + sha256(given.encode()).hexdigest()[:16]
        return given

    def _word(self, field: str, words: tuple[str, ...]) -> str:
        given = self.row.get(field)
        if given in words:
            return str(given)
        self._off(field, "missing" if given is None else f"none of {', '.join(words)}")
        return ""

    def _status(self, payload: dict[str, Any]) -> str | None:
        given = self.row.get("status")
        if given in STATUSES["review"]:
            return str(given)
        self._off("status", "missing" if given is None else "none of the five statuses")
        if not isinstance(given, str) or not given.strip():
            # what happened to a node is not guessed; that something was planned or changed is known
            usual = {"plan": "planned", "revise": "updated", "review": "updated"}
            return usual.get(str(self.row.get("event_type")))
        payload.setdefault(NATIVE, given[:NAME])
        state = _STATE[closed(given)]
        return state if state in STATUSES.get(str(self.row.get("event_type")), ()) else "updated"

    def _parent(self) -> str | None:
        given = self.row.get("parent_node_id")
        if given is None:
            if "parent_node_id" not in self.row:
                self._off("parent_node_id", "missing")
            return None
        if given == "":
            self._off("parent_node_id", "empty; write null for none")
            return None
        return self._text("parent_node_id") or None

    def _payload(self) -> dict[str, Any]:
        given = self.row.get("payload")
        if not isinstance(given, dict):
            self._off("payload", "missing" if given is None else "no object")
            given = {} if given is None else {"value": given}
        payload = {key: self._bounded(key, value) for key, value in given.items()}
        for key, words in (("op", OPS), ("decision", DECISIONS)):
            if key in payload and payload[key] not in words:
                self._off(f"payload.{key}", "an unknown word")
                payload[f"native_{key}"] = payload.pop(key)
        for key in ("diff", "measures"):
            if key in payload and not isinstance(payload[key], dict):
                self._off(f"payload.{key}", "no object")
                payload[f"native_{key}"] = payload.pop(key)
        foreign = {k: self._bounded(k, v) for k, v in self.row.items() if k not in _KNOWN}
        if foreign:
            self.faults.append(("PT000", f"{len(foreign)} field(s) that the form does not know"))
            payload[FOREIGN] = {**foreign, **payload.get(FOREIGN, {})}
        return payload

    def _bounded(self, key: str, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        most = _BOUNDS.get(key, TEXT)
        if len(value) > most:
            self._off(f"payload.{key}" if key in _BOUNDS else "a text of the payload",
                      f"longer than {most:,} characters")  # fmt: skip
        return value[:most]

    def _changed(self, event_type: str, payload: dict[str, Any]) -> None:
        if event_type == "revise" and "op" not in payload:
            self._off("payload.op", "missing: a revise event says what it changed")

    def _optional(self) -> dict[str, Any]:
        row = self.row
        made: dict[str, Any] = {
            "writer": self._some("writer"), "task_id": self._some("task_id") or None,
            "actor_id": self._some("actor_id") or None,
        }  # fmt: skip
        seq = row.get("seq", 0)
        if isinstance(seq, bool) or not isinstance(seq, int) or not 0 <= seq < 2**60:
            self._off("seq", "no whole number of 0 or more")
            seq = 0
        after = row.get("depends_on") or []
        if not isinstance(after, list) or not all(isinstance(name, str) for name in after):
            self._off("depends_on", "no list of node ids")
            after = [name for name in after if isinstance(name, str)] if isinstance(after, list) else []
        evidence = "declared" if "evidence" not in row else self._word("evidence", EVIDENCE)
        origin = row.get("source")
        native = origin if isinstance(origin, dict) else {}
        where = Origin(str(native.get("adapter") or ADAPTER), self.path, self.number)
        made |= {"seq": seq, "depends_on": tuple(after), "evidence": evidence or "declared", "source": where}
        return made

    def _some(self, field: str) -> str:
        return self._text(field) if self.row.get(field) not in (None, "") else ""


_KNOWN = frozenset((*REQUIRED, *OPTIONAL))


def is_goal(event: PlanEvent) -> bool:
    """Does an event say what the session is for?"""
    return event.node_id == GOAL or event.payload.get("op") == "goal"
