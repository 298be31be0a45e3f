"""Which part of its plan does an operation belong to, and what did people do next? Fields for stacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelode.model.operation import Operation
from tracelode.signals.human import first_line
from tracelode.signals.plan.board import Node
from tracelode.signals.plan.stretches import Stretch, stretches
from tracelode.signals.plan.told import told_event

WORDS = 60
"""Characters of a goal or node in a field."""
_EDITS = frozenset({"edit", "create", "fix"})


def place(own: Sequence[Operation]) -> None:
    """Add fields that say where in its plan each operation lies, in place.

    Args:
        own: the n operations of one session in order; those of other sessions that it repeats stay as they
            are.

    Source:
        plan rules, section 12.
    """
    goal = next((line for o in own if o.kind == "prompt" and (line := first_line(o.arguments))), "")[:WORDS]
    held: list[Stretch] = []
    if any(o.kind == "plan" for o in own):
        held = stretches(own)
        for start, stop, fields in (*_listed(held), *_told(own)):
            for operation in own[start:stop]:
                _put(operation, fields)
    until = ""
    for operation in reversed(own):
        if goal:
            _put(operation, {"plan.goal": goal})
        moment = operation.fields.get("human", "")
        if moment and operation.kind != "prompt":
            # an answer or a refusal is about the call itself
            until = moment
        _put(operation, {"plan.until": until} if until else {})
        until = moment or until
    if any(o.fields.get("verb") in _EDITS for o in own):
        _reworked(own, held)


def _put(operation: Operation, fields: dict[str, str]) -> None:
    if not operation.inherited:
        operation.fields.update(fields)


def _listed(held: Sequence[Stretch]) -> Iterator[tuple[int, int, dict[str, str]]]:
    """Stretches in which an item of a list was in progress; of several the one started last."""
    for one in held:
        node = one.nodes[-1]
        yield one.start, one.stop, {
            "plan.node": (node.text or node.verb or node.id)[:WORDS],
            "plan.epoch": str(node.epoch),
            "plan.status": "removed" if node.removed else node.state,
            "plan.attempt": str(_attempt(node, one.stop)),
        }  # fmt: skip


def _attempt(node: Node, stop: int) -> int:
    """Number of the attempt that a stretch is of, from 1."""
    return max(1, sum(1 for one in node.tries if one.start < stop))


def _told(own: Sequence[Operation]) -> Iterator[tuple[int, int, dict[str, str]]]:
    """Operations that were recorded as events say themselves which node they are of."""
    texts: dict[str, str] = {}
    states: dict[str, str] = {}
    tries: dict[str, int] = {}
    known = [(i, event) for i, o in enumerate(own) if (event := told_event(o)) is not None]
    for _, event in known:
        text = event.payload.get("description")
        if event.event_type == "plan" and isinstance(text, str) and text:
            texts[event.node_id] = text
        if event.event_type == "execute":
            states[event.node_id] = event.status
    for i, event in known:
        if event.event_type != "execute":
            continue
        node, given = event.node_id, event.payload.get("attempt")
        if isinstance(given, int):
            tries[node] = given
        elif event.status == "running" and "tool" not in event.payload:
            tries[node] = tries.get(node, 0) + 1
        epoch = event.payload.get("plan_epoch")
        yield i, i + 1, {
            "plan.node": " ".join(texts.get(node, node).split())[:WORDS],
            "plan.epoch": str(epoch if isinstance(epoch, int) else 1),
            "plan.status": states[node],
            "plan.attempt": str(max(1, tries.get(node, 1))),
        }  # fmt: skip


def _reworked(own: Sequence[Operation], held: Sequence[Stretch]) -> None:
    """Mark calls that take out lines which the session itself wrote, as far as previews tell them."""
    from tracelode.model.plan import Plan
    from tracelode.plan.metrics.rework import rework
    from tracelode.plan.work import Span, work_of_operations

    spans = []
    for one in held:
        node = one.nodes[-1]
        # attempts hold what lies between their two places
        start, stop = own[one.start].index - 1, own[one.stop - 1].index + 1
        done = node.state == "succeeded"
        spans.append(Span(node=node.id, start=start, stop=stop, implied=False, succeeded=done))
    work = work_of_operations(own, Plan(session=own[0].session, nodes=(), events=(), epochs=0), spans=spans)
    if not any(call.edits for call in work.calls):
        return
    found = rework(work)
    finished = set(found.finished_calls)
    again = set(found.calls)
    for operation in own:
        if operation.id in again:
            _put(operation, {"plan.rework": "finished" if operation.id in finished else "own"})
