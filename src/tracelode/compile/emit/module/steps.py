"""How does one step read as Python functions?"""

from __future__ import annotations

from dataclasses import dataclass

from tracelode.compile.emit.module.expressions import Expressions, keys, literal
from tracelode.compile.emit.names import slug
from tracelode.compile.evaluate import _natural
from tracelode.compile.execute.arguments import tainted
from tracelode.compile.paths import parsed
from tracelode.model import binding as b
from tracelode.model.workflow import Argument, Check, Step, Wait


@dataclass(frozen=True)
class StepSource:
    """The source of one step."""

    slot: str
    """Which."""
    name: str
    """Function that takes it."""
    arguments: str
    """Function that binds its arguments."""
    each: str
    """Function that gives its list, "" for none."""
    text: str
    """All of it."""
    cannot: tuple[str, ...]
    """What the standard library cannot do, in closed words after an argument's path."""


def step_source(step: Step, number: int) -> StepSource:
    """Write a step.

    Args:
        step: which.
        number: its place in the order that is taken, from 1: keeps names apart.
    """
    cannot: list[str] = []
    tail = f"{number}_{slug(step.tool, '_', 'tool')}"
    name, bind = f"step_{tail}", f"_arguments_{tail}"
    blocks = [_arguments(step, bind, cannot)]
    facts = [f"{step.slot!a}", f"{step.tool!a}", bind, f"writes={step.effect.writes}"]
    asked = tuple(a.path for a in step.arguments if b.residual(a.binding))
    if step.effect.writes and tainted(step, asked):
        facts.append("loose=True")
    each = ""
    if step.when is not None:
        blocks.append(_guard(step, tail, cannot))
        facts.append(f"when=_when_{tail}")
    if step.each is not None:
        each = f"_each_{tail}"
        over = Expressions("", False, cannot.append).value(step.each.over)
        blocks.append(f"def {each}(scene: Scene) -> Any:\n    return {over}")
        facts += [f"each={each}", f"most={step.each.most}", f"top={step.each.top}"]
    if step.wait is not None:
        facts.append(f"wait={_wait(step.wait)}")
    if step.retries:
        facts.append(f"retries={step.retries}")
    checks = [_check(c) for c in step.checks]
    if checks:
        facts.append(
            "checks=(\n            " + "\n            ".join(f"{c}," for c in checks) + "\n        )"
        )
    body = ",\n        ".join(facts)
    blocks.append(
        f"async def {name}(run: Run) -> None:\n"
        f'    """{_words(step)}"""\n'
        f"    step = Step(\n        {body},\n    )\n"
        "    await run.step(step)"
    )
    return StepSource(step.slot, name, bind, each, "\n\n\n".join(blocks), tuple(dict.fromkeys(cannot)))


def _words(step: Step) -> str:
    tool = ascii(step.tool)[1:-1].replace("\\", "\\\\").replace('"', '\\"')
    effect = step.effect.effect.replace("_", " ")
    return f"{tool}: {effect} ({step.effect.basis}); {step.support:,} runs took it."


def _arguments(step: Step, name: str, cannot: list[str]) -> str:
    lines = [f"def {name}(scene: Scene) -> Any:", "    tree: Any = {}"]
    for argument in sorted(step.arguments, key=lambda a: _natural(a.path)):
        lines += _argument(step, argument, cannot)
    return "\n".join([*lines, "    return tree"])


def _argument(step: Step, argument: Argument, cannot: list[str]) -> list[str]:
    write = Expressions(argument.path, step.effect.writes, cannot.append)
    lines, indent = [], "    "
    if argument.when is not None:
        lines.append(f"    if {write.guard(argument.when)}:")
        indent = "        "
    return [*lines, f"{indent}tree = filled(tree, {keys(argument.path)}, {write.value(argument.binding)})"]


def _guard(step: Step, tail: str, cannot: list[str]) -> str:
    assert step.when is not None
    test = Expressions("", False, cannot.append).guard(step.when)
    return f"def _when_{tail}(scene: Scene) -> bool:\n    return {test}"


def _wait(wait: Wait) -> str:
    until = "".join(f"{literal(value)}, " for value in wait.until)
    return f"Wait({keys(wait.path)}, ({until.rstrip()}), {wait.every_ms / 1000!r}, {wait.most})"


def _check(check: Check) -> str:
    parsed(check.path)
    tail = ", success=True" if check.role == "success" else ""
    return f"Check({check.kind!a}, {keys(check.path)}, {literal(check.value)}{tail})"
