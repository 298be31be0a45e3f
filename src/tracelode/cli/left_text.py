"""How is it told which calls a workflow leaves out, so that none of them vanishes in silence?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tracelode.cli.text import clean, number

if TYPE_CHECKING:
    from tracelode.cli.screen import Screen
    from tracelode.model.compiled import Compiled, Left

WHY = {"dead_output": "nothing used what it told", "exploratory": "not used, and few runs do it"}
MOST = 8
"""Tools that are written out; those in doubt come first."""


def draw_left(screen: Screen, found: Sequence[Left], indent: int) -> None:
    """Write the tools that a workflow leaves out.

    Args:
        screen: where.
        found: of one intent.
        indent: columns before the text.
    """
    order = sorted(found, key=lambda left: not left.doubtful)
    for place, left in enumerate(order[:MOST]):
        screen.flow("" if place else "unused", [left_phrase(left)], indent=indent)
    if len(order) > MOST:
        screen.flow("", [f"and {number(len(order) - MOST, 'more tool')}"], indent=indent)


def left_phrase(left: Left) -> str:
    """A tool that is left out, in a sentence.

    Args:
        left: the tool.

    Returns:
        Such as: get_time is left out: 2 calls in 2 of 2 runs, nothing used what it told.
    """
    name = clean(f"{left.server}/{left.tool}" if left.server else left.tool)
    text = f"{name} is left out: {number(left.calls, 'call')} in {left.runs:,} of {number(left.of, 'run')}"
    text += f", {WHY.get(left.kind, clean(left.kind))}"
    if left.doubtful:
        text += "; only its name says that it looks: if it changes anything, declare it"
    return text


def draw_doubts(screen: Screen, done: Sequence[Compiled]) -> None:
    """Write, below a line for each intent, which of them leave out calls that may not be looks.

    Args:
        screen: where.
        done: compiled or refused.
    """
    for one in done:
        tools = list(dict.fromkeys(clean(left.tool) for left in one.left if left.doubtful))
        if tools and one.workflow is not None:
            more = f" and {len(tools) - 4:,} more" if len(tools) > 4 else ""
            screen.sentence(
                f"{one.intent.id} leaves out {', '.join(tools[:4])}{more}, known to look by name alone: "
                "if it changes anything, declare it"
            )
