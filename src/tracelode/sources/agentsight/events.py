"""How do the lines of a log become processes, files and hosts? One event after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from tracelode.lenient import decode
from tracelode.model.operation import operation_id
from tracelode.model.ports import About, Change, Item, Line, Skip
from tracelode.sources.agentsight.common import DEVICES, SLACK, moment, named, opened, times
from tracelode.sources.agentsight.records import Data, Event
from tracelode.touches import ROLE, Process, Table, Touches

ADAPTER = "agentsight-events"
MODEL_PATHS = (
    "/v1/messages",
    "/v1/responses",
    "/chat/completions",
    ":generateContent",
    ":streamGenerateContent",
)
"""Parts of the paths of requests that only an agent sends."""
NANOSECONDS = 10**17
"""Above this the kernel's nanoseconds are those since the epoch, not since the machine started."""


class State(msgspec.Struct):
    """What reading must remember."""

    session: str = ""
    """Session key, "" before the first line."""
    pids: dict[int, str] = {}
    """Process number to the native name of the process that has it."""
    count: int = 0
    """Processes so far."""
    table: Table = msgspec.field(default_factory=Table)
    """Processes, files and hosts."""


class Reader:
    """Reads one log from a state on.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.state = state
        self.line = Line(0, 0, b"")
        self.touches = Touches(state.table, ADAPTER, state.session, path)

    def read(self, lines: Iterable[Line]) -> Iterator[Item]:
        """Items of all lines, in file order; sums of what still runs at the end."""
        state = self.state
        if state.session:
            yield About(state.session, state.session, "", ROLE)
        for line in lines:
            self.line = line
            if not state.session:
                first = operation_id(ADAPTER, line.data.decode("utf-8", "replace"))
                state.session = self.touches.session = f"agentsight-{first}"
                yield About(state.session, state.session, "", ROLE)
            found, complaints = decode(line.data, Event)
            for reason in complaints:
                yield Skip(line.number, reason)
            for event in found:
                yield from self._event(event)
        yield from self.touches.all_sums()

    def _event(self, event: Event) -> Iterator[Item]:
        data: Data = event
        at: int | None = moment(event.timestamp)
        if isinstance(event.data, dict) or event.source is not None:
            try:
                data = msgspec.convert(event.data, Data, strict=False)
            except (msgspec.ValidationError, TypeError):
                yield Skip(self.line.number, "event that cannot be read")
                return
        else:
            told = event.timestamp
            at = told // 1_000 if told is not None and told > NANOSECONDS else None
        source = event.source or ("ssl" if data.function else "process")
        pid = event.pid if event.pid is not None else data.pid
        if pid is None:
            yield Skip(self.line.number, "event without a process")
        elif source == "system":
            yield Skip(self.line.number, "sample of processor and memory")
        elif data.event == "BASH_READLINE":
            yield Skip(self.line.number, "command line typed in a shell")
        elif data.event == "SUMMARY":
            yield Skip(self.line.number, "sum of several events")
        elif source == "process" and data.event == "EXEC":
            yield from self._exec(pid, at, data)
        elif source == "process" and data.event == "EXIT":
            yield from self._exit(pid, at, data)
        elif source == "process" and data.event == "FILE_OPEN":
            yield from self._open(pid, at, data)
        elif source in ("ssl", "http_parser", "sse_processor"):
            yield from self._traffic(pid, at, data, source)
        else:
            yield Skip(self.line.number, "unknown event")

    def _running(self, pid: int | None) -> Process | None:
        native = self.state.pids.get(pid) if pid is not None else None
        return self.state.table.running.get(native) if native else None

    def _new(self, pid: int, at: int | None, data: Data) -> Process:
        state = self.state
        state.count += 1
        process = Process(f"{pid}/{state.count}", pid, started=at, slack=SLACK, ppid=data.ppid)
        named(process, data.comm, data.filename)
        above = self._running(data.ppid)
        if above is not None:
            process.parent = self.touches.ident(above.native)
        state.pids[pid] = process.native
        state.table.running[process.native] = process
        return process

    def _exec(self, pid: int, at: int | None, data: Data) -> Iterator[Item]:
        command = data.full_command or data.filename or ""
        process = self._running(pid)
        if process is None:
            process = self._new(pid, at, data)
        named(process, data.comm, data.filename)
        yield from self.touches.became(process, self.line, command)

    def _exit(self, pid: int, at: int | None, data: Data) -> Iterator[Item]:
        process = self._running(pid)
        if process is None:
            yield Skip(self.line.number, "end of a process whose start is not in the log")
            return
        self.state.pids.pop(pid, None)
        code = data.exit_code
        if code is None:
            yield from self.touches.end(process, at, "unknown", "")
        else:
            yield from self.touches.end(process, at, "nonzero" if code else "ok", str(code))

    def _who(self, pid: int, data: Data) -> Process:
        """The process of an event; what the log did not see start is of unknown descent and start."""
        return self._running(pid) or self._new(pid, None, Data(comm=data.comm))

    def _open(self, pid: int, at: int | None, data: Data) -> Iterator[Item]:
        if not data.filepath:
            yield Skip(self.line.number, "file without a path")
            return
        if data.filepath.startswith(DEVICES):
            yield Skip(self.line.number, "device, no file")
            return
        yield from self.touches.touch(
            self._who(pid, data), "file", operation_id("path", data.filepath), at, self.line,
            fields={"path": data.filepath}, touch=opened(data.flags), events=times(data.count),
        )  # fmt: skip

    def _traffic(self, pid: int, at: int | None, data: Data, source: str) -> Iterator[Item]:
        process = self._who(pid, data)
        asks = source == "sse_processor" or any(part in (data.path or "") for part in MODEL_PATHS)
        if asks and not process.root and not process.parent:
            # what speaks to a model is the agent: nothing recorded had to start it
            process.root = True
            if process.told:
                yield Change(id=self.touches.ident(process.native), fields={"lineage": "root"})
        if source == "sse_processor":
            yield from self.touches.tell(process, self.line)
            yield Skip(self.line.number, "answer of a model told by the agent's own file")
            return
        into = out = None
        if source == "ssl":
            length = max(0, data.len or 0)
            into, out = (length, None) if (data.function or "").startswith("READ") else (None, length)
        elif not data.method:
            # an answer: its request is counted
            return
        host = "" if source == "ssl" else _host(data)
        yield from self.touches.touch(
            process, "network", operation_id("address", host), at, self.line,
            fields={"domain": host}, into=into, out=out,
        )  # fmt: skip


def _host(data: Data) -> str:
    told = data.host or next((v for k, v in (data.headers or {}).items() if k.lower() == "host"), "")
    return told if isinstance(told, str) else ""
