"""How are the steps of a workflow told in words? What is special of each, and what is to be known of it."""

from __future__ import annotations

from tracelode.model.workflow import Step, Workflow
from tracelode.model.workflow_words import (
    check,
    decisions,
    effect,
    fresh,
    guard,
    place,
    shown,
    source,
)

__all__ = ["check", "effect", "facts", "guard", "label", "shown", "source", "steps"]

_BASES = {
    "configured": ", as the configuration says",
    "people": ", for people were asked before",
    "declared": ", as the tool says of itself",
    "observed": ", as records below the tool show",
    "lexicon": ", as the tool's name says",
    "default": "; nothing says whether it does",
}


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
    if asked := decisions(step):
        found.append(f"In the runs {asked}.")
    if step.when is not None:
        found.append(f"Only if {guard(step.when)}.")
    if step.each is not None:
        top = f", the first {step.each.top}" if step.each.top is not None else ""
        found.append(f"For each of {source(step.each.over)}{top}; more than {step.each.most} escalate.")
    if step.wait is not None:
        every = f" every {step.wait.every_ms / 1000:g} s" if step.wait.every_ms else ""
        ends = " or ".join(shown(v) for v in step.wait.until)
        found.append(f"Again{every} until {place(step.wait.path)} is {ends}, {step.wait.most} times at most.")
    if step.retries:
        found.append(f"Tried again up to {step.retries} times after an error.")
    found += [f"Not called once what it copies no longer holds, by {fresh(one)}." for one in step.fresh]
    if step.asks:
        found.append("Needs a yes before it is made.")
    if step.read_back:
        found.append(f"{step.read_back} shows whether it happened.")
    return found
