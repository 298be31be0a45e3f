"""How does a workflow read as a Python module? Standard library alone, one function for each step."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tracelode.compile.emit.given import Files, Given, workflow_of
from tracelode.compile.emit.module.copying import copied, offered
from tracelode.compile.emit.module.expressions import literal
from tracelode.compile.emit.module.steps import StepSource, step_source
from tracelode.compile.emit.names import file_name, identifier, slug
from tracelode.compile.execute.plan import ordered
from tracelode.model import binding as b
from tracelode.model.workflow import Input, Workflow

_TYPES = {
    "string": "str",
    "date": "str",
    "time": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "list": "list[Any]",
}
_KEPT = frozenset(("call", "state", "escalate", "approved", "run", "inputs", "scene"))
_ALWAYS = (
    "Run",
    "Step",
    "Scene",
    "Call",
    "Escalate",
    "Escalation",
    "Stopped",
    "ToolFailed",
    "ABSENT",
    "RETRY",
    "SKIP",
    "ACCEPT",
    "STOP",
    "Output",
    "Value",
    "given",
)
_STANDARD = {
    "Any": "typing",
    "Callable": "collections.abc",
    "Collection": "collections.abc",
    "Mapping": "collections.abc",
}


def python(given: Given) -> Files:
    """The workflow as a typed async module.

    Args:
        given: a workflow, or a work whose verdict is one.

    Returns:
        One file; its functions call tools through one callable, (name, arguments) -> awaitable.

    Raises:
        WorkflowError: refused, or our own source is not installed.
    """
    workflow = workflow_of(given)
    name = f"{slug(file_name(workflow.id, workflow.name), '_')}.py"
    return {name if name[0].isalpha() else f"workflow_{name}": module(workflow).encode()}


def module(workflow: Workflow) -> str:
    """The source of the module.

    Args:
        workflow: checked, see files.problems().

    Returns:
        ASCII text of ours and of our own sources; names and values of the trace only as literals.
    """
    steps = [step_source(step, number) for number, step in enumerate(ordered(workflow), 1)]
    taken = {*offered(), *_STANDARD, *(s.name for s in steps), *(s.arguments for s in steps), *_KEPT}
    entry = identifier(workflow.name, taken, "workflow")
    parameters = _parameters(workflow.inputs, {*taken, entry})
    body = "\n\n\n".join(
        [
            *(s.text for s in steps),
            _entry(workflow, entry, parameters, steps),
            _table(workflow, entry, steps, parameters),
        ]
    )
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    lines, helpers = copied(sorted({*_ALWAYS, *(used & offered())}))
    imports = _imports([*lines, *(f"from {m} import {n}" for n, m in _STANDARD.items() if n in used)])
    parts = [_heading(workflow, entry, steps), "from __future__ import annotations", imports, helpers, body]
    return "\n\n".join(parts[:3]) + "\n\n\n" + "\n\n\n".join(parts[3:]) + "\n"


def _imports(lines: list[str]) -> str:
    by_module: dict[str, set[str]] = {}
    plain = []
    for line in lines:
        if line.startswith("import "):
            plain.append(line)
        else:
            module, _, names = line.removeprefix("from ").partition(" import ")
            by_module.setdefault(module, set()).update(names.split(", "))
    return "\n".join(
        [*sorted(plain), *(f"from {m} import {', '.join(sorted(by_module[m]))}" for m in sorted(by_module))]
    )


def _moment(workflow: Workflow) -> bool:
    """Does any binding read the clock or the folder?"""
    return any(
        isinstance(inner, b.FromState) for step in workflow.steps for inner in _bindings(step_bindings(step))
    )


def step_bindings(step: object) -> list[b.Binding]:
    """Every binding of a step: arguments, guards, list.

    Args:
        step: of a workflow.
    """
    from tracelode.model.workflow import Step

    assert isinstance(step, Step)
    found = [a.binding for a in step.arguments]
    for guard in (step.when, *(a.when for a in step.arguments)):
        for test in guard.tests if guard else ():
            found += [test.left, *([test.right] if test.right is not None else [])]
    return [*found, *([step.each.over] if step.each else [])]


def _bindings(found: Iterable[b.Binding]) -> Iterable[b.Binding]:
    for binding in found:
        yield binding
        yield from _bindings(b.children(binding))


def _parameters(inputs: tuple[Input, ...], taken: set[str]) -> list[tuple[str, Input]]:
    found: list[tuple[str, Input]] = []
    for one in inputs:
        name = identifier(one.name, taken, "given")
        taken.add(name)
        found.append((name, one))
    return sorted(found, key=lambda pair: not pair[1].required)


def _heading(workflow: Workflow, entry: str, steps: list[StepSource]) -> str:
    lines = [
        f"{shown(workflow.name)}: what is asked of it, and how it is done without a model.",
        "",
        f"Compiled by tracelode from {workflow.runs:,} runs: workflow {shown(workflow.id)}, digest "
        f"{shown(workflow.digest) or 'none'}. Do not edit: emit it again.",
        "",
        f"await {entry}(call, ...) takes the steps one after another. call(name, arguments) calls a tool; it",
        "raises ToolFailed where it is certain that the call failed and nothing was changed, and "
        "anything else",
        "where it is not. What cannot go on by itself goes to escalate(Escalation), with all that is "
        "known and its",
        "`answers`; without it, Escalation is raised. Every write needs a yes (approval_required), or its "
        "step in",
        "`approved`; a no ends the run with Stopped, which tells what was done (completed, partly).",
        "There is no journal: run the workflow with tracelode where a write must never be made twice "
        "though the",
        "process dies.",
    ]
    if workflow.partial:
        lines += [
            "",
            "Partial: it ends before the first step that was refused; the rest is for whoever asked.",
        ]
    cannot = [f"- {shown(s.slot)}: {shown(what)}" for s in steps for what in s.cannot]
    if cannot:
        lines += ["", "These rules need more than the standard library, and escalate here:", *cannot]
    return '"""' + "\n".join(lines) + '\n"""'


def shown(text: str) -> str:
    """A text inside a string of three quotes: ASCII, nothing that ends the string or escapes.

    Args:
        text: any.
    """
    return ascii(text)[1:-1].replace("\\", "\\\\").replace('"', '\\"')


def _entry(
    workflow: Workflow, entry: str, parameters: list[tuple[str, Input]], steps: list[StepSource]
) -> str:
    told = [
        f"    {name}: {_TYPES.get(one.type, 'Any')}{'' if one.required else ' = ABSENT'},"
        for name, one in parameters
    ]
    words = [f"        {name}: {_described(one)}" for name, one in parameters]
    pairs = ", ".join(
        f"({one.name!a}, {one.type!a}, {one.multiline}, {one.blank}, {name})" for name, one in parameters
    )
    moment = "at_this_moment(state)" if _moment(workflow) else "dict(state or {})"
    lines = [
        f"async def {entry}(",
        "    call: Call,",
        "    *,",
        *told,
        "    state: Mapping[str, Any] | None = None,",
        "    escalate: Escalate | None = None,",
        "    approved: Collection[str] = (),",
        ") -> dict[str, Any]:",
        f'    """{shown(workflow.description or workflow.name)}',
        "",
        "    Args:",
        "        call: calls a tool.",
        *words,
        "        state: values of the moment, such as today.",
        "        escalate: answers what cannot go on by itself.",
        "        approved: steps whose writes need no yes.",
        "",
        "    Returns:",
        "        Step to its output; of a for-each step the list of outputs.",
        "",
        "    Raises:",
        "        Stopped: somebody said no or stop, or gave what is no answer.",
        "        Escalation: it cannot go on, and nobody can be asked.",
        "        TypeError: an input is of another type.",
        '    """',
        f"    run = Run(call, given({pairs}), {moment}, escalate, approved)",
        *(f"    await {step.name}(run)" for step in steps),
        "    return run.outputs",
    ]
    return "\n".join(lines)


def _described(one: Input) -> str:
    words = shown(one.description or f"input {one.name}")
    return words + ("" if words.endswith(".") else ".")


def _table(
    workflow: Workflow, entry: str, steps: list[StepSource], parameters: list[tuple[str, Input]]
) -> str:
    lines = [
        f"WORKFLOW = {workflow.id!a}",
        f"PARTIAL = {workflow.partial}",
        '"""True: it hands over before its end."""',
        f"ENTRY = {entry}",
        f"NAMES = {literal({one.name: name for name, one in parameters})}",
        '"""Input to the parameter that takes it."""',
        "INPUTS: tuple[tuple[str, str, bool, bool, bool], ...] = (",
        *(
            f"    ({one.name!a}, {one.type!a}, {one.required}, {one.multiline}, {one.blank}),"
            for _, one in parameters
        ),
        ")",
        '"""Each input: name, type, and whether it must be given, may have lines, may be empty."""',
        "ARGUMENTS: dict[str, Callable[[Scene], Any]] = {",
        *(f"    {step.slot!a}: {step.arguments}," for step in steps),
        "}",
        '"""Step to the function that binds its arguments."""',
        "ELEMENTS: dict[str, Callable[[Scene], Any]] = {",
        *(f"    {step.slot!a}: {step.each}," for step in steps if step.each),
        "}",
        '"""For-each step to the function that gives its list."""',
    ]
    return "\n".join(lines)
