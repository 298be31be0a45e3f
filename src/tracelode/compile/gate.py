"""Which runs is a workflow compiled from? The successful ones; failed ones stay as negative evidence."""

from __future__ import annotations

from dataclasses import replace

from tracelode.compile.copies import unforked, unrepeated
from tracelode.compile.work import Work

FEWEST = 3
"""Successful runs that are enough to compile without those that nobody vouched for."""


def gate(work: Work) -> Work:
    """Tell the runs that a workflow is compiled from, and those that failed, apart.

    Where FEWEST runs are known to have succeeded, those of unknown outcome are left aside: they could only
    lower the trust. Where fewer are, all that are not known to have failed are compiled, and the workflow's
    trust says that nobody vouched for some of them.

    What several sessions tell of one happening, forks and copies, counts once.

    Args:
        work: all runs of an intent; those that failed among them, or already apart.

    Returns:
        The same with runs and failed runs, each by key, and the numbers of runs that were left aside.

    Source:
        compile: S2 outcome gate.
    """
    every = sorted({run.key: run for run in (*work.runs, *work.failed)}.values(), key=lambda run: run.key)
    once, forks = unforked(every)
    once, copies = unrepeated(once)
    failed = tuple(run for run in once if run.outcome == "failure")
    good = tuple(run for run in once if run.outcome == "success")
    kept = good if len(good) >= FEWEST else tuple(run for run in once if run.outcome != "failure")
    return replace(
        work,
        runs=kept,
        failed=failed,
        aside=len(once) - len(kept) - len(failed),
        forks=work.forks + forks,
        copies=work.copies + copies,
    )
