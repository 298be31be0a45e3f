"""How is a workflow read by people? One HTML file: graph, proof, what was refused, what the checks say."""

from __future__ import annotations

from tracelode.compile.emit.given import Files, Given, edges_of, refusals_of, title, verification_of
from tracelode.compile.emit.graph import links
from tracelode.compile.emit.report import figures
from tracelode.compile.emit.report.drawing import drawing, link_id, placed
from tracelode.compile.emit.report.proofs import argument_id, asked, proofs, text
from tracelode.compile.emit.wording import check, effect, guard, source, steps
from tracelode.model import numbers
from tracelode.model.words import percent
from tracelode.model.workflow import Argument, Refusal, Step, Workflow
from tracelode.pages.document import document, head

_TRUST = {
    "proven": "proven",
    "provisional": "provisional",
    "unknown_outcome": "outcome unknown",
}
_ASIDE = 64
"""Pixels of a page beside the graph, at most, where the page is narrow."""
_PROOFS = {"hard": "proven", "suspected": "suspected", "given": "given", "none": "asked for"}


def html(given: Given) -> Files:
    """workflow.html: one file without a script that asks for nothing outside.

    Args:
        given: a workflow, or a work with a verdict, a refusal too.

    Returns:
        One file; every text of the trace is escaped.
    """
    workflow = given if isinstance(given, Workflow) else given.verdict
    body = [_head(given)]
    body += [_refusal(r) for r in refusals_of(given)] if refusals_of(given) else []
    if isinstance(workflow, Workflow):
        body += [*_workflow(workflow)]
    found = verification_of(given)
    if found is not None and found.folds:
        body.append("<div class=pair>")
        body.append(f"<section><h2>Each run left out once</h2>{figures.folds(found)}</section>")
        if found.curve:
            body.append(f"<section><h2>How many runs it takes</h2>{figures.curve(found.curve)}</section>")
        body.append("</div>")
        body.append(figures.saved(found))
    panels = list(proofs(given, workflow)) if isinstance(workflow, Workflow) else []
    own = _lit(workflow) if isinstance(workflow, Workflow) else ""
    page = document(title(given), body, styles=("workflow",), own=own, after=panels)
    return {"workflow.html": page.encode("utf-8", "replace")}


def _lit(workflow: Workflow) -> str:
    """Rules of this graph: its hint, and arrows that are lit while their proof is shown."""
    number = {step.slot: n for n, step in enumerate(workflow.steps, 1)}
    names = [link_id(number[a], number[z], kind) for a, z, kind, _ in links(workflow)]
    # the graph has a fixed width: narrower pages say that it scrolls
    hint = f"@media (max-width:{placed(workflow).width + _ASIDE:.0f}px){{.hint{{display:block}}}}\n"
    return hint + "".join(
        f"body:has(#{n}:target) .to-{n} .line{{stroke:var(--accent);stroke-width:3.5}}\n" for n in names
    )


def _head(given: Given) -> str:
    workflow = given if isinstance(given, Workflow) else given.verdict
    if not isinstance(workflow, Workflow):
        runs = given.runs if isinstance(given, Workflow) else len(given.runs)
        why = "Below is why, and what would change that."
        return head(
            title(given), f"Refused: this intent of {numbers.number(runs, 'run')} was not compiled. {why}"
        )
    tail = (
        " It is partial: it ends before the first step that was refused, and hands over."
        if workflow.partial
        else ""
    )
    marks = (workflow.id, f"compiler {workflow.compiler}" if workflow.compiler else "", workflow.digest)
    return (
        f"{head(workflow.name, workflow.description + tail, marks)}"
        f"<div class=tiles>{''.join(_tiles(workflow, given))}</div>"
    )


def _tiles(workflow: Workflow, given: Given) -> list[str]:
    arguments = [a for s in workflow.steps for a in s.arguments]
    hard = sum(e.hard for e in edges_of(given))
    tiles = [
        (f"{workflow.runs:,}", "runs it was learned from"),
        (_TRUST[workflow.trust], "trust"),
        (
            f"{len(workflow.steps):,}",
            f"steps, {sum(s.effect.writes for s in workflow.steps)} of them may write",
        ),
        (f"{len(arguments) - asked(workflow)} of {len(arguments)}", "arguments bound by a rule"),
        (f"{hard:,}", f"hard edges; {len(edges_of(given)) - hard} more suspected"),
    ]
    found = verification_of(given)
    if found is not None and found.calls:
        tiles += [
            (percent(found.bound, found.calls), "calls bound with the run left out"),
            (percent(found.right, found.bound), "of these the same as recorded"),
            (f"{found.wrong_writes:,}", "wrong writes"),
        ]
    return [f"<div class=tile><b>{text(value)}</b><span>{text(what)}</span></div>" for value, what in tiles]


def _refusal(one: Refusal) -> str:
    where = ", ".join(filter(None, (one.slot, one.arg)))
    tail = f" <code>{text(where)}</code>" if where else ""
    return (
        f'<div class="note refused"><b>Refused, {one.code}</b>{tail}<p>{text(_sentence(one.message))}</p>'
        f"<p class=soft>What would lift it: {text(_sentence(one.lifts, upper=False))}</p></div>"
    )


def _sentence(words: str, upper: bool = True) -> str:
    # a name stays what it is
    upper = upper and words.partition(" ")[0].isalpha()
    made = words[:1].upper() + words[1:] if upper else words
    return made if made.endswith((".", "!", "?")) else made + "."


def _workflow(workflow: Workflow) -> list[str]:
    keys = (
        ("data", "a value goes along it"),
        ("effect", "an effect keeps the order"),
        ("control", "whether it is taken hangs on it"),
        ("suspected", "suspected, constrains nothing"),
    )
    kinds = {
        kind.split("_")[0] if kind != "data_suspected" else "suspected" for _, _, kind, _ in links(workflow)
    }
    key = "".join(
        f'<span><svg width="34" height="10"><g class="arrow {name}"><path class="line" d="M1 '
        f'5H33"/></g></svg>{words}</span>'
        for name, words in keys
        if name in kinds
    )
    return [
        '<h2 id="graph">Steps</h2><p class=soft>Choose an arrow, or an argument below, to read its '
        "proof.</p>",
        "<p class=hint>The graph is wider than this page: scroll it sideways.</p>",
        '<div class=wide tabindex="0" role="region" aria-label="Graph of the steps, scrolls sideways">'
        f"{drawing(workflow)}</div><p class=key>{key}</p>",
        f"<div class=cards>{''.join(_cards(workflow))}</div>",
        *_inputs(workflow),
        *_guards(workflow),
    ]


def _cards(workflow: Workflow) -> list[str]:
    made = []
    for number, (step, facts) in enumerate(steps(workflow), 1):
        kind = "write" if step.effect.writes else "read"
        server = f" <span class=soft>of {text(step.server)}</span>" if step.server else ""
        rows = "".join(_argument(a, argument_id(number, n)) for n, a in enumerate(step.arguments, 1))
        made.append(
            f'<section class=card id="step-{number}"><header><h3>{number}. {text(step.slot)}</h3>'
            f'<span class="badge {kind}">{text(effect(step))}</span>'
            f"<span class=soft>{step.support:,} of {workflow.runs:,} runs</span></header>"
            f"<p><code>{text(step.tool)}</code>{server}. {text(' '.join(facts))}</p>{_checks(step)}"
            f"<ul class=plain>{rows}</ul></section>"
        )
    return made


def _checks(step: Step) -> str:
    if not step.checks:
        return ""
    rows = "".join(f"<li>{text(check(c))}</li>" for c in step.checks)
    count = f"{len(step.checks)} check{'s' if len(step.checks) > 1 else ''}"
    return f"<details><summary>{count} of its output</summary><ul>{rows}</ul></details>"


def _argument(one: Argument, name: str) -> str:
    when = f" Only if {text(guard(one.when))}." if one.when is not None else ""
    badge = _PROOFS.get(one.proof, "")
    return (
        f'<li><a href="#{name}" aria-label="proof of '
        f'{text(one.path)}">proof</a><code>{text(one.path)}</code> '
        f'<span class="badge {text(one.proof)}">{badge}</span><br><span '
        f"class=soft>{text(source(one.binding))}.{when}</span></li>"
    )


def _inputs(workflow: Workflow) -> list[str]:
    rows = "".join(
        f"<tr><td class=key-cell><code>{text(i.name)}</code></td><td>{text(i.type)}</td>"
        f"<td>{'must be given' if i.required else 'may be left out'}{', secret' if i.secret else ''}</td>"
        f"<td>{text(i.description)}</td></tr>"
        for i in workflow.inputs
    )
    if not rows:
        return ["<h2>Inputs</h2><p class=soft>None.</p>"]
    heads = "<th>name</th><th>type</th><th>needed</th><th>where it goes</th>"
    return [
        f"<h2>Inputs</h2><div "
        f"class=scroll><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    ]


def _guards(workflow: Workflow) -> list[str]:
    rows = "".join(
        f"<tr><td class=key-cell><code>{text(s.slot)}</code></td><td>{text(guard(s.when))}</td>"
        f"<td class=n>{s.when.runs_with:,}</td><td class=n>{s.when.runs_without:,}</td></tr>"
        for s in workflow.steps
        if s.when is not None
    )
    if not rows:
        return []
    heads = "<th>step</th><th>taken only if</th><th class=n>runs with</th><th class=n>without</th>"
    return [
        f"<h2>Guards</h2><div "
        f"class=scroll><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    ]
