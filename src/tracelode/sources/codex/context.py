"""What does reading a rollout carry from record to record? State, place, and how ids are made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec

from tracelode.lenient import microseconds
from tracelode.model.operation import Actor, Kind, Operation, Origin, Status, operation_id
from tracelode.model.ports import About, Item, Line, Tick
from tracelode.sources.codex import words
from tracelode.sources.codex.records import Meta, Turn, born
from tracelode.sources.codex.usage import Meter

AGENT = "codex"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NUMBERED = re.compile(r":\d{1,9}$")
_UNIQUE_LENGTH = 16
_MOST_WAITING = 64
OWN, OLD = "own", "old"
"""What is known of a turn: it is this thread's, or a copy of another one's; "" for neither."""


class Process(msgspec.Struct):
    """A command that went on after its result."""

    operation: str
    """Id of the operation that started it."""
    call: str
    """Digest of its call id."""
    name: str
    """Digest of the process's id."""


class State(msgspec.Struct):
    """What reading must remember between two reads of a growing file; no text of the trace."""

    session: str = ""
    """Session key, "" until known."""
    role: str = "main"
    """main or subagent."""
    automated: bool = False
    """A program and no person writes the prompts."""
    parent: str = ""
    """Thread whose history this one may have copied, "" for none."""
    copied: bool = False
    """Records of another thread may stand in this file."""
    made: int | None = None
    """When the thread was made, UTC microseconds."""
    first: int | None = None
    """Number of the first record that is no copy, where the file tells it."""
    turn: str = ""
    """Whose the present turn is: OWN, OLD or ""."""
    project: str = ""
    """Digest of the working folder."""
    branch: str = ""
    """Version-control branch."""
    model: str = ""
    """Model of the present turn."""
    effort: str = ""
    """Reasoning effort of the present turn."""
    mode: str = ""
    """Approval policy of the present turn."""
    meter: Meter = msgspec.field(default_factory=Meter)
    """Token counters."""
    responses: int = 0
    """Model responses so far."""
    call: str = ""
    """Id of the model operation whose response is being told, "" between two."""
    answered: bool = False
    """A tool of that response has its result."""
    open: dict[str, tuple[str, str]] = {}
    """Digest of a call id to (operation, sort) of tools that wait for a result."""
    ended: list[str] = []
    """Those of them whose end was told already."""
    running: list[Process] = []
    """Commands that went on after their result."""
    seen: dict[str, int] = {}
    """Uses of ids without a number since the last token count."""
    events: bool = False
    """The file tells its messages as events too."""
    echo: str = ""
    """Digest of a prompt whose event is still to come."""
    phase: str = ""
    """Where in a turn: begun, busy once it has its prompt, over; "" where turns are not told."""
    moments: list[tuple[int, str]] = []
    """(UTC microseconds, what it ends) of records that wait for an operation to be charged to."""
    compacted: bool = False
    """A compaction was told whose event is still to come."""
    old_grammar: bool = False
    """Bare items without an envelope."""


class Context:
    """One file while it is read.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.state = state
        self.path = path
        self.line = Line(0, 0, b"")
        self.at: int | None = None
        self.numbered = False

    # who ------------------------------------------------------------------------------------------

    def identify(self, meta: Meta) -> Iterator[Item]:
        """Take a session's identity from the first record that tells it; later ones tell copies."""
        state = self.state
        if state.session:
            if meta.id and meta.id != state.session:
                state.copied = True
                state.parent = state.parent or meta.id
            return
        spawn = _spawn(meta.source)
        agent = meta.thread_source == "subagent" or spawn is not None or meta.source == "subagent"
        spawner = (spawn or {}).get("parent_thread_id")
        spawner = spawner if isinstance(spawner, str) and spawner else None
        parent = spawner or meta.parent_thread_id or meta.forked_from_id
        tree = meta.session_id if meta.session_id != meta.id else None
        state.session = meta.id or self._named()
        state.role = "subagent" if agent else "main"
        state.automated = meta.source in words.PROGRAMS
        state.parent = meta.forked_from_id or spawner or ""
        state.copied = bool(meta.forked_from_id)
        state.made = born(meta.id) or microseconds(meta.timestamp)
        state.first = meta.subagent_history_start_ordinal
        state.project = digest(meta.cwd) if meta.cwd else ""
        state.branch = (meta.git.branch if meta.git else None) or ""
        above = (parent or tree) if agent else None
        yield About(state.session, above or state.session, meta.cwd or "", state.role, above)

    def place(self, folder: str) -> Iterator[Item]:
        """Take the working folder from where the old grammar tells it."""
        if folder and not self.state.project:
            self.state.project = digest(folder)
            yield About(self.state.session, self.state.session, folder, self.state.role)

    def _named(self) -> str:
        stem = PurePosixPath(self.path).name.split(".")[0]
        found = _UUID.findall(stem)
        return found[-1] if found else stem

    def number(self, ordinal: int | None) -> None:
        """Judge a record by its number, where the file says which are copies."""
        self.numbered = self.state.first is not None and ordinal is not None
        if self.state.first is not None and ordinal is not None:
            self.state.turn = OLD if ordinal < self.state.first else OWN

    def begin(self, turn_id: str | None, started_at: float | None) -> None:
        """Judge whose turn begins: a copied one is older than the thread."""
        state = self.state
        if not state.copied or state.made is None or self.numbered:
            return
        made, moment = state.made, born(turn_id)
        if moment is None and started_at is not None and 0 < started_at < 1e14:
            # seconds, in some writers milliseconds; the thread was made within its first second
            moment = round(started_at * (1_000 if started_at > 1e11 else 1_000_000))
            made -= made % 1_000_000
        if moment is not None:
            state.turn = OLD if moment < made else OWN

    def settings(self, turn: Turn) -> None:
        """Carry the model and the rest of a turn's settings forward."""
        state = self.state
        if turn.model:
            state.model = turn.model
        state.effort = turn.effort if turn.effort in words.EFFORTS else ""
        state.mode = turn.approval_policy if isinstance(turn.approval_policy, str) else ""

    @property
    def old(self) -> bool:
        """Is the present record a copy of another thread's?"""
        return self.state.turn == OLD

    # what -----------------------------------------------------------------------------------------

    def placed(self, kind: str, text: str = "") -> tuple[str, dict[str, str]]:
        """The id of a record without one, made of what it says and where the counters stand.

        A copy of the record in another thread has the same place there, so its id can be told.

        Returns:
            (id, fields that hold the other thread's id of it).
        """
        state = self.state
        meter = state.meter
        key = digest(f"{kind}\0{meter.epoch}\0{meter.totals}\0{text}")
        count = state.seen[key] = state.seen.get(key, -1) + 1
        key = f"{key}/{count}"
        fields = {}
        if state.parent and not state.turn:
            fields["replay"] = operation_id(AGENT, f"{state.parent}/{key}")
        return operation_id(AGENT, f"{state.session}/{key}"), fields

    def operation(
        self, ident: str, actor: Actor, kind: Kind, name: str, status: Status, **more: Any
    ) -> Operation:
        """An operation at the present place."""
        fields = more.pop("fields", {})
        if self.old:
            fields = {**fields, "replayed": "1"}
        return Operation(
            session=self.state.session,
            index=0,
            id=ident,
            actor=actor,
            kind=kind,
            name=name,
            status=status,
            started=self.at,
            ended=more.pop("ended", self.at),
            fields=fields,
            origin=Origin(AGENT, self.path, self.line.number, self.line.offset),
            **more,
        )

    def tick(self, ends: str, operation: str | None = None, **more: Any) -> Iterator[Item]:
        """The present moment; none for copies, whose time was another thread's.

        A moment without an operation is charged to the next one that has, so it waits for that.
        """
        if self.at is None or self.old:
            return
        if operation is None:
            self.state.moments = [*self.state.moments, (self.at, ends)][-_MOST_WAITING:]
            return
        for at, kind in self.state.moments:
            yield Tick(at, kind, operation)
        self.state.moments.clear()
        yield Tick(self.at, ends, operation, **more)

    def counted(self) -> None:
        """The counters moved on: what follows stands at another place."""
        self.state.seen.clear()

    def remember(self, process: Process) -> None:
        """Keep a command that goes on; the oldest of very many is forgotten."""
        self.state.running = [*self.state.running, process][-_MOST_WAITING:]


def _spawn(source: Any) -> dict[str, Any] | None:
    """What a source says of a sub-agent: {} where it says only that it is one, None where it is none."""
    if not isinstance(source, dict) or "subagent" not in source:
        return None
    inner = source["subagent"]
    found = inner.get("thread_spawn") if isinstance(inner, dict) else None
    return found if isinstance(found, dict) else {}


def unique(native: str | None) -> bool:
    """Is a call id taken to be unique everywhere? Short ones and those that other models number are not."""
    return native is not None and len(native) >= _UNIQUE_LENGTH and not _NUMBERED.search(native)


def digest(text: str) -> str:
    """A short digest that stands for a text in saved states."""
    return operation_id(AGENT, text)
