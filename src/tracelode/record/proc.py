"""What can be seen of processes by looking at /proc again and again? All that lasts longer than a look."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

EVERY = 0.02
"""Seconds between two looks."""
FILES_EVERY = 5
"""Looks between two looks at open files and hosts."""
MOST_FDS = 256
"""Descriptors of one process that are looked at."""
MOST_TOUCHES = 50_000
"""Files and hosts that are written down."""
_SUBREAPER = 36
_DEATH = 1
_ASIDE = ("/dev/", "/proc/", "/sys/", "/memfd:")


class Stat(NamedTuple):
    """One process now."""

    pid: int
    """Number."""
    ppid: int
    """Number of the parent now."""
    ticks: int
    """Start, in clock ticks since boot: with the number it tells processes apart."""


class Watch:
    """Looks at a tree of processes and writes down what changes.

    Args:
        pid: the command's process.
        stream: where lines go.
        redact: cleans a command line before it is written.
    """

    def __init__(self, pid: int, stream: IO[bytes], redact: Callable[[str], str]) -> None:
        self.root = pid
        self.stream = stream
        self.redact = redact
        self.tick = os.sysconf("SC_CLK_TCK")
        self.boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        self.known: dict[int, str] = {}
        self.last: dict[str, tuple[int, int]] = {}
        self.parents: dict[str, str] = {}
        self.below: dict[str, tuple[int, int]] = {}
        """What children told before they ended: their parent's figures hold it from then on."""
        self.commands: dict[str, str] = {}
        self.touched: set[tuple[str, str]] = set()
        self.looks = 0

    def look(self) -> None:
        """Look once."""
        alive = dict(self._tree())
        now = _now()
        for pid, name in list(self.known.items()):
            stat = alive.get(pid)
            if stat is None or f"{pid}/{stat.ticks}" != name:
                self._end(pid, name, now)
        for pid, stat in alive.items():
            name = f"{pid}/{stat.ticks}"
            if pid not in self.known:
                self._start(stat, name, now)
            self._look_into(pid, name, now)
        self.looks += 1

    def finish(self, code: int | None) -> None:
        """The command ended; what still runs is left alone.

        Args:
            code: its exit code or minus its signal.
        """
        now = _now()
        for pid, name in list(self.known.items()):
            if pid == self.root:
                self._end(pid, name, now, code)
            else:
                self._bytes(pid, name, now)
        self.stream.flush()

    def _tree(self) -> Iterator[tuple[int, Stat]]:
        """The command's process and all that descend from this one, as far as parents tell."""
        children: dict[int, list[Stat]] = {}
        for entry in os.listdir("/proc"):
            if entry.isdecimal():
                stat = _stat(int(entry))
                if stat is not None:
                    children.setdefault(stat.ppid, []).append(stat)
        stack = [os.getpid()]
        while stack:
            for stat in children.get(stack.pop(), ()):
                yield stat.pid, stat
                stack.append(stat.pid)

    def _start(self, stat: Stat, name: str, now: int) -> None:
        self.known[stat.pid] = name
        # what lost its parent was handed to this process: who started it is not known any more
        parent = "" if stat.ppid == os.getpid() else self.known.get(stat.ppid, "")
        command, program = self._command(stat.pid)
        self.commands[name] = command
        self.parents[name] = parent
        started = int((self.boot + stat.ticks / self.tick) * 1e6)
        self._write(
            event="start", process=name, at=started, seen=now, pid=stat.pid, ppid=stat.ppid, parent=parent,
            root=stat.pid == self.root, slack=1_000_000 // self.tick, name=program, command=command,
            cwd=_link(f"/proc/{stat.pid}/cwd"),
        )  # fmt: skip

    def _look_into(self, pid: int, name: str, now: int) -> None:
        command, program = self._command(pid)
        if command and command != self.commands[name]:
            self.commands[name] = command
            cwd = _link(f"/proc/{pid}/cwd")
            self._write(event="exec", process=name, at=now, name=program, command=command, cwd=cwd)
        counts = _io(pid)
        if counts is not None and counts != self.last.get(name):
            self.last[name] = counts
        if self.looks % FILES_EVERY == 0 and len(self.touched) < MOST_TOUCHES:
            self._descriptors(pid, name, now)

    def _descriptors(self, pid: int, name: str, now: int) -> None:
        folder = f"/proc/{pid}/fd"
        try:
            numbers = os.listdir(folder)[:MOST_FDS]
        except OSError:
            return
        sockets: set[str] = set()
        for number in numbers:
            target = _link(f"{folder}/{number}")
            if target.startswith("socket:["):
                sockets.add(target[8:-1])
            elif target.startswith("/") and not target.startswith(_ASIDE):
                mode = _mode(pid, number)
                if mode and (name, f"{mode}{target}") not in self.touched:
                    self.touched.add((name, f"{mode}{target}"))
                    self._write(event="file", process=name, at=now, path=target, mode=mode)
        for host, port in _peers(pid, sockets) if sockets else ():
            if (name, f"{host} {port}") not in self.touched:
                self.touched.add((name, f"{host} {port}"))
                self._write(event="host", process=name, at=now, host=host, port=port)

    def _bytes(self, pid: int, name: str, now: int) -> None:
        counts = _io(pid) or self.last.get(name)
        if counts is None:
            return
        self.last[name] = counts
        below = self.below.get(name, (0, 0))
        read, written = (max(0, mine - theirs) for mine, theirs in zip(counts, below, strict=True))
        self._write(event="io", process=name, at=now, read=read, written=written)

    def _end(self, pid: int, name: str, now: int, code: int | None = None) -> None:
        self._bytes(pid, name, now)
        self._write(event="end", process=name, at=now, exit=code)
        self.known.pop(pid, None)
        parent, told = self.parents.pop(name, ""), self.last.pop(name, (0, 0))
        if parent in self.known.values():
            before = self.below.get(parent, (0, 0))
            self.below[parent] = (before[0] + told[0], before[1] + told[1])
        self.below.pop(name, None)
        self.commands.pop(name, None)

    def _command(self, pid: int) -> tuple[str, str]:
        """(command line, base name of the program)."""
        import shlex

        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()[:65_536].split(b"\0")
            program = os.path.basename(_link(f"/proc/{pid}/exe"))
        except OSError:
            return "", ""
        text = shlex.join(word.decode("utf-8", "replace") for word in words[:-1])
        return self.redact(text[:4_096]), program.removesuffix(" (deleted)")

    def _write(self, **values: object) -> None:
        self.stream.write(json.dumps(values, separators=(",", ":")).encode() + b"\n")


def adopt(on: bool) -> None:
    """Have processes whose parent ends handed to this one, so that they can still be seen, or no longer."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, int(on), 0, 0, 0)


def children(pid: int) -> list[int]:
    """Processes that a process started and that still run, the oldest first.

    Args:
        pid: its number.
    """
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                # as bytes: a signal's handler asks, and loading a codec may be what the signal interrupted
                told = Path(f"/proc/{pid}/task/{task}/children").read_bytes()
                found.extend(int(word) for word in told.split())
    return sorted(found)


def traced(tracer: int) -> list[int]:
    """Processes that a tracer watches and whose parent it does not.

    Args:
        tracer: its number.
    """
    found: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{name}/status").read_bytes()  # as bytes, like children()
            told = dict(line.split(b":\t", 1) for line in text.splitlines() if b":\t" in line)
            if told.get(b"TracerPid") == b"%d" % tracer:
                found[int(name)] = int(told.get(b"PPid", b"0"))
    return sorted(pid for pid, parent in found.items() if parent not in found and parent != tracer)


def end_with(parent: int) -> Callable[[], None]:
    """What a new process runs first, so that it is ended with the one that started it.

    Args:
        parent: number of the process that starts it.
    """
    ask = getattr(ctypes.CDLL(None), "prctl", None)

    def set_up() -> None:
        if ask is not None:
            ask(_DEATH, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(128 + signal.SIGTERM)

    return set_up


def _now() -> int:
    return time.time_ns() // 1_000


def _stat(pid: int) -> Stat | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    # the name may hold anything: what comes after its last parenthesis is fixed
    fields = text.rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] == "Z":
        return None
    return Stat(pid, int(fields[1]), int(fields[19]))


def _io(pid: int) -> tuple[int, int] | None:
    """Bytes that reached the storage layer: (read, written)."""
    try:
        text = Path(f"/proc/{pid}/io").read_text(encoding="ascii")
    except OSError:
        return None
    found = dict(line.split(": ") for line in text.splitlines())
    return int(found.get("read_bytes", 0)), int(found.get("write_bytes", 0))


def _mode(pid: int, number: str) -> str:
    """r or w: how a descriptor was opened; "" for a folder or where it is gone."""
    try:
        text = Path(f"/proc/{pid}/fdinfo/{number}").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    flags = next((line.split()[1] for line in text.splitlines() if line.startswith("flags:")), "0")
    if int(flags, 8) & os.O_DIRECTORY:
        return ""
    return "w" if int(flags, 8) & os.O_ACCMODE else "r"


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _peers(pid: int, sockets: set[str]) -> Iterator[tuple[str, int]]:
    """Remote addresses of some sockets of the internet."""
    import ipaddress

    for kind in ("tcp", "tcp6", "udp", "udp6"):
        try:
            lines = Path(f"/proc/{pid}/net/{kind}").read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if len(fields) > 9 and fields[9] in sockets:
                raw, _, port = fields[2].partition(":")
                words = bytes.fromhex(raw)
                # every 32 bits are written in the order of this machine
                parts = [words[i : i + 4][::-1] for i in range(0, len(words), 4)]
                if int(port, 16):
                    yield str(ipaddress.ip_address(b"".join(parts))), int(port, 16)
