"""What is a step called with? Its bindings evaluated, what only others can say asked, and targets guarded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tracelode.compile.evaluate import Missing, Scene, passes, value
from tracelode.compile.paths import get, parsed, put
from tracelode.compile.transforms import same
from tracelode.model import binding as b
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.workflow import Argument, Step

Ask = Callable[[Argument, b.Binding, int], Awaitable[Tree]]
"""Gives the value of a residual binding: argument, binding, its number within the argument."""

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


class Needed(Exception):
    """A residual binding has no answer yet.

    Args:
        binding: which.
    """

    def __init__(self, binding: b.Binding) -> None:
        super().__init__("needs a decision")
        self.binding = binding


async def arguments(step: Step, scene: Scene, ask: Ask) -> tuple[Tree, tuple[str, ...]]:
    """The arguments of a step's call.

    Args:
        step: which.
        scene: what is known, with the element where it is a for-each step.
        ask: gives what no rule explains.

    Returns:
        (dict of arguments, paths whose value somebody was asked for).

    Raises:
        Missing: a value is not there, or a target did not come from where it must.
    """
    tree: Tree = {}
    asked: list[str] = []
    for argument in sorted(step.arguments, key=lambda a: _natural(a.path)):
        found, count = await _one(step, argument, scene, ask)
        if found is not None:
            tree = _put(tree, argument.path, found[0])
        if count:
            asked.append(argument.path)
    return tree, tuple(asked)


async def _one(step: Step, argument: Argument, scene: Scene, ask: Ask) -> tuple[tuple[Tree] | None, int]:
    answers: list[Tree] = []
    while True:
        place = 0

        def decide(binding: b.Binding) -> Tree:
            nonlocal place
            place += 1
            if place > len(answers):
                raise Needed(binding)
            return answers[place - 1]

        here = Scene(scene.inputs, scene.outputs, scene.state, scene.element, decide)
        try:
            if not passes(argument.when, here):
                return None, len(answers)
            if step.effect.writes:
                guard_source(argument.binding, here)
            return (value(argument.binding, here),), len(answers)
        except Needed as needed:
            answers.append(await ask(argument, needed.binding, len(answers)))


def known(step: Step, scene: Scene) -> Tree:
    """The arguments of a step as far as they are known without asking; to show, and to compare targets.

    Args:
        step: which.
        scene: what is known.

    Returns:
        Dict; arguments without a value are left out.
    """
    tree: Tree = {}
    for argument in sorted(step.arguments, key=lambda a: _natural(a.path)):
        try:
            if passes(argument.when, scene):
                tree = _put(tree, argument.path, value(argument.binding, scene))
        except LookupError:
            continue  # Missing and Asked: nobody knows yet
    return tree


def guard_source(binding: b.Binding, scene: Scene) -> None:
    """What a write is told by the user must come from the user: the text of a tool cannot stand in for it.

    Args:
        binding: of an argument of a write.
        scene: what is known.

    Raises:
        Missing: the user did not give it, or a tool now says something else than the user.

    Source:
        specification of the compiler, section 9 (taint rule).
    """
    if not isinstance(binding, b.Alias):
        for inner in b.children(binding):
            guard_source(inner, scene)
        return
    given = [inner for inner in binding.of if b.inputs(inner)]
    if not given:
        return
    wanted = value(given[0], scene)  # raises missing_input: the next of the list does not count for a write
    for inner in binding.of:
        try:
            other = value(inner, scene)
        except Missing:
            continue
        if not same(other, wanted):
            raise Missing("guard_failed", "a tool says something else than who asked, of what is written to")


def tainted(step: Step, asked: tuple[str, ...]) -> tuple[str, ...]:
    """Arguments that say where a write goes, and that came from a text or from somebody who was asked.

    Args:
        step: a write.
        asked: paths whose value somebody was asked for.

    Returns:
        Their paths; a write that has some needs a person's yes, whatever the policy.
    """
    targets = {*step.effect.resource} or {a.path for a in step.arguments}
    loose = []
    for argument in step.arguments:
        if not any(_within(argument.path, target) for target in targets):
            continue
        if argument.path in asked or argument.proof not in ("hard", "given") or _from_text(argument.binding):
            loose.append(argument.path)
    return tuple(sorted(loose))


def _within(path: str, target: str) -> bool:
    return parsed(path)[: len(parsed(target))] == parsed(target)


def _from_text(binding: b.Binding) -> bool:
    return isinstance(binding, b.Span) or any(_from_text(inner) for inner in b.children(binding))


def misfit(spec: ToolSpec, tree: Tree) -> str:
    """What the tool's own schema says against arguments; only what is certain.

    Args:
        spec: the tool as it describes itself now.
        tree: the arguments.

    Returns:
        Closed words, "" where nothing is wrong.
    """
    wanted = spec.parameters.get("properties")
    required = spec.parameters.get("required")
    if isinstance(required, list):
        for name in required:
            if isinstance(name, str) and name not in tree:
                return "an argument that the tool requires has no value"
    if isinstance(wanted, dict):
        for name, found in tree.items():
            if name not in wanted:
                if spec.parameters.get("additionalProperties") is False:
                    return "the tool does not take one of the arguments"
            elif isinstance(wanted[name], dict) and not fits(wanted[name], found):
                return "an argument is not of the type that the tool takes"
    return ""


def fits(schema: Mapping[str, Any], found: Tree) -> bool:
    """Is a value of the type and among the values that a schema names?

    Args:
        schema: JSON Schema; what is not type, enum or const is passed over.
        found: the value.
    """
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(kinds, list) and kinds and not any(_is(kind, found) for kind in kinds):
        return False
    listed = schema.get("enum")
    if isinstance(listed, list) and not any(found == v and type(found) is type(v) for v in listed):
        return False
    return "const" not in schema or bool(found == schema["const"])


def _is(kind: Any, found: Tree) -> bool:
    types = _TYPES.get(kind) if isinstance(kind, str) else None
    if types is None:
        return True  # a type that we do not know: not for us to say
    if isinstance(found, bool):
        return bool(kind == "boolean")
    return isinstance(found, types) or (kind == "integer" and isinstance(found, float) and found.is_integer())


def _put(tree: Tree, path: str, found: Tree) -> Tree:
    try:
        return put(tree, parsed(path), found)
    except LookupError as error:
        raise Missing("guard_failed", "the arguments leave out an element of a list") from error


def _natural(path: str) -> tuple[tuple[bool, int, str], ...]:
    return tuple((isinstance(k, str), k if isinstance(k, int) else 0, str(k)) for k in parsed(path))


def elements(step: Step, scene: Scene) -> list[Tree]:
    """The list that a for-each step goes over.

    Args:
        step: with each.
        scene: what is known.

    Raises:
        Missing: there is no list, it is empty, or it has more elements than any run had.
    """
    assert step.each is not None
    rows = value(step.each.over, scene)
    rows = list(rows.values()) if isinstance(rows, dict) else rows
    if not isinstance(rows, list):
        raise Missing("guard_failed", "what the step goes over is no list")
    rows = rows if step.each.top is None else rows[: step.each.top]
    if len(rows) > step.each.most:
        raise Missing("guard_failed", f"{len(rows)} elements, where the runs had {step.each.most} at most")
    return rows


def candidates(binding: b.Choose, scene: Scene, most: int) -> list[Tree]:
    """What can be chosen.

    Args:
        binding: the choice.
        scene: what is known.
        most: more than so many are none.

    Raises:
        Missing: none, or too many to choose from.
    """
    try:
        rows = get(scene.output(binding.step), binding.list)
    except Missing:
        raise
    except LookupError as error:
        raise Missing("empty_selection", "the list to choose from is not there") from error
    rows = list(rows.values()) if isinstance(rows, dict) else rows
    if not isinstance(rows, list) or not rows:
        raise Missing("empty_selection", "there is nothing to choose from")
    if len(rows) > most:
        raise Missing("ambiguous_selection", f"{len(rows)} candidates, more than can be listed")
    return rows
