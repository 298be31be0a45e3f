"""How does a workflow look as a graph? Mermaid and DOT text; names of the trace are quoted and escaped."""

from __future__ import annotations

from tracelode.compile.emit.given import Files, Given, workflow_of
from tracelode.compile.emit.wording import label
from tracelode.model.evidence import Edge
from tracelode.model.workflow import Step, Workflow

_LONGEST = 60
"""Signs of a name that are shown."""
_ARROWS = {"data_hard": "-->", "effect_hard": "==>", "control_hard": "-->", "data_suspected": "-.->"}
_LINES = {"data_hard": "solid", "effect_hard": "bold", "control_hard": "solid", "data_suspected": "dashed"}


def mermaid(given: Given) -> Files:
    """workflow.mmd: a Mermaid flowchart.

    Args:
        given: a workflow, or a work whose verdict is one.

    Raises:
        WorkflowError: refused.
    """
    workflow = workflow_of(given)
    ids = {step.slot: f"s{n}" for n, step in enumerate(workflow.steps, 1)}
    lines = ["flowchart TD"]
    if workflow.inputs:
        names = ", ".join(i.name for i in workflow.inputs)
        lines.append(f'    inputs(["{_entities(names)}"])')
    for step in workflow.steps:
        start, end = ("[[", "]]") if step.effect.writes else ("[", "]")
        lines.append(f'    {ids[step.slot]}{start}"{"<br/>".join(_entities(t) for t in _words(step))}"{end}')
    for before, after, kind, words in links(workflow):
        tail = f'|"{_entities(words)}"|' if words else ""
        lines.append(f"    {ids[before]} {_ARROWS[kind]}{tail} {ids[after]}")
    lines += [
        "    classDef write stroke-width:3px;",
        *(f"    class {ids[s.slot]} write;" for s in workflow.steps if s.effect.writes),
    ]
    return {"workflow.mmd": "\n".join(lines).encode() + b"\n"}


def dot(given: Given) -> Files:
    """workflow.dot for Graphviz.

    Args:
        given: a workflow, or a work whose verdict is one.

    Raises:
        WorkflowError: refused.
    """
    workflow = workflow_of(given)
    ids = {step.slot: f"s{n}" for n, step in enumerate(workflow.steps, 1)}
    lines = [
        "digraph workflow {",
        f"    label={_quoted(_cut(workflow.name))};",
        '    node [shape=box, fontname="sans-serif"]; edge [fontname="sans-serif", fontsize=10];',
    ]
    for step in workflow.steps:
        pens = ", peripheries=2" if step.effect.writes else ""
        lines.append(f"    {ids[step.slot]} [label={_quoted(*_words(step))}{pens}];")
    for before, after, kind, words in links(workflow):
        loose = ", constraint=false" if kind == "data_suspected" else ""
        lines.append(
            f"    {ids[before]} -> {ids[after]} [label={_quoted(words)}, style={_LINES[kind]}{loose}];"
        )
    return {"workflow.dot": "\n".join([*lines, "}"]).encode() + b"\n"}


def links(workflow: Workflow) -> list[tuple[str, str, str, str]]:
    """The arrows that are drawn: one for each pair of steps and kind.

    Args:
        workflow: any.

    Returns:
        (slot before, slot after, kind, words); where an order has no edge of its own it is one of effects.
    """
    slots = {s.slot for s in workflow.steps}
    found: dict[tuple[str, str, str], list[str]] = {}
    for edge in workflow.edges:
        if edge.kind in _ARROWS and {edge.before, edge.after} <= slots:
            found.setdefault((edge.before, edge.after, edge.kind), []).append(_told(edge))
    told = {(before, after) for before, after, kind in found if kind != "data_suspected"}
    for step in workflow.steps:
        for before in step.after:
            if before in slots and (before, step.slot) not in told:
                found[before, step.slot, "effect_hard"] = [""]
    shown = [(*key, ", ".join(dict.fromkeys(filter(None, words)))) for key, words in found.items()]
    follows: dict[str, set[str]] = {}
    for before, after, kind, _ in shown:
        if kind != "data_suspected":
            follows.setdefault(before, set()).add(after)
    return [link for link in shown if link[2] != "effect_hard" or not _implied(link[0], link[1], follows)]


def _implied(before: str, after: str, follows: dict[str, set[str]]) -> bool:
    """Does another way lead from one step to another, so that their order need not be drawn?"""
    todo, seen = [s for s in sorted(follows[before]) if s != after], set()
    while todo:
        slot = todo.pop()
        if slot == after:
            return True
        if slot not in seen:
            seen.add(slot)
            todo += sorted(follows.get(slot, ()))
    return False


def _told(edge: Edge) -> str:
    if edge.kind.startswith("data"):
        return _cut(edge.arg)
    return "when" if edge.kind == "control_hard" else ""


def _words(step: Step) -> list[str]:
    notes = label(step)
    return [_cut(step.slot), *([notes] if notes else [])]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _entities(text: str) -> str:
    """A text in quotes of Mermaid: every sign but letters, digits and a few as its entity."""
    return "".join(c if c.isalnum() or c in " _-.,:/()[]" else f"#{ord(c)};" for c in text)


def _quoted(*lines: str) -> str:
    made = "\\n".join(
        "".join(c for c in line if c.isprintable()).replace("\\", "\\\\").replace('"', '\\"')
        for line in lines
    )
    return f'"{made}"'
