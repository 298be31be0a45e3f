"""How does a run end whose output is full, closed or no longer read? With an exit code, never a traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Any, TextIO

FAILED = 1
"""Exit code where an answer could not be written."""

_interrupts: list[int] = []
"""SIGINT, once it came."""


def heed() -> None:
    """Remember an interrupt of the process, whatever becomes of the exception that it raises.

    Libraries make errors of their own of it, and what runs while an object goes away has nobody to raise to.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # ignored since the start, as for a job in the background
    signal.signal(signal.SIGINT, _stop)
    before = sys.unraisablehook

    def again(told: Any) -> None:
        if isinstance(told.exc_value, KeyboardInterrupt):
            # not from here, where nobody would hear it either
            timer = threading.Timer(0.02, signal.raise_signal, (signal.SIGINT,))
            timer.daemon = True
            timer.start()
        else:
            before(told)

    sys.unraisablehook = again


def interrupted() -> bool:
    """Was this process interrupted?"""
    return bool(_interrupts)


def deaf() -> None:
    """Answer no interrupt any more: the run is over, and its exit code is what it is."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _stop(number: int, frame: FrameType | None) -> None:
    _interrupts.append(number)
    raise KeyboardInterrupt


def begin() -> bool:
    """Look whether there is somewhere to write to, before anything is done.

    Returns:
        False where standard output is closed; that is said. A closed standard error is replaced by nowhere.
    """
    # The interpreter has None for a descriptor that was closed when it started. Each is given a file, lest
    # the next one that is opened, such as the store's, takes its number.
    missing = sys.stdout is None
    if missing:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if missing:
        tell("tracelode: standard output is closed; nothing was done\n")
    return not missing


def lost(error: OSError) -> int:
    """Say that the answer could not be written; a reader that left wants to hear nothing.

    Args:
        error: what a write to standard output raised.

    Returns:
        Exit code.
    """
    settle(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return 0
    tell(f"tracelode: {unwritten(error)}\n")
    return FAILED


def unwritten(error: OSError) -> str:
    """What is said of a write that failed.

    Args:
        error: raised by a write to an open file or stream.

    Returns:
        One phrase without a full stop.
    """
    what = (error.strerror or type(error).__name__).lower()
    return f"cannot write: {what}; check where the output goes"


def tell(text: str) -> None:
    """Write to standard error; where that fails, nobody can be told, and the run goes on.

    Args:
        text: whole lines.
    """
    with suppress(OSError):
        sys.stderr.write(text)
    settle(sys.stderr)


def settle(stream: TextIO) -> None:
    """Write what a stream still holds, or drop it if that fails.

    Args:
        stream: standard output or standard error.
    """
    try:
        stream.flush()
    except OSError:
        # The interpreter flushes again at its end, and would fail with an exit code of its own.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
