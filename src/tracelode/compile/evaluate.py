"""What is the value of a binding, given inputs and outputs so far? The one evaluator of checks and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import re2

from tracelode.compile import transforms
from tracelode.compile.paths import ANY_KEY, get, parsed, put
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Guard, Step, Test


class Missing(LookupError):
    """A binding has no value here: the path is not there, the list is empty, several elements fit.

    Args:
        code: closed code of why, one of workflow.ESCALATIONS.
        what: closed words.
    """

    def __init__(self, code: str, what: str) -> None:
        super().__init__(what)
        self.code = code
        self.what = what


class Asked(LookupError):
    """A binding needs a model or a person.

    Args:
        binding: which.
    """

    def __init__(self, binding: b.Binding) -> None:
        super().__init__("needs a decision")
        self.binding = binding


class Scene:
    """What is known at a moment of a run.

    Args:
        inputs: name to value.
        outputs: slot to output; of a for-each step the list of outputs.
        state: name to value: now, today, cwd and the caller's own.
        element: where a for-each step stands, None outside one.
        decide: gives the value of a residual binding; None: Asked is raised.
    """

    def __init__(
        self,
        inputs: Mapping[str, Tree],
        outputs: Mapping[str, Tree],
        state: Mapping[str, Tree] | None = None,
        element: Tree = None,
        decide: Callable[[b.Binding], Tree] | None = None,
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.state = state or {}
        self.element = element
        self.decide = decide

    def output(self, step: str) -> Tree:
        """The output of a step.

        Args:
            step: slot.

        Raises:
            Missing: it has not run.
        """
        if step not in self.outputs:
            raise Missing("unseen_branch", f"step {step} did not run")
        return self.outputs[step]


def value(binding: b.Binding, scene: Scene) -> Tree:
    """The value of a binding.

    Args:
        binding: any kind.
        scene: what is known.

    Returns:
        A JSON value.

    Raises:
        Missing: there is none here.
        Asked: only a model or a person can say.
    """
    match binding:
        case b.Constant() | b.Default():
            return binding.value
        case b.FromInput():
            if binding.name not in scene.inputs:
                raise Missing("missing_input", f"input {binding.name} was not given")
            return _shaped(scene.inputs[binding.name], binding.transforms)
        case b.FromState():
            if binding.name not in scene.state:
                raise Missing("missing_input", f"{binding.name} is not known here")
            return _shaped(scene.state[binding.name], binding.transforms)
        case b.Copy():
            return _shaped(_at(scene.output(binding.step), binding.path), binding.transforms)
        case b.Span():
            return _shaped(_span(binding, scene), binding.transforms)
        case b.Selected():
            return _shaped(_at(selected(binding, scene), binding.field), binding.transforms)
        case b.Each():
            return _shaped(_at(scene.element, binding.field), binding.transforms)
        case b.Alias():
            return _first(binding, scene)
        case b.Template():
            return "".join(
                p if isinstance(p, str) else transforms.text(value(p, scene)) for p in binding.parts
            )
        case b.Derived():
            return _derived(binding, scene)
        case b.Unsourced():
            raise Missing("guard_failed", "the argument has no known source")
    if scene.decide is None:
        raise Asked(binding)
    return scene.decide(binding)


def _shaped(found: Tree, shape: tuple[b.Transform, ...]) -> Tree:
    for transform in shape:
        try:
            found = transforms.apply(transform, found)
        except ValueError as error:
            raise Missing(
                "guard_failed", f"a value is not of the form that {transform.name} takes"
            ) from error
    return found


def _at(tree: Tree, path: str) -> Tree:
    try:
        return get(tree, path)
    except LookupError as error:
        raise Missing("empty_selection", f"the output has nothing at {path}") from error


def _span(binding: b.Span, scene: Scene) -> str:
    found = _at(scene.output(binding.step), binding.path)
    match = re2.search(binding.pattern, found) if isinstance(found, str) else None
    if match is None:
        raise Missing("empty_selection", "the text does not have the piece that was there in the runs")
    return str(match[1])


def selected(binding: b.Selected, scene: Scene) -> Tree:
    """The element that a selection picks.

    Args:
        binding: the rule.
        scene: what is known.

    Raises:
        Missing: nothing fits, or several do.
    """
    rows = _at(scene.output(binding.step), binding.list)
    if isinstance(rows, dict):
        rows = list(rows.values())
    if not isinstance(rows, list):
        raise Missing("empty_selection", f"there is no list at {binding.list}")
    for number, pick in enumerate(binding.picks, 1):
        rows = _picked(pick, rows, scene, last=number == len(binding.picks))
    return rows[0]


def _picked(pick: b.Pick, rows: list[Tree], scene: Scene, last: bool) -> list[Tree]:
    match pick:
        case b.At():
            found = rows[pick.index : (pick.index + 1) or None]
        case b.Where():
            wanted = value(pick.value, scene)
            if pick.op == "eq":
                fits = transforms.equal_to(wanted)
                found = [r for held, r in _fields(rows, pick.field) if fits(held)]
            else:
                found = [r for held, r in _fields(rows, pick.field) if holds(pick.op, held, wanted)]
            if last and len(found) > 1 and not pick.first:
                raise Missing("ambiguous_selection", f"{len(found)} elements fit")
        case _:
            ranked = [(transforms.number(held), r) for held, r in _fields(rows, pick.field)]
            known = [(n, r) for n, r in ranked if n is not None]
            choose = min if isinstance(pick, b.Least) else max
            best = choose((n for n, _ in known), default=None)
            found = [r for n, r in known if n == best]
            if pick.alone and len(found) > 1:
                raise Missing("ambiguous_selection", f"{len(found)} elements are equal")
            found = found[:1]
    if not found:
        raise Missing("empty_selection", "no element fits")
    return found


def _fields(rows: list[Tree], path: str) -> list[tuple[Tree, Tree]]:
    """(value at the path, row) of the rows that have one."""
    key, *deeper = parsed(path) or (ANY_KEY,)
    if isinstance(key, str) and key != ANY_KEY and not deeper:  # as nearly all are
        return [(row[key], row) for row in rows if isinstance(row, dict) and key in row]
    found = []
    for row in rows:
        try:
            found.append((get(row, path), row))
        except LookupError:
            continue
    return found


def _first(binding: b.Alias, scene: Scene) -> Tree:
    why: Missing | None = None
    for inner in binding.of:
        try:
            return value(inner, scene)
        except Missing as error:
            why = why or error
    raise why or Missing("empty_selection", "no source")


def _derived(binding: b.Derived, scene: Scene) -> Tree:
    operands = [value(inner, scene) for inner in binding.of]
    try:
        found = transforms.derive(binding.op, operands, binding.amount)
    except ValueError as error:
        raise Missing("guard_failed", f"values are not of the form that {binding.op} takes") from error
    return _shaped(found, binding.transforms)


def holds(op: str, left: Tree, right: Tree) -> bool:
    """Does a comparison hold?

    Args:
        op: one of workflow.COMPARISONS but present.
        left: what is looked at.
        right: what it is compared with; ignored by empty.

    Returns:
        The answer; values that cannot be compared do not hold.
    """
    if op == "empty":
        return left is None or left in ("", [], {})
    if op == "eq":
        return transforms.same(left, right)
    if op == "ne":
        return not transforms.same(left, right)
    if op == "in":
        return isinstance(right, list) and any(transforms.same(left, r) for r in right)
    if op == "contains":
        if isinstance(left, list):
            return any(transforms.same(item, right) for item in left)
        return isinstance(left, str) and isinstance(right, str) and right.lower() in left.lower()
    return _ordered(op, left, right)


def _ordered(op: str, left: Tree, right: Tree) -> bool:
    a: Any = transforms.number(left)
    z: Any = transforms.number(right)
    if a is None or z is None:
        if not (isinstance(left, str) and isinstance(right, str)):
            return False
        a, z = left, right
    answers: dict[str, bool] = {"lt": a < z, "le": a <= z, "gt": a > z, "ge": a >= z}
    return answers[op]


def passes(guard: Guard | None, scene: Scene) -> bool:
    """Is a guarded step taken?

    Args:
        guard: None: always.
        scene: what is known.

    Raises:
        Missing: a value that a test needs is not there.
    """
    return guard is None or all(_test(test, scene) for test in guard.tests)


def _test(test: Test, scene: Scene) -> bool:
    if test.op == "present":
        try:
            value(test.left, scene)
        except Missing:
            return test.negated
        return not test.negated
    right = None if test.right is None else value(test.right, scene)
    return holds(test.op, value(test.left, scene), right) != test.negated


def arguments(step: Step, scene: Scene) -> Tree:
    """The arguments of a step's call.

    Args:
        step: which.
        scene: what is known, with the element where it is a for-each step.

    Returns:
        Dict of arguments.

    Raises:
        Missing: a value is not there.
        Asked: only a model or a person can say.
    """
    tree: Tree = {}
    for argument in sorted(step.arguments, key=lambda a: _natural(a.path)):
        if passes(argument.when, scene):
            tree = put(tree, parsed(argument.path), value(argument.binding, scene))
    return tree


def _natural(path: str) -> tuple[tuple[bool, int, str], ...]:
    return tuple((isinstance(k, str), k if isinstance(k, int) else 0, str(k)) for k in parsed(path))
