"""How is a command recorded, and which session did it write? Nothing goes into a store here."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.record.run import Recorded

TRACERS = ("strace", "proc")
"""Ways to watch a command."""
LOOKED_AT = 500
"""Items of a file in which it must say where its session ran."""


def record(command: Sequence[str], target: Path | None = None, tracer: str | None = None) -> Recorded:
    """Run a command, write down what it did below itself, and join that to the session that it wrote.

    Args:
        command: program and arguments.
        target: the recording; None for a new file in the working folder.
        tracer: strace or proc; None for strace where it may be used, else proc.

    Returns:
        How it ended, and where the recording is.

    Raises:
        UsageError: not Linux, no such program or tracer, or a file that is there or cannot be written.
    """
    import shutil

    from tracelode.record import run
    from tracelode.redact.plain import redact_text

    if not run.supported():
        raise UsageError(
            "record needs Linux and /proc; elsewhere import a log of AgentSight or OpenTelemetry"
        )
    if tracer is not None and tracer not in TRACERS:
        raise UsageError(f"unknown tracer {tracer!r}; known: {', '.join(TRACERS)}")
    if not command:
        raise UsageError("record needs a command; write it as: tracelode record -- COMMAND")
    if shutil.which(command[0]) is None:
        raise UsageError("no such program; name one that is in PATH, or its whole path")
    using = run.choose(tracer)
    if not using[0]:
        raise UsageError("strace is not here or may not watch processes; --with proc does without it")
    place = target or Path(f"record-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}{run.SUFFIXES[using[0]]}")
    try:
        return run.record(command, place, using, redact_text)
    except FileExistsError as error:
        raise UsageError(f"{place} is there already; name another file with -o") from error
    except OSError as error:
        raise UsageError(f"{place} cannot be written, or the program cannot be started") from error


def join(recorded: Recorded) -> list[str]:
    """Join a recording to the session that its command wrote, if that is one alone.

    Args:
        recorded: what record() gave.

    Returns:
        Keys of the sessions that were written meanwhile under the same folder; the recording is joined
        where it is one.

    Source:
        docs/decisions/0014-effects.md.
    """
    from tracelode.record import run

    found = written(recorded.started, recorded.ended, str(recorded.values["cwd"]))
    if len(found) == 1:
        run.join(recorded, found[0])
    return found


def written(started: int, ended: int, folder: str) -> list[str]:
    """Sessions of the agents on this machine that were written between two moments.

    Args:
        started: UTC nanoseconds.
        ended: UTC nanoseconds.
        folder: where they ran.

    Returns:
        Root keys, sorted; sub-agents do not count.
    """
    from tracelode.ingest.discover import Found, Names, local_roots, sources, walk

    adapters = sources()
    roots = local_roots()
    names = Names(Path.home(), roots)
    here = os.path.realpath(folder)
    found: set[str] = set()
    for name, place in roots:
        for item in walk([place], names, adapters[name].suffixes):
            if isinstance(item, Found) and started <= item.mtime <= ended + 1_000_000_000:
                found.update(_sessions(item, adapters[name], here))
    return sorted(found)


def _sessions(item: Any, adapter: Any, folder: str) -> set[str]:
    """Sessions of one file that ran in a folder."""
    from tracelode.files import Records
    from tracelode.model.ports import About

    records = Records(item.path, whole=adapter.layout.endswith("document"))
    found: set[str] = set()
    try:
        for told in islice(adapter.read(records, adapter.fresh(), item.name), LOOKED_AT):
            main = isinstance(told, About) and told.role == "main" and bool(told.project)
            if main and os.path.realpath(os.path.expanduser(told.project)) == folder:
                found.add(told.session)
    except OSError:
        return set()
    return found
