"""How does a run of a workflow look: its calls, where it stands, what a shadow run would write?"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from tracelode.cli.text import clean, cut, number
from tracelode.model.words import duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tracelode.cli.screen import Screen
    from tracelode.model.compiled import Beat
    from tracelode.model.execution import Escalation, Outcome
    from tracelode.model.workflow import Input, Workflow

INDENT = 10
LONGEST = 120
"""Cells of an output that are shown."""
MOST = 8
"""Words of a request that are named."""
STATUS = {"done": "done", "escalated": "waits", "stopped": "stopped", "handed_over": "in part"}
_COMPARED = {
    "": "", "same": " (as in the recorded run)", "different": " (other arguments than in the recorded run)",
    "absent": " (not in the recorded run)",
}  # fmt: skip


def progress(beat: Beat) -> None:
    """Say on standard error that a call ended.

    Args:
        beat: of a call.
    """
    from tracelode.cli.screen import say

    if beat.state == "begun":
        return
    words = {"done": "done", "failed": "failed", "unsure": "may be done, or not"}
    why = f" ({clean(beat.why)})" if beat.why else ""
    say(f"{clean(beat.tool)}: {words.get(beat.state, beat.state)}{why}, {duration(beat.microseconds)}")


def missing(inputs: list[Input], unclear: Mapping[str, Sequence[Any]] | None = None) -> str:
    """Which inputs are missing, in a sentence.

    Args:
        inputs: one or more.
        unclear: those of them for which a request tells several values: the readings of a date that has two,
            else none.
    """
    names = "; ".join(
        f"{clean(one.name)} ({clean(one.type)}: {clean(one.description)}{_several(one.name, unclear or {})})"
        for one in inputs
    )
    return f"{number(len(inputs), 'input')} missing: {names}; give each as --input NAME=VALUE"


def _several(name: str, unclear: Mapping[str, Sequence[Any]]) -> str:
    if name not in unclear:
        return ""
    both = " or ".join(clean(str(one)) for one in unclear[name])
    return f", the request may mean {both}" if both else ", the request tells several"


def unfit(against: Sequence[str]) -> str:
    """Why a request is not for a workflow, in a sentence.

    Args:
        against: words that it says, "+WORD" for those that nothing accounts for, "-WORD" for those that it
            leaves out.
    """
    says = [clean(word) for word in against if word[:1] not in ("+", "-")]
    strange, lacks = ([clean(word[1:]) for word in against if word[:1] == mark] for mark in "+-")
    parts = [f"it says {_listed(says)}"] if says else []
    parts += (
        [f"it says {_listed(strange)}, which the recorded requests did not"] if strange and not lacks else []
    )
    parts += [f"it does not say {_listed(lacks)}, as every request did"] if lacks else []
    return (
        f"the request is not for this workflow: {'; '.join(parts)}; if it is meant all the same, leave out "
        "--request and give each input as --input NAME=VALUE"
    )


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - MOST} more" if len(words) > MOST else ""
    return f"{', '.join(words[:MOST])}{more}"


def ask_inputs(inputs: list[Input]) -> dict[str, str]:
    """Ask a person for inputs at the terminal; an empty answer leaves one out.

    Args:
        inputs: that are missing.

    Returns:
        Name to what was typed.
    """
    import getpass

    found = {}
    for one in inputs:
        prompt = f"{clean(one.name)} ({clean(one.type)}): "
        if one.secret and sys.stdin.isatty():
            said = getpass.getpass(prompt)
        else:
            sys.stderr.write(prompt)
            sys.stderr.flush()
            said = sys.stdin.readline()
        if said.strip():
            found[one.name] = said.strip()
    return found


def draw(screen: Screen, workflow: Workflow, outcome: Outcome, resume: Sequence[str]) -> None:
    """Write how far a run came.

    Args:
        screen: where.
        workflow: which.
        outcome: of the run.
        resume: commands that go on with it, one for each thing that may be so.
    """
    done = [step for step in workflow.steps if step.slot in outcome.outputs]
    screen.flow(STATUS[outcome.status], [f"{clean(workflow.name)}, run {clean(outcome.run)}"], indent=INDENT)
    parts = [f"{len(done):,} of {number(len(workflow.steps), 'step')}", number(outcome.calls, "call")]
    if outcome.asked:
        parts.append(f"{number(outcome.asked, 'question')} answered")
    if outcome.skipped:
        parts.append(f"not taken: {', '.join(clean(slot) for slot in outcome.skipped)}")
    screen.flow("", parts, joint=", ", indent=INDENT)
    for step in done:
        screen.flow("", [f"{clean(step.slot)}: {shown(outcome.outputs[step.slot])}"], indent=INDENT)
    for write in outcome.proposed:
        screen.flow(
            "would",
            [f"{clean(write.step)} with {shown(write.arguments)}{_COMPARED[write.verdict]}"],
            indent=INDENT,
        )
    told = {write.step for write in outcome.proposed}
    beyond = [slot for slot in outcome.unreached if slot not in told]
    if beyond:
        names = ", ".join(clean(slot) for slot in beyond)
        screen.flow("beyond", [f"{names}: needs what only a write would have given"], indent=INDENT)
    if outcome.status == "handed_over":
        screen.flow("", ["what was refused is left to whoever asked"], indent=INDENT)
    if outcome.escalation is not None:
        stands(screen, outcome.escalation)
    if outcome.status == "escalated":
        for place, way in enumerate(resume):
            screen.flow("or" if place else "resume", [way], indent=INDENT, whole=True)


def stands(screen: Screen, asked: Escalation) -> None:
    """Write why a run stands still, and what whoever takes over needs.

    Args:
        screen: where.
        asked: its escalation.
    """
    screen.flow(
        "stands",
        [f"{clean(asked.step) or 'at its start'}: {asked.code}: {clean(asked.message)}"],
        indent=INDENT,
    )
    if asked.failing is not None:
        place = f" at {clean(asked.failing.path)}" if asked.failing.path else ""
        screen.flow("", [f"{clean(asked.failing.kind)}: {clean(asked.failing.what)}{place}"], indent=INDENT)
    if asked.bound is not None:
        screen.flow("", [f"it would be called with {shown(asked.bound)}"], indent=INDENT)
    screen.flow("to do", [clean(slot) for slot in asked.remaining], joint=", ", indent=INDENT)


def shown(value: Any) -> str:
    """A value of a tool, clean and cut.

    Args:
        value: JSON value.
    """
    return cut(clean(json.dumps(value, ensure_ascii=False)), LONGEST)
