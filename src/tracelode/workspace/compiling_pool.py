"""How are several intents compiled side by side? Each in one process, which reads its contents itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from tracelode.compile.work import Declared, Options
from tracelode.model.compiled import Compiled
from tracelode.model.evidence import Edge, Evidence
from tracelode.model.intent import Intent
from tracelode.model.operation import Operation
from tracelode.model.run import Run
from tracelode.model.session import Session
from tracelode.model.workflow import Refused, Workflow

BATCH = 6
"""Most intents whose operations a process reads in one go."""
LAST = 4
"""Intents a process that are done one by one in the end."""
FEWEST = 2
"""Intents from which processes are worth their start."""


@dataclass(frozen=True)
class Job:
    """One intent that is to be compiled."""

    intent: Intent
    """Which."""
    others: tuple[Run, ...]
    """Runs of elsewhere that show what tools change."""
    options: Options
    """Settings."""
    declared: Declared
    """Priors."""
    emit: tuple[str, ...] = ()
    """Names of artefacts."""
    documents: Mapping[str, Any] = field(default_factory=dict)
    """Path to the OpenAPI document that was declared."""


def together(
    workspace: Any,
    jobs: Sequence[Job],
    workers: int = 0,
    told: Callable[[int, int], None] | None = None,
) -> list[Compiled]:
    """Compile intents.

    Args:
        workspace: holds their runs.
        jobs: n intents.
        workers: processes; 0 for the cores there are.
        told: called with (done, n) before the first and after each.

    Returns:
        n verdicts in the order of the jobs, the same whatever the number of processes.
    """
    from tracelode.ingest.process import collecting_rarely, cores

    if told is not None:
        told(0, len(jobs))
    count = min(workers or cores(), len(jobs))
    if count < 2 or len(jobs) < FEWEST:
        found = []
        with collecting_rarely():
            for place, job in enumerate(jobs, 1):
                found.append(alone(workspace, job))
                if told is not None:
                    told(place, len(jobs))
        return found
    return _pooled(workspace, jobs, count, told)


def alone(
    workspace: Any,
    job: Job,
    known: Mapping[str, list[Operation]] | None = None,
    every: Sequence[Session] | None = None,
) -> Compiled:
    """Compile one intent in this process.

    Args:
        workspace: holds its runs.
        job: which.
        known: operations of its sessions, where they are read already.
        every: all sessions of the store, where they are read already.
    """
    from tracelode.workspace.compiling_one import compiled
    from tracelode.workspace.compiling_runs import whole

    chosen = workspace._matching(None, job.intent.runs, every)
    specs = tuple(job.declared.tools.values())
    runs, reading = whole(workspace._ask(), workspace._contents(), chosen, specs, known)
    return compiled(job.intent, runs, job.others, job.options, job.declared, reading, job.emit, job.documents)


_workspace: Any = None


def _start(kind: Any, store: str, tz: str, parent: int) -> None:
    """Make this process's workspace (a pool's initializer)."""
    import gc
    import signal
    import threading

    from tracelode.ingest.process import RARELY, _outlive

    global _workspace
    threading.Thread(target=_outlive, args=(parent,), daemon=True).start()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(*RARELY)
    # an interrupt of the terminal reaches every process; the parent alone answers it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _workspace = kind(Path(store), tz=tz)


_Sent = tuple[Compiled, bool, bytes, bytes, bytes]


def _work(jobs: Sequence[Job]) -> list[_Sent]:
    """Compile some intents; their operations are read in one go."""
    from tracelode.store.series import series

    every = _workspace._matching(None)
    chosen = _workspace._matching(None, [key for job in jobs for key in job.intent.runs], every)
    known = series(_workspace._ask(), [s.key for s in chosen])
    return [_packed(job, known, every) for job in jobs]


def _packed(job: Job, known: Mapping[str, list[Operation]], every: Sequence[Session]) -> _Sent:
    """Compile, and pack what leaves defaults out: an unpickled text is not the default that it equals."""
    done = alone(_workspace, job, known, every)
    parts = (done.verdict, done.edges, done.evidence)
    bare = msgspec.structs.replace(done, verdict=_NONE, edges=(), evidence=())
    return (bare, done.workflow is not None, *(msgspec.msgpack.encode(part) for part in parts))  # type: ignore[return-value]


_NONE = Refused(intent="", refusals=())


def _unpacked(sent: _Sent) -> Compiled:
    bare, whole, verdict, edges, evidence = sent
    return msgspec.structs.replace(
        bare,
        verdict=msgspec.msgpack.decode(verdict, type=Workflow if whole else Refused),
        edges=msgspec.msgpack.decode(edges, type=tuple[Edge, ...]),
        evidence=msgspec.msgpack.decode(evidence, type=tuple[Evidence, ...]),
    )


def _pooled(
    workspace: Any, jobs: Sequence[Job], count: int, told: Callable[[int, int], None] | None
) -> list[Compiled]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    import tracelode.compile.passes  # once, before the processes part
    import tracelode.ingest.wholes
    import tracelode.store.series
    import tracelode.workspace.compiling_one  # noqa: F401
    from tracelode.ingest.process import unseen_by_children

    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    parts = _parts(jobs, count)
    with ProcessPoolExecutor(
        count,
        mp_context=multiprocessing.get_context(method),
        initializer=_start,
        initargs=(type(workspace), str(workspace._catalog.folder), workspace.tz, os.getpid()),
    ) as pool:
        try:
            with unseen_by_children():
                futures = {pool.submit(_work, [jobs[n] for n in part]): part for part in parts}
            done: dict[int, Compiled] = {}
            for future in as_completed(futures):
                for n, sent in zip(futures[future], future.result(), strict=True):
                    done[n] = _unpacked(sent)
                    if told is not None:
                        told(len(done), len(jobs))
        except BaseException:
            # what nobody waits for any more is not begun
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [done[n] for n in range(len(jobs))]


def _parts(jobs: Sequence[Job], count: int) -> list[list[int]]:
    """Places of jobs that are done one after another by one process, in the order in which they are begun.

    Args:
        jobs: n intents.
        count: processes.
    """
    order = sorted(range(len(jobs)), key=lambda n: (-_size(jobs[n]), n))
    # the smallest by themselves at the end, so that no process works on while the others have ended
    body, tail = order[: -count * LAST], order[-count * LAST :]
    # one of every size in each batch, and as many batches for one process as for the others
    batches = -(-len(body) // (BATCH * count)) * count
    return [*(part for n in range(batches) if (part := body[n::batches])), *([n] for n in tail)]


def _size(job: Job) -> int:
    return len(job.intent.runs) * sum(count for _, count in job.intent.tools)
