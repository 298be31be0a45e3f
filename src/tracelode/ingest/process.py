"""What does a worker process do from its start to its end? It makes one Worker and answers calls."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

from tracelode.ingest.jobs import Settings
from tracelode.ingest.work import Worker

_worker: Worker | None = None
RARELY = (50_000, 20, 100)
"""Thresholds of garbage collection where nearly everything that is made stays."""


def start(settings: Settings, parent: int) -> None:
    """Make this process's worker (a pool's initializer).

    Args:
        settings: what the import needs to know.
        parent: id of the process that asks: the worker ends when it is gone.
    """
    global _worker
    threading.Thread(target=_outlive, args=(parent,), daemon=True).start()
    # there are as many workers as cores: with two threads in each of two, numpy takes twice as long
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # an interrupt of the terminal reaches every process; the parent alone answers it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker = Worker(settings)


def _outlive(parent: int) -> None:
    """End this process once its parent was killed: it holds both ends of its queue and would wait on."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def call(name: str, *given: Any) -> Any:
    """Have this process's worker do something.

    Args:
        name: a method of Worker.
        given: its arguments.

    Returns:
        Its result.
    """
    assert _worker is not None, "start() comes first"
    return getattr(_worker, name)(*given)


def cores() -> int:
    """Cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@contextlib.contextmanager
def unseen_by_children() -> Iterator[None]:
    """Keep forked workers from collecting what this process left behind.

    A connection of ours that became garbage must be closed by the process whose threads it has.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextlib.contextmanager
def collecting_rarely() -> Iterator[None]:
    """Look for circles of garbage rarely while large trees without circles are built and walked."""
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
