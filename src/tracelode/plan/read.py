"""Which events do files of plan events hold? Read whole, by session, with everything that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from tracelode.errors import SourceError
from tracelode.files import Records, why
from tracelode.model.plan import PlanEvent
from tracelode.signals.plan.lines import Fault, read_line

MANIFEST = "manifest.json"
SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson")


class Placed(msgspec.Struct, frozen=True):
    """An event where it was read."""

    event: PlanEvent
    """The event."""
    path: str
    """File as it is named in output."""
    line: int
    """1-based line."""


class Misread(msgspec.Struct, frozen=True):
    """Something that is off in a line."""

    fault: Fault
    """What."""
    path: str
    """File."""
    session: str
    """Session of the event, "" where none can be told."""


class Loaded(msgspec.Struct, kw_only=True):
    """What some files hold."""

    sessions: dict[str, list[Placed]] = {}
    """Session to its events, in the order of files and lines, each id once."""
    faults: list[Misread] = []
    """What is off, in the same order."""
    unusable: int = 0
    """Objects and lines that are no event."""
    lines: int = 0
    """Lines read."""
    copies: list[Placed] = []
    """Events that came again word for word."""
    clashes: list[Placed] = []
    """Events whose id another event had: both are kept."""
    order: list[tuple[str, str]] = []
    """(path, session) of every change of session, in file order."""


def load(paths: Iterable[Path]) -> Loaded:
    """Read files and folders.

    Args:
        paths: files; of a folder every file of plan events below it, by name.

    Returns:
        Events by session.

    Raises:
        SourceError: a path cannot be read, or a folder holds no such file.
    """
    loaded = Loaded()
    seen: dict[tuple[str, str], PlanEvent] = {}
    for path in paths:
        for file in files_of(path):
            _file(file, loaded, seen)
    return loaded


def files_of(path: Path) -> list[Path]:
    """The files a path names.

    Args:
        path: a file or a folder.

    Returns:
        The file, or the folder's files of plan events by name.

    Raises:
        SourceError: it is not there, or holds none.
    """
    if not path.is_dir():
        return [path]
    found = sorted(p for p in path.rglob("*") if p.is_file() and p.name.endswith(SUFFIXES))
    if not found:
        raise SourceError("no file of plan events (*.jsonl) in this folder", path=str(path))
    return found


def _file(path: Path, loaded: Loaded, seen: dict[tuple[str, str], PlanEvent]) -> None:
    name, last = str(path), ""
    records = Records(path)
    try:
        for line in records:
            loaded.lines += 1
            for reading in read_line(line, name):
                event = reading.event
                session = event.session_id if event is not None else ""
                loaded.faults += [Misread(fault, name, session) for fault in reading.faults]
                if event is None:
                    loaded.unusable += 1
                    continue
                if session != last:
                    loaded.order.append((name, session))
                    last = session
                _keep(Placed(event, name, line.number), loaded, seen)
    except OSError as error:
        raise SourceError(f"cannot be read: {why(error)}", path=name) from error
    for broken in records.broken:
        loaded.unusable += 1
        loaded.faults.append(Misread(Fault("PT010", broken.reason, broken.line), name, ""))


def _keep(placed: Placed, loaded: Loaded, seen: dict[tuple[str, str], PlanEvent]) -> None:
    event = placed.event
    key = (event.event_id, "")
    old = seen.get(key)
    if old is not None:
        same = msgspec.structs.replace(event, source=None, seq=0, writer="") == msgspec.structs.replace(
            old, source=None, seq=0, writer=""
        )
        (loaded.copies if same else loaded.clashes).append(placed)
        if same:
            return
    else:
        seen[key] = event
    loaded.sessions.setdefault(event.session_id, []).append(placed)


def stories(loaded: Loaded) -> Iterator[tuple[str, list[PlanEvent]]]:
    """Each session's events in the order in which they happened.

    Args:
        loaded: what files hold.

    Returns:
        (session, events); sessions by name, so that their order in the files changes nothing.
    """
    from tracelode.plan.sequence import ordered

    for session in sorted(loaded.sessions):
        yield session, ordered(placed.event for placed in loaded.sessions[session])
