"""What is said above every view: the total, what it leaves out, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.text import Text

from tracelode.cli.nothing import nothing_found, nothing_stored
from tracelode.cli.screen import Screen
from tracelode.cli.text import clean, number
from tracelode.cli.view import View, unpriced
from tracelode.model.measure import TOKEN_KINDS
from tracelode.model.words import SHORT, count, percent

MOST = 0.5
"""A token kind that is more than this share of all tokens is named."""


def heading(screen: Screen, view: View) -> None:
    """Write the lines above a view.

    Args:
        screen: standard output.
        view: a loaded view.
    """
    query, profile = view.query, view.profile
    known = view.total() if profile.known(profile.place(view.measure)) else None
    parts: list[str | Text] = [
        Text(view.text(view.measure, known, view.total("tokens.unpriced")), style="bold"),
        *(_beside(view, m) for m in query.measures[1:]),
        number(len(profile.totals), "stack"),
    ]
    if not query.share:
        # what was asked for names things too
        parts += [f"{field}={clean(value)}" for field, value in query.where]
        parts += [
            f"{name} {clean(regex)}"
            for name in ("focus", "ignore", "show", "hide")
            if (regex := getattr(query, name))
        ]
    screen.flow(view.measure, parts, joint=", ", indent=len(view.measure) + 2)
    if view.measure.startswith("cost"):
        names = [
            f"{'all models' if m == '?' else clean(m)} {count(n)} tokens" for m, n in unpriced(view).items()
        ]
        if names:
            more = [number(len(names) - 3, "more model")] if len(names) > 3 else []
            screen.flow("unpriced", [*names[:3], *more], indent=10)
    if view.measure == "tokens":
        _made_of(screen, view)


def _beside(view: View, measure: str) -> str:
    """The total of a measure that does not sort, with the word for it."""
    known = view.total(measure) if view.profile.known(view.profile.place(measure)) else None
    return f"{SHORT.get(measure, measure)} {view.text(measure, known, view.total('tokens.unpriced'))}".strip()


def not_shown(screen: Screen, gone: Iterable[str], measures: Iterable[str]) -> None:
    """Say which of the measures that were asked for have no room.

    Args:
        screen: standard output.
        gone: titles of columns that were left out.
        measures: what was asked for.
    """
    left = set(gone)
    if asked := [m for m in measures if m in left]:
        screen.sentence(f"not shown at {screen.width} columns: {', '.join(asked)}; --json has them")


def _made_of(screen: Screen, view: View) -> None:
    total = view.total()
    kind = max(TOKEN_KINDS, key=view.total)
    if total and view.total(kind) > MOST * total:
        share = percent(view.total(kind), total)
        hint = "" if kind == "tokens.output" else "; see --measure tokens.output"
        screen.flow("", [Text(f"{share} of them are {SHORT[kind]}{hint}", style="yellow")], indent=8)


def nothing(view: View, answer: dict[str, Any] | None) -> int:
    """Say that a view is empty, and why.

    Args:
        view: a loaded view without stacks.
        answer: what is told of it in JSON; None where the answer is no JSON.

    Returns:
        The exit code for nothing found.
    """
    loosen = "nothing matches; loosen --where, --since, --outcome or --focus"
    return nothing_found(nothing_stored(view.workspace) if view.workspace.empty() else loosen, answer)
