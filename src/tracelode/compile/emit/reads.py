"""Which parts of a step's output does a workflow read? The rest of a recorded output need not be kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from tracelode.compile.paths import ANY_KEY, ANY_PLACE, Key, parsed
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Guard, Step, Workflow

Keys: TypeAlias = tuple[Key | None, ...]


def reads(workflow: Workflow) -> dict[str, set[Keys]]:
    """The places that bindings, guards and lists read.

    Args:
        workflow: any.

    Returns:
        Slot to parsed paths, where all below a place counts as read.
    """
    found: dict[str, set[Keys]] = {}
    for step in workflow.steps:
        over: list[tuple[str, Keys]] = []
        if step.each is not None:
            over = list(_list(step.each.over))
            for slot, keys in over:
                found.setdefault(slot, set()).add((*keys, ANY_PLACE, None))
        for binding in bindings(step):
            for slot, keys in _read(binding, over):
                found.setdefault(slot, set()).add(keys)
    return found


def bindings(step: Step) -> Iterator[b.Binding]:
    """Every binding of a step, those of its list apart.

    Args:
        step: which.
    """
    for argument in step.arguments:
        yield argument.binding
    for guard in (step.when, *(a.when for a in step.arguments)):
        yield from _tested(guard)


def _tested(guard: Guard | None) -> Iterator[b.Binding]:
    for test in guard.tests if guard else ():
        yield test.left
        if test.right is not None:
            yield test.right


def _list(over: b.Binding) -> Iterator[tuple[str, Keys]]:
    """Where a for-each step's list lies, as far as that is one place."""
    if isinstance(over, b.Copy) and not over.transforms:
        yield over.step, parsed(over.path)
    else:
        yield from _read(over, [])


def _read(binding: b.Binding, over: list[tuple[str, Keys]]) -> Iterator[tuple[str, Keys]]:
    for inner in b.children(binding):
        yield from _read(inner, over)
    match binding:
        case b.Copy() | b.Span():
            yield binding.step, parsed(binding.path)
        case b.Each():
            for slot, keys in over:
                yield slot, (*keys, ANY_PLACE, *parsed(binding.field))
        case b.Selected():
            rows = (*parsed(binding.list), ANY_PLACE)
            fields = [p.field for p in binding.picks if not isinstance(p, b.At)]
            yield binding.step, (*rows, None)
            for field in (*fields, binding.field):
                yield binding.step, (*rows, *parsed(field))
        case b.Choose():
            yield binding.step, parsed(binding.list)
        case b.Generated():
            for step in binding.about:
                yield step, ()


def pruned(tree: Tree, kept: Iterable[Keys]) -> Tree:
    """A value without what is not read; places of lists stay, as null.

    Args:
        tree: JSON value.
        kept: parsed paths; None at an end stands for the shell of an element, without what it holds.
    """
    here = set(kept)
    if () in here:
        return tree
    if isinstance(tree, dict):
        found = {}
        for key, inner in tree.items():
            below = _below(here, key, tree)
            if below:
                found[key] = pruned(inner, below)
        return found
    if isinstance(tree, list):
        every = [_below(here, place, tree) for place in range(len(tree))]
        return [pruned(inner, below) if below else None for inner, below in zip(tree, every, strict=True)]
    return None if here == {(None,)} else tree


def _below(here: set[Keys], key: Key, tree: Tree) -> set[Keys]:
    size = len(tree)
    found = set()
    for keys in here:
        head = keys[0]
        # the values of a map are gone over like a list
        fits = head == key or head in (ANY_PLACE, ANY_KEY)
        if isinstance(key, int) and isinstance(head, int) and head < 0 and head != ANY_PLACE:
            fits = head + size == key
        if fits:
            found.add(keys[1:])
    return found
