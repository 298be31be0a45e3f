"""Where does an argument come from, and when is a step taken? Bindings and guards in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tracelode.cli.text import clean, cut
from tracelode.model import binding as b
from tracelode.model import workflow_words as words

if TYPE_CHECKING:
    from tracelode.model.workflow import Check, Effect, Guard, Step

LONGEST = 40
"""Cells of a value of a trace that are shown."""


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
    return clean(words.source(binding))


def guard_text(guard: Guard) -> str:
    """When a step is taken, in words.

    Args:
        guard: of a step or an argument.
    """
    return clean(words.guard(guard))


def effect_text(effect: Effect) -> str:
    """What a step does to the world, in a word or two.

    Args:
        effect: of a step.
    """
    return clean(words.EFFECTS.get(effect.effect, effect.effect))


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
    notes += [f"not once what it copies no longer holds: {clean(words.fresh(one))}" for one in step.fresh]
    if step.approval:
        said = words.decisions(step)
        because = f": in the runs {said}" if said else ""
        notes.append(f"a person must say yes first{because}")
    if step.read_back:
        notes.append(f"{clean(step.read_back)} shows whether it was done")
    return notes


def check_text(check: Check) -> str:
    """What must hold of an output, in words.

    Args:
        check: of a step.
    """
    return clean(words.check(check))
