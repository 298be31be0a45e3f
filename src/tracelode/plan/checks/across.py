"""What is off across sessions and files? Lines, ids, tasks, mixed sessions and secrets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import EXAMPLES, PlanFinding, Severity
from tracelode.plan.checks.codes import CODES
from tracelode.plan.checks.origins import adapters
from tracelode.plan.read import Loaded, Placed
from tracelode.redact.fast import Redactor

_LINKS = ("in_session", "handoff", "continues", "resumes", "linked_session")
_SECRET = b"[secret:"


def finding(
    code: str,
    message: str,
    session: str,
    places: Iterable[tuple[str, str, int | None]],
    of: int = 0,
    severity: Severity | None = None,
    count: int = 0,
) -> PlanFinding:
    """A finding with its places.

    Args:
        code: one of CODES.
        message: what is off.
        session: the session, "" where none can be told.
        places: (event id or "", file, line) of each, in order.
        of: how many could have it, 0 where that says nothing.
        severity: where it is another than the code's.
        count: how many, where no event says it.
    """
    kind = CODES[code]
    listed = list(places)
    first = listed[0] if listed else ("", "", None)
    return PlanFinding(
        code=code,
        severity=severity or kind.severity,
        message=message,
        session_id=session,
        count=len(listed) or count or 1,
        share=(len(listed) or count) / of if of else None,
        examples=tuple(ident or f"line {line}" for ident, _, line in listed[:EXAMPLES]),
        path=first[1],
        line=first[2],
        fix=kind.fix,
        ref=kind.ref,
    )


def lines(loaded: Loaded) -> Iterator[PlanFinding]:
    """What is off in lines, one finding for each session, code and reason."""
    groups: dict[tuple[str, str, str], list[tuple[str, str, int | None]]] = defaultdict(list)
    for one in loaded.faults:
        key = (one.session, one.fault.code, one.fault.message)
        groups[key].append((one.fault.event_id, one.path, one.fault.line))
    for (session, code, reason), places in groups.items():
        of = len(loaded.sessions.get(session, ())) if session else loaded.lines
        yield finding(code, reason, session, places, max(of, len(places)))


def ids(loaded: Loaded) -> Iterator[PlanFinding]:
    """Events that share an id: errors, and copies that were left out."""
    for session, rows in _by_session(loaded.clashes):
        yield finding("PT020", "another event has this id", session, map(_place, rows), 0)
    for session, rows in _by_session(loaded.copies):
        words = "the same event again, left out"
        yield finding("PT020", words, session, map(_place, rows), 0, "info")


def _by_session(rows: Iterable[Placed]) -> list[tuple[str, list[Placed]]]:
    found: dict[str, list[Placed]] = defaultdict(list)
    for row in rows:
        found[row.event.session_id].append(row)
    return sorted(found.items())


def _place(row: Placed) -> tuple[str, str, int | None]:
    return row.event.event_id, row.path, row.line


def tasks(loaded: Loaded) -> Iterator[PlanFinding]:
    """Tasks whose session changes without anything that links the two."""
    found: dict[str, dict[str, Placed]] = defaultdict(dict)
    linked: set[str] = set()
    for session in sorted(loaded.sessions):
        for row in loaded.sessions[session]:
            task = row.event.task_id
            if not task:
                continue
            found[task].setdefault(session, row)
            if task.startswith("plan:") or any(row.event.payload.get(key) for key in _LINKS):
                linked.add(task)
    for task in sorted(found):
        if len(found[task]) > 1 and task not in linked:
            later = list(found[task].items())[1:]
            words = "the session changes inside one task, and nothing links the two"
            yield finding("PT040", words, later[0][0], [_place(row) for _, row in later])


def mixed(loaded: Loaded) -> Iterator[PlanFinding]:
    """Sessions that alternate in a file, and events on a node of another session."""
    seen: dict[str, set[str]] = defaultdict(set)
    again: dict[tuple[str, str], int] = defaultdict(int)
    for path, session in loaded.order:
        if session in seen[path]:
            again[path, session] += 1
        seen[path].add(session)
    for (path, session), count in sorted(again.items()):
        words = f"its events stand in {count + 1:,} stretches between those of other sessions"
        yield finding("PT041", words, session, [("", path, loaded.sessions[session][0].line)])
    if len(loaded.sessions) < 2:
        return
    made: dict[str, set[str]] = defaultdict(set)
    for session, rows in loaded.sessions.items():
        for row in rows:
            if row.event.event_type == "plan":
                made[row.event.node_id].add(session)
    for session in sorted(loaded.sessions):
        foreign = [
            row
            for row in loaded.sessions[session]
            if row.event.event_type == "execute"
            and made.get(row.event.node_id)
            and session not in made[row.event.node_id]
        ]
        if foreign:
            words = "an event is on a node that only another session planned"
            severity: Severity = "warning"
            if adapters(row.event for row in foreign):
                words, severity = "a node goes on that the session it was forked from planned", "info"
            yield finding("PT041", words, session, map(_place, foreign), 0, severity)


def secrets(events: Iterable[tuple[PlanEvent, str, int | None]], session: str) -> Iterator[PlanFinding]:
    """Payloads in which a secret is left.

    Args:
        events: (event, file, line) of one session.
        session: its key.
    """
    redactor = Redactor("full")
    found: list[tuple[str, str, int | None]] = []
    of = 0
    for event, path, line in events:
        of += 1
        if not event.payload:
            continue
        text = msgspec.json.encode(event.payload)
        clean = redactor.text(text.decode("utf-8", "replace")).encode()
        if clean.count(_SECRET) > text.count(_SECRET):
            found.append((event.event_id, path, line))
    if found:
        yield finding("PT100", "a payload holds what looks like a secret", session, found, of)
