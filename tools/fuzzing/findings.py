"""What was found, and where? Faults by kind, with time and memory of what ran bounded."""

from __future__ import annotations

import hashlib
import resource
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS, SECONDS_A_MB = 2.0, 4.0
"""CPU time that an execution may take: so much, and so much a megabyte."""
MEMORY, MEMORY_TIMES = 150_000_000, 30
"""Bytes by which the process may grow in one execution: so many, and so many times its input."""
KEPT = 3
"""Inputs kept of each kind of fault."""
_KILO = 1 if sys.platform == "darwin" else 1024


class Broken(Exception):
    """Something that must hold does not.

    Args:
        kind: what must hold, in closed words.
        detail: what was seen instead.
    """

    def __init__(self, kind: str, detail: object = "") -> None:
        super().__init__(kind, detail)
        self.kind, self.detail = kind, str(detail)


class TooLong(BaseException):
    """An execution took more CPU time than it may; no reader catches it."""


@dataclass
class Finding:
    """One kind of fault."""

    kind: str
    """What did not hold."""
    source: str
    """Source whose file was damaged."""
    detail: str
    """What was seen the first time."""
    count: int = 0
    """How often."""
    inputs: list[str] = field(default_factory=list)
    """The first files that showed it: source, seed, execution, mutators."""


@dataclass
class Findings:
    """All that was found.

    Args:
        keep: folder for the files that show a fault, None for none.
    """

    keep: Path | None = None
    found: dict[tuple[str, str], Finding] = field(default_factory=dict)
    """(kind, source) to finding."""
    ran: Counter[str] = field(default_factory=Counter)
    """Executions by source."""
    cpu: Counter[str] = field(default_factory=Counter)
    """CPU microseconds by source."""

    def note(self, source: str, error: BaseException, data: bytes, where: str) -> None:
        """Count a fault, and keep the file of the first ones.

        Args:
            source: whose file it was.
            error: what was raised.
            data: the damaged file.
            where: how to make it again.
        """
        kind, detail = told(error)
        if (kind, source) not in self.found:
            print(f"{source}: {kind}", file=sys.stderr, flush=True)
        one = self.found.setdefault((kind, source), Finding(kind, source, detail))
        one.count += 1
        if len(one.inputs) < KEPT:
            one.inputs.append(where)
            if self.keep is not None:
                self.keep.mkdir(parents=True, exist_ok=True)
                digest = hashlib.blake2b(f"{kind}\0{where}".encode(), digest_size=4).hexdigest()
                (self.keep / f"{source}-{digest}").write_bytes(data)
                (self.keep / f"{source}-{digest}.txt").write_text(
                    f"{kind}\n{where}\n{detail}\n", encoding="utf-8", errors="replace"
                )


def told(error: BaseException) -> tuple[str, str]:
    """(kind, detail) of what was raised: the check, or the exception and the line that raised it."""
    if isinstance(error, Broken):
        return error.kind, error.detail[:2_000]
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "tracelode" in f.filename]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "outside"
    what = "took too long" if isinstance(error, TooLong) else f"{type(error).__name__} escaped"
    text = "".join(traceback.format_exception(error, limit=-12))
    return f"{what} in {place}", text[-3_000:]


@contextmanager
def bounded(size: int) -> Iterator[None]:
    """Bound the CPU time and the growth of what runs inside.

    Args:
        size: bytes of its input.

    Raises:
        TooLong: it ran for too long.
        Broken: it took too much memory.
    """

    def late(*_: Any) -> None:
        raise TooLong

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KILO
    old = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS + SECONDS_A_MB * size / 1e6)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KILO - before
    if grown > MEMORY + MEMORY_TIMES * size:
        raise Broken("took too much memory", f"{grown / 1e6:.0f} MB for {size:,} bytes")
