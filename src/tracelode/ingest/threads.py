"""How many threads does a numeric library start in a worker? One: there are as many workers as cores."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

_SETTING = "OPENBLAS_NUM_THREADS"


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Have libraries that are loaded inside the block start one thread and not one a core.

    Workers are forked from the process that imports, with what it has loaded: with two threads in each of two
    workers an import took twice as long. The environment is as before afterwards; a user's own setting holds.
    """
    given = os.environ.get(_SETTING)
    os.environ.setdefault(_SETTING, "1")
    try:
        yield
    finally:
        if given is None:
            os.environ.pop(_SETTING, None)
