"""What is new in a folder of plan events? Files are read on from where reading stopped, whole lines only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tracelode.files import Records, why
from tracelode.model.plan import PlanEvent
from tracelode.model.ports import Line
from tracelode.signals.plan.lines import read_line

PLAIN = (".jsonl", ".ndjson")
PACKED = (".jsonl.gz", ".jsonl.zst")
BLOCK = 1 << 20
"""Bytes read at once."""
LONGEST = 64 << 20
"""Bytes of a line that is waited for; a longer one is counted and passed over."""


@dataclass(slots=True)
class _File:
    """How far a file was read."""

    inode: tuple[int, int]
    offset: int = 0
    line: int = 0
    rest: bytes = b""
    """The beginning of a line that has no end yet."""
    skipping: bool = False
    """Is the present line longer than is read?"""
    size: int = 0


class Follower:
    """Reads what is added to the files of a folder, or to one file.

    Args:
        place: a folder, looked through at each poll, or a file.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.unusable = 0
        """Lines that are no event."""
        self.unreadable: dict[str, str] = {}
        """File to why it cannot be read."""
        self.files = 0
        """Files there are now."""
        self._known: dict[Path, _File] = {}
        self._packed: dict[Path, tuple[int, int, int]] = {}
        self._seen: set[bytes] = set()

    def poll(self) -> list[PlanEvent]:
        """Events that came since the last poll.

        Returns:
            Each event once, however files are renamed or packed; those of one file in its order, files by
            name. A line without its end waits for it.
        """
        found: list[PlanEvent] = []
        paths = sorted(self._paths())
        self.files = len(paths)
        for path in paths:
            try:
                new = self._packed_file(path) if path.name.endswith(PACKED) else self._plain_file(path)
                found += [event for event in new if self._first(event)]
                self.unreadable.pop(str(path), None)
            except FileNotFoundError:
                # it went away while it was looked at: renamed or deleted
                continue
            except OSError as error:
                self.unreadable[str(path)] = why(error)
        return found

    def _paths(self) -> Iterator[Path]:
        if not self.place.is_dir():
            if self.place.exists():
                yield self.place
            return
        for folder, inside, names in os.walk(self.place):
            inside.sort()
            for name in names:
                if name.endswith((*PLAIN, *PACKED)):
                    yield Path(folder, name)

    def _first(self, event: PlanEvent) -> bool:
        """Was the event not met before? A rotated file is met under two names."""
        from hashlib import blake2b

        key = f"{event.session_id}\0{event.event_id}\0{event.event_type}\0{event.status}"
        digest = blake2b(key.encode("utf-8", "replace"), digest_size=12).digest()
        if digest in self._seen:
            return False
        self._seen.add(digest)
        return True

    def _plain_file(self, path: Path) -> Iterator[PlanEvent]:
        with path.open("rb") as stream:
            about = os.fstat(stream.fileno())
            inode = (about.st_dev, about.st_ino)
            state = self._known.get(path)
            if state is None or state.inode != inode or about.st_size < state.offset + len(state.rest):
                # new, another file under the same name, or cut: read from its beginning
                state = self._known[path] = _File(inode)
            stream.seek(state.offset + len(state.rest))
            while block := stream.read(BLOCK):
                yield from self._block(path, state, block)

    def _block(self, path: Path, state: _File, block: bytes) -> Iterator[PlanEvent]:
        *lines, rest = (state.rest + block).split(b"\n")
        for data in lines:
            start = state.offset
            state.offset += len(data) + 1
            state.line += 1
            if state.skipping:
                state.skipping = False
                self.unusable += 1
            elif data.strip():
                yield from self._line(Line(state.line, start, data.strip()), path)
        state.rest = rest
        if len(rest) > LONGEST or (state.skipping and rest):
            state.offset, state.rest, state.skipping = state.offset + len(rest), b"", True

    def _packed_file(self, path: Path) -> Iterator[PlanEvent]:
        about = path.stat()
        now = (about.st_ino, about.st_size, about.st_mtime_ns)
        if self._packed.get(path) == now:
            return
        self._packed[path] = now
        for line in Records(path):
            yield from self._line(line, path)

    def _line(self, line: Line, path: Path) -> Iterator[PlanEvent]:
        for reading in read_line(line, str(path)):
            if reading.event is None:
                self.unusable += 1
            else:
                yield reading.event
