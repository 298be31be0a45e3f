"""Is a workflow sound as a text: everything named is there, everything used comes before?"""

from __future__ import annotations

from tracelode.compile.refuse import reach
from tracelode.model import binding as b
from tracelode.model.workflow import COMPARISONS, Step, Workflow


def problems(workflow: Workflow) -> tuple[str, ...]:
    """What is wrong with a workflow's structure.

    Args:
        workflow: compiled, or read from a file.

    Returns:
        Closed sentences with slots and argument paths, sorted; () for a sound one.

    Source:
        compiler specification, S10.
    """
    slots = [s.slot for s in workflow.steps]
    found = {f"step {slot} is there twice" for slot in slots if slots.count(slot) > 1}
    before = reach(workflow.steps)
    known = {i.name for i in workflow.inputs}
    for step in workflow.steps:
        found.update(
            f"step {step.slot} comes after {a}, which is not there" for a in step.after if a not in slots
        )
        if step.slot in before[step.slot]:
            found.add(f"step {step.slot} must come before itself")
        for place, binding in _bindings(step):
            found.update(_unsound(step, place, binding, before[step.slot], known))
        if step.retries and step.effect.writes and not step.effect.idempotent:
            found.add(f"step {step.slot} changes something and would be tried again")
        if step.when is not None:
            found.update(
                f"step {step.slot} hangs on an unknown comparison"
                for test in step.when.tests
                if test.op not in COMPARISONS
            )
    ends = {e.before for e in workflow.edges} | {e.after for e in workflow.edges}
    found.update(f"an edge names step {slot}, which is not there" for slot in ends if slot not in slots)
    return tuple(sorted(found))


def _bindings(step: Step) -> list[tuple[str, b.Binding]]:
    found = [(f"argument {a.path}", a.binding) for a in step.arguments]
    guards = [step.when, *(a.when for a in step.arguments)]
    for guard in guards:
        for test in guard.tests if guard else ():
            found.append(("guard", test.left))
            if test.right is not None:
                found.append(("guard", test.right))
    if step.each is not None:
        found.append(("list", step.each.over))
    return found


def _unsound(step: Step, place: str, binding: b.Binding, before: frozenset[str], known: set[str]) -> set[str]:
    found = set()
    for producer in b.producers(binding):
        if producer not in before:
            found.add(f"{place} of {step.slot} reads {producer}, which need not have run")
    for name in b.inputs(binding):
        if name not in known:
            found.add(f"{place} of {step.slot} reads the input {name}, which is not there")
    if isinstance(binding, b.Unsourced):
        found.add(f"{place} of {step.slot} has no source")
    return found
