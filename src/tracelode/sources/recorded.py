"""Recordings of `tracelode record` where strace could not be used: JSON Lines of what was seen in /proc.

The format is ours; see docs/sources/recorded.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from tracelode.lenient import decode, storable
from tracelode.making import prefixed
from tracelode.model.operation import operation_id
from tracelode.model.ports import About, Change, Item, Line, Skip
from tracelode.touches import MARK, ROLE, Process, Recording, Table, Touches

__all__ = ["Recorded"]

ADAPTER = "recorded"
MOST_SLACK = 10_000_000
"""Microseconds; a start that is less sure than that is none."""


class Event(msgspec.Struct):
    """One line after the first one."""

    event: str | None = None
    """start, exec, io, file, host or end."""
    at: int | None = None
    """UTC microseconds."""
    process: str | None = None
    """Number and start of the process, which tell it from others."""
    pid: int | None = None
    """Its number."""
    ppid: int | None = None
    """Number of its parent when it was first seen."""
    parent: str | None = None
    """The parent, where it was seen before."""
    root: bool | None = None
    """Is it the command itself?"""
    slack: int | None = None
    """Microseconds by which the start may be later."""
    name: str | None = None
    """Program."""
    command: str | None = None
    """Command line, redacted."""
    cwd: str | None = None
    """Working folder."""
    read: int | None = None
    """Bytes read from storage so far."""
    written: int | None = None
    """Bytes written to storage so far."""
    path: str | None = None
    """An open file."""
    mode: str | None = None
    """r or w: how it was opened."""
    host: str | None = None
    """Address that a socket is connected to."""
    port: int | None = None
    """Its port."""
    exit: int | None = None
    """Exit code of the command, or minus the signal that ended it."""


class State(msgspec.Struct):
    """What reading must remember."""

    session: str = ""
    """Session key, "" before the first line."""
    root: str = ""
    """Session that the recording was joined to, "" for none."""
    project: str = ""
    """Where the command ran."""
    table: Table = msgspec.field(default_factory=Table)
    """Processes, files and hosts."""


class Reader:
    """Reads one recording from a state on.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.state = state
        self.line = Line(0, 0, b"")
        self.touches = Touches(state.table, ADAPTER, state.session, path, sampled=True)
        self.events: dict[str, Callable[[Process, Event], Iterator[Item]]] = {
            "exec": self._exec,
            "io": self._io,
            "file": self._file,
            "host": self._host,
            "end": self._end,
        }

    def read(self, lines: Iterable[Line]) -> Iterator[Item]:
        """Items of all lines, in file order; sums of what still runs at the end."""
        if self.state.session:
            yield self._about()
        for line in lines:
            self.line = line
            if not self.state.session:
                yield from self._begin(line)
                if line.data.startswith(MARK):
                    continue
            found, complaints = decode(line.data, Event)
            for reason in complaints:
                yield Skip(line.number, reason)
            for event in found:
                yield from self._event(event)
        yield from self.touches.all_sums()

    def _begin(self, line: Line) -> Iterator[Item]:
        state = self.state
        found = decode(line.data, Recording)[0] if line.data.startswith(MARK) else []
        own = found[0].id if found else ""
        text = line.data.decode("utf-8", "replace")
        state.session = prefixed("record", own or operation_id(ADAPTER, text))
        if found:
            state.root, state.project = found[0].session, found[0].cwd
        self.touches.session = state.session
        yield self._about()

    def _about(self) -> About:
        state = self.state
        return About(state.session, state.session, state.project, ROLE, parent=state.root or None)

    def _event(self, event: Event) -> Iterator[Item]:
        running = self.state.table.running
        if event.event == "start" and event.process:
            if event.process not in running:
                yield from self._start(event, event.process)
            return
        handler = self.events.get(event.event or "")
        if handler is None:
            yield Skip(self.line.number, "event without a kind" if not event.event else "unknown event")
            return
        process = running.get(event.process or "")
        if process is None:
            yield Skip(self.line.number, "event of a process whose start is not in the recording")
            return
        yield from handler(process, event)

    def _start(self, event: Event, native: str) -> Iterator[Item]:
        running = self.state.table.running
        slack = event.slack or 0
        process = Process(native, max(0, event.pid or 0), event.name or "", slack=max(0, slack))
        process.started = event.at if slack <= MOST_SLACK else None
        process.ppid, process.root = event.ppid, bool(event.root)
        if event.parent and event.parent in running:
            process.parent = self.touches.ident(event.parent)
        running[native] = process
        process.events = 1
        yield from self.touches.tell(process, self.line, event.command or "", event.cwd or "")

    def _exec(self, process: Process, event: Event) -> Iterator[Item]:
        process.name = event.name or process.name
        yield from self.touches.became(process, self.line, event.command or "", event.cwd or "")

    def _io(self, process: Process, event: Event) -> Iterator[Item]:
        told = {"bytes.read": event.read, "bytes.written": event.written}
        measures = {name: storable(value) for name, value in told.items() if value is not None and value >= 0}
        yield Change(id=self.touches.ident(process.native), measures=measures)

    def _file(self, process: Process, event: Event) -> Iterator[Item]:
        if not event.path:
            yield Skip(self.line.number, "file without a path")
            return
        yield from self.touches.touch(
            process, "file", operation_id("path", event.path), event.at, self.line,
            fields={"path": event.path}, touch="write" if event.mode == "w" else "open",
        )  # fmt: skip

    def _host(self, process: Process, event: Event) -> Iterator[Item]:
        if not event.host:
            yield Skip(self.line.number, "host without an address")
            return
        port = str(event.port or "")
        yield from self.touches.touch(
            process, "network", operation_id("address", f"{event.host} {port}"), event.at, self.line,
            fields={"domain": event.host, "port": port},
        )  # fmt: skip

    def _end(self, process: Process, event: Event) -> Iterator[Item]:
        code = event.exit
        if code is None:
            yield from self.touches.end(process, event.at, "unknown", "")
        elif code < 0:
            yield from self.touches.end(process, event.at, "interrupted", f"signal {-code}")
        else:
            yield from self.touches.end(process, event.at, "nonzero" if code else "ok", str(code))


class Recorded:
    """Reads what `tracelode record` wrote without strace."""

    name = ADAPTER
    version = "1"
    agent = "record"
    layout = "session"
    effects = True
    suffixes: tuple[str, ...] = (".record.jsonl", ".record.jsonl.gz", ".record.jsonl.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is such a recording?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for its first line, else 0.0.
        """
        return 1.0 if head.startswith(MARK) and b'"tracer":"proc"' in head[:4096] else 0.0

    def fresh(self) -> State:
        """A resume state for the start of a file."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn records into operations and facts.

        Args:
            records: numbered lines from the cursor on.
            state: what fresh() gave or what was saved with the cursor; changed in place.
            path: the file as origins name it.

        Returns:
            Items in file order.

        Source:
            docs/decisions/0014-effects.md.
        """
        return Reader(state, path).read(records)
