"""How does a file of telemetry become items? Traces and logs together, session by session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.activities import ticks
from tracelode.making import Maker
from tracelode.model.operation import Operation
from tracelode.model.ports import About, Item, Line, Skip
from tracelode.signals.told import Repeats, repeats
from tracelode.sources.otel import words
from tracelode.sources.otel.events import log_product, sort_out
from tracelode.sources.otel.logs import Logs
from tracelode.sources.otel.made import Made
from tracelode.sources.otel.spans import Trace, gen_ai, product, sorted_operations
from tracelode.sources.otel.tree import forest, session_by, sessions, settle, trace_session
from tracelode.wire.decode import decode
from tracelode.wire.message import Event, Log, Reject, Span

STRANGER = "span of a trace without model, tool or agent"
TWIN = "call or tool told by a log or message and by a span, the span counts"

_Complaints = Counter[tuple[int, str]]


class Session:
    """What a file holds of one session."""

    def __init__(self) -> None:
        self.root = ""
        self.project = ""
        self.product = ""
        self.operations: list[Operation] = []
        self.activities: list[Any] = []
        self.moments: list[Any] = []


class Reader:
    """Reads one file.

    Args:
        path: the file as origins name it.
    """

    def __init__(self, path: str) -> None:
        self.maker = Maker(words.AGENT, words.AGENT, path)
        self.sessions: dict[str, Session] = {}
        self.complaints: _Complaints = Counter()

    def read(self, records: Iterable[Line]) -> Iterator[Item]:
        """Items of all records.

        Args:
            records: the file, as one record.
        """
        spans: dict[str, list[Span]] = {}
        logs: list[Log] = []
        for line in records:
            for record in decode(line.data):
                if isinstance(record, Span):
                    spans.setdefault(record.trace, []).append(record)
                elif isinstance(record, Log):
                    logs.append(record)
                else:
                    self._reject(record)
        self._all(spans, logs)
        self._once()
        first: dict[str, tuple[int, int]] = {}
        for (line_number, reason), count in self.complaints.items():
            at, before = first.get(reason, (line_number, 0))
            first[reason] = (min(at, line_number), before + count)
        for key, session in self.sessions.items():
            yield from self._items(key, session)
        for reason, (line_number, count) in first.items():
            yield Skip(line_number, reason, count)

    def _reject(self, record: Reject) -> None:
        self.complaints[(record.line, record.reason)] += record.count

    def _all(self, spans: dict[str, list[Span]], logs: list[Log]) -> None:
        keys = {trace: trace_session(trace, found) for trace, found in spans.items()}

        def of(log: Log, event: str) -> str:
            key, name = keys.get(log.trace or "", (log.trace or "", ""))
            for n in (name,) if name else words.SESSIONS:
                own = session_by(n, log.attributes, log.origin, event)
                if own:
                    return own
            return key

        known = {(s.trace, s.id) for found in spans.values() for s in found} if logs else set()
        by_session, told, complaints = sort_out(logs, of, known)
        self.complaints.update(complaints)
        given: dict[tuple[str, str], list[Event]] = {}
        for place, log in told:
            given.setdefault(place, []).append(_message_event(log))
        for trace in list(spans):
            # what was made of a trace is kept, its spans are not
            found = spans.pop(trace)
            if given:
                found = [_with(span, given) for span in found]
            self._trace(*keys[trace], found)
        for key, own in by_session.items():
            self._take(Logs(self.maker, key).make(own))
            session = self.sessions.get(key)
            if session is not None:
                session.product = session.product or next((p for log in own if (p := log_product(log))), "")
                session.project = session.project or _folder(own)

    def _trace(self, key: str, name: str, spans: list[Span]) -> None:
        order, complaints = forest(spans)
        line = min(span.line for span in spans)
        settle(order)
        if not gen_ai(order):
            self.complaints[(line, STRANGER)] += len(order)
            return
        for reason, count in complaints.items():
            self.complaints[(line, reason)] += count
        sessions(order, key, name)
        made = Trace(self.maker, order).make()
        self._take(made)
        writer = product(order)
        for node in order:
            session = self.sessions.get(node.session)
            if session is not None:
                session.product = session.product or writer
                session.project = session.project or _folder([node.span])

    def _take(self, made: Made) -> None:
        if made.complaints:
            self.complaints.update(made.complaints)
        for operation in made.operations:
            self._session(operation.session, made).operations.append(operation)
        for key, activity in made.activities:
            self._session(key, made).activities.append(activity)
        for key, moment in made.moments:
            self._session(key, made).moments.append(moment)

    def _session(self, key: str, made: Made) -> Session:
        session = self.sessions.get(key)
        if session is None:
            session = self.sessions[key] = Session()
        session.root = made.threads.get(key, session.root)
        return session

    def _once(self) -> None:
        """Everything counts once: a span before a log record, the calls inside before what lies around."""
        families: dict[str, list[Session]] = {}
        for key, session in self.sessions.items():
            families.setdefault(session.root or key, []).append(session)
        for family in families.values():
            if single(o for session in family for o in session.operations):
                continue
            found = repeats(o for session in family for o in session.operations)
            if not (found.twins or found.totals or found.wrappers):
                continue
            gone = found.twins.keys() | found.totals
            for session in family:
                for o in session.operations:
                    if o.id in found.twins:
                        self.complaints[(o.origin.line, TWIN)] += 1
                session.activities = [a for a in session.activities if a.operation not in gone]
                kept = (o for o in session.operations if o.id not in gone)
                session.operations = [_settled(o, found) for o in kept]

    def _items(self, key: str, session: Session) -> Iterator[Item]:
        if not session.operations:
            return
        root = session.root or key
        role = "subagent" if session.root else "main"
        yield About(key, root, session.project, role, agent=session.product)
        yield from sorted_operations(session.operations)
        yield from ticks(session.activities, session.moments)


def single(operations: Iterable[Operation]) -> bool:
    """Can nothing be told twice, because there is one call at most, one prompt, and no log record?

    Many traces are one call; to compare all operations with each other is dear beside them.

    Args:
        operations: of a family.
    """
    calls = prompts = 0
    for o in operations:
        calls += o.kind == "model"
        prompts += o.kind == "prompt"
        told = o.fields.get("told_by", "total")
        if calls > 1 or prompts > 1 or (told != "total" and (told != "message" or o.kind != "prompt")):
            return False
    return True


def _settled(operation: Operation, found: Repeats) -> Operation:
    """An operation without what is told elsewhere."""
    call = operation.fields.get("call", "")
    if call in found.twins:
        fields = {**operation.fields, "call": found.twins[call]}
        operation = msgspec.structs.replace(operation, fields=fields)
    if operation.id not in found.wrappers:
        return operation
    # tokens that count elsewhere: what is left is a span around it
    kept = {k: v for k, v in operation.measures.items() if not k.startswith(("tokens.", "calls", "cost."))}
    return msgspec.structs.replace(operation, kind="note", measures=kept)


def _folder(records: Iterable[Span | Log]) -> str:
    for record in records:
        for attributes in (record.attributes, record.origin.attributes):
            for name in words.FOLDERS:
                value = attributes.get(name)
                if isinstance(value, str) and value:
                    return value
    return ""


def _message_event(log: Log) -> Event:
    body = log.body if isinstance(log.body, dict) else {"content": log.body}
    return Event(log.name or "", log.at, {**log.attributes, **body})


def _with(span: Span, given: dict[tuple[str, str], list[Event]]) -> Span:
    events = given.get((span.trace, span.id))
    return msgspec.structs.replace(span, events=(*span.events, *events)) if events else span
