"""What must reading a log remember? Threads, descriptors, and the calls that have no answer yet."""

from __future__ import annotations

import msgspec

from tracelode.sources.strace.descriptors import Thing
from tracelode.sources.strace.lines import Entry
from tracelode.touches import Table


class Own(msgspec.Struct):
    """What only the log's reader must know of a process."""

    fds: dict[int, Thing] = {}
    """Open descriptors, as far as they are known."""
    cwd: str = ""
    """Working folder, "" if unknown."""
    tids: int = 1
    """Threads that still run."""
    ends: set[int] = set()
    """Descriptors that end when another program is run."""

    def copied(self) -> Own:
        """What a child gets."""
        return Own(dict(self.fds), self.cwd, ends=set(self.ends))


class Begun(msgspec.Struct):
    """A call without an answer yet."""

    name: str
    """Call."""
    arguments: str
    """Arguments so far."""
    at: int | None
    """UTC microseconds."""
    slack: int = 0
    """Microseconds by which that may be later."""
    handed: Own | None = None
    """What a child gets that it starts, where other threads may change that of its process meanwhile."""


class Held(msgspec.Struct):
    """A line that waits until it is known what started its process."""

    entry: Entry
    """Its parts."""
    line: int
    """Its number."""
    offset: int
    """Bytes before it."""


class State(msgspec.Struct):
    """What reading must remember; bounded by what runs."""

    session: str = ""
    """Session key, "" before the first line."""
    root: str = ""
    """Session that the recording was joined to, "" for none."""
    project: str = ""
    """Working folder of the recording."""
    tids: dict[int, str] = {}
    """Thread number to the native name of its process."""
    own: dict[str, Own] = {}
    """Native name to what is known."""
    begun: dict[int, Begun] = {}
    """Thread number to its call without an answer."""
    ahead: dict[int, int] = {}
    """Threads that showed before the call that started them was answered, and how often."""
    early: dict[int, tuple[str, bool]] = {}
    """Of those, what only one open call can have started: native name of its process, and is it a thread?"""
    held: dict[int, list[Held]] = {}
    """Numbers that several open calls may have started, to their lines."""
    table: Table = msgspec.field(default_factory=Table)
    """Processes, files and hosts."""
    last: int | None = None
    """Largest moment so far."""
    count: int = 0
    """Processes so far."""
