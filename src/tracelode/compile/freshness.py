"""Until when does what a step copies hold? Learned from fields beside it that tell an expiry in all runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tracelode.compile.lasting import form, kind_of, until
from tracelode.compile.paths import ANY_KEY, ANY_PLACE, Key, get, parsed, written
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.run import Call, Tree
from tracelode.model.workflow import Argument, Fresh

FEWEST = 3
"""Runs that must tell an expiry in one form."""


@dataclass(frozen=True)
class _Object:
    """An object that a copied value lies in, in the output of a producer."""

    step: str
    """Producer."""
    keys: tuple[Key, ...]
    """Where it lies; [*] where a rule picks among several."""
    copied: str
    """Key in it under which the copied value lies."""
    bound: Callable[[str], b.Binding]
    """Binding of the field of a name."""


@dataclass(frozen=True)
class _Seen:
    """What a producer answered in one run."""

    output: Tree
    """As a run of the workflow has it: of a for-each step the list of its outputs."""
    ended: int | None
    """UTC microseconds at which its last call ended, or began; None if unknown."""


def fresh(work: Work, slot: str, arguments: Sequence[Argument]) -> tuple[Fresh, ...]:
    """What must hold still before a step is called.

    Args:
        work: after bind.
        slot: the step.
        arguments: its bound arguments.

    Returns:
        By argument and name of the field, each once; () where no run tells an expiry, or not all in one form.

    Source:
        compiler specification, section 9; docs/decisions/0035-freshness.md.
    """
    found: list[Fresh] = []
    seen: dict[str, list[_Seen]] = {}
    for argument in arguments:
        if argument.proof != "hard":
            continue
        for around in _around(work, slot, argument.binding):
            for one in around:
                if one.step not in seen:
                    seen[one.step] = list(_seen(work, one.step))
                if told := _told(one, seen[one.step]):
                    found += [f for f in told if f not in found]
                    break  # an object further out tells of more than this value
    return tuple(found)


def _around(work: Work, slot: str, binding: b.Binding) -> Iterator[list[_Object]]:
    """Per copied value: the objects that it lies in, the nearest first."""
    match binding:
        case b.Copy() | b.Span():
            yield _outwards(binding.step, parsed(binding.path))
        case b.Selected():
            yield _inside(binding) + _outwards(binding.step, parsed(binding.list))
        case b.Each():
            loop = work.loops.get(slot)
            if loop is not None and isinstance(loop.over, b.Copy):
                yield _element(loop.over, parsed(binding.field))
        case b.Alias() | b.Derived() | b.Template():
            for inner in b.children(binding):
                yield from _around(work, slot, inner)


def _outwards(step: str, keys: tuple[Key, ...]) -> list[_Object]:
    return [
        _Object(step, keys[:deep], str(keys[deep]), lambda name, at=keys[:deep]: _copy(step, at, name))  # type: ignore[misc]
        for deep in range(len(keys) - 1, -1, -1)
        if isinstance(keys[deep], str) and not {ANY_PLACE, ANY_KEY} & {*keys[:deep]}
    ]


def _copy(step: str, at: tuple[Key, ...], name: str) -> b.Binding:
    return b.Copy(step, written((*at, name)))


def _inside(binding: b.Selected) -> list[_Object]:
    """Objects within the element that a rule picks."""
    over, keys = parsed(binding.list), parsed(binding.field)

    def field(at: tuple[Key, ...]) -> Callable[[str], b.Binding]:
        return lambda name: b.Selected(binding.step, binding.list, binding.picks, written((*at, name)))

    return [
        _Object(binding.step, (*over, ANY_PLACE, *keys[:deep]), str(keys[deep]), field(keys[:deep]))
        for deep in range(len(keys) - 1, -1, -1)
        if isinstance(keys[deep], str)
    ]


def _element(over: b.Copy, keys: tuple[Key, ...]) -> list[_Object]:
    """Objects within the element that a for-each step stands at, then those around the list."""
    place = parsed(over.path)
    at = place if {ANY_PLACE, ANY_KEY} & {*place} else (*place, ANY_PLACE)

    def field(inner: tuple[Key, ...]) -> Callable[[str], b.Binding]:
        return lambda name: b.Each(written((*inner, name)))

    inside = [
        _Object(over.step, (*at, *keys[:deep]), str(keys[deep]), field(keys[:deep]))
        for deep in range(len(keys) - 1, -1, -1)
        if isinstance(keys[deep], str)
    ]
    return inside + _outwards(over.step, place)


def _seen(work: Work, slot: str) -> Iterator[_Seen]:
    alignment = work.alignment
    assert alignment is not None
    for place, run in enumerate(work.runs):
        calls = [run.calls[n] for n in alignment.calls(place, slot)]
        good = [call for call in calls if not call.missing and not call.error]
        if not good:
            continue
        if slot in work.loops:
            yield _Seen([call.output for call in good], _latest(good))
        else:
            yield _Seen(good[-1].output, _latest(good[-1:]))


def _latest(calls: Sequence[Call]) -> int | None:
    times = [call.started if call.ended is None else call.ended for call in calls]
    known = [at for at in times if at is not None]
    return max(known) if len(known) == len(times) else None


def _told(one: _Object, seen: Sequence[_Seen]) -> list[Fresh]:
    """The fields of an object that tell an expiry, in one form in every run that has them."""
    places = [(run.ended, objects) for run in seen if (objects := _objects(run.output, one.keys))]
    names = {key for _, objects in places for row in objects for key in row if kind_of(key)}
    found = []
    for name in sorted(names - {one.copied}):
        kind = kind_of(name)
        told = [[row[name] for row in rows if row.get(name) not in (None, "")] for _, rows in places]
        forms = {
            _form(kind, value, ended)
            for (ended, _), values in zip(places, told, strict=True)
            for value in values
        }
        if len(forms) == 1 and "" not in forms and sum(map(bool, told)) >= FEWEST:
            always = len(places) == len(seen) and all(
                len(values) == len(rows) for (_, rows), values in zip(places, told, strict=True)
            )
            found.append(Fresh(one.step, one.bound(name), kind, always))  # type: ignore[arg-type]
    return found


def _objects(output: Tree, keys: tuple[Key, ...]) -> list[dict[str, Tree]]:
    """The objects at a place of an output; of a dict of elements each is one."""
    for at in (keys, tuple(ANY_KEY if key == ANY_PLACE else key for key in keys)):
        try:
            found = get(output, written(at))
        except LookupError:
            continue
        rows = found if {ANY_PLACE, ANY_KEY} & {*at} else [found]
        return [row for row in rows if isinstance(row, dict)]
    return []


def _form(kind: str, value: Tree, ended: int | None) -> str:
    """The form in which a value tells an expiry; "" for one before its call, or what may be no moment."""
    told = form(kind, value)
    if kind != "moment" or not told:
        return told
    if ended is None:
        return "" if told.startswith("epoch") else told
    end = until(kind, value, None)
    return told if end is not None and end > ended else ""
