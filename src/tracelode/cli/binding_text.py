"""Where does an argument come from, and when is a step taken? Bindings and guards in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tracelode.cli.text import clean, cut
from tracelode.model import binding as b

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracelode.model.workflow import Check, Effect, Guard, Step, Test

LONGEST = 40
"""Cells of a value of a trace that are shown."""
_COMPARED = {
    "eq": "is", "ne": "is not", "lt": "is below", "le": "is at most", "gt": "is above", "ge": "is at least",
    "in": "is one of", "contains": "contains", "empty": "is empty", "present": "is there",
}  # fmt: skip
_NOT = {
    "eq": "is not", "ne": "is", "lt": "is at least", "le": "is above", "gt": "is at most", "ge": "is below",
    "in": "is none of", "contains": "does not contain", "empty": "is not empty", "present": "is not there",
}  # fmt: skip
EFFECTS = {
    "read": "reads",
    "idempotent_write": "writes, repeatable",
    "append": "adds",
    "destructive": "destroys",
    "external_send": "sends out",
    "unknown": "may change",
}
"""What a tool does to the world, in a word or two."""


def value_text(value: Any) -> str:
    """A value of a trace, clean and cut.

    Args:
        value: JSON value.
    """
    return cut(clean(json.dumps(value, ensure_ascii=False)), LONGEST)


def binding_text(binding: b.Binding) -> str:
    """Where a value comes from, in words.

    Args:
        binding: any kind.

    Returns:
        Clean text.
    """
    match binding:
        case b.Constant():
            return f"always {value_text(binding.value)}"
        case b.Default():
            return f"the tool's default {value_text(binding.value)}"
        case b.FromInput():
            return f"input {clean(binding.name)}{_shape(binding.transforms)}"
        case b.FromState():
            return f"{clean(binding.name)} of the moment{_shape(binding.transforms)}"
        case b.Copy():
            return f"{_place(binding.step, binding.path)}{_shape(binding.transforms)}"
        case b.Span():
            return f"a piece of the text {_place(binding.step, binding.path)}{_shape(binding.transforms)}"
        case b.Selected():
            return _selected(binding)
        case b.Each():
            return f"{clean(binding.field) or 'itself'} of each element{_shape(binding.transforms)}"
        case b.Alias():
            return ", or else ".join(binding_text(one) for one in binding.of)
        case b.Template():
            return "text " + " + ".join(
                value_text(p) if isinstance(p, str) else f"({binding_text(p)})" for p in binding.parts
            )
        case b.Derived():
            return _derived(binding)
        case b.Generated():
            return "a text that a model or a person writes"
        case b.Choose():
            return f"a choice of a model or a person from {_place(binding.step, binding.list)}"
        case b.Free():
            return "a value that a model or a person gives"
    return "from nowhere"


def _place(step: str, path: str) -> str:
    return f"{clean(step)}: {clean(path)}" if path else f"{clean(step)}: all of it"


def _shape(transforms: Sequence[b.Transform]) -> str:
    names = [clean(t.name + (f" {t.with_}" if t.with_ else "")) for t in transforms]
    return f", as {' '.join(names)}" if names else ""


def _selected(binding: b.Selected) -> str:
    picks = " ".join(_pick(pick) for pick in binding.picks)
    field = f"{clean(binding.field)} of " if binding.field else ""
    return f"{field}the element of {_place(binding.step, binding.list)} {picks}{_shape(binding.transforms)}"


def _pick(pick: b.Pick) -> str:
    if isinstance(pick, b.At):
        return {0: "that is first", -1: "that is last"}.get(pick.index, f"at place {pick.index}")
    if isinstance(pick, b.Least):
        return f"with the least {clean(pick.field)}"
    if isinstance(pick, b.Most):
        return f"with the most {clean(pick.field)}"
    return f"whose {clean(pick.field)} {_COMPARED.get(pick.op, clean(pick.op))} {binding_text(pick.value)}"


def _derived(binding: b.Derived) -> str:
    parts = [binding_text(one) for one in binding.of]
    if binding.amount:
        parts.append(f"{binding.amount:+}")
    return f"{clean(binding.op)} of {' and '.join(parts)}{_shape(binding.transforms)}"


def guard_text(guard: Guard) -> str:
    """When a step is taken, in words.

    Args:
        guard: of a step or an argument.
    """
    return " and ".join(_test(test) for test in guard.tests)


def _test(test: Test) -> str:
    words = (_NOT if test.negated else _COMPARED).get(test.op, clean(test.op))
    right = "" if test.right is None else f" {_plain(test.right)}"
    return f"{_plain(test.left)} {words}{right}"


def _plain(binding: b.Binding) -> str:
    return binding_text(binding).removeprefix("always ")


def effect_text(effect: Effect) -> str:
    """What a step does to the world, in a word or two.

    Args:
        effect: of a step.
    """
    return EFFECTS.get(effect.effect, clean(effect.effect))


def step_notes(step: Step) -> list[str]:
    """What else is to be known of a step: when, how often, with whose leave.

    Args:
        step: any.

    Returns:
        Clean phrases.
    """
    notes = []
    if step.when is not None:
        notes.append(f"only if {guard_text(step.when)}")
    if step.each is not None:
        most = f", at most {step.each.most:,}" if step.each.most else ""
        notes.append(f"for each of {binding_text(step.each.over)}{most}")
    if step.wait is not None:
        ends = " or ".join(value_text(value) for value in step.wait.until)
        notes.append(f"again until {clean(step.wait.path)} is {ends}")
    if step.approval:
        notes.append("a person must say yes first")
    if step.read_back:
        notes.append(f"{clean(step.read_back)} shows whether it was done")
    return notes


def check_text(check: Check) -> str:
    """What must hold of an output, in words.

    Args:
        check: of a step.
    """
    place = clean(check.path) or "the output"
    words = {
        "type": f"{place} is a {clean(str(check.value))}",
        "required": f"{place} is there",
        "nonempty": f"{place} is not empty",
        "no_error": "it is no error",
        "equals": f"{place} is {value_text(check.value)}",
        "enum": f"{place} is one of {value_text(check.value)}",
        "range": f"{place} lies within {value_text(check.value)}",
        "count": f"{place} has {value_text(check.value)} elements",
    }
    return words.get(check.kind, f"{clean(check.kind)} of {place}")
