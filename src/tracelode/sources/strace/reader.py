"""How do the calls of a log become processes, files and hosts?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tracelode.lenient import decode
from tracelode.making import prefixed
from tracelode.model.operation import Status, operation_id
from tracelode.model.ports import About, Item, Line, Skip
from tracelode.sources.strace.calls import Calls
from tracelode.sources.strace.forks import Forks, Waiting
from tracelode.sources.strace.lines import Entry, parse
from tracelode.sources.strace.state import Begun, Own, State
from tracelode.touches import MARK, ROLE, Process, Recording, Touches

ADAPTER = "strace"
LONGEST = 65_536
"""Characters of a line that are looked at from its start; its end tells the answer."""
TAIL = 4_096
BACK = 1_000_000
"""Microseconds that a line may lie before the one above it: processes are not logged in strict order."""
FORKS = frozenset({"clone", "clone3", "fork", "vfork"})


class Reader:
    """Reads one log from a state on.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.state = state
        self.line = Line(0, 0, b"")
        self.at: int | None = None
        self.touches = Touches(state.table, ADAPTER, state.session, path)
        self.calls = Calls(self.touches)
        self.forks = Forks(state.early)
        self.waiting = Waiting(state.held)
        for thread, begun in state.begun.items():
            self._note(thread, begun)

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
            yield from self._line(line)
            if self.waiting:
                yield from self._go_on()
        yield from self.touches.all_sums()

    def _begin(self, line: Line) -> Iterator[Item]:
        state = self.state
        found = decode(line.data, Recording)[0] if line.data.startswith(MARK) else []
        if found:
            state.session = prefixed("record", found[0].id or operation_id(ADAPTER, _text(line.data)))
            state.root, state.project = found[0].session, found[0].cwd
        else:
            state.session = f"strace-{operation_id(ADAPTER, _text(line.data))}"
        self.touches.session = state.session
        yield self._about()

    def _about(self) -> About:
        state = self.state
        return About(state.session, state.session, state.project, ROLE, parent=state.root or None)

    def _line(self, line: Line) -> Iterator[Item]:
        state = self.state
        entry = parse(_text(line.data))
        if entry.what == "bad":
            yield Skip(line.number, "no line of strace")
            return
        if entry.what == "other":
            return
        if entry.at is None:
            yield Skip(line.number, "line without a date: its moment is unknown (strace -ttt tells it)")
        elif state.last is not None and entry.at < state.last - BACK:
            yield Skip(line.number, "clock goes back")
        if entry.at is not None:
            state.last = max(entry.at, state.last or 0)
        if entry.pid in self.waiting or (entry.pid not in state.tids and self._several()):
            self.waiting.hold(entry, line.number, line.offset)
        else:
            yield from self._entry(entry)
            self._settle()

    def _settle(self) -> None:
        """Nobody can name any more what was started by calls that ended without an answer."""
        ahead = self.state.ahead
        for number in self.forks.unanswered():
            self._named(number)
        if ahead and not self.forks:
            ahead.clear()

    def _named(self, number: int) -> None:
        """One showing of a number before the answer is accounted for."""
        ahead = self.state.ahead
        if number in ahead:
            ahead[number] -= 1
            if not ahead[number]:
                del ahead[number]

    def _entry(self, entry: Entry) -> Iterator[Item]:
        """What one line does, by then that of a process which is known or of one that nothing tells of."""
        state = self.state
        self.at, handed = entry.at, None
        if entry.what == "resumed":
            begun = self._answered(entry.pid)
            if begun is None or begun.name != entry.name:
                yield Skip(self.line.number, "end of a call whose beginning is not in the log")
                return
            arguments, handed = begun.arguments + entry.arguments, begun.handed
            entry = entry._replace(arguments=arguments, at=begun.at, slack=begun.slack)
        if not state.project and entry.arguments.startswith("AT_FDCWD</"):
            # names are told from here on where the log lay
            state.project = entry.arguments[len("AT_FDCWD<") :].partition(">")[0]
            yield self._about()
        process = self._process(entry)
        if entry.what == "replaced":
            self._replace(entry)
        elif entry.what in ("exited", "killed"):
            yield from self._gone(process, entry)
        elif entry.what == "begun":
            begun = Begun(entry.name, entry.arguments, entry.at, entry.slack)
            own = state.own[process.native]
            if entry.name in FORKS and own.tids > 1:
                begun.handed = own.copied()
            self._open(entry.pid, begun)
            if entry.name == "close":
                # the number is free from here on, however late that is answered
                self.calls.closes(own, entry.arguments)
        elif entry.what == "resumed" and entry.name == "close":
            return
        elif entry.name in FORKS:
            yield from self._fork(process, entry, handed)
        else:
            own = state.own[process.native]
            yield from self.calls.apply(process, own, entry, self.line)

    # calls without an answer ----------------------------------------------------------------------

    def _open(self, thread: int, begun: Begun) -> None:
        self.state.begun[thread] = begun
        self._note(thread, begun)

    def _note(self, thread: int, begun: Begun) -> None:
        self.forks.drop(thread)
        if begun.name in FORKS and thread in self.state.tids:
            self.forks.add(thread, (self.state.tids[thread], "CLONE_THREAD" in begun.arguments))

    def _answered(self, thread: int) -> Begun | None:
        self.forks.drop(thread)
        return self.state.begun.pop(thread, None)

    # lines that wait ------------------------------------------------------------------------------

    def _several(self) -> bool:
        """May more than one open call have started a new number, or may what another new one started?"""
        return bool(self.forks) and (bool(self.waiting) or self.forks.only() is None)

    def _go_on(self) -> Iterator[Item]:
        """Lines whose process is known now; all of them where nothing can tell it any more."""
        yield from self._released()
        if self.waiting and (self.waiting.full or not self.forks):
            for number in self.waiting.numbers():
                first = self.waiting.first(number)
                self.state.ahead[number] = self.state.ahead.get(number, 0) + 1
                self._new(number, None, first.at, first.slack)
                self.waiting.release(number)
            yield from self._released()

    def _released(self) -> Iterator[Item]:
        for held in self.waiting.released():
            self.line = Line(held.line, held.offset, b"")
            yield from self._entry(held.entry)
            self._settle()

    # processes ------------------------------------------------------------------------------------

    def _process(self, entry: Entry) -> Process:
        """The process that a line is of, new where its number was not seen or its process ended."""
        state = self.state
        native = state.tids.get(entry.pid)
        if native is not None:
            return state.table.running[native]
        forking = bool(self.forks)
        if forking:
            state.ahead[entry.pid] = state.ahead.get(entry.pid, 0) + 1
        only = self.forks.only()
        if only is not None:
            # its number is not told yet, but nothing else can have started it
            thread, start = only
            begun = state.begun[thread]
            self.forks.shows(entry.pid, start)
            return self._born(entry.pid, start[0], begun.arguments, begun.at, begun.slack, begun.handed)
        # strace began with it; whatever else shows up had begun before, or its start is not in the log
        runs = entry.name == "execve" and state.count == 0
        process = self._new(entry.pid, None, entry.at if runs or forking else None, entry.slack)
        process.root = runs
        return process

    def _new(self, pid: int, parent: Process | None, at: int | None, slack: int) -> Process:
        state = self.state
        state.count += 1
        native = f"{pid}/{state.count}"
        process = Process(native, pid, started=at, slack=slack)
        if parent is not None:
            process.name, process.ppid = parent.name, parent.pid
            process.parent = self.touches.ident(parent.native)
        state.table.running[native] = process
        state.tids[pid] = native
        state.own[native] = Own()
        return process

    def _born(
        self, pid: int, parent: str, arguments: str, at: int | None, slack: int, handed: Own | None
    ) -> Process:
        """What a call started: a process, or one more thread of the same one."""
        state = self.state
        above, own = state.table.running[parent], state.own[parent]
        if "CLONE_THREAD" in arguments:
            state.tids[pid] = parent
            own.tids += 1
            return above
        child = self._new(pid, above, at, slack)
        state.own[child.native] = (handed or own).copied()
        return child

    def _fork(self, process: Process, entry: Entry, handed: Own | None) -> Iterator[Item]:
        state, pid = self.state, entry.value
        if pid is None or pid <= 0 or pid == entry.pid:
            # its own number is one of another namespace
            return
        if pid in self.waiting:
            self._born(pid, process.native, entry.arguments, entry.at, entry.slack, handed)
            self.waiting.release(pid)
            return
        native = state.tids.get(pid)
        self.forks.told(pid)
        if pid not in state.ahead:
            if native is not None:
                # the number is used again, and the log does not tell how its process ended
                yield from self._forget(pid, native)
            self._born(pid, process.native, entry.arguments, entry.at, entry.slack, handed)
            return
        self._named(pid)
        child = state.table.running.get(native or "")
        if child is not None and child is not process and not child.parent and not child.root:
            child.parent, child.ppid = self.touches.ident(process.native), process.pid
            yield from self.touches.linked(child)

    def _forget(self, pid: int, native: str) -> Iterator[Item]:
        """A thread is gone without a word."""
        state = self.state
        state.tids.pop(pid, None)
        self._answered(pid)
        own = state.own[native]
        own.tids -= 1
        if own.tids <= 0:
            del state.own[native]
            process = state.table.running[native]
            yield from self.touches.tell(process, self.line)
            yield from self.touches.end(process, None, "unknown", "")

    def _replace(self, entry: Entry) -> None:
        """A thread runs another program: it goes on under the number of its process."""
        state, thread = self.state, int(entry.name)
        if thread == entry.pid:
            return
        native = state.tids.pop(thread, None)
        if native is not None:
            state.own[native].tids -= 1
        begun = self._answered(thread)
        if begun is not None:
            self._open(entry.pid, begun)

    def _gone(self, process: Process, entry: Entry) -> Iterator[Item]:
        state = self.state
        own = state.own[process.native]
        state.tids.pop(entry.pid, None)
        self._answered(entry.pid)
        own.tids -= 1
        if own.tids > 0:
            return
        del state.own[process.native]
        if entry.what == "killed":
            status: Status = "interrupted"
        else:
            status = "ok" if entry.name == "0" else "nonzero"
        yield from self.touches.tell(process, self.line)
        yield from self.touches.end(process, self.at, status, entry.name)


def _text(data: bytes) -> str:
    if len(data) > LONGEST + TAIL:
        data = data[:LONGEST] + data[-TAIL:]
    return data.decode("utf-8", "replace").rstrip("\r\n")
