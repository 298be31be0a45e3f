"""Who may write into a store? One import at a time; a second one says so and waits."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tracelode.errors import StoreError

SILENT = 1.0
"""Seconds of waiting before anything is said."""

_inside: dict[str, threading.Lock] = {}
"""The record lock below belongs to the process: its threads take turns here."""


@contextlib.contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the store's import lock; another process or thread that holds it is waited for.

    Args:
        folder: the workspace folder.

    Raises:
        StoreError: the folder cannot be written.
    """
    with _inside.setdefault(os.path.realpath(folder), threading.Lock()):
        try:
            handle = os.open(folder / "import.lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StoreError(f"{folder} cannot be written: {(error.strerror or '').lower()}") from error
        try:
            _take(handle)
            try:
                os.ftruncate(handle, 0)
                os.pwrite(handle, str(os.getpid()).encode(), 0)
            except OSError as error:
                raise StoreError(
                    f"{folder} cannot be written; look for a full disk, then try again: "
                    "what was stored so far stays"
                ) from error
            yield
        finally:
            os.close(handle)


def _take(handle: int) -> None:
    """Get the lock: workers do not inherit a record lock, so it goes with the process that holds it."""
    import fcntl

    until = time.monotonic() + SILENT
    while time.monotonic() < until:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except (BlockingIOError, PermissionError):
            time.sleep(0.02)
    import logging

    holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
    who = f" (process {holder})" if holder.isdigit() else ""
    logging.getLogger("tracelode").warning("another import into this store is running%s; waiting for it", who)
    fcntl.lockf(handle, fcntl.LOCK_EX)
