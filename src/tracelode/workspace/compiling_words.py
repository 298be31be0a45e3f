"""Why is there an edge? In words, from its evidence, as far as the evidence tells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tracelode.compile.resources import UNKNOWN
from tracelode.compile.work import Work
from tracelode.errors import QueryError
from tracelode.model.evidence import Edge, Evidence
from tracelode.model.intent import Intent
from tracelode.model.numbers import number
from tracelode.model.workflow import Workflow
from tracelode.model.workflow_words import fresh

SHOWN = 8
"""Edges of one step that are listed."""
BASIS = {
    "configured": "your configuration says what it does",
    "people": "people were asked before it was done",
    "declared": "the tool declares what it does",
    "observed": "it was seen to change something",
    "lexicon": "the words of its name say what it does",
    "default": "nobody says what it does, so it counts as a change",
    "single_run": "seen in single runs",
    "cross_run": "compared over the runs",
}


def explained(
    name: str, workflow: Workflow | None, edges: Sequence[Edge], evidence: Sequence[Evidence]
) -> list[str]:
    """Edges in words.

    Args:
        name: id of an edge, a step, STEP.ARGUMENT, or STEP>STEP.
        workflow: what they are of, None where it was refused.
        edges: all.
        evidence: all tuples.

    Returns:
        Lines of plain text.

    Raises:
        QueryError: no such edge.
    """
    found = _named(name, edges)
    if not found:
        steps = ", ".join(sorted({slot for e in edges for slot in (e.before, e.after)})[:6])
        ids = f"e1 to {edges[-1].id}" if edges else "none"
        raise QueryError(f"no edge {name!r}; there are {ids}, between {steps or 'no steps'}")
    work = Work(
        intent=Intent(id=workflow.intent if workflow else "", name="", runs=()),
        runs=(),
        edges=tuple(edges),
        evidence=tuple(evidence),
    )
    lines: list[str] = []
    for edge in found[:SHOWN]:
        lines += [
            f"{edge.id}  {edge.before} -> {edge.after}  {edge.kind}",
            *_told(edge, work),
            *_limits(edge, workflow),
            "",
        ]
    if len(found) > SHOWN:
        lines.append(f"and {len(found) - SHOWN} more")
    return lines if lines[-1] else lines[:-1]


def explain(name: str, target: str | Path) -> list[str]:
    """Edges of a folder in words; no store is needed.

    Args:
        name: id of an edge, a step, STEP.ARGUMENT, or STEP>STEP.
        target: folder or file that was written.

    Raises:
        QueryError: no such edge.
        WorkflowError: the file cannot be taken.
    """
    from tracelode.workspace.compiling_files import read

    return explained(name, *read(target))


def _named(name: str, edges: Sequence[Edge]) -> list[Edge]:
    if exact := [e for e in edges if e.id == name]:
        return exact
    before, arrow, after = (part.strip() for part in name.partition(">"))
    if arrow:
        return [e for e in edges if (e.before, e.after) == (before, after)]
    slot, _, arg = name.partition(".")
    return [e for e in edges if e.after == slot and (not arg or e.arg == arg)] or (
        [] if arg else [e for e in edges if e.before == slot]
    )


def _told(edge: Edge, work: Work) -> list[str]:
    if edge.kind.startswith("data"):
        from tracelode.compile.evidence import explain

        return explain(edge, work).split("\n")
    if edge.kind == "effect_hard":
        known = edge.resource and edge.resource != UNKNOWN
        what = f"both touch {edge.resource}" if known else "what they touch is not known, and may be the same"
        why = BASIS.get(edge.basis, edge.basis)
        return [
            f"{edge.after} may not be moved before {edge.before}: {what}, and one of them changes something.",
            f"How that is known: {why}.",
            *_seen(edge, "keep this order"),
        ]
    if edge.kind == "control_hard":
        return [
            f"whether {edge.guard or edge.after} is done hangs on what {edge.before} told.",
            *_seen(edge, "show it"),
        ]
    return [f"{edge.before} came before {edge.after}; nothing proves that it must.", *_seen(edge, "show it")]


def _limits(edge: Edge, workflow: Workflow | None) -> list[str]:
    """Until when what goes along an edge holds."""
    steps = workflow.steps if workflow is not None and edge.kind.startswith("data") else ()
    return [
        f"{edge.after} is not called once what it copies no longer holds, by {fresh(one)}."
        for step in steps
        if step.slot == edge.after
        for one in step.fresh
        if one.step == edge.before
    ]


def _seen(edge: Edge, what: str) -> list[str]:
    return [f"{edge.support:,} of {number(edge.runs, 'run')} {what}."] if edge.runs else []
