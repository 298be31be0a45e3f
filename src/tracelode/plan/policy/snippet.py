"""How are proposals written as permissions of an agent? For a person to read and to put in."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tracelode.model.plan_policy import Rule
from tracelode.plan.policy.decide import HUMAN, REWORK, SURE, by_tool, decide
from tracelode.plan.policy.seen import PLAN
from tracelode.signals.effects import irreversible, tool_class
from tracelode.signals.tools import is_shell
from tracelode.statistics.beta import posterior

CLAUDE = ".claude/settings.json"
CODEX = "~/.codex/rules/default.rules"
_AGENTS = {"claude": "claude-code", "codex": "codex"}
_WRITERS = {"Write": "Edit", "MultiEdit": "Edit", "NotebookEdit": "Edit"}
"""Rules of Claude Code for files are looked up under one name."""


_PREFIX = "Codex rules match how a command begins: what else begins so was not seen, so none is let run"


def snippet(
    form: str,
    rules: Sequence[Rule],
    commands: Mapping[tuple[str, str], Sequence[int]],
    human: float = HUMAN,
    rework: float = REWORK,
) -> tuple[str, str, tuple[str, ...]]:
    """Permissions in an agent's own form.

    Args:
        form: claude or codex.
        rules: what is proposed.
        commands: (shell, whole command) to (calls, stopped ones).
        human: seconds that a review costs.
        rework: seconds that a mistake costs.

    Returns:
        (the text, "" where nothing is proposed; where it goes; notes).

    Source:
        Claude Code permissions: deny before ask before allow. Codex rules: prefix_rule, the strictest counts.
    """
    own = [replace(r.seen, tool=_WRITERS.get(r.seen.tool, r.seen.tool)) for r in rules
           if not r.seen.agents or _AGENTS[form] in r.seen.agents]  # fmt: skip
    advice = {rule.seen.tool: rule.advice for rule in decide(by_tool(own), human, rework)}
    asked = sorted(tool for tool, word in advice.items() if word == "require" and tool != PLAN)
    if form == "codex":
        return _codex(asked), CODEX, (_PREFIX,)
    allowed = sorted(
        tool for tool, word in advice.items()
        if word == "auto" and tool != PLAN and "(" not in tool and not is_shell(tool)
    )  # fmt: skip
    known = {(shell, command): counts for (shell, command), counts in commands.items() if shell == "Bash"}
    exact = sorted(f"Bash({command})" for (shell, command), counts in known.items()
                   if _harmless(shell, command, counts, human, rework)
                   and not any(_begins(command, tool) for tool in asked))  # fmt: skip
    allow = sorted({*allowed, *exact})
    asked = sorted({_claude(tool) for tool in asked if not tool.endswith("(...)")})
    # a broad ask would win over each allow below it
    allow = [rule for rule in allow if rule not in asked]
    if not allow and not asked:
        return "", CLAUDE, ()
    held = {"allow": allow, "ask": asked}
    text = json.dumps({"permissions": {key: value for key, value in held.items() if value}}, indent=2)
    return text, CLAUDE, ()


def _harmless(shell: str, command: str, counts: Sequence[int], human: float, rework: float) -> bool:
    """Could this very command be let run? Reads alone, and as seldom stopped as the costs ask."""
    calls, stopped = counts
    return (
        not irreversible(tool_class(shell, command))
        and posterior(stopped, calls - stopped, SURE) * rework < human
    )


def _begins(command: str, tool: str) -> bool:
    head = tool.partition("(")[2].rstrip(")")
    return bool(head) and (command == head or command.startswith(f"{head} "))


def _claude(tool: str) -> str:
    name, _, head = tool.rstrip(")").partition("(")
    return f"{name}({head}:*)" if head else name


def _codex(asked: Sequence[str]) -> str:
    lines = []
    for tool in asked:
        head = tool.partition("(")[2].rstrip(")")
        if not head or head == "...":
            continue
        words = json.dumps(shlex.split(head))
        lines += [
            "prefix_rule(", f"    pattern = {words},", '    decision = "prompt",',
            '    justification = "reviews of it were often of use",', f"    match = [{words}],", ")",
        ]  # fmt: skip
    return "\n".join(lines)
