"""What is the proof of an arrow or an argument, in words with file and line?"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tracelode.compile.emit.given import Given, edges_of, evidence_of
from tracelode.compile.emit.graph import links
from tracelode.compile.emit.report.drawing import link_id
from tracelode.compile.emit.wording import guard, source
from tracelode.compile.evidence.words import explain
from tracelode.compile.paths import general, parsed
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.evidence import Edge
from tracelode.model.intent import Intent
from tracelode.model.words import printable
from tracelode.model.workflow import Argument, Step, Workflow

_BASES = {
    "configured": "the configuration says what its tools do",
    "people": "people were asked before their calls were made",
    "declared": "the tools declare what they do",
    "observed": "records below the tools show what they change",
    "lexicon": "the names of the tools say what they do",
    "default": "it is not known what they do, so they may change anything",
}


def text(value: str) -> str:
    """A text of the trace in HTML.

    Args:
        value: any.
    """
    return escape(printable(value))


def proofs(given: Given, workflow: Workflow) -> Iterator[str]:
    """The panels of all arrows and arguments.

    Args:
        given: what evidence is taken from.
        workflow: its workflow.

    Yields:
        HTML sections; each is shown while it is the target.
    """
    number = {step.slot: n for n, step in enumerate(workflow.steps, 1)}
    for before, after, kind, _ in links(workflow):
        name = link_id(number[before], number[after], kind)
        edges = [e for e in workflow.edges if (e.before, e.after, e.kind) == (before, after, kind)]
        title = f"{number[before]}. {before} → {number[after]}. {after}"
        body = "".join(_edge(e, given, workflow) for e in edges) or _ordered(workflow.step(after), before)
        yield panel(name, title, body)
    for step in workflow.steps:
        for place, argument in enumerate(step.arguments, 1):
            yield panel(
                argument_id(number[step.slot], place),
                f"{argument.path} of {step.slot}",
                _argument(step, argument, given, workflow),
            )


def argument_id(step: int, place: int) -> str:
    """The id of the proof of an argument.

    Args:
        step: number of the step, from 1.
        place: of the argument, from 1.
    """
    return f"proof-argument-{step}-{place}"


def panel(name: str, title: str, body: str) -> str:
    """One panel.

    Args:
        name: its id.
        title: plain text.
        body: HTML.
    """
    return (
        f'<section class="proof" id="{name}" aria-label="{text(title)}"><a class="close" '
        f'href="#graph">Close</a>'
        f"<h3>{text(title)}</h3>{body}</section>"
    )


def _edge(edge: Edge, given: Given, workflow: Workflow) -> str:
    if edge.kind.startswith("data"):
        return _lines(explain(edge, _work(given, workflow)).splitlines())
    if edge.kind == "control_hard":
        when = workflow.step(edge.after).when
        words = (
            f"{edge.after} is taken only if {guard(when)}."
            if when
            else f"{edge.after} hangs on {edge.before}."
        )
        runs = f"{when.runs_with:,} runs took it, {when.runs_without:,} did not." if when else ""
        return _lines([words, *([runs] if runs else [])])
    if not (workflow.step(edge.before).effect.writes or workflow.step(edge.after).effect.writes):
        return _lines(["What the tools say of themselves puts one before the other: their order is kept."])
    resource = f" ({edge.resource})" if edge.resource else ""
    return _lines(
        [
            f"Both touch the same thing{resource}, and at least one may change it: their order is kept.",
            f"Known because {_BASES.get(edge.basis, 'nothing says that it does not matter')}.",
        ]
    )


def _ordered(step: Step, before: str) -> str:
    return _lines([f"{step.slot} needs what {before} told or did: their order is kept."])


def _lines(lines: list[str]) -> str:
    """Lines of plain text; those that begin with a dash are a list, further ones of it are indented."""
    made, inside = "", False
    for line in lines:
        if line.startswith("- "):
            made += ("" if inside else "<ul>") + f"<li>{text(line[2:])}</li>"
            inside = True
        elif inside and line.startswith("  "):
            made = made.removesuffix("</li>") + f"<br><span class=soft>{text(line.strip())}</span></li>"
        else:
            made += ("</ul>" if inside else "") + f"<p>{text(line)}</p>"
            inside = False
    return made + ("</ul>" if inside else "")


def _work(given: Given, workflow: Workflow) -> Work:
    if isinstance(given, Work):
        return given
    return Work(Intent(id=workflow.intent, name=workflow.name, runs=()), (), edges=workflow.edges)


def _argument(step: Step, argument: Argument, given: Given, workflow: Workflow) -> str:
    told = {
        "hard": "Proven by evidence.",
        "suspected": "Plausible, and not proven.",
        "given": "A constant, a default or an input.",
        "none": "No rule explains it: it is asked for.",
    }
    lines = [f"It is {source(argument.binding)}."]
    if argument.when is not None:
        lines.append(f"Passed only if {guard(argument.when)}.")
    lines.append(f"{told.get(argument.proof, '')} {_support(argument)}".strip())
    body = _lines([line for line in lines if line])
    own = [e for e in workflow.edges if e.id in argument.edges and e.after == step.slot]
    body += "".join(_edge(e, given, workflow) for e in own)
    return body + ("" if own else _cases(step, argument, given))


def _support(argument: Argument) -> str:
    if not argument.runs:
        return ""
    return f"The rule explains {argument.support:,} of the {argument.runs:,} runs that pass the argument."


def _cases(step: Step, argument: Argument, given: Given) -> str:
    """Where an argument without an edge was passed, and what else was looked at."""
    path = general(parsed(argument.path))
    found = [e for e in evidence_of(given) if e.slot == step.slot and general(parsed(e.arg)) == path]
    lines = []
    for one in found[:5]:
        where = f"{one.file}:{one.line}" if one.file else f"call {one.call}"
        looked = "; ".join(f"{x.kind.replace('_', ' ')}: {x.result}" for x in one.excluded) or "nothing"
        lines += [
            f"- {where}, run {one.run}: a {one.value.type} of {one.value.length:,} characters, no producer.",
            f"  Looked at: {looked}.",
        ]
    if len(found) > 5:
        lines.append(f"and {len(found) - 5:,} more")
    return _lines(lines)


def all_edges(given: Given) -> int:
    """How many edges there are.

    Args:
        given: refused or not.
    """
    return len(edges_of(given))


def asked(workflow: Workflow) -> int:
    """How many arguments a model or a person must give.

    Args:
        workflow: any.
    """
    return sum(b.residual(a.binding) for s in workflow.steps for a in s.arguments)
