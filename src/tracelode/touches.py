"""What did processes touch? One operation a process, a file of it and a host of it, each with its sums."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tracelode.lenient import storable
from tracelode.model.operation import Kind, Operation, Origin, Status, operation_id
from tracelode.model.ports import Change, Item, Line

MOST = 1_000
"""Files and hosts kept apart in one process."""
MOST_OF_ALL = 50_000
"""Files and hosts kept apart in one log."""
TOUCHES: tuple[str, ...] = ("open", "read", "write", "rename", "delete")
"""What can be done to a file, in rising order."""
ROLE = "effects"
"""Role of a session that is such a log."""
_BYTES = {"file": ("bytes.read", "bytes.written"), "network": ("bytes.received", "bytes.sent")}
_NAMES = {"file": "file", "network": "host"}
_MORE = {"file": "more files", "network": "more hosts"}


class Row(msgspec.Struct):
    """A file or host of one process: sums so far; no text of the log."""

    id: str
    """Id of its operation."""
    kind: str
    """file or network."""
    events: int = 0
    """Events summed."""
    into: int | None = None
    """Bytes read or received, None where none were told."""
    out: int | None = None
    """Bytes written or sent, None where none were told."""
    last: int | None = None
    """UTC microseconds of the last event."""
    touch: int = 0
    """Place in TOUCHES."""
    worked: bool = False
    """Did any event succeed?"""
    new: bool = True
    """Is there more than was told?"""


class Recording(msgspec.Struct):
    """The first line of a file that tracelode record wrote."""

    tracelode_record: int = 0
    """Version of the format."""
    id: str = ""
    """What tells the recording from others."""
    tracer: str = ""
    """strace or proc."""
    session: str = ""
    """Key of the session that the command wrote, "" where none or several were found."""
    cwd: str = ""
    """Where the command ran."""
    started: int | None = None
    """UTC microseconds."""
    pid: int = 0
    """Number of the command's process, 0 if unknown."""


MARK = b'{"tracelode_record":'
"""What the first line of such a file begins with."""


class Process(msgspec.Struct):
    """A process that still runs, as far as the log tells."""

    native: str
    """What tells it from others of the log."""
    pid: int
    """Its number."""
    name: str = ""
    """Its program, the base name alone."""
    started: int | None = None
    """UTC microseconds."""
    parent: str = ""
    """Operation id of the process that started it, "" if unknown."""
    ppid: int | None = None
    """Number of the process that started it."""
    root: bool = False
    """Did nothing that was recorded have to start it?"""
    slack: int = 0
    """Microseconds by which the start may be later."""
    told: bool = False
    """Was its operation yielded?"""
    events: int = 0
    """Events of its own: programs started in it."""
    rows: dict[str, Row] = {}
    """Digest of a path or address to what was done there."""


class Table(msgspec.Struct):
    """What reading must remember of the processes that still run."""

    running: dict[str, Process] = {}
    """By native name."""
    rows: int = 0
    """Files and hosts told so far, also of processes that ended."""


class Touches:
    """Makes operations of what processes do.

    Args:
        table: resume state, changed in place.
        adapter: name of the source.
        session: session key.
        path: the file as origins name it.
        sampled: was all of it only seen from time to time?
    """

    def __init__(self, table: Table, adapter: str, session: str, path: str, sampled: bool = False) -> None:
        self.table = table
        self.adapter = adapter
        self.session = session
        self.path = path
        self.sampled = {"sampled": "1"} if sampled else {}

    def ident(self, native: str) -> str:
        """Id of the operation of a process."""
        return operation_id(self.adapter, f"{self.session}/{native}")

    def became(self, process: Process, line: Line, command: str, cwd: str = "") -> Iterator[Item]:
        """A process runs a program, its name set before: that is what it is called from now on.

        Args:
            process: one of the table's.
            line: where it is told.
            command: its arguments.
            cwd: its working folder.
        """
        process.events += 1
        if not process.told:
            yield from self.tell(process, line, command, cwd)
            return
        fields = {"command": command, "cwd": cwd}
        yield Change(
            id=self.ident(process.native), name=process.name, fields={k: v for k, v in fields.items() if v},
            measures={"events": process.events},
        )  # fmt: skip

    def tell(
        self, process: Process, line: Line, command: str = "", cwd: str = "", cause: str = ""
    ) -> Iterator[Item]:
        """The operation of a process, once.

        Args:
            process: one of the table's.
            line: where it shows first.
            command: what it runs.
            cwd: its working folder.
            cause: id of the tool operation that the source names.
        """
        if process.told:
            return
        process.told = True
        fields = {
            "pid": str(process.pid),
            "ppid": "" if process.ppid is None else str(process.ppid),
            "process": process.parent,
            "lineage": "root" if process.root else "",
            "slack": str(process.slack or ""),
            "command": command,
            "cwd": cwd,
            "cause": cause,
            **self.sampled,
        }
        yield self._operation(
            self.ident(process.native), "process", process.name or "process", "running", process.started,
            None, {k: v for k, v in fields.items() if v}, {"events": process.events}, line,
        )  # fmt: skip

    def linked(self, process: Process) -> Iterator[Item]:
        """The parent of a process became known."""
        if process.told:
            fields = {"process": process.parent, "ppid": str(process.ppid)}
            yield Change(id=self.ident(process.native), fields=fields)

    def touch(
        self,
        process: Process,
        kind: Kind,
        what: str,
        at: int | None,
        line: Line,
        *,
        fields: dict[str, str],
        into: int | None = None,
        out: int | None = None,
        events: int = 1,
        touch: str = "open",
        failed: Status | None = None,
    ) -> Iterator[Item]:
        """Something that a process did to a file or host.

        Args:
            process: one of the table's.
            kind: file or network.
            what: digest that tells the file or host from others.
            at: UTC microseconds, None if unknown.
            line: where it is told.
            fields: path, or domain and port.
            into: bytes read or received, None where the log does not tell any.
            out: bytes written or sent.
            events: how many events it is.
            touch: one of TOUCHES.
            failed: status where it did not succeed.
        """
        yield from self.tell(process, line)
        row = process.rows.get(what)
        if row is None and (len(process.rows) >= MOST or self.table.rows >= MOST_OF_ALL):
            what, fields = _MORE[kind], {}
            row = process.rows.get(what)
        if row is None:
            self.table.rows += 1
            row = Row(operation_id(self.adapter, f"{self.session}/{process.native}/{kind}/{what}"), kind)
            process.rows[what] = row
            mine = {"pid": str(process.pid), "process": self.ident(process.native), **fields, **self.sampled}
            name = _NAMES[kind] if fields else _MORE[kind]
            self._add(row, at, into, out, events, touch, failed)
            yield self._operation(
                row.id, kind, name, failed or "ok", at, at, {**mine, **_said(row)}, _sums(row), line
            )
            row.new = False
            return
        self._add(row, at, into, out, events, touch, failed)

    def _add(
        self,
        row: Row,
        at: int | None,
        into: int | None,
        out: int | None,
        events: int,
        touch: str,
        failed: Status | None,
    ) -> None:
        row.new = True
        row.events = storable(row.events + events)
        row.into = row.into if into is None else storable((row.into or 0) + into)
        row.out = row.out if out is None else storable((row.out or 0) + out)
        row.touch = max(row.touch, TOUCHES.index(touch))
        row.worked = row.worked or failed is None
        if at is not None:
            row.last = at if row.last is None else max(row.last, at)

    def end(self, process: Process, at: int | None, status: Status, how: str) -> Iterator[Item]:
        """A process ended: what is known of it is final, and forgotten.

        Args:
            process: one of the table's.
            at: UTC microseconds.
            status: how it ended.
            how: exit code or signal, "" if unknown.
        """
        yield from self.sums(process)
        if process.told:
            fields = {"exit": how} if how else {}
            yield Change(
                id=self.ident(process.native), status=status, ended=at, fields=fields,
                measures={"events": process.events},
            )  # fmt: skip
        self.table.running.pop(process.native, None)

    def sums(self, process: Process) -> Iterator[Item]:
        """What became more since it was told, of one process."""
        for row in process.rows.values():
            if row.new:
                row.new = False
                status = "ok" if row.worked else None
                yield Change(id=row.id, status=status, ended=row.last, fields=_said(row), measures=_sums(row))

    def all_sums(self) -> Iterator[Item]:
        """What became more since it was told, of every process that still runs."""
        for process in self.table.running.values():
            yield from self.sums(process)

    def _operation(
        self, ident: str, kind: Kind, name: str, status: Status, at: int | None, ended: int | None,
        fields: dict[str, str], measures: dict[str, int], line: Line,
    ) -> Operation:  # fmt: skip
        return Operation(
            session=self.session, index=0, id=ident, actor="system", kind=kind, name=name, status=status,
            started=at, ended=ended, fields=fields, measures=measures,
            origin=Origin(self.adapter, self.path, line.number, line.offset),
        )  # fmt: skip


def _sums(row: Row) -> dict[str, int]:
    into, out = _BYTES[row.kind]
    told = {into: row.into, out: row.out, "events": row.events}
    return {name: storable(value) for name, value in told.items() if value is not None}


def _said(row: Row) -> dict[str, str]:
    return {"touch": TOUCHES[row.touch]} if row.kind == "file" else {}
