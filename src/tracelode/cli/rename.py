"""tracelode rename: which words of your files name the work, and what would the names be today?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.options import STORE, StoreOptions

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.workspace.naming import Names

ROWS = 20
"""Names on the screen; --json has all."""
WORDS = 6
"""Registered words on the screen."""


def rename(
    *,
    all_: Annotated[
        bool,
        Parameter(name="--all", help="Name every segment anew with the words that are registered now."),
    ] = False,
    store: StoreOptions = STORE,
) -> int:
    """Say what focus names are made of, or name everything anew (--all).

    A name such as `edit parser` takes its word from the paths and plans of at least two sessions, and a
    segment keeps the name it got. Without --all nothing changes: the table says what --all would.

    Args:
        all_: name everything anew.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    found = workspace.rename() if all_ else workspace.names()
    if store.json:
        shapes.write(_shape(found, done=all_))
    else:
        _draw(found, done=all_)
    return 0


def _shape(found: Names, *, done: bool) -> dict[str, object]:
    from tracelode.cli import shapes

    rows: list[dict[str, object]] = []
    for alias in found.aliases:
        row: dict[str, object] = {"old": alias.old, "new": alias.new, "segments": alias.segments}
        row["operations"] = alias.operations
        row |= shapes.money(alias.weight) if found.measure == "cost" else {"tokens": alias.weight}
        rows.append(row)
    return {
        "renamed": done,
        "registered": len(found.words),
        "words": [
            {"object": w.object, "sessions": w.sessions, "projects": w.projects, "ordinal": w.ordinal}
            for w in found.words
        ],
        "seen": found.seen,
        "banned": found.banned,
        "named": found.named,
        "ladders": found.ladders,
        "aliases": rows,
    }


def _draw(found: Names, *, done: bool) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex
    from tracelode.cli.text import clean, number
    from tracelode.model.words import value_text

    screen = Screen()
    screen.sentence(
        f"words    {number(len(found.words), 'object')} registered of {found.seen:,} seen, "
        f"{number(found.banned, 'word')} banned"
    )
    if found.words:
        first, *others = found.words[:WORDS]
        shown = ", ".join(
            [f"{clean(first.object)} in {number(first.sessions, 'session')}"]
            + [f"{clean(word.object)} in {word.sessions:,}" for word in others]
        )
        more = f", {len(found.words) - WORDS:,} more" if len(found.words) > WORDS else ""
        screen.sentence(f"most     {shown}{more}")
    screen.sentence(f"names    {found.named:,} of {number(found.ladders, 'ladder')} named")
    changes = number(len(found.aliases), "name")
    if not found.aliases:
        screen.sentence("changed  nothing" if done else "--all would change nothing")
        return
    screen.sentence(f"changed  {changes}" if done else f"--all would change {changes}")
    rows: list[list[Cell]] = [
        [
            f"{alias.operations:,}",
            value_text(found.measure, alias.weight),
            Flex(alias.old or "(none)"),
            Flex(alias.new or "(none)"),
        ]
        for alias in found.aliases[:ROWS]
    ]
    columns = [Column("operations", right=True, short="ops"), Column(found.measure, right=True, rank=1)]
    screen.table([*columns, Column("old", least=12), Column("new", least=12)], rows)
    if len(found.aliases) > ROWS:
        screen.sentence(f"{len(found.aliases) - ROWS:,} more; --json names every one")
