"""What could be saved? The calls that need no model any more, as a profile of intent, tool and class."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

from tracelode import registry
from tracelode.compile.emit.given import Files, Given, work_of, workflow_of
from tracelode.compile.verify.saved import spared
from tracelode.compile.work import Work
from tracelode.errors import WorkflowError
from tracelode.model.measure import DERIVED, NULLABLE, STORED
from tracelode.model.profile import Profile, Sample
from tracelode.model.run import Call
from tracelode.model.workflow import Workflow

_DERIVED = ("tokens", "time")
"""Sums that are shown besides the stored measures that a call tells."""


def removable(given: Given) -> Profile:
    """The cost of the calls that a workflow made by itself in runs it was not learned from, and of noise.

    Args:
        given: a work; one that was refused saves nothing.

    Returns:
        Stacks of intent, tool and class (work.CallClass), with calls first and then every measure
        that a call tells; samples lead to session and operation. A measure that no call tells is left out.

    Raises:
        WorkflowError: a workflow alone: its runs are not in its file.
    """
    work = work_of(given)
    rows = list(_rows(work))
    measures = _measures([call for _, call, _ in rows])
    samples = tuple(
        Sample(stack, tuple(_value(call, m) for m in measures), _labels(call, session))
        for stack, call, session in rows
    )
    totals: dict[tuple[str, ...], tuple[int, ...]] = {}
    for sample in samples:
        held = totals.get(sample.stack, (0,) * len(measures))
        totals[sample.stack] = tuple(x + y for x, y in zip(held, sample.totals, strict=True))
    told = {(stack, name) for stack, call, _ in rows for name in call.measures}
    untold = {m: frozenset(s for s in totals if (s, m) not in told) for m in measures if m in NULLABLE}
    return Profile(
        measures=measures,
        totals=totals,
        samples=samples,
        comments=(f"removable cost of {len(work.runs):,} runs", *_told(work)),
        fields=("intent", "tool", "class"),
        untold={m: stacks for m, stacks in untold.items() if stacks},
    )


def pprof(given: Given) -> Files:
    """The removable cost for pprof.

    Args:
        given: a work.

    Returns:
        removable.pb.gz.

    Raises:
        WorkflowError: a workflow alone, or one that makes no recorded call by itself.
    """
    workflow_of(given)
    profile = removable(given)
    if not profile.samples:
        raise WorkflowError("nothing is removable: no call was bound in a run that was left out")
    stream = BytesIO()
    registry.load("exports", "pprof").write(profile, stream)
    return {"removable.pb.gz": stream.getvalue()}


def _told(work: Work) -> tuple[str, ...]:
    verdict = work.verdict
    if not isinstance(verdict, Workflow):
        return ("refused: nothing is removable",)
    return (f"workflow {verdict.id}{', partial' if verdict.partial else ''}",)


def _rows(work: Work) -> Iterator[tuple[tuple[str, str, str], Call, str]]:
    folds = work.verification.folds if work.verification is not None else ()
    for place, call in spared(work, work.verdict, folds):
        kind = work.labels[place][call.index].kind if work.labels else "essential"
        yield (work.intent.name, call.name, kind), call, work.runs[place].key


def _measures(calls: list[Call]) -> tuple[str, ...]:
    told = {name for call in calls for name in call.measures}
    found = [name for name in STORED if name in told and name != "calls"]
    sums = [name for name in _DERIVED if told.intersection(DERIVED[name])]
    return ("calls", *sums, *found)


def _value(call: Call, measure: str) -> int:
    if measure == "calls":
        return 1
    return sum(call.measures.get(part, 0) for part in DERIVED.get(measure, (measure,)))


def _labels(call: Call, session: str) -> tuple[tuple[str, str], ...]:
    found = [("session", session)]
    if call.operation:
        found.append(("operation", call.operation))
    if call.origin is not None:
        found.append(("origin", f"{call.origin.path}:{call.origin.line}"))
    return tuple(found)
