"""What did the calls cost that need no model any more?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelode.compile.work import Work
from tracelode.model.run import Call
from tracelode.model.verification import Fold
from tracelode.model.workflow import Verdict, Workflow


def bound_calls(verdict: Verdict, folds: Sequence[Fold]) -> frozenset[tuple[str, int]]:
    """The calls that a workflow made without asking anybody, in runs that it was not learned from.

    Args:
        verdict: what the intent became.
        folds: one a run.

    Returns:
        (session key, index) of the recorded calls of its steps that were bound.
    """
    if not isinstance(verdict, Workflow):
        return frozenset()
    slots = {step.slot for step in verdict.steps}
    return frozenset(
        (fold.run, call.call)
        for fold in folds
        for call in fold.calls
        if call.call >= 0 and call.slot in slots and call.end not in ("unbound", "escalated")
    )


def saved(work: Work, verdict: Verdict | None, folds: Sequence[Fold]) -> dict[str, int]:
    """Measures of all calls that a workflow makes by itself.

    Args:
        work: the intent.
        verdict: what it became.
        folds: one a run: what was not bound in them is not saved.

    Returns:
        Integers by measure name over all runs, with tool_calls, noise (those of them that are not made any
        more) and runs (calls are model calls); what was
        dropped as noise counts as saved only where the workflow is whole.
    """
    if not isinstance(verdict, Workflow) or work.alignment is None:
        return {}
    total: dict[str, int] = {"tool_calls": 0, "noise": 0, "runs": len(work.runs)}
    bound = bound_calls(verdict, folds)
    for place, call in spared(work, verdict, folds):
        total["tool_calls"] += 1
        total["noise"] += (work.runs[place].key, call.index) not in bound
        for name, amount in call.measures.items():
            total[name] = total.get(name, 0) + amount
    return total


def spared(work: Work, verdict: Verdict | None, folds: Sequence[Fold]) -> Iterator[tuple[int, Call]]:
    """The recorded calls that no model needs to ask for any more.

    Args:
        work: the intent.
        verdict: what it became; one that was refused spares none.
        folds: one a run.

    Yields:
        (place of the run, call): bound in a run that was left out, or noise that a whole workflow leaves out.
    """
    if not isinstance(verdict, Workflow) or work.alignment is None:
        return
    bound = bound_calls(verdict, folds)
    for place, run in enumerate(work.runs):
        for call in run.calls:
            slot = work.alignment.of[place][call.index]
            if (run.key, call.index) in bound or (not slot and not verdict.partial):
                yield place, call
