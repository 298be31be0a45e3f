"""Does a workflow hold together? Names, order, what its bindings read, and what must never be repeated."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping

from tracelode.compile.execute.plan import ordered
from tracelode.compile.paths import parsed
from tracelode.compile.reach import reach
from tracelode.errors import UsageError, WorkflowError
from tracelode.model import binding as b
from tracelode.model.workflow import COMPARISONS, Guard, Step, Test, Workflow

Before = Mapping[str, frozenset[str]]
"""Slot to the steps that have ended before it."""
_MENTION = re.compile(r"[a-z_]+:[0-9]{1,3}")


def sound(workflow: Workflow) -> None:
    """Refuse a workflow that does not hold together.

    Args:
        workflow: any.

    Raises:
        WorkflowError: what is wrong with it, and where.
    """
    wrong = problems(workflow)
    if wrong:
        place, what = wrong[0]
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise WorkflowError(f"{what}{more}", path=workflow.id, place=place)


def problems(workflow: Workflow) -> list[tuple[str, str]]:
    """What does not hold together in a workflow.

    Args:
        workflow: any.

    Returns:
        (place, closed words) of each; [] for a sound one.
    """
    found: list[tuple[str, str]] = []
    slots = [step.slot for step in workflow.steps]
    for n, slot in enumerate(slots):
        if slot in slots[:n]:
            found.append((f"steps[{n}].slot", "two steps have this name"))
    try:
        ordered(workflow)
    except WorkflowError as error:
        return [*found, ("steps", str(error).partition(": ")[2])]
    before = reach(workflow.steps)
    found += [
        (f"edges[{n}]", "it names a step that is not there")
        for n, edge in enumerate(workflow.edges)
        if edge.before not in slots or edge.after not in slots
    ]
    names = {one.name for one in workflow.inputs}
    for n, one in enumerate(workflow.inputs):
        found += [
            (f"inputs[{n}].patterns[{k}]", "it is no expression with one group")
            for k, pattern in enumerate(one.patterns)
            if _pattern(pattern)
        ]
        if one.mention and not _MENTION.fullmatch(one.mention):
            found.append((f"inputs[{n}].mention", "it is no kind and number, such as date:0"))
    for n, step in enumerate(workflow.steps):
        found += [(f"steps[{n}]{at}", what) for at, what in _step(step, before, names)]
    return found


def _step(step: Step, before: Before, names: set[str]) -> Iterator[tuple[str, str]]:
    if step.retries and step.effect.writes and not step.effect.idempotent:
        yield ".retries", "a write is not tried again unless it is declared idempotent"
    if step.wait is not None and step.effect.writes:
        yield ".wait", "a write is not repeated until something ends"
    if step.retries < 0 or (step.wait is not None and (step.wait.most < 1 or step.wait.every_ms < 0)):
        yield "", "counts and pauses must not be negative"
    if step.each is not None:
        if b.residual(step.each.over):
            yield ".each.over", "what a step goes over cannot be asked for"
        yield from ((".each.over" + at, what) for at, what in _binding(step.each.over, step, before, names))
    yield from ((".when" + at, what) for at, what in _guard(step.when, step, before, names))
    for k, argument in enumerate(step.arguments):
        place = f".arguments[{k}]"
        if _path(argument.path):
            yield place + ".path", "it is no path"
        yield from (
            (place + ".binding" + at, what) for at, what in _binding(argument.binding, step, before, names)
        )
        yield from ((place + ".when" + at, what) for at, what in _guard(argument.when, step, before, names))
    for k, one in enumerate(step.fresh):
        place = f".fresh[{k}]"
        yield from ((place + ".value" + at, what) for at, what in _binding(one.value, step, before, names))
        if one.step not in before[step.slot]:
            yield place + ".step", "it names no step that has run before it"
        if not isinstance(one.value, b.Copy | b.Selected | b.Each):
            yield place + ".value", "what tells an expiry lies in an output"
    for k, check in enumerate(step.checks):
        if _path(check.path):
            yield f".checks[{k}].path", "it is no path"


def _guard(guard: Guard | None, step: Step, before: Before, names: set[str]) -> Iterator[tuple[str, str]]:
    for k, test in enumerate(guard.tests if guard else ()):
        yield from ((f".tests[{k}]{at}", what) for at, what in _test(test, step, before, names))


def _test(test: Test, step: Step, before: Before, names: set[str]) -> Iterator[tuple[str, str]]:
    if test.op not in COMPARISONS:
        yield ".op", "no such comparison"
    if test.right is None and test.op not in ("empty", "present"):
        yield ".right", "the comparison needs a right side"
    for side in (test.left, test.right):
        if side is not None:
            yield from _binding(side, step, before, names)


def _binding(binding: b.Binding, step: Step, before: Before, names: set[str]) -> Iterator[tuple[str, str]]:
    for producer in b.producers(binding):
        if producer not in before:
            yield "", "it reads a step that is not there"
        elif producer not in before[step.slot]:
            yield "", "it reads a step that need not have run before it"
    if any(name not in names for name in b.inputs(binding)):
        yield "", "it reads an input that is not declared"
    for inner in _all(binding):
        if isinstance(inner, b.Unsourced):
            yield "", "the argument has no known source, and can never be bound"
        if isinstance(inner, b.Copy | b.Span) and _path(inner.path):
            yield "", "it is no path"
        if isinstance(inner, b.Span) and _pattern(inner.pattern):
            yield "", "it is no expression with one group"


def _all(binding: b.Binding) -> Iterator[b.Binding]:
    yield binding
    for inner in b.children(binding):
        yield from _all(inner)


def _path(path: str) -> bool:
    with contextlib.suppress(UsageError):
        parsed(path)
        return False
    return True


def _pattern(pattern: str) -> bool:
    import re2

    options = re2.Options()
    options.log_errors = False  # what is wrong is said by us
    with contextlib.suppress(re2.error):
        return bool(re2.compile(pattern, options=options).groups != 1)
    return True
