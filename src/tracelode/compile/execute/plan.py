"""Which step is next, and which may run beside it?"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import TypeAlias

from tracelode.compile import transforms
from tracelode.compile.paths import get
from tracelode.errors import WorkflowError
from tracelode.model.run import Tree
from tracelode.model.workflow import Step, Workflow

Bound: TypeAlias = Callable[[Step], Tree]
"""Arguments of a step as far as they can be known now; None where they cannot."""


def ordered(workflow: Workflow) -> tuple[Step, ...]:
    """The steps in an order that keeps every hard edge; ties in the order that was seen.

    Args:
        workflow: with unique slots.

    Returns:
        All steps.

    Raises:
        WorkflowError: a step waits for one that is not there, or steps wait for each other.
    """
    steps = {step.slot: step for step in workflow.steps}
    waits = {slot: {*step.after} for slot, step in steps.items()}
    follows: dict[str, list[str]] = {slot: [] for slot in steps}
    for slot, before in waits.items():
        for other in sorted(before):
            if other not in steps:
                raise WorkflowError(f"step {slot} waits for {other}, which is not a step", path=workflow.id)
            follows[other].append(slot)
    ready = [(steps[slot].order, slot) for slot, before in waits.items() if not before]
    heapq.heapify(ready)
    found: list[Step] = []
    while ready:
        _, slot = heapq.heappop(ready)
        found.append(steps[slot])
        for later in follows[slot]:
            waits[later].discard(slot)
            if not waits[later]:
                heapq.heappush(ready, (steps[later].order, later))
    if len(found) != len(steps):
        stuck = ", ".join(sorted({*steps} - {step.slot for step in found}))
        raise WorkflowError(f"these steps wait for each other: {stuck}", path=workflow.id)
    return tuple(found)


class Front:
    """The steps of a run that are not done, in order.

    Args:
        steps: in the order of ordered().
        ended: slots that are done or skipped already.
    """

    def __init__(self, steps: Iterable[Step], ended: Iterable[str] = ()) -> None:
        gone = {*ended}
        self.open: dict[str, Step] = {step.slot: step for step in steps if step.slot not in gone}
        self.running: set[str] = set()
        self._waits = {slot: {a for a in step.after if a in self.open} for slot, step in self.open.items()}
        self._follows: dict[str, list[str]] = {slot: [] for slot in self.open}
        for slot, before in self._waits.items():
            for other in before:
                self._follows[other].append(slot)
        self._writes = [slot for slot, step in self.open.items() if step.effect.writes]
        self._place = {slot: n for n, slot in enumerate(self.open)}
        self._ready = [n for slot, n in self._place.items() if not self._waits[slot]]
        self._names = list(self.open)

    def end(self, slot: str) -> None:
        """A step is done or skipped.

        Args:
            slot: which.
        """
        step = self.open.pop(slot)
        self.running.discard(slot)
        if step.effect.writes:
            self._writes.remove(slot)
        for later in self._follows[slot]:
            self._waits[later].discard(slot)
            if not self._waits[later]:
                heapq.heappush(self._ready, self._place[later])

    def next(self, room: int, bound: Bound) -> list[Step]:
        """Steps that may start now; they count as running.

        A step starts only if effects prove it independent of every earlier step that is not done: the order
        that was seen is kept wherever nothing says that it does not matter.

        Args:
            room: how many at most.
            bound: tells arguments, to compare what two steps touch.

        Returns:
            The steps, in order.
        """
        found: list[Step] = []
        later: list[int] = []
        while self._ready and len(found) < room:
            place = heapq.heappop(self._ready)
            step = self.open[self._names[place]]
            if self._free(step, place, bound):
                found.append(step)
                self.running.add(step.slot)
            else:
                later.append(place)
                if step.effect.writes:
                    break  # whatever is behind it has this write before it, and the look costs
        for place in later:
            heapq.heappush(self._ready, place)
        return found

    def _free(self, step: Step, place: int, bound: Bound) -> bool:
        others = self.open if step.effect.writes else self._writes
        for slot in others:
            if self._place[slot] >= place:
                break
            if not independent(self.open[slot], step, bound):
                return False
        return True


def independent(a: Step, b: Step, bound: Bound) -> bool:
    """Do effects prove that two steps do not meet?

    Args:
        a: one.
        b: other.
        bound: tells arguments.

    Returns:
        True where both read, or both name what they touch and it differs; False where that is not known.
    """
    if not (a.effect.writes or b.effect.writes):
        return True
    if any(s.effect.effect == "unknown" or s.effect.basis in ("default", "") for s in (a, b)):
        return False
    if not (a.effect.family and b.effect.family):
        return False
    if a.effect.family != b.effect.family:
        return True
    mine, theirs = _touched(a, bound), _touched(b, bound)
    if not mine or not theirs:
        return False
    # "/a" and "/a/b" may be folder and file: one that begins like the other is no other
    return not any(x.startswith(y) or y.startswith(x) for x in mine for y in theirs)


def _touched(step: Step, bound: Bound) -> list[str]:
    """What a step touches; nothing where a part of it is not known."""
    if not step.effect.resource or step.each is not None:
        return []
    tree = bound(step)
    found = []
    for path in step.effect.resource:
        try:
            value = get(tree, path)
        except LookupError:
            return []
        if isinstance(value, dict | list) or value in (None, ""):
            return []
        found.append(transforms.text(value).casefold())
    return found
