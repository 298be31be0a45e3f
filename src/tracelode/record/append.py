"""How does a line reach a file whole? One write to an O_APPEND descriptor, nothing held back."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

LONGEST = 1 << 20
"""Bytes of a line; a longer payload goes to a file of its own."""
SYNC_EVERY = 5.0
"""Seconds between two syncs while events come."""
DURABILITY = ("session", "event", "none")
"""session: synced at the end and now and then; event: with every event; none: left to the system."""

SETTLED = 0.02
"""Seconds in which a line that is being written grows."""

_REMOTE = ("nfs", "cifs", "smb", "fuse", "9p", "afs", "ceph", "lustre", "gpfs")


class Append:
    """One file that lines are added to, by any number of threads, processes and forks.

    Args:
        path: the file; made with mode 0600, its folders with 0700.
        durability: one of DURABILITY.

    Raises:
        OSError: it cannot be opened.
        ValueError: an unknown durability.
    """

    def __init__(self, path: Path, durability: str = "session") -> None:
        if durability not in DURABILITY:
            raise ValueError(f"durability is one of {', '.join(DURABILITY)}")
        self.path = path
        self.durability = durability
        self._synced = time.monotonic()
        self._open()

    def _open(self) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        self.fd = os.open(self.path, flags, 0o600)
        self._locks = remote(self.path)
        if self._torn():
            os.write(self.fd, b"\n")

    def _torn(self) -> bool:
        """Does the file end in a line that nobody will finish? It would swallow the next one."""
        size = os.fstat(self.fd).st_size
        while size and os.pread(self.fd, 1, size - 1) != b"\n":
            # a long line of another process becomes visible page by page
            time.sleep(SETTLED)
            before, size = size, os.fstat(self.fd).st_size
            if size == before:
                return True
        return False

    def write(self, line: bytes) -> None:
        """Add a line; once this returns it is in the file, whatever becomes of the process.

        Args:
            line: UTF-8 with its end.

        Raises:
            OSError: the file does not take it.
        """
        if self.fd < 0:
            raise OSError(errno.EBADF, "the recording is closed")
        if self._locks:
            self._locked(line)
        else:
            done = os.write(self.fd, line)
            if done < len(line):
                self._rest(line, done)
        if self.durability == "event":
            os.fsync(self.fd)
        elif self.durability == "session" and time.monotonic() - self._synced > SYNC_EVERY:
            self.sync()

    def _locked(self, line: bytes) -> None:
        """On network file systems an append is no single step: writers take turns."""
        import fcntl

        fcntl.lockf(self.fd, fcntl.LOCK_EX)
        try:
            os.lseek(self.fd, 0, os.SEEK_END)
            done = 0
            while done < len(line):
                done += os.write(self.fd, line[done:])
        finally:
            fcntl.lockf(self.fd, fcntl.LOCK_UN)

    def _rest(self, line: bytes, done: int) -> None:
        """The disk took a part (it is full, or a signal came): end that line and write the whole again."""
        os.write(self.fd, b"\n")
        self._locked(line)

    def sync(self) -> None:
        """Have the disk hold what was written."""
        self._synced = time.monotonic()
        os.fsync(self.fd)

    def close(self) -> None:
        """Sync and close; again is no error."""
        if self.fd >= 0:
            if self.durability != "none":
                self.sync()
            os.close(self.fd)
            self.fd = -1

    def reopen(self, path: Path) -> None:
        """Write to another file from now on; after a fork the parent's descriptor stays open there.

        Args:
            path: the other file.

        Raises:
            OSError: it cannot be opened.
        """
        fd, self.fd = self.fd, -1
        os.close(fd)
        self.path = path
        self._open()


def remote(path: Path) -> bool:
    """Is a file on a file system where appending is no single step?

    Args:
        path: the file.

    Returns:
        True for network and user-space file systems, as far as /proc/mounts tells.
    """
    try:
        with open("/proc/mounts", encoding="utf-8", errors="replace") as stream:
            mounts = [line.split(" ")[1:3] for line in stream]
    except OSError:
        return False
    place, best, kind = os.path.realpath(path), -1, ""
    for point, name in mounts:
        point = point.replace("\\040", " ")
        if len(point) >= best and (place == point or place.startswith(point.rstrip("/") + "/")):
            best, kind = len(point), name
    return kind.startswith(_REMOTE)


def aside(folder: Path, data: bytes) -> str:
    """Put what is too long for a line into a file named by its hash.

    Args:
        folder: where.
        data: n bytes, redacted.

    Returns:
        The hash: 64 hex digits.

    Raises:
        OSError: it cannot be written.
    """
    import hashlib

    digest = hashlib.sha256(data).hexdigest()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = folder / f"{digest}.json"
    if not target.exists():
        part = folder / f"{digest}.{os.getpid()}.part"
        with open(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as stream:
            stream.write(data)
        os.replace(part, target)
    return digest
