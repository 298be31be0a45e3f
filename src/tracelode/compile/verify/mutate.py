"""Does a changed value go where the bindings say, and nowhere else?"""

from __future__ import annotations

from tracelode.compile.bind.observe import Scenes
from tracelode.compile.evaluate import Asked, Missing, Scene, value
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Argument, Workflow

RUNS = 3
"""Runs whose values are changed."""


def mutated(workflow: Workflow, scenes: Scenes) -> tuple[int, tuple[str, ...]]:
    """Change each producer's output as a whole, and compare all arguments.

    Args:
        workflow: compiled.
        scenes: recorded outputs.

    Returns:
        (outputs that were changed, closed sentences of changes that went another way).
    """
    count = 0
    leaks: set[str] = set()
    for scene in scenes.by_run[:RUNS]:
        for producer in sorted(
            {p for s in workflow.steps for a in s.arguments for p in b.producers(a.binding)}
        ):
            if producer not in scene.outputs:
                continue
            count += 1
            other = Scene(scene.inputs, {**scene.outputs, producer: changed(scene.outputs[producer])})
            for step in workflow.steps:
                for argument in step.arguments:
                    leaks.update(_leak(step.slot, argument, producer, scene, other))
    return count, tuple(sorted(leaks))


def _leak(slot: str, argument: Argument, producer: str, scene: Scene, other: Scene) -> set[str]:
    one, two = _value(argument.binding, scene), _value(argument.binding, other)
    reads = producer in b.producers(argument.binding)
    if one is not None and one != two and not reads:
        return {f"{argument.path} of {slot} changed with {producer}, and no edge says so"}
    plain = isinstance(argument.binding, b.Copy) and not argument.binding.transforms
    if one is not None and one == two and reads and plain and one not in (True, False, ""):
        return {f"{argument.path} of {slot} did not change with {producer}"}
    return set()


def _value(binding: b.Binding, scene: Scene) -> Tree:
    try:
        return value(binding, scene)
    except (Missing, Asked):
        return None


def changed(tree: Tree) -> Tree:
    """A value of the same shape with other leaves.

    Args:
        tree: JSON value.
    """
    if isinstance(tree, dict):
        return {key: changed(inner) for key, inner in tree.items()}
    if isinstance(tree, list):
        return [changed(inner) for inner in tree]
    if isinstance(tree, bool):
        return not tree
    if isinstance(tree, (int, float)):
        return tree + 7919
    return f"changed {tree}" if isinstance(tree, str) else "changed"
