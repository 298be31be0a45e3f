"""May a workflow be called proven? Only where leaving its runs out bears it out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from tracelode.compile.assemble import sealed
from tracelode.model.verification import Fold
from tracelode.model.workflow import Verdict, Workflow

HALF = 2
"""One of so many runs, at least, must come out whole without having been learned from."""


def trusted(verdict: Verdict, folds: Sequence[Fold], runs: Iterable[str]) -> Verdict:
    """A verdict that is called proven only where its folds say so.

    Args:
        verdict: of assemble.
        folds: one a run.
        runs: session keys that it was learned from.

    Returns:
        The same; provisional where fewer than half of the runs that were left out came out whole, or a write
        came out wrong.

    Source:
        docs/decisions/0029-when-proven.md.
    """
    if not isinstance(verdict, Workflow) or verdict.trust != "proven":
        return verdict
    slots = {step.slot for step in verdict.steps} if verdict.partial else None
    good = sum(_borne_out(fold, slots) for fold in folds)
    wrong = sum(
        c.write and c.end == "wrong" for f in folds for c in f.calls if slots is None or c.slot in slots
    )
    if folds and not wrong and good * HALF >= len(folds):
        return verdict
    return sealed(msgspec.structs.replace(verdict, trust="provisional"), runs)


def _borne_out(fold: Fold, slots: set[str] | None) -> bool:
    """Did all calls of the workflow's steps come out as in the run, with nobody asked?"""
    ends = [c.end for c in fold.calls if slots is None or c.slot in slots]
    return bool(ends) and all(end in ("exact", "equivalent") for end in ends)
