"""How does a record become an operation through a mapping?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.making import picodollars, put_count, put_input
from tracelode.model.operation import Operation, Origin, operation_id
from tracelode.model.ports import About, Change, Item, Line, Skip, Tick
from tracelode.signals.arguments import argument_fields
from tracelode.sources.map.mapping import WORDS, Mapping
from tracelode.sources.map.paths import text

NAME = "map"
_SESSIONS = 1_000
"""Sessions whose latest model call is remembered."""
_OPEN = 10_000
"""Operations whose end is waited for."""
_ACTORS = {"prompt": "human", "note": "system"}
"""Who did it, where the mapping does not say: else the agent."""
_CALLERS = frozenset({"tool", "subagent", "plan", "gui", "process", "file", "network"})
"""Kinds that a model call can have issued."""


class State(msgspec.Struct):
    """What reading must remember between two reads of a growing file."""

    calls: dict[str, str] = {}
    """Digest of a session's key to the id of its latest model call."""
    open: list[str] = []
    """Ids of operations that one record told of and whose end another may tell."""


class Reader:
    """Reads lines through a mapping.

    Args:
        mapping: the checked mapping.
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, mapping: Mapping, state: State, path: str) -> None:
        self.mapping = mapping
        self.state = state
        self.path = path
        self.about: About | None = None
        self.line = Line(0, 0, b"")
        self.complaints: list[str] = []

    def read(self, records: Iterable[Line]) -> Iterator[Item]:
        """Items of all lines, in file order.

        Args:
            records: numbered lines.
        """
        for line in records:
            self.line = line
            for value, complaint in _values(line.data):
                if complaint:
                    yield Skip(line.number, complaint)
                elif all(text(get(value)) in words for get, words in self.mapping.only):
                    yield from self._record(value)

    def _record(self, record: Any) -> Iterator[Item]:
        session = text(self._get("session", record))
        kind = self._word("kind", record)
        if not session or kind is None:
            what = "kind" if session else "session"
            told = self._get(what, record) is not None
            yield Skip(
                self.line.number,
                f"record with a {what} that is not mapped" if told else f"record without a {what}",
            )
            return
        self.complaints = []
        yield from self._about(record, session)
        operation = self._operation(record, session, kind)
        yield operation
        status, output = self._word("status", record), text(self._get("output", record))
        if status or output:
            # a later record of the same id brings the end of what the first one began
            yield Change(id=operation.id, status=status, ended=operation.ended, output=output or None)
        yield from self._ticks(operation)
        if kind == "model":
            self._remember(session, operation.id)
        for reason in self.complaints:
            yield Skip(self.line.number, reason)

    def _get(self, key: str, record: Any) -> Any:
        get = self.mapping.places.get(key)
        return None if get is None else get(record)

    def _word(self, key: str, record: Any) -> str | None:
        """A closed word of ours: translated where the mapping says so, else as it is if it is one."""
        value = self._get(key, record)
        if value is None:
            return None
        found = text(value)
        ours = self.mapping.words.get(key, {}).get(found)
        if ours is None and found in WORDS[key]:
            return found
        if ours is None:
            self.complaints.append(f"{key} that is not mapped")
        return ours

    def _about(self, record: Any, session: str) -> Iterator[About]:
        root = text(self._get("root", record)) or session
        about = About(
            session=session,
            root=root,
            project=text(self._get("project", record)),
            role="main" if root == session else "subagent",
            task=text(self._get("task", record)) or None,
            outcome=self._word("outcome", record),
            agent=text(self._get("agent", record)),
        )
        if about != self.about:
            self.about = about
            yield about

    def _operation(self, record: Any, session: str, kind: str) -> Operation:
        started, ended = self._span(record)
        ident = self._ident(record, session)
        model = text(self._get("model", record))
        told = text(self._get("name", record))
        name = told or (model if kind == "model" else "") or kind
        given = self._get("arguments", record)
        fields = {"model": model} if model else {}
        if kind in _CALLERS:
            again = ident in self.state.open
            fields.update(argument_fields(_decoded(given)))
            if told or not again:
                fields["tool"] = name
            call = None if again else self._call(record, session)
            if call:
                fields["call"] = call
        spawns = text(self._get("spawns", record))
        if spawns:
            fields["spawns"] = spawns
        for key, get in self.mapping.fields.items():
            value = text(get(record))
            if value:
                fields[key] = value
        actor = self._word("actor", record) or _ACTORS.get(kind, "agent")
        if actor == "human" and kind == "prompt":
            fields.setdefault("human", "prompt")
        return Operation(
            session=session,
            index=0,
            id=ident,
            actor=actor,  # type: ignore[arg-type]
            kind=kind,  # type: ignore[arg-type]
            name=name,
            status="unknown" if "status" in self.mapping.places or kind in _CALLERS else "ok",
            started=started,
            ended=ended,
            parent=fields.get("call"),
            fields=fields,
            measures=self._measures(record, kind),
            arguments=text(given),
            origin=Origin(NAME, self.path, self.line.number, self.line.offset),
        )

    def _ident(self, record: Any, session: str) -> str:
        own = self._get("id", record)
        if own is not None:
            return operation_id(NAME, f"{session}/{text(own)}")
        # without ids a record is known by its content, so that a copy of the file adds nothing; without
        # times two records may be equal to the letter and are told apart by their lines
        content = blake2b(self.line.data, digest_size=12).hexdigest()
        place = (
            "" if "time" in self.mapping.places or "ended" in self.mapping.places else f":{self.line.number}"
        )
        return operation_id(NAME, f"{session}#{content}{place}")

    def _call(self, record: Any, session: str) -> str | None:
        get = self.mapping.places.get("call")
        if get is None:
            return None
        if get.constant == "previous":
            return self.state.calls.get(_digest(session))
        value = get(record)
        return None if value is None else operation_id(NAME, f"{session}/{text(value)}")

    def _remember(self, session: str, call: str) -> None:
        calls = self.state.calls
        calls.pop(_digest(session), None)
        calls[_digest(session)] = call
        if len(calls) > _SESSIONS:
            del calls[next(iter(calls))]

    def _span(self, record: Any) -> tuple[int | None, int | None]:
        """(start, end) in UTC microseconds."""
        started = self._moment("time", record)
        ended = self._moment("ended", record)
        took = self._get("duration", record)
        if isinstance(took, int | float) and not isinstance(took, bool) and 0 <= took < 1e15:
            length = round(took * self.mapping.duration_unit / 1_000)
            if ended is None and started is not None:
                ended = started + length
            elif started is None and ended is not None:
                started = ended - length
        elif took is not None:
            self.complaints.append("duration that is no number")
        if "ended" not in self.mapping.places and "duration" not in self.mapping.places:
            ended = started
        return started, ended

    def _moment(self, key: str, record: Any) -> int | None:
        value = self._get(key, record)
        if value is None:
            return None
        unit = self.mapping.time_unit
        if unit is not None and isinstance(value, int | float) and not isinstance(value, bool):
            at = round(value * unit / 1_000) if abs(value * unit) < 1e20 else None
        else:
            at = lenient.moment(value)
        if at is None:
            self.complaints.append(f"{key} that is no moment")
        return at

    def _count(self, value: Any) -> int | None:
        """A number of tokens; a float without a fraction is one."""
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if value is not None:
            self.complaints.append("token count that is no number left out")
        return None

    def _measures(self, record: Any, kind: str) -> dict[str, int]:
        found = {"calls": 1} if kind == "model" else {}
        told = {key: self._count(get(record)) for key, get in self.mapping.tokens.items()}
        if told.get("input") is not None:
            put_input(
                found, told["input"], told.get("cache_read"), told.get("cache_write_5m"), self.complaints
            )
            hour = told.get("cache_write_1h")
            if hour is not None and hour <= found.get("tokens.input_fresh", 0):
                found["tokens.input_fresh"] -= hour
        for key in ("input_fresh", "cache_read", "cache_write_5m", "cache_write_1h", "reasoning", "output"):
            put_count(found, f"tokens.{key}", told.get(key), self.complaints)
        whole = told.get("output_all")
        if whole is not None:
            inside = found.get("tokens.reasoning", 0)
            if inside > whole >= 0:
                self.complaints.append("reasoning exceeds the output it should be part of, counted beside it")
                inside = 0
            put_count(found, "tokens.output", whole - inside, self.complaints)
        stated = self._get("cost", record)
        cost = picodollars(stated)
        if cost is not None:
            found["cost.reported"] = cost
        elif stated is not None:
            self.complaints.append("cost that is no number of dollars left out")
        return found

    def _ticks(self, operation: Operation) -> Iterator[Tick]:
        start, end, ident = operation.started, operation.ended, operation.id
        tool = operation.kind in _CALLERS
        closes = tool and self._pair(ident)
        if start is not None and end is not None and start != end:
            yield Tick(start, "other", ident, opens=(ident,) if tool else ())
            if tool:
                yield Tick(end, "tool", ident, closes=(ident,), own=end - start)
                return
        at = end if end is not None else start
        if at is None:
            return
        if closes:
            yield Tick(at, "tool", ident, closes=(ident,))
        elif ident in self.state.open:
            yield Tick(at, "other", ident, opens=(ident,))
        else:
            ends = {"model": "model", "prompt": "human"}.get(operation.kind, "other")
            yield Tick(at, ends if operation.actor != "system" else "other", ident)

    def _pair(self, ident: str) -> bool:
        """Is this the second record of a tool call whose begin and end are records of their own?"""
        places = self.mapping.places
        if "id" not in places or "ended" in places or "duration" in places:
            return False
        if ident in self.state.open:
            self.state.open.remove(ident)
            return True
        self.state.open.append(ident)
        del self.state.open[:-_OPEN]
        return False


def _values(data: bytes) -> Iterator[tuple[Any, str]]:
    try:
        yield msgspec.json.decode(data), ""
        return
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    for value, complaint in lenient.objects(data.decode("utf-8", "replace")):
        yield (None, complaint) if complaint else (lenient.clean(value), "")


def _decoded(given: Any) -> Any:
    """Input as an object, also where it is kept as JSON text."""
    if isinstance(given, str):
        try:
            return msgspec.json.decode(given)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return {"command": given} if given else None
    return given


def _digest(session: str) -> str:
    return blake2b(session.encode("utf-8", "replace"), digest_size=8).hexdigest()
