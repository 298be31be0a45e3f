"""How does one step read as Python functions?"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

from tracelode.compile.emit.module.expressions import Expressions, keys, literal
from tracelode.compile.emit.names import slug
from tracelode.compile.emit.wording import check, effect, facts, guard, source
from tracelode.compile.evaluate import _natural
from tracelode.compile.execute.arguments import tainted
from tracelode.compile.paths import parsed
from tracelode.model import binding as b
from tracelode.model.workflow import Argument, Check, Step, Wait

_WIDEST = 100
"""Signs of a line of a docstring."""


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
    given = [f"{step.slot!a}", f"{step.tool!a}", bind, f"writes={step.asks}"]
    asked = tuple(a.path for a in step.arguments if b.residual(a.binding))
    decided = step.when is not None and any(b.residual(test.left) for test in step.when.tests)
    if step.asks and (decided or tainted(step, asked)):
        given.append("loose=True")
    each = ""
    if step.when is not None:
        blocks.append(_guard(step, tail, cannot))
        given.append(f"when=_when_{tail}")
    if step.each is not None:
        each = f"_each_{tail}"
        over = Expressions("", False, cannot.append).value(step.each.over)
        blocks.append(f"def {each}(scene: Scene) -> Any:\n    return {over}")
        given += [f"each={each}", f"most={step.each.most}", f"top={step.each.top}"]
    if step.wait is not None:
        given.append(f"wait={_wait(step.wait)}")
    if step.retries:
        given.append(f"retries={step.retries}")
    if step.fresh:
        blocks.append(_stale(step, tail, cannot))
        given.append(f"stale=_stale_{tail}")
    checks = [_check(c) for c in step.checks]
    if checks:
        given.append(
            "checks=(\n            " + "\n            ".join(f"{c}," for c in checks) + "\n        )"
        )
    body = ",\n        ".join(given)
    blocks.append(
        f"async def {name}(run: Run) -> None:\n"
        f'    """{_words(step)}\n    """\n'
        f"    step = Step(\n        {body},\n    )\n"
        "    await run.step(step)"
    )
    return StepSource(step.slot, name, bind, each, "\n\n\n".join(blocks), tuple(dict.fromkeys(cannot)))


def _words(step: Step) -> str:
    """What a step does, and where each argument comes from."""
    server = f" of {step.server}" if step.server else ""
    told = [
        f"Call {step.tool}{server}, which {effect(step)} ({step.support:,} runs took it).",
        *facts(step)[1:],
    ]
    rows = [f"{a.path}: {source(a.binding)}{_only(a)}." for a in step.arguments]
    checks = [f"{check(c)}." for c in step.checks]
    lines = [*told]
    lines += ["", "Passes:", *(f"    {row}" for row in rows)] if rows else ["It passes no arguments."]
    lines += ["", "Afterwards this must hold:", *(f"    {row}" for row in checks)] if checks else []
    return "\n".join(_folded(line) for line in lines).lstrip()


def _only(argument: Argument) -> str:
    return f", only if {guard(argument.when)}" if argument.when is not None else ""


def _folded(line: str) -> str:
    """A line of a docstring: ASCII, nothing that ends the string or escapes, and not wider than the page."""
    plain = "".join(c if c.isascii() and c.isprintable() else ascii(c)[1:-1] for c in line)
    safe = plain.replace("\\", "\\\\").replace('"', "'")
    deep = 4 + len(safe) - len(safe.lstrip())
    rows = wrap(safe.strip(), _WIDEST - deep, break_long_words=False, break_on_hyphens=False)
    return "\n".join(" " * (deep + 4 * (n > 0)) + row for n, row in enumerate(rows))


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


def _stale(step: Step, tail: str, cannot: list[str]) -> str:
    write = Expressions("", False, cannot.append)
    limits = "\n".join(
        f"        Fresh({one.step!a}, lambda: {write.value(one.value)}, {one.kind!a}, {one.always}),"
        for one in step.fresh
    )
    return (
        f"def _stale_{tail}(scene: Scene, begun: Mapping[str, int]) -> str:\n"
        f"    return stale(\n        scene,\n        begun,\n        {step.effect.writes},\n{limits}\n    )"
    )


def _wait(wait: Wait) -> str:
    until = "".join(f"{literal(value)}, " for value in wait.until)
    return f"Wait({keys(wait.path)}, ({until.rstrip()}), {wait.every_ms / 1000!r}, {wait.most})"


def _check(check: Check) -> str:
    parsed(check.path)
    tail = ", success=True" if check.role == "success" else ""
    return f"Check({check.kind!a}, {keys(check.path)}, {literal(check.value)}{tail})"
