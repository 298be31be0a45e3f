"""How is a command run and watched? Under strace where that may be, else by looking at /proc."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tracelode.record import header, proc, tracer

FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
"""Signals that are handed on to the command; those of the terminal reach it by themselves."""
ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Of these: those that are meant for all that runs below, and not for the command alone."""
AGAIN = 0.2
"""Seconds between two looks for what a signal missed, under strace."""
SUFFIXES = {"strace": ".strace", "proc": ".record.jsonl"}
"""Tracer to the ending of its file."""


class Recorded(NamedTuple):
    """A command that was run."""

    code: int
    """Its exit code; minus the signal that ended it."""
    tracer: str
    """strace or proc."""
    target: Path
    """The recording."""
    started: int
    """UTC nanoseconds before it was started."""
    ended: int
    """UTC nanoseconds after it ended."""
    values: dict[str, object]
    """What the recording's first line says."""


def supported() -> bool:
    """Can commands be watched on this system?"""
    return sys.platform.startswith("linux") and os.path.isdir("/proc/self/fd")


def choose(wanted: str | None = None) -> tuple[str, str]:
    """Which tracer is used.

    Args:
        wanted: strace or proc, None for the best one.

    Returns:
        (strace or proc, path of strace or ""); ("", "") where what is wanted cannot be had.
    """
    if wanted == "proc":
        return "proc", ""
    program = tracer.usable()
    if program is not None:
        return "strace", program
    return ("", "") if wanted == "strace" else ("proc", "")


def record(
    command: Sequence[str], target: Path, using: tuple[str, str], redact: Callable[[str], str]
) -> Recorded:
    """Run a command to its end and write down what it did.

    Args:
        command: program and arguments; input, output and terminal are this process's own.
        target: the recording, a file that is not there yet.
        using: what choose() gave.
        redact: cleans a command line before it is written (strace writes its log itself).

    Returns:
        How it ended, and where the recording is.

    Raises:
        OSError: the file cannot be written, or the command cannot be started.
    """
    name, program = using
    values: dict[str, object] = {
        "id": secrets.token_hex(8),
        "tracer": name,
        "session": "",
        "cwd": os.getcwd(),
        "started": time.time_ns() // 1_000,
    }
    header.write(target, values)
    started = time.time_ns()
    if name == "strace":
        with _handed_on() as signals:
            child = subprocess.Popen(tracer.arguments(program, target, list(command)))
            # strace itself lets signals wait
            below = Below(lambda: proc.children(child.pid), lambda: proc.traced(child.pid))
            signals.to(below.tell)
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    code = child.wait(AGAIN)
                    break
                below.again()
    else:
        code = _watched(command, target, redact)
    return Recorded(code, name, target, started, time.time_ns(), values)


def join(recorded: Recorded, session: str) -> None:
    """Write into a recording which session the command wrote.

    Args:
        recorded: what record() gave.
        session: its key.
    """
    header.update(recorded.target, {**recorded.values, "session": session})


def _watched(command: Sequence[str], target: Path, redact: Callable[[str], str]) -> int:
    proc.adopt(True)
    with open(target, "ab", buffering=1 << 16) as stream, _handed_on() as signals:
        child = subprocess.Popen(list(command), preexec_fn=proc.end_with(os.getpid()))
        # what lost its parent was handed to this process
        own = os.getpid()
        below = Below(lambda: [child.pid], lambda: [p for p in proc.children(own) if p != child.pid])
        signals.to(below.tell)
        watch = proc.Watch(child.pid, stream, redact)
        while True:
            watch.look()
            below.again()
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = child.wait(proc.EVERY)
                break
        watch.finish(code)
    proc.adopt(False)
    return code


class Below:
    """Signals go to a command, and those that end it to its process group, as far as that lies below.

    Args:
        command: tells the command's process, none while there is none.
        orphans: tells processes below whose parent ended.
    """

    def __init__(self, command: Callable[[], list[int]], orphans: Callable[[], list[int]]) -> None:
        self._command, self._orphans = command, orphans
        self._told: set[int] = set()
        self._ending = 0

    def tell(self, number: int) -> None:
        """Send a signal.

        Args:
            number: of the signal.
        """
        below = self._command()
        if number not in ENDING:
            for pid in below:
                os.kill(pid, number)
            return
        self._ending = number
        self._told.clear()
        below += self._orphans()
        for pid in below:
            below.extend(child for child in proc.children(pid) if child not in below)
        self._send(below, number)

    def again(self) -> None:
        """Tell those that lost their parent while the signal was sent; what handles it may start others."""
        if self._ending:
            self._send(self._orphans(), self._ending)

    def _send(self, pids: list[int], number: int) -> None:
        # who starts others first: it would take their end for an invitation to go on
        for pid in pids:
            with contextlib.suppress(OSError):
                if pid not in self._told and os.getpgid(pid) == os.getpgid(0):
                    os.kill(pid, number)
                    self._told.add(pid)


class Signals:
    """Hands signals on; those that come before there is a command wait for it."""

    def __init__(self) -> None:
        self.waiting: list[int] = []
        self.send: Callable[[int], None] = self.waiting.append

    def to(self, send: Callable[[int], None]) -> None:
        """Hand on from now on.

        Args:
            send: takes a signal's number.
        """
        self.send = send
        for number in self.waiting:
            send(number)


@contextlib.contextmanager
def _handed_on() -> Iterator[Signals]:
    """While a command runs, signals are its own; what is ignored stays ignored, for the command as well."""
    signals = Signals()
    before = {}
    # only the main thread of a program may say what becomes of signals
    main = threading.current_thread() is threading.main_thread()
    for name in (*FORWARDED, "SIGINT", "SIGQUIT"):
        number = getattr(signal, name)
        if signal.getsignal(number) == signal.SIG_IGN or not main:
            continue
        if name in FORWARDED:
            before[number] = signal.signal(number, lambda got, _: signals.send(got))
        else:
            # the terminal sends it to every process in front: the command answers it
            before[number] = signal.signal(number, lambda *_: None)
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
