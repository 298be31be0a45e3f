"""Which arithmetic over one or two earlier leaves gives an argument? Only many runs can prove it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tracelode.compile import forms, transforms
from tracelode.compile.evidence.search import Memory, explained
from tracelode.compile.evidence.wanted import Leaf
from tracelode.compile.normalise.maps import Shape
from tracelode.compile.paths import ANY_PLACE, Key, written
from tracelode.compile.readings import LARGEST
from tracelode.compile.work import Operand, Source
from tracelode.model.binding import Transform
from tracelode.model.run import Call, Tree

LOOKED = 5000
"""Leaves of one output that are looked at."""
PATHS = 60
"""Generalised paths of one output whose first leaf is an operand."""
DAYS, MINUTES, NUMBER = 60, 24 * 60, 1000
"""Largest constants in size."""
TIMES = 100
"""Largest constant factor."""


@dataclass(frozen=True)
class _Known:
    """An operand."""

    operand: Operand
    number: int | float | None = None
    moment: forms.Moment | None = None
    value: Tree = None


@dataclass
class Operands:
    """The operands that the outputs of a run offer.

    Args:
        shapes: tool name to where its maps are.
        memory: paths that are known.
    """

    shapes: Mapping[str, Shape]
    memory: Memory
    known: dict[int, tuple[_Known, ...]] = field(default_factory=dict)

    def of(self, call: Call) -> tuple[_Known, ...]:
        """The operands of one output: numbers, moments, counts and sums of lists.

        Args:
            call: producer.
        """
        if call.index not in self.known:
            self.known[call.index] = tuple(self._of(call))
        return self.known[call.index]

    def _of(self, call: Call) -> Iterator[_Known]:
        shape = self.shapes[call.name]
        seen: set[str] = set()
        for keys, leaf in _firsts(call.output):
            if len(seen) >= PATHS:
                return
            known = transforms.number(leaf)
            moment = next(iter(forms.read(leaf)), None) if isinstance(leaf, str) and known is None else None
            if (known is None or abs(known) > LARGEST) and (moment is None or not moment.form):
                continue
            path = self.memory.path(call.name, shape, keys)
            if path not in seen:
                seen.add(path)
                yield _Known(Operand(call.index, written(keys), path), known, moment, leaf)


def _firsts(output: Tree) -> Iterator[tuple[tuple[Key, ...], Tree]]:
    """The first leaf of every place, in the order of the output; the elements of a list share theirs."""
    left = LOOKED
    looked: dict[tuple[Key, ...], set[Key]] = {}
    stack: list[tuple[tuple[Key, ...], tuple[Key, ...], Iterator[tuple[Key, Tree]]]] = []
    if isinstance(output, dict | list):
        stack.append(((), (), _items(output)))
    elif output is not None and not isinstance(output, bool):
        yield (), output
    while stack:
        keys, at, items = stack[-1]
        seen = looked.setdefault(at, set())
        for key, value in items:
            place = ANY_PLACE if type(key) is int else key
            if value and (type(value) is dict or type(value) is list):
                stack.append(((*keys, key), (*at, place), _items(value)))
                break
            left -= 1
            if left < 0:
                return
            if place not in seen and value is not None and not isinstance(value, bool | list | dict):
                seen.add(place)
                yield (*keys, key), value
        else:
            stack.pop()


def _items(tree: dict[str, Tree] | list[Tree]) -> Iterator[tuple[Key, Tree]]:
    return iter(tree.items() if isinstance(tree, dict) else enumerate(tree))


def counted(call: Call, shape: Shape, value: int | float) -> Iterator[Source]:
    """Lists of an output that have as many elements as a value says.

    Args:
        call: producer.
        shape: of its outputs.
        value: what was passed.
    """
    waiting: list[tuple[tuple[Key, ...], Tree]] = [((), call.output)]
    seen: set[str] = set()
    while waiting and len(seen) < PATHS:
        keys, tree = waiting.pop(0)
        if isinstance(tree, list):
            path = shape.general(keys)
            if len(tree) == value and path not in seen:
                yield Source(call.index, written(keys), path, "L5", (Transform("count"),))
            seen.add(path)
            waiting.extend(
                ((*keys, n), inner) for n, inner in enumerate(tree[:1]) if isinstance(inner, dict | list)
            )
        elif isinstance(tree, dict):
            waiting.extend(
                ((*keys, k), v) for k, v in list(tree.items())[:PATHS] if isinstance(v, dict | list)
            )


def derived(leaf: Leaf, calls: Sequence[Call], operands: Operands) -> tuple[Source, ...]:
    """Every way in which arithmetic gives a value.

    Args:
        leaf: what was passed; a number, a date or a time.
        calls: earlier calls.
        operands: of the run.

    Returns:
        Sources of level L5: the first change is the operation with its constant, `also` the second operand.
    """
    known = transforms.number(leaf.value)
    if known is not None and abs(known) > LARGEST:
        return ()  # no arithmetic is exact out there
    if known is not None and not isinstance(leaf.value, bool):
        return tuple(_numbers(known, calls, operands))
    moment = next(iter(forms.read(leaf.value)), None) if isinstance(leaf.value, str) else None
    if moment is None or not moment.form:
        return ()
    return tuple(_moments(leaf.value, moment, calls, operands))


def _moments(value: str, moment: forms.Moment, calls: Sequence[Call], operands: Operands) -> Iterator[Source]:
    for one in (one for call in calls for one in operands.of(call) if one.moment is not None):
        assert one.moment is not None
        for op, amount in _distance(one.moment, moment):
            try:
                how = explained(transforms.derive(op, [one.value], amount), value)
            except ValueError:
                continue
            if how is not None:
                source = _source(one, op, amount)
                yield replace(source, transforms=(*source.transforms, *how[1]))


def _source(one: _Known, op: str, amount: int = 0, other: _Known | None = None) -> Source:
    at = one.operand
    change = Transform(op, str(amount) if other is None else "")
    return Source(at.call, at.path, at.gpath, "L5", (change,), also=None if other is None else other.operand)


def _numbers(value: int | float, calls: Sequence[Call], operands: Operands) -> Iterator[Source]:
    every = [one for call in calls for one in operands.of(call) if one.number is not None]
    by_number: dict[int | float, _Known] = {}
    for one in every:
        assert one.number is not None
        by_number.setdefault(one.number, one)
    for one in every:
        number = one.number
        assert number is not None
        gap = transforms.derive("subtract", [value, number])
        if isinstance(gap, int) and 0 < abs(gap) <= NUMBER:
            yield _source(one, "add", gap)
        if number and value and value != number and value % number == 0 and 1 < value // number <= TIMES:
            yield _source(one, "multiply", int(value // number))
        for op, wanted in (("add", gap), ("subtract", transforms.derive("subtract", [number, value]))):
            other = by_number.get(wanted)
            if other is not None and other.number and (op == "subtract" or _before(one, other)):
                yield _source(one, op, 0, other)
        other = by_number.get(value / number) if number else None
        if other is not None and other.number not in (0, 1) and number != 1 and _before(one, other):
            yield _source(one, "multiply", 0, other)
    if value == int(value) and value > 1:
        for call in calls:
            yield from counted(call, operands.shapes[call.name], value)


def _before(one: _Known, other: _Known) -> bool:
    """One of the two orders of a sum or product."""
    return (one.operand.call, one.operand.path) < (other.operand.call, other.operand.path)


def _distance(one: forms.Moment, other: forms.Moment) -> Iterator[tuple[str, int]]:
    if one.date is not None and other.date is not None and other.clock is None:
        days = forms.days_between(one, other)
        if 0 < abs(days) <= DAYS:
            yield "days", days
    elif one.clock is not None and other.clock is not None:
        day = forms.days_between(one, other) if one.date and other.date else 0
        gap = day * MINUTES + (other.clock[0] - one.clock[0]) * 60 + other.clock[1] - one.clock[1]
        if 0 < abs(gap) < MINUTES and one.clock[2] == other.clock[2]:
            yield "minutes", gap


def results(op: str, amount: int, first: Sequence[Tree], second: Sequence[Tree] | None) -> Iterator[Tree]:
    """What a rule gives on the leaves of another run.

    Args:
        op: operation of transforms.derive.
        amount: its constant.
        first: values of the first operand.
        second: of the second one, None where there is none.

    Yields:
        Values; those that cannot be reckoned with are left out.
    """
    if op == "count":
        yield len(first)
        return
    for one in first:
        for other in second if second is not None else (None,):
            try:
                yield transforms.derive(op, [one] if second is None else [one, other], amount)
            except ValueError:
                continue
