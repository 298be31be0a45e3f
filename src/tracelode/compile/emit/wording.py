"""How is a workflow told in words? Bindings, guards, checks and steps as plain English."""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.compile.transforms import text
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Check, Guard, Step, Test, Workflow

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
_EFFECTS = {
    "read": "reads",
    "idempotent_write": "writes; twice is as once",
    "append": "writes",
    "destructive": "destroys",
    "external_send": "sends to others",
    "unknown": "may write",
}
_BASES = {
    "configured": ", as the configuration says",
    "declared": ", as the tool says of itself",
    "observed": ", as records below the tool show",
    "lexicon": ", as the tool's name says",
    "default": "; nothing says whether it does",
}
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
    said = text(value) if not isinstance(value, str) else f'"{value}"'
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def effect(step: Step) -> str:
    """What a step does to the world.

    Args:
        step: which.
    """
    return _EFFECTS.get(step.effect.effect, step.effect.effect)


def label(step: Step) -> str:
    """What is special about a step, in a few words; "" for nothing.

    Args:
        step: which.
    """
    notes = [effect(step)] if step.effect.writes else []
    notes += ["for each"] if step.each is not None else []
    notes += ["waits"] if step.wait is not None else []
    notes += ["sometimes"] if step.when is not None else []
    return ", ".join(notes)


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
            return f"{_at(binding.path)} of {binding.step}{_as(binding.transforms)}"
        case b.Span():
            place = f"{_at(binding.path)} of {binding.step}"
            return f"the piece {binding.pattern} in {place}{_as(binding.transforms)}"
        case b.Selected():
            picks = ", then ".join(_pick(p) for p in binding.picks)
            place = f"{_at(binding.list)} of {binding.step}"
            return f"{_at(binding.field)} of {picks} in {place}{_as(binding.transforms)}"
        case b.Each():
            return f"{_at(binding.field)} of the element{_as(binding.transforms)}"
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
            place = f"{_at(binding.list)} of {binding.step}"
            return f"{_at(binding.field)} of an element of {place} that a model or a person chooses"
        case b.Free():
            return "a value that a model or a person gives"
    return "no known source"


def _derived(binding: b.Derived) -> str:
    parts = [source(inner) for inner in binding.of]
    if binding.op in ("sum", "count"):
        return f"{binding.op} of {' and '.join(parts)}{_as(binding.transforms)}"
    operand = parts[1] if len(parts) > 1 else str(binding.amount)
    return f"{parts[0]} {_DERIVED.get(binding.op, binding.op)} {operand}{_as(binding.transforms)}"


def _at(path: str) -> str:
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
            return f"the element with the least {_at(pick.field)}"
        case b.Most():
            return f"the element with the most {_at(pick.field)}"
    first = "the first element" if pick.first else "the elements"
    wanted = source(pick.value).removeprefix("always ")
    return f"{first} whose {_at(pick.field)} {_OPS.get(pick.op, pick.op)} {wanted}"


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


def check(one: Check) -> str:
    """What must hold of an output.

    Args:
        one: the check.
    """
    place = _at(one.path) if one.path else "the output"
    told = {
        "no_error": "the call does not fail",
        "required": f"{place} is there",
        "nonempty": f"{place} is not empty",
        "type": f"{place} is of type {shown(one.value).strip(chr(34))}",
        "range": f"{place} lies within {shown(one.value)}",
        "count": f"{place} has as many elements as {shown(one.value)}",
        "enum": f"{place} is one of {shown(one.value)}",
        "equals": f"{place} is {shown(one.value)}",
    }
    return told.get(one.kind, f"{one.kind} holds of {place}")


def steps(workflow: Workflow) -> list[tuple[Step, list[str]]]:
    """All steps with what is to be known of each.

    Args:
        workflow: any.

    Returns:
        Per step: sentences; arguments and checks apart.
    """
    return [(step, facts(step)) for step in workflow.steps]


def facts(step: Step) -> list[str]:
    """What is to be known of a step, its effect first.

    Args:
        step: which.
    """
    known = _BASES.get(step.effect.basis, _BASES["default"])
    found = [f"{effect(step).capitalize()}{known}."]
    if step.when is not None:
        found.append(f"Only if {guard(step.when)}.")
    if step.each is not None:
        top = f", the first {step.each.top}" if step.each.top is not None else ""
        found.append(f"For each of {source(step.each.over)}{top}; more than {step.each.most} escalate.")
    if step.wait is not None:
        every = f" every {step.wait.every_ms / 1000:g} s" if step.wait.every_ms else ""
        ends = " or ".join(shown(v) for v in step.wait.until)
        found.append(f"Again{every} until {_at(step.wait.path)} is {ends}, {step.wait.most} times at most.")
    if step.retries:
        found.append(f"Tried again up to {step.retries} times after an error.")
    if step.effect.writes:
        found.append("Needs a yes before it is made.")
    if step.read_back:
        found.append(f"{step.read_back} shows whether it happened.")
    return found
