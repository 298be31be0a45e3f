"""Where do a session's events go? To one file of this writer, kept in hand while it is not yet sampled."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tracelode.record.append import LONGEST, Append, aside
from tracelode.record.clean import Cleaner
from tracelode.record.event import TraceEvent, fitting, stamp

MOST_HELD = 100_000
"""Events kept in hand at most while nothing says that the session is to be kept."""


class Sink:
    """Numbers, cleans and writes the events of one session in one process.

    Args:
        place: path of the file of a writer.
        cleaner: redaction and bounds.
        durability: as of Append.
        sampled: False to keep events in hand until keep().
        writer: a name of its own for processes that write one after another; they share a file.
        seq: number of its next event.
    """

    def __init__(
        self,
        place: Callable[[str], Path],
        cleaner: Cleaner,
        durability: str = "session",
        sampled: bool = True,
        writer: str = "",
        seq: int = 0,
    ) -> None:
        self.cleaner = cleaner
        self.writer = writer or _writer(cleaner)
        self.written = 0
        """Events written by this process."""
        self.dropped = 0
        """Events that were in hand beyond MOST_HELD."""
        self._place = place
        self._durability = durability
        self.seq = seq
        """Number of the next event."""
        self._last = 0
        self._lock = threading.Lock()
        self._append: Append | None = None
        self._held: list[bytes] | None = None if sampled else []
        _sinks[id(self)] = self

    @property
    def path(self) -> Path:
        """The file of this writer."""
        return self._append.path if self._append is not None else self._place(self.writer)

    def write(self, event: TraceEvent) -> None:
        """Write an event; once this returns it is in the file.

        Args:
            event: gets its number, writer and moment here.

        Raises:
            OSError: the file does not take it.
        """
        payload = self.cleaner.payload(event.payload)
        self.cleaner.ids(event)
        if len(payload) > LONGEST // 4 and len(data := payload.encode("utf-8", "replace")) > LONGEST // 2:
            digest = aside(self._place(self.writer).parent / "long", data)
            payload = f'{{"long":"{digest}","bytes":{len(data)}}}'
        with self._lock:
            # a clock that is set back must not turn the order round
            self._last = now = max(self._last, time.time_ns() // 1_000)
            event.timestamp = stamp(now)
            event.seq, event.writer = self.seq, self.writer
            self.seq += 1
            line = event.line(payload)
            if self._held is None:
                self._file().write(line)
                self.written += 1
            elif len(self._held) < MOST_HELD:
                self._held.append(line)
            else:
                self.dropped += 1

    def keep(self) -> None:
        """Write what is in hand, and everything from now on."""
        with self._lock:
            held, self._held = self._held, None
            for line in held or ():
                self._file().write(line)
                self.written += 1

    @property
    def kept(self) -> bool:
        """Are events written?"""
        return self._held is None

    def close(self) -> None:
        """Sync and close; what is still in hand is gone."""
        _sinks.pop(id(self), None)
        with self._lock:
            self._held = None if self._held is None else []
            if self._append is not None:
                self._append.close()
                self._append = None

    def _file(self) -> Append:
        if self._append is None:
            self._append = Append(self._place(self.writer), self._durability)
        return self._append

    def after_fork(self) -> None:
        """In a child: another writer, that counts from 0 and holds nothing of the parent's."""
        self._lock = threading.Lock()
        self.writer = _writer(self.cleaner)
        self.seq = self.written = 0
        if self._held:
            self._held = []
        if self._append is not None:
            self._append.reopen(self._place(self.writer))


def _writer(cleaner: Cleaner) -> str:
    host = cleaner.pseudonym("host", os.uname().nodename)
    return fitting(f"{host}-{os.getpid()}-{os.urandom(4).hex()}")


_sinks: dict[int, Sink] = {}


def _after_fork() -> None:
    for sink in list(_sinks.values()):
        try:
            sink.after_fork()
        except OSError as error:
            sys.stderr.write(f"tracelode: a child process cannot record: {error.strerror}\n")


os.register_at_fork(after_in_child=_after_fork)
