"""Which inputs does a careful reader of a request give a workflow?

A careful reader gives an input the value that the true run passes where the input goes, if what was said
tells that value; else the input is missing.
"""

from __future__ import annotations

from dataclasses import replace

from tracelode.compile.align import align
from tracelode.compile.evidence.trace import trace
from tracelode.compile.mentions import mentions
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.run import Run, Tree
from tracelode.model.workflow import Workflow


def told(work: Work, workflow: Workflow, run: Run) -> dict[str, Tree]:
    """What a careful reader gives.

    Args:
        work: the workflow was compiled from it.
        workflow: which.
        run: the true run, with its request.
    """
    passed = _passed(work, run)
    found: dict[str, Tree] = {}
    for step in workflow.steps:
        for argument in step.arguments:
            for name in _plain(argument.binding):
                if (step.slot, argument.path) in passed:
                    found.setdefault(name, passed[step.slot, argument.path])
    for one in workflow.inputs:
        kind, _, number = one.mention.partition(":")
        there = [m.value for m in mentions(run.request) if m.kind == kind] if number else []
        if one.name not in found and number and int(number) < len(there):
            found[one.name] = there[int(number)]
    return {name: value for name, value in found.items() if name in {one.name for one in workflow.inputs}}


def _passed(work: Work, run: Run) -> dict[tuple[str, str], Tree]:
    """(slot, argument path) to what the true run passes there, where what was said tells it."""
    alone = replace(work, runs=(run,), failed=(), labels=(), alignment=None)
    beside = align(replace(work, failed=(run,))).alignment
    assert beside is not None
    slots = beside.failed[0]
    return {
        (slots[t.call], t.path): t.value for t in trace(alone)[0] if slots[t.call] and t.prompt is not None
    }


def _plain(binding: b.Binding) -> tuple[str, ...]:
    """Inputs that an argument passes as they are."""
    if isinstance(binding, b.FromInput):
        return () if binding.transforms else (binding.name,)
    return tuple(n for inner in binding.of for n in _plain(inner)) if isinstance(binding, b.Alias) else ()
