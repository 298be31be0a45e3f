"""Which writes would be a guess, though each argument has a rule? Refused, or checked when they run.

What nobody can tell from the runs: whether a value that never varied was copied or is fixed; whether an
element of a list was taken for its place, or chosen by a judgement that the place hides; whether a field by
which elements seem to be picked fits by chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from tracelode.compile.likeness import shown
from tracelode.compile.masked import masked
from tracelode.compile.paths import Key, get, leaves, parsed, written
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Argument, Check, Refusal, Step

CHANCE = 0.05
"""Largest chance that a rule which picks an element fits all runs for no reason."""
_PLACE = "runs whose list has one element, a request that names the element, or a field that picks it"


def unsure(work: Work, steps: Sequence[Step]) -> Iterator[Refusal]:
    """What speaks against each write.

    Args:
        work: after bind.
        steps: all its steps.

    Yields:
        Refusals of one step each.
    """
    for step in steps:
        if not step.effect.writes:
            continue
        yield from _untraced(work, step)
        if step.each is not None and step.each.top is not None:
            yield _refused(step, "", f"runs call {step.tool} for some elements of a list only", _PLACE)
        for told in telling(step, steps):
            for argument in told.arguments:
                yield from _argument(work, step, told, argument)


def telling(step: Step, steps: Sequence[Step]) -> list[Step]:
    """A step, and all whose outputs lead to what it is passed: a choice that those hide is its own.

    Args:
        step: a write.
        steps: all.
    """
    by_slot = {s.slot: s for s in steps}
    found = [step]
    for one in found:
        sources = {p for a in one.arguments for p in b.producers(a.binding)}
        sources |= set(b.producers(one.each.over)) if one.each is not None else set()
        found += [by_slot[p] for p in sorted(sources) if p in by_slot and by_slot[p] not in found]
    return found


def _argument(work: Work, step: Step, told: Step, argument: Argument) -> Iterator[Refusal]:
    what = f"{argument.path} of {told.tool}"
    arg = argument.path if told is step else ""
    fixed = isinstance(argument.binding, b.Constant) and not masked(argument.binding.value)  # else: R8
    if fixed and shown(work, told.slot, argument.path):
        text = f"all runs pass the same {what}, and an earlier output shows it: copy or constant?"
        yield _refused(step, arg, text, "a run with another value", "R3")
    if any(_count(work, told.slot, argument.path, one) is None for one in _placed(argument.binding)):
        text = f"{what} comes from one place of a list that has other elements: chosen, or the place alone?"
        yield _refused(step, arg, text, _PLACE)
    if any(_by_chance(work, told.slot, one) for one in _picked(argument.binding)):
        text = f"the field that seems to pick {what} may fit by chance"
        yield _refused(step, arg, text, "more runs with different lists")


def _refused(step: Step, arg: str, message: str, lifts: str, code: str = "R1") -> Refusal:
    return Refusal(code=code, message=message, lifts=lifts, slot=step.slot, arg=arg)


def _untraced(work: Work, step: Step) -> Iterator[Refusal]:
    """Something that was passed and that no argument of the step says."""
    known = {a.path for a in step.arguments}
    for run, index in _calls(work, step.slot):
        given = work.runs[run].calls[index].arguments
        if given in ({}, None):
            continue
        lost = next((p for keys, _ in leaves(given) if (p := written(keys)) not in known), None)
        if lost is not None:
            text = f"{step.tool} was passed more than is traced: nothing says where {lost} comes from"
            yield _refused(step, lost, text, "calls with fewer arguments")
            return


def _calls(work: Work, slot: str) -> list[tuple[int, int]]:
    alignment = work.alignment
    assert alignment is not None
    return [(n, i) for n in range(len(work.runs)) for i in alignment.calls(n, slot)]


def _placed(binding: b.Binding) -> Iterator[b.Copy | b.Span | b.Selected]:
    """Bindings that go through a place of a list."""
    if isinstance(binding, (b.Copy, b.Span)) and _lists(binding.path):
        yield binding
    if isinstance(binding, b.Selected) and (
        any(isinstance(p, b.At) for p in binding.picks) or _lists(binding.list) or _lists(binding.field)
    ):
        yield binding
    for inner in b.children(binding):
        yield from _placed(inner)


def _picked(binding: b.Binding) -> Iterator[b.Selected]:
    if isinstance(binding, b.Selected):
        yield binding
    for inner in b.children(binding):
        yield from _picked(inner)


def _lists(path: str) -> list[tuple[str, int]]:
    """(path of a list, place in it) of every place on a path."""
    keys = parsed(path)
    return [(written(keys[:n]), key) for n, key in enumerate(keys) if isinstance(key, int)]


def _count(work: Work, slot: str, path: str, binding: b.Copy | b.Span | b.Selected) -> dict[str, int] | None:
    """Path of each list on the way to its length, the same in all runs; None where it holds a choice.

    It holds none where the list has one element, or where the argument is a list of as many that takes
    each of its elements in order.
    """
    if isinstance(binding, b.Selected):
        return None
    mine = parsed(path)
    found: dict[str, int] = {}
    for at, place in _lists(binding.path):
        lengths = set()
        for run, index in _calls(work, slot):
            rows = _at(_output(work, run, binding.step), at)
            size = len(rows) if isinstance(rows, list) else 0
            whole = size == 1 or _mirrored(work.runs[run].calls[index].arguments, mine, place, size)
            lengths.add(size if whole else 0)
        if len(lengths) != 1 or 0 in lengths:
            return None
        found[at] = lengths.pop()
    return found


def _mirrored(given: Tree, path: tuple[Key, ...], place: int, size: int) -> bool:
    for n, key in enumerate(path):
        if key == place and isinstance(key, int):
            rows = _at(given, written(path[:n]))
            if isinstance(rows, list) and len(rows) == size:
                return True
    return False


def _output(work: Work, run: int, slot: str) -> Tree:
    return work.ruled[0].by_run[run].outputs.get(slot) if work.ruled is not None else None


def _at(tree: Tree, path: str) -> Tree:
    try:
        return get(tree, path)
    except LookupError:
        return None


def _by_chance(work: Work, slot: str, binding: b.Selected) -> bool:
    """Would one of the fields of the elements pick the right one in all runs for no reason?"""
    if all(isinstance(p, b.At) for p in binding.picks):
        return False
    lists: dict[bytes, tuple[int, int]] = {}
    for run in sorted({run for run, _ in _calls(work, slot)}):
        rows = _at(_output(work, run, binding.step), binding.list)
        if isinstance(rows, list) and rows:
            fields = sum(1 for _ in leaves(rows[0]))
            lists[msgspec.json.encode(rows, order="deterministic")] = (len(rows), fields)
    if not lists:
        return True
    tries = 3 * max(fields for _, fields in lists.values())
    return tries * math.prod(1 / size for size, _ in lists.values()) > CHANCE


def lone(work: Work, steps: Sequence[Step]) -> dict[str, tuple[Check, ...]]:
    """What must hold when a workflow runs, so that no write is a choice: lists as long as they were.

    Args:
        work: after bind.
        steps: all its steps.

    Returns:
        Slot of the step that gives the list to its checks.
    """
    found: dict[str, dict[str, Check]] = {}
    feeding = {t.slot: t for s in steps if s.effect.writes for t in telling(s, steps)}
    for step in feeding.values():
        for argument in step.arguments:
            for one in _placed(argument.binding):
                counts = _count(work, step.slot, argument.path, one) or {}
                for at, size in counts.items():
                    found.setdefault(one.step, {})[at] = Check("count", at, [size, size])
    return {slot: tuple(checks[at] for at in sorted(checks)) for slot, checks in sorted(found.items())}
