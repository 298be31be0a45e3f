"""How does a snapshot become processes, files and hosts? What repeats the agent's own file is left out."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from tracelode.lenient import decode
from tracelode.model.operation import operation_id
from tracelode.model.ports import About, Item, Line, Skip
from tracelode.sources.agentsight.common import (
    DEVICES,
    FAMILIES,
    SLACK,
    moment,
    named,
    opened,
    session_of_file,
    session_of_request,
    times,
)
from tracelode.sources.agentsight.records import Audit, Node, Snapshot, ToolCall
from tracelode.touches import ROLE, Process, Table, Touches

ADAPTER = "agentsight"


class Reader:
    """Reads whole snapshots.

    Args:
        path: the file as origins name it.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def read(self, lines: Iterable[Line]) -> Iterator[Item]:
        """Items of every snapshot of a file."""
        for line in lines:
            found, complaints = decode(line.data, Snapshot)
            for snapshot in found:
                yield from Reading(snapshot, line, self.path).read()
            for reason in complaints:
                yield Skip(line.number, reason)


class Reading:
    """Reads one snapshot.

    Args:
        snapshot: the export.
        line: where it stands.
        path: the file as origins name it.
    """

    def __init__(self, snapshot: Snapshot, line: Line, path: str) -> None:
        self.snapshot = snapshot
        self.line = line
        nodes = snapshot.process_nodes or []
        begun = snapshot.summary.start_timestamp_ms if snapshot.summary else None
        first = f"{begun} {nodes[0].id if nodes else ''}"
        self.session = f"{ADAPTER}-{operation_id(ADAPTER, first)}"
        self.touches = Touches(Table(), ADAPTER, self.session, path)
        self.processes: dict[int, list[tuple[Node, Process]]] = {}

    def read(self) -> Iterator[Item]:
        """Its items."""
        snapshot = self.snapshot
        audits = snapshot.audit_events or []
        root = self._joined(audits)
        cwd = next((n.cwd for n in snapshot.process_nodes or () if n.cwd), "")
        yield About(self.session, root or self.session, cwd, ROLE)
        yield from self._processes(audits)
        for audit in audits:
            yield from self._audit(audit)
        for target in snapshot.network_targets or ():
            yield from self._target(target.pid, target.comm, target.host, target.first_timestamp_ms,
                                    target.last_timestamp_ms, target.count)  # fmt: skip
        yield from self._ends()
        number = self.line.number
        if snapshot.sessions:
            yield Skip(number, "session told by the agent's own file", len(snapshot.sessions))
        if snapshot.token_summary:
            yield Skip(number, "sum of tokens told by the agent's own file", len(snapshot.token_summary))
        if snapshot.resource_samples:
            yield Skip(number, "sample of processor and memory", len(snapshot.resource_samples))

    def _joined(self, audits: Iterable[Audit]) -> str:
        """The one session that it is of: as the agent's requests name it, else as its one file is named."""
        asked = {session_of_request(a.details) for a in audits if a.audit_type == "llm"} - {""}
        if not asked:
            asked = {session_of_file(s.attributes) for s in self.snapshot.sessions or ()} - {""}
        return asked.pop() if len(asked) == 1 else ""

    # processes ------------------------------------------------------------------------------------

    def _processes(self, audits: Iterable[Audit]) -> Iterator[Item]:
        agents = {a.pid for a in audits if a.audit_type == "llm"}
        commands = self._commands(audits)
        for number, node in enumerate(self.snapshot.process_nodes or ()):
            if node.pid is None:
                yield Skip(self.line.number, "process without a number")
                continue
            process = Process(
                f"{number}/{node.id or node.pid}", node.pid, started=moment(node.start_timestamp_ms),
                ppid=node.ppid, root=node.pid in agents, slack=SLACK,
            )  # fmt: skip
            named(process, node.comm, node.command)
            self.processes.setdefault(node.pid, []).append((node, process))
        causes, left = self._causes()
        if left:
            yield Skip(self.line.number, "tool call told by the agent's own file", left)
        for same in self.processes.values():
            for node, process in same:
                parent = self._alive(node.ppid, node.start_timestamp_ms)
                if parent is not None and parent is not process:
                    process.parent = self.touches.ident(parent.native)
                process.events = max(1, len(commands.get(process.native, ())))
                told = commands.get(process.native) or [""]
                command = shlex.join(node.argv) if node.argv else told[-1] or node.command or ""
                self.touches.table.running[process.native] = process
                cause = causes.get(process.native, "")
                yield from self.touches.tell(process, self.line, command, node.cwd or "", cause)

    def _alive(self, pid: int | None, at: int | None) -> Process | None:
        """The process that had a number at a moment, None where that is not one alone."""
        if pid is None or at is None:
            return None
        found = [
            process
            for node, process in self.processes.get(pid, ())
            if (node.start_timestamp_ms is not None and node.start_timestamp_ms <= at)
            and (node.end_timestamp_ms is None or at <= node.end_timestamp_ms)
        ]
        return found[0] if len(found) == 1 else None

    def _commands(self, audits: Iterable[Audit]) -> dict[str, list[str]]:
        """Command lines of the programs that each process ran; filled once its processes are known."""
        found: dict[str, list[str]] = {}
        numbers: dict[int, list[tuple[str, Node]]] = {}
        for number, node in enumerate(self.snapshot.process_nodes or ()):
            if node.pid is not None:
                numbers.setdefault(node.pid, []).append((f"{number}/{node.id or node.pid}", node))
        for audit in audits:
            if audit.audit_type != "process" or audit.action != "exec" or audit.timestamp_ms is None:
                continue
            told = (audit.details or {}).get("full_command")
            for native, node in numbers.get(audit.pid or -1, ()):
                start, end = node.start_timestamp_ms, node.end_timestamp_ms
                inside = start is not None and start <= audit.timestamp_ms
                if inside and (end is None or audit.timestamp_ms <= end) and isinstance(told, str):
                    found.setdefault(native, []).append(told)
        return found

    def _causes(self) -> tuple[dict[str, str], int]:
        """Native name of a process to the tool operation that AgentSight itself names; calls without one."""
        kinds = {s.id: FAMILIES.get(s.agent_type or "", "") for s in self.snapshot.sessions or ()}
        found: dict[str, set[str]] = {}
        left = 0
        for call in self.snapshot.tool_calls or ():
            process = self._called(call)
            family = kinds.get(call.session_id, "")
            if process is None or not family or not call.tool_call_id:
                left += 1
                continue
            found.setdefault(process.native, set()).add(operation_id(family, call.tool_call_id))
        return {native: ids.pop() for native, ids in found.items() if len(ids) == 1}, left

    def _called(self, call: ToolCall) -> Process | None:
        same = self.processes.get(call.related_pid, ()) if call.related_pid is not None else ()
        if len(same) == 1:
            return same[0][1]
        return self._alive(call.related_pid, call.timestamp_ms)

    def _ends(self) -> Iterator[Item]:
        for same in self.processes.values():
            for node, process in same:
                code = node.exit_code
                if node.end_timestamp_ms is None:
                    yield from self.touches.sums(process)
                elif code is None:
                    yield from self.touches.end(process, moment(node.end_timestamp_ms), "unknown", "")
                else:
                    status = "nonzero" if code else "ok"
                    yield from self.touches.end(process, moment(node.end_timestamp_ms), status, str(code))  # type: ignore[arg-type]
        yield from self.touches.all_sums()

    # what they did --------------------------------------------------------------------------------

    def _audit(self, audit: Audit) -> Iterator[Item]:
        kind = audit.audit_type
        if kind == "process":
            if self._alive(audit.pid, audit.timestamp_ms) is None:
                yield Skip(self.line.number, "event of a process that is not in the snapshot")
        elif kind == "file":
            yield from self._file(audit)
        elif kind == "llm":
            # the hosts of all requests stand beside them
            yield Skip(self.line.number, "request to a model told by the agent's own file")
            if not self.snapshot.network_targets:
                at = audit.timestamp_ms
                yield from self._target(audit.pid, audit.comm, audit.target, at, at, 1)
        else:
            yield Skip(self.line.number, "unknown kind of event")

    def _who(self, pid: int | None, comm: str | None, at: int | None) -> Process | None:
        """The process that did something; one of unknown descent where the snapshot does not have it."""
        process = self._alive(pid, at)
        if process is not None or pid is None:
            return process
        native = f"unknown/{pid}"
        process = self.touches.table.running.get(native)
        if process is None:
            process = self.touches.table.running[native] = Process(native, pid, comm or "")
        return process

    def _file(self, audit: Audit) -> Iterator[Item]:
        details = audit.details or {}
        path = details.get("filepath") or audit.target
        process = self._who(audit.pid, audit.comm, audit.timestamp_ms)
        if not isinstance(path, str) or process is None:
            yield Skip(self.line.number, "file without a path or process")
            return
        if path.startswith(DEVICES):
            yield Skip(self.line.number, "device, no file")
            return
        flags, count = details.get("flags"), details.get("count")
        touch = opened(flags if isinstance(flags, int) else None)
        yield from self.touches.touch(
            process, "file", operation_id("path", path), moment(audit.timestamp_ms), self.line,
            fields={"path": path}, touch="delete" if audit.action == "delete" else touch,
            events=times(count),
        )  # fmt: skip

    def _target(
        self, pid: int | None, comm: str | None, host: str | None, first: int | None, last: int | None,
        count: int | None,
    ) -> Iterator[Item]:  # fmt: skip
        process = self._who(pid, comm, first)
        if not host or process is None:
            yield Skip(self.line.number, "host without a name or process")
            return
        what = operation_id("address", host)
        fields = {"domain": host}
        for at, events in ((first, times(count)), (last, 0)):
            yield from self.touches.touch(
                process, "network", what, moment(at), self.line, fields=fields, events=events
            )
