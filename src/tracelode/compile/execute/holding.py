"""Which process has a run? One at a time, by a lock beside the journal that ends with its holder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from tracelode.errors import RunError


@contextlib.contextmanager
def held(journal: Path, run: str) -> Iterator[None]:
    """Hold a run: no other process goes on with it meanwhile.

    Args:
        journal: its file.
        run: run id.

    Raises:
        RunError: another one has it.
    """
    place = _lock(journal, run)
    handle = os.open(place, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunError(f"run {run} is under way in another process; wait for it, or end that") from None
        if not _same(handle, place):  # it was removed by its last holder while we opened it
            raise RunError(f"run {run} has just ended in another process; try again")
        yield
        with contextlib.suppress(OSError):
            place.unlink()
    finally:
        os.close(handle)


def busy(journal: Path, run: str) -> bool:
    """Is a run under way, in this process or another one?

    Args:
        journal: its file.
        run: run id.
    """
    try:
        handle = os.open(_lock(journal, run), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _lock(journal: Path, run: str) -> Path:
    name = blake2b(run.encode(), digest_size=8).hexdigest()
    return journal.with_name(f"{journal.name}-{name}.lock")


def _same(handle: int, place: Path) -> bool:
    try:
        there = place.stat()
    except OSError:
        return False
    mine = os.fstat(handle)
    return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)
