"""How are bindings, guards, checks and effects told in words? The one home of these words, for every face."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tracelode.model import binding as b
from tracelode.model.numbers import number
from tracelode.model.run import Tree
from tracelode.model.workflow import Check, Fresh, Guard, Step, Test

_LONGEST = 60
_OPS = {
    "eq": "is",
    "ne": "is not",
    "lt": "is less than",
    "le": "is at most",
    "gt": "is more than",
    "ge": "is at least",
    "in": "is one of",
    "contains": "contains",
    "empty": "is empty",
    "present": "is there",
}
_NOT = {
    "eq": "is not",
    "ne": "is",
    "lt": "is not less than",
    "le": "is more than",
    "gt": "is at most",
    "ge": "is less than",
    "in": "is none of",
    "contains": "does not contain",
    "empty": "is not empty",
    "present": "is not there",
}
EFFECTS = {
    "read": "reads",
    "idempotent_write": "writes; twice is as once",
    "append": "writes",
    "destructive": "destroys",
    "external_send": "sends to others",
    "unknown": "may write",
}
"""What a tool does to the world, in a word or two."""
_DERIVED = {
    "add": "plus",
    "subtract": "minus",
    "multiply": "times",
    "days": "later by days:",
    "minutes": "later by minutes:",
}


def shown(value: Tree) -> str:
    """A value, cut where it is long.

    Args:
        value: JSON value.
    """
    said = f'"{value}"' if isinstance(value, str) else msgspec.json.encode(value).decode()
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def decisions(step: Step) -> str:
    """What people said to calls of a step's tool when they were asked, "" where they were not.

    Args:
        step: which.
    """
    known = ((step.effect.refused, "refused"), (step.effect.allowed, "allowed"))
    told = [f"{word} {number(count, 'call')} of it" for count, word in known if count]
    return f"people {' and '.join(told)}" if told else ""


def effect(step: Step) -> str:
    """What a step does to the world.

    Args:
        step: which.
    """
    return EFFECTS.get(step.effect.effect, step.effect.effect)


def source(binding: b.Binding) -> str:
    """Where a value comes from.

    Args:
        binding: any.

    Returns:
        A phrase such as "id of the first element of results of search#1".
    """
    match binding:
        case b.Constant():
            return f"always {shown(binding.value)}"
        case b.Default():
            return f"{shown(binding.value)}, the tool's default"
        case b.FromInput():
            return f"input {binding.name}{_as(binding.transforms)}"
        case b.FromState():
            return f"{binding.name} of the moment{_as(binding.transforms)}"
        case b.Copy():
            return f"{place(binding.path)} of {binding.step}{_as(binding.transforms)}"
        case b.Span():
            where = f"{place(binding.path)} of {binding.step}"
            return f"the piece {binding.pattern} in {where}{_as(binding.transforms)}"
        case b.Selected():
            picks = ", then ".join(_pick(p) for p in binding.picks)
            where = f"{place(binding.list)} of {binding.step}"
            return f"{place(binding.field)} of {picks} in {where}{_as(binding.transforms)}"
        case b.Each():
            return f"{place(binding.field)} of the element{_as(binding.transforms)}"
        case b.Alias():
            return " or else ".join(source(inner) for inner in binding.of)
        case b.Template():
            return "text of " + " + ".join(
                shown(p) if isinstance(p, str) else source(p) for p in binding.parts
            )
        case b.Derived():
            return _derived(binding)
    return _residual(binding)


def _residual(binding: b.Binding) -> str:
    match binding:
        case b.Generated():
            about = f", about {', '.join(binding.about)}" if binding.about else ""
            return f"a text that a model or a person writes{about}"
        case b.Choose():
            where = f"{place(binding.list)} of {binding.step}"
            return f"{place(binding.field)} of an element of {where} that a model or a person chooses"
        case b.Free():
            return "a value that a model or a person gives"
    return "no known source"


def _derived(binding: b.Derived) -> str:
    parts = [source(inner) for inner in binding.of]
    if binding.op in ("sum", "count"):
        return f"{binding.op} of {' and '.join(parts)}{_as(binding.transforms)}"
    operand = parts[1] if len(parts) > 1 else str(binding.amount)
    return f"{parts[0]} {_DERIVED.get(binding.op, binding.op)} {operand}{_as(binding.transforms)}"


def place(path: str) -> str:
    """A place in an output or an element.

    Args:
        path: text form, "" for all of it.
    """
    return path or "the whole"


def _as(shape: Sequence[b.Transform]) -> str:
    names = [f"{t.name} {t.with_}".strip() for t in shape]
    return f" (as {', '.join(names)})" if names else ""


def _pick(pick: b.Pick) -> str:
    match pick:
        case b.At():
            places = {0: "the first element", -1: "the last element"}
            return places.get(pick.index, f"element {pick.index}")
        case b.Least():
            return f"the element with the least {place(pick.field)}"
        case b.Most():
            return f"the element with the most {place(pick.field)}"
    first = "the first element" if pick.first else "the elements"
    wanted = source(pick.value).removeprefix("always ")
    return f"{first} whose {place(pick.field)} {_OPS.get(pick.op, pick.op)} {wanted}"


def guard(when: Guard) -> str:
    """When a step is taken.

    Args:
        when: its guard.
    """
    return " and ".join(_test(test) for test in when.tests)


def _test(test: Test) -> str:
    if isinstance(test.left, b.Free):
        return "a model or a person says so"
    words = (_NOT if test.negated else _OPS).get(test.op, test.op)
    right = "" if test.right is None else f" {source(test.right).removeprefix('always ')}"
    return f"{source(test.left)} {words}{right}"


def _elements(where: str, bounds: Tree) -> str:
    least, most = bounds if isinstance(bounds, list | tuple) and len(bounds) == 2 else (bounds, bounds)
    if least == most:
        return f"{where} has {shown(least)} element{'' if least == 1 else 's'}"
    if most is None:
        return f"{where} has {shown(least)} elements or more"
    told = f"{shown(most)} at most" if least is None else f"{shown(least)} to {shown(most)}"
    return f"{where} has {told} elements"


def check(one: Check) -> str:
    """What must hold of an output.

    Args:
        one: the check.
    """
    where = place(one.path) if one.path else "the output"
    told = {
        "no_error": "the call does not fail",
        "required": f"{where} is there",
        "nonempty": f"{where} is not empty",
        "line": f"{where} is a text of one line",
        "every": f"every element of {where} tells its {place(one.value) if one.value else 'value'}",
        "type": f"{where} is of type {shown(one.value).strip(chr(34))}",
        "range": f"{where} lies within {shown(one.value)}",
        "count": _elements(where, one.value),
        "enum": f"{where} is one of {shown(one.value)}",
        "equals": f"{where} is {shown(one.value)}",
    }
    return told.get(one.kind, f"{one.kind} holds of {where}")


def fresh(one: Fresh) -> str:
    """Until when something that a step copies holds.

    Args:
        one: of the step.

    Returns:
        A phrase such as "expires_in of offer#1 (in seconds, counted from its call)".
    """
    how = (
        "until which moment"
        if one.kind == "moment"
        else f"in {one.kind}, counted from the call of {one.step}"
    )
    return f"{source(one.value)} ({how})"
