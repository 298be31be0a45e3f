"""Do the edges alone keep every value where it is? Steps in other orders, on recorded outputs."""

from __future__ import annotations

from hashlib import blake2b

from tracelode.compile.bind.observe import Scenes, mentioned, pseudo
from tracelode.compile.evaluate import Asked, Missing, Scene, arguments, passes, value
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Step, Workflow

ORDERS = 20
"""Other orders of each run that are tried."""


def reordered(workflow: Workflow, scenes: Scenes) -> tuple[int, int]:
    """Take the steps of every run in other orders that the edges allow, and bind their arguments anew.

    Args:
        workflow: compiled.
        scenes: recorded outputs.

    Returns:
        (different orders that were tried, those of them in which an argument or a guard was not the same).

    Source:
        compiler specification, S10.
    """
    steps = {step.slot: step for step in workflow.steps}
    tried = broken = 0
    for run, scene in enumerate(scenes.by_run):
        here = [slot for slot in steps if slot in scene.outputs]
        bound = _Bound(scene, _inputs(workflow, scene))
        orders = {_order(steps, here, f"{run} {number}") for number in range(ORDERS)} - {tuple(here)}
        for order in sorted(orders):
            tried += 1
            done: set[str] = set()
            for slot in order:
                if not bound.same(steps[slot], done):
                    broken += 1
                    break
                done.add(slot)
    return tried, broken


class _Bound:
    """What a step is called with where only some steps have run."""

    def __init__(self, scene: Scene, inputs: dict[str, Tree]) -> None:
        self.scene, self.inputs = scene, inputs
        self._known: dict[tuple[str, frozenset[str]], str] = {}

    def same(self, step: Step, done: set[str]) -> bool:
        reads = frozenset(_reads(step) & self.scene.outputs.keys())
        return reads <= done or self._told(step, reads & done) == self._told(step, reads)

    def _told(self, step: Step, outputs: frozenset[str]) -> str:
        key = (step.slot, outputs)
        if key not in self._known:
            self._known[key] = self._value(step, outputs)
        return self._known[key]

    def _value(self, step: Step, outputs: frozenset[str]) -> str:
        scene = Scene(self.inputs, {slot: self.scene.outputs[slot] for slot in sorted(outputs)})
        try:
            if not passes(step.when, scene):
                return "not taken"
            if step.each is not None:
                return repr(value(step.each.over, scene))
            return repr(arguments(step, scene))
        except Missing as error:
            return f"missing {error.what}"
        except (Asked, LookupError):
            return "asked"


def _reads(step: Step) -> frozenset[str]:
    found = {producer for a in step.arguments for producer in b.producers(a.binding)}
    if step.each is not None:
        found.update(b.producers(step.each.over))
    for guard in (step.when, *(a.when for a in step.arguments)):
        for test in guard.tests if guard else ():
            found.update(b.producers(test.left))
            found.update(b.producers(test.right) if test.right is not None else ())
    return frozenset(found)


def _order(steps: dict[str, Step], here: list[str], seed: str) -> tuple[str, ...]:
    """One order that keeps every hard edge; which one hangs on the seed alone."""
    left, found = sorted(here), list[str]()
    while left:
        ready = [slot for slot in left if not any(before in left for before in steps[slot].after)]
        if not ready:
            return tuple(here)  # a circle, which is told elsewhere
        mark = blake2b(f"{seed} {len(found)}".encode(), digest_size=8).digest()
        slot = ready[int.from_bytes(mark) % len(ready)]
        left.remove(slot)
        found.append(slot)
    return tuple(found)


def _inputs(workflow: Workflow, scene: Scene) -> dict[str, Tree]:
    """What who asked gave in a run: what the arguments that take an input as it is were called with."""
    found: dict[str, Tree] = {}
    plain = {
        a.binding.name: pseudo(step.slot, a.path)
        for step in workflow.steps
        for a in step.arguments
        if isinstance(a.binding, b.FromInput) and not a.binding.transforms
    }
    for one in workflow.inputs:
        kind, _, number = one.mention.partition(":")
        for stand_in in (plain.get(one.name, ""), mentioned(kind, int(number)) if number else ""):
            if stand_in in scene.inputs:
                found.setdefault(one.name, scene.inputs[stand_in])
    return found
