"""Which runs is a workflow compiled from? The successful ones; failed ones stay as negative evidence."""

from __future__ import annotations

from dataclasses import replace

from tracelode.compile.work import Work

FEWEST = 3
"""Successful runs that are enough to compile without those that nobody vouched for."""


def gate(work: Work) -> Work:
    """Tell the runs that a workflow is compiled from, and those that failed, apart.

    Where FEWEST runs are known to have succeeded, those of unknown outcome are left aside: they could only
    lower the trust. Where fewer are, all that are not known to have failed are compiled, and the workflow's
    trust says that nobody vouched for some of them.

    Args:
        work: all runs of an intent; those that failed among them, or already apart.

    Returns:
        The same with runs and failed runs, each by key, and the number of runs that were left aside.

    Source:
        compile: S2 outcome gate.
    """
    every = sorted({run.key: run for run in (*work.runs, *work.failed)}.values(), key=lambda run: run.key)
    failed = tuple(run for run in every if run.outcome == "failure")
    good = tuple(run for run in every if run.outcome == "success")
    kept = good if len(good) >= FEWEST else tuple(run for run in every if run.outcome != "failure")
    return replace(work, runs=kept, failed=failed, aside=len(every) - len(kept) - len(failed))
