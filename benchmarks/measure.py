"""What does a whole process cost? Wall clock, CPU, peak memory of the largest process and of the tree.

Imports the standard library alone: a child's peak memory, as the kernel reports it, begins at the memory
of the process that started it, so this one stays small and heavy work is done in processes of its own.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAUSE = 0.02
"""Seconds between two looks at the memory of a tree."""
SHARED_EVERY = 5
"""Every so many looks the proportional memory is asked too; it costs the kernel a walk of the tables."""
LOOKS = 2 * SHARED_EVERY
"""With fewer looks than this a peak over the tree is not known."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PROC = Path("/proc")


class Failed(Exception):
    """A measured command ended with another exit code than it should."""


@dataclass(frozen=True)
class Once:
    """One run of a command, from its start to its end."""

    wall: float
    """Seconds on the clock."""
    cpu: float
    """Seconds of user and system time, of the process and of all it waited for."""
    process: int
    """Peak resident bytes of the largest process."""
    tree: int | None
    """Peak of the sum of resident bytes over the tree; shared pages count once a process."""
    shared: int | None
    """Peak of the sum of proportional bytes over the tree; shared pages count once."""
    output: bytes
    """What it printed."""


@dataclass(frozen=True)
class Spread:
    """Several values of one figure."""

    least: float
    """The smallest."""
    median: float
    """The middle one."""
    most: float
    """The largest."""


@dataclass(frozen=True)
class Case:
    """A command to measure."""

    name: str
    """What the table calls it."""
    command: Sequence[str]
    """Program and arguments."""
    environment: Mapping[str, str]
    """All of its environment."""
    prepare: Callable[[], None] = lambda: None
    """Done before each run, outside the clock."""
    shown: str = ""
    """The command as the table shows it; default: its words."""


@dataclass
class Series:
    """The runs of a case."""

    case: Case
    """What was run."""
    load: float = 0.0
    """Load average over one minute when the series began."""
    runs: list[Once] = field(default_factory=list)
    """The runs after the warm-up."""

    def spread(self, what: str) -> Spread | None:
        """Smallest, middle and largest value of a figure.

        Args:
            what: wall, cpu, process, tree or shared.

        Returns:
            The spread, None where the figure cannot be had on this machine.
        """
        values = [value for run in self.runs if (value := getattr(run, what)) is not None]
        if not values:
            return None
        return Spread(min(values), statistics.median(values), max(values))

    def median(self, what: str) -> float | None:
        """The middle value of a figure, None where it cannot be had."""
        spread = self.spread(what)
        return None if spread is None else spread.median

    def answer(self) -> dict[str, Any]:
        """The series as JSON."""
        found: dict[str, Any] = {
            "name": self.case.name,
            "command": self.case.shown or " ".join(self.case.command),
            "runs": len(self.runs),
            "load": round(self.load, 2),
        }
        for what in ("wall", "cpu", "process", "tree", "shared"):
            spread = self.spread(what)
            unit = "seconds" if what in ("wall", "cpu") else "bytes"
            found[f"{what}_{unit}"] = spread and {
                "min": spread.least, "median": spread.median, "max": spread.most
            }  # fmt: skip
        return found


def run_once(command: Sequence[str], environment: Mapping[str, str], *, watch: bool = True) -> Once:
    """Run a command and take its figures.

    Args:
        command: program and arguments.
        environment: all of its environment.
        watch: look at the memory of the command and of all below it while it runs; looking takes time on the
            cores that the command runs on. False leaves tree and shared out.

    Returns:
        The figures and what it printed.

    Raises:
        Failed: it did not end with exit code 0.
    """
    from tempfile import TemporaryFile

    with TemporaryFile() as out, TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(
            command, env=dict(environment), stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        memory = _Memory(child.pid)
        if watch:
            memory.start()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        if watch:
            memory.stop()
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode:
            told = err.read()[-2000:].decode("utf-8", "replace")
            raise Failed(f"{' '.join(command)} ended with {child.returncode}: {told}")
        scale = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
        return Once(
            wall=wall,
            cpu=usage.ru_utime + usage.ru_stime,
            process=usage.ru_maxrss * scale,
            tree=memory.tree if memory.looks >= LOOKS else None,
            shared=memory.shared if memory.looks >= LOOKS and memory.shared else None,
            output=out.read(),
        )


def measure(cases: Sequence[Case], runs: int, *, warm: int = 1) -> list[Series]:
    """Measure cases side by side: round by round, each once a round, so that noise falls on all.

    Args:
        cases: the c commands.
        runs: rounds that count.
        warm: rounds before, which do not.

    Returns:
        c series in the same order.
    """
    found = [Series(case) for case in cases]
    for number in range(warm + runs):
        for series in found:
            if number == warm:
                series.load = load()
            series.case.prepare()
            once = run_once(series.case.command, series.case.environment)
            if number >= warm:
                series.runs.append(once)
    return found


def ratio(one: Series, other: Series, what: str) -> float | None:
    """How many times the other's figure is one's, round by round?

    Args:
        one: n runs.
        other: n runs that took turns with them.
        what: wall, cpu, process, tree or shared.

    Returns:
        The middle one of n ratios; None where a figure is missing.
    """
    pairs = [(getattr(a, what), getattr(b, what)) for a, b in zip(one.runs, other.runs, strict=True)]
    ratios = [a / b for a, b in pairs if a is not None and b]
    return statistics.median(ratios) if ratios else None


def load() -> float:
    """Load average over the last minute."""
    return os.getloadavg()[0]


def wait_until_quiet(below: float | None, minutes: float) -> float:
    """Wait until the load average is low.

    Args:
        below: go on when it is smaller; None goes on at once.
        minutes: go on after so long in any case.

    Returns:
        The load average then.
    """
    end = time.monotonic() + minutes * 60
    while below is not None and load() >= below and time.monotonic() < end:
        time.sleep(5)
    return load()


class _Memory:
    """Looks at the memory of a process and of all below it until told to stop."""

    def __init__(self, pid: int) -> None:
        self.tree = 0
        self.shared = 0
        self.looks = 0
        self._pid = pid
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        if _PROC.joinpath("self", "statm").exists():
            self._thread.start()

    def stop(self) -> None:
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        while not self._done.is_set():
            family = _family(self._pid)
            self.tree = max(self.tree, sum(map(_resident, family)))
            if self.looks % SHARED_EVERY == 0:
                self.shared = max(self.shared, sum(map(_proportional, family)))
            self.looks += 1
            self._done.wait(PAUSE)


def _family(pid: int) -> list[int]:
    """A process and all below it, as far as they still live."""
    found = [pid]
    for parent in found:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children", "rb") as file:
                    found.extend(map(int, file.read().split()))
        except OSError:
            continue
    return found


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except (OSError, IndexError):
        pass
    return 0
