"""Does a compiled intent hold? The pass that leaves runs out, changes values and looks for loose ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tracelode.compile.work import Work


def verify(work: Work) -> Work:
    """Try the verdict of an intent on its own runs.

    Args:
        work: after assemble.

    Returns:
        The same with its verification; writes that came out wrong in a fold are refused (R5), and what the
        folds do not bear out is not proven.

    Source:
        compiler specification, S10 and section 7; docs/decisions/0029-when-proven.md.
    """
    from tracelode.compile.assemble import decided, steps_of
    from tracelode.compile.evidence import edges_of
    from tracelode.compile.execute.sound import problems
    from tracelode.compile.refuse import EXACT
    from tracelode.compile.verify.curve import curve
    from tracelode.compile.verify.folds import left_out
    from tracelode.compile.verify.mutate import mutated
    from tracelode.compile.verify.saved import saved
    from tracelode.compile.verify.trusted import trusted
    from tracelode.model.verification import Verification
    from tracelode.model.workflow import Refusal, Workflow

    if work.ruled is None or len(work.runs) < 2:
        return replace(work, verification=Verification())
    scenes, rows = work.ruled
    folds = left_out(work, rows, scenes, edges_of)
    found: list[Any] = list(work.refusals)
    writes = not work.effects or any(effect.writes for effect in work.effects.values())
    steps = steps_of(work) if writes or work.verdict is None else ()
    for step in steps:
        if not step.effect.writes or any(r.slot == step.slot for r in found):
            continue
        ends = [
            c.end
            for f in folds
            for c in f.calls
            if c.slot == step.slot and c.end not in ("unbound", "escalated")
        ]
        right = sum(e in ("exact", "equivalent") for e in ends)
        if "wrong" in ends or (ends and right < EXACT * len(ends)):
            wrong = ends.count("wrong")
            found.append(
                Refusal(
                    code="R5",
                    message=f"left out once each, {len(ends) - right} of {len(ends)} calls of {step.tool} "
                    f"did not come out the same, {wrong} of them wrong",
                    lifts="more runs, so that the rule of each argument shows",
                    slot=step.slot,
                )
            )
    verdict = work.verdict
    if verdict is None or len(found) > len(work.refusals):
        verdict = decided(work, steps, tuple(found))
    verdict = trusted(verdict, folds, [run.key for run in work.runs])
    kept = isinstance(verdict, Workflow)
    changes, leaks = mutated(verdict, scenes) if isinstance(verdict, Workflow) else (0, ())
    verification = Verification(
        folds=folds,
        curve=() if work.options.curve is False else curve(work, rows, scenes, edges_of),
        problems=tuple(f"{at}: {what}" for at, what in problems(verdict))
        if isinstance(verdict, Workflow)
        else (),
        mutations=changes,
        leaks=leaks,
        saved=saved(work, verdict, folds) if kept else {},
    )
    return replace(work, refusals=tuple(found), verdict=verdict, verification=verification)
