"""What does the compiler refuse, emit and escalate? Parts of its pages, held against the code."""

from __future__ import annotations

import re
from collections.abc import Callable

from docs.markdown import rows
from docs.pages import ROOT
from tracelode.compile.emit import ARTEFACTS
from tracelode.compile.refuse import WHOLE
from tracelode.model.workflow import ESCALATIONS, REFUSALS

COMPILER = ROOT / "src" / "tracelode" / "compile"

WHY: dict[str, tuple[str, str]] = {
    "R1": ("A step that destroys, sends out, adds, or whose effect nobody knows has an argument that no rule "
           "explains, or whose source is only plausible.",
           "A request that names the value, or runs in which it comes from one earlier output."),
    "R2": ("Some runs do a thing and others undo it: add and remove, book and cancel.",
           "A task or a word in the request that tells which was meant."),
    "R3": ("Fewer than 3 runs may be learned from; or all runs pass the same identifier, so that a copy "
           "cannot be told from a constant.", "More successful runs; a run with another value."),
    "R4": ("A write was given an identifier that came from nowhere: no request, output or setting tells it.",
           "Runs in which it is looked up first. Look at these runs: the model may have made it up."),
    "R5": ("Left out of the learning, a run's write would have been another call.",
           "More runs, so that the rule of each argument shows."),
    "R6": ("More than 40 % of the steps need a decision: it is not worth a workflow.",
           "More runs of the same kind; until then a written skill serves better."),
    "R7": ("What a step changes is unknown, and nothing orders it against another write.",
           "An effect for the tool in a file that you declare."),
    "R8": ("A constant looks like a secret, or the redactor had replaced it.",
           "Runs with the secret in the tool's own settings."),
    "R9": ("Only some runs do a write, and no value seen before it tells when.",
           "Two runs each with and without it that differ in such a value."),
    "R10": ("Steps must each come before the other.", "Runs that agree on one order."),
    "R11": ("The tool takes other arguments now than in the runs.", "Runs with the tool as it is now."),
    "R12": ("The runs do not agree on what is changed.", "An outcome for each run, or separate tasks."),
    "R13": ("The work does not repeat, or is a single call.", "Runs that repeat a task."),
}  # fmt: skip
"""Code to (what speaks against it, what would lift it)."""

STANDS: dict[str, str] = {
    "guard_failed": "an output is not as it was in every run: another type, empty, out of range",
    "unseen_branch": "the run came to a case that no run of the learning shows",
    "schema_changed": "a tool is not there, or takes other arguments",
    "empty_selection": "the list has no element that the rule picks, or the text not the piece",
    "ambiguous_selection": "several elements fit",
    "tool_error_after_retry": "a tool failed; reads are tried again, writes never",
    "budget": "the calls or the seconds are used up",
    "approval_required": "a write waits for a person's yes",
    "missing_input": "a value of the moment is not known",
    "in_doubt": "a write may have been done when the process died: it is never repeated",
    "decision_required": "no rule explains an argument; a model or a person has to say",
    "stale": "what the step copies has run out (an offer, a token), or nobody can tell whether it has",
}


def refusals() -> str:
    """Every rule that refuses."""
    told = {
        code for path in COMPILER.rglob("*.py") for code in re.findall(r'code="(R\d+)"', path.read_text())
    }
    assert told == set(WHY) == set(REFUSALS)
    body = (
        (code, what, "the whole" if code in WHOLE else "the step", lifts)
        for code, (what, lifts) in WHY.items()
    )
    return rows(("code", "what speaks against it", "refuses", "what lifts it"), body)


def escalations() -> str:
    """Every reason for which a run stands still."""
    assert set(STANDS) == set(ESCALATIONS)
    return rows(("code", "why it stands still"), ((f"`{code}`", STANDS[code]) for code in ESCALATIONS))


def artefacts() -> str:
    """Every form in which a workflow is given out."""
    body = ((f"`{name}`", f"`{one.files}`", one.description) for name, one in ARTEFACTS.items())
    return rows(("--emit", "writes", "what it is"), body)


TABLES: dict[str, Callable[[], str]] = {
    "refusals": refusals,
    "escalations": escalations,
    "artefacts": artefacts,
}
