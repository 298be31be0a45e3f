"""Which cuts does an agent's own plan tell? Stretches of a session where one item follows another."""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.model.operation import Operation
from tracelode.profile.name.stage import is_evidence
from tracelode.profile.train.labelled import Labelled
from tracelode.signals.plan.stretches import Stretch, stretches


def silver(key: str, task: str, operations: Sequence[Operation]) -> list[Labelled]:
    """Labelled parts of a session that keeps a plan.

    A part is a run of stretches between which no tool is called outside the plan: what is done outside any
    item is not labelled, and nothing is said of it. The calls that keep the plan are taken out, and with them
    the model call that issued nothing else and what it said: where the segmenter works there is no plan, and
    a trained one must not learn to look for it.

    Args:
        key: session key.
        task: what the session is kept together with.
        operations: its n operations in order.

    Returns:
        Parts with a cut, each labelled by the item in progress. O(n).

    Source:
        segmentation rules, section 6: leaks of the plan.
    """
    found = []
    part: list[Stretch] = []
    told = _plan_only(operations)
    for stretch in [*stretches(operations), None]:
        if stretch is not None and not _works(operations, stretch.start, stretch.stop):
            continue
        if part and (stretch is None or _works(operations, part[-1].stop, stretch.start)):
            made = _labelled(f"{key}#{part[0].start}", task, operations, part, told)
            if made.cuts:
                found.append(made)
            part = []
        if stretch is not None:
            part.append(stretch)
    return found


def _works(operations: Sequence[Operation], start: int, stop: int) -> bool:
    """Is there a tool call that keeps no plan?"""
    return any(is_evidence(op) and op.kind != "plan" for op in operations[start:stop])


def _plan_only(operations: Sequence[Operation]) -> frozenset[str]:
    """Ids of model calls that issued calls of plan tools and nothing else."""
    plans = {op.fields["call"] for op in operations if op.kind == "plan" and "call" in op.fields}
    others = {op.fields["call"] for op in operations if op.kind != "plan" and "call" in op.fields}
    return frozenset(plans - others)


def _labelled(
    key: str,
    task: str,
    operations: Sequence[Operation],
    part: Sequence[Stretch],
    told: frozenset[str],
) -> Labelled:
    """A part without its plan, its tool calls labelled by their stretch."""
    held: list[Operation] = []
    places: list[int] = []
    truth: list[int] = []
    number = 0
    for place in range(part[0].start, part[-1].stop):
        while number + 1 < len(part) and place >= part[number + 1].start:
            number += 1
        operation = operations[place]
        if operation.kind == "plan" or (operation.kind == "model" and operation.id in told):
            continue
        if is_evidence(operation):
            places.append(len(held))
            truth.append(number)
        held.append(operation)
    return Labelled(key, task, held, places, truth)
