"""Which operations make one turn of an agent? Segmenters cut between turns, never inside one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tracelode.model.operation import Operation
from tracelode.profile.name.stage import is_evidence


class Turn(NamedTuple):
    """A model operation with the tool calls it issued."""

    start: int
    """Place of its first operation."""
    tools: list[Operation]
    """Its tool calls, in order."""


def turns(operations: Sequence[Operation]) -> list[Turn]:
    """The turns of a session that have a tool call, in order.

    Args:
        operations: the n operations of one session in order.

    Returns:
        The turns; operations between two starts (answers, prompts, notes) belong to none of their own.
        Calls of one turn may lie among those of the next: such turns are one. O(n).

    Source:
        segmentation rules: unit.
    """
    found: list[Turn] = []
    last = {
        op.fields["call"]: i for i, op in enumerate(operations) if "call" in op.fields and is_evidence(op)
    }
    covered = -1  # last operation of the turns so far
    for i, operation in enumerate(operations):
        call = operation.fields.get("call") if is_evidence(operation) else None
        opens = operation.id in last and operation.kind == "model"
        if call is None and not opens and not is_evidence(operation):
            continue
        end = max(i, last.get(call or operation.id, i))
        if i > covered:
            found.append(Turn(i, []))
        covered = max(covered, end)
        if is_evidence(operation):
            found[-1].tools.append(operation)
    return found
