"""tracelode intents: which runs ask for the same thing, so that they could be one workflow?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import whole
from tracelode.cli.compile_options import OPTIONS, CompileOptions
from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions

if TYPE_CHECKING:
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Cell
    from tracelode.model.compiled import Found
    from tracelode.workspace import Workspace

ROWS = 20
"""Intents on the screen without --limit."""


def intents(
    *,
    near: Annotated[
        bool, Parameter(help="Show the closest runs outside each intent, to see what was not taken in.")
    ] = False,
    limit: Annotated[
        int, Parameter(help=f"At most so many intents. Default: {ROWS}.", converter=whole, metavar="N")
    ] = ROWS,
    how: CompileOptions = OPTIONS,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """List sets of runs that ask for the same thing and change the same things.

    Args:
        near: the closest non-members too.
        limit: intents shown.
        how: what intents are told apart by.
        filters: which sessions are looked at.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import compile_text, shapes, shapes_compile
    from tracelode.cli.compile_options import settings
    from tracelode.cli.nothing import nothing_found, nothing_stored
    from tracelode.cli.screen import Screen
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace

    options = settings(how)
    workspace = open_workspace(store)
    found = workspace.intents(query_of(filters, workspace), options=options, declare=how.declare)
    compile_text.troubles(found.reading)
    answer = shapes_compile.found(found) if store.json else None
    if not found.intents:
        return nothing_found(nothing_stored(workspace) if workspace.empty() else _why(found), answer)
    if answer is not None:
        answer["intents"] = answer["intents"][:limit]
        shapes.write({"total": len(found.intents), **answer})
    else:
        _draw(Screen(), workspace, found, limit, near)
    return 0


def _why(found: Found) -> str:
    from tracelode.cli.text import number

    if not found.reading.sessions:
        return "nothing matches; loosen --where, --since, --until or --outcome"
    if not found.reading.runs:
        return f"no tool call in {number(found.reading.sessions, 'session')}: there is nothing to compile"
    return (
        f"no three of {number(found.reading.runs, 'run')} ask for the same thing (R13: the work does not "
        "repeat); try a lower --similarity, or import more runs"
    )


def _draw(screen: Screen, workspace: Workspace, found: Found, limit: int, near: bool) -> None:
    from tracelode.cli.keys import short_keys
    from tracelode.cli.table import Column, Flex, Styled
    from tracelode.cli.text import clean, number

    shown = found.intents[:limit]
    inside = sum(len(one.runs) for one in found.intents)
    screen.sentence(
        f"{number(len(found.intents), 'intent')} of {number(inside, 'run')}; "
        f"{number(found.alone, 'run')} alone"
        + (f"; {number(found.forks, 'fork')} of these left aside" if found.forks else "")
        + (f"; {number(found.reading.empty, 'session')} without a tool call" if found.reading.empty else "")
    )
    rows: list[list[Cell]] = []
    for one in shown:
        good, bad, unknown = found.outcomes[one.id]
        rows.append(
            [
                Styled(one.id, "cyan"),
                Flex(one.name),
                f"{len(one.runs):,}" + ("*" if one.provisional else ""),
                f"{good:,}/{bad:,}/{unknown:,}",
                f"{len(one.tools):,}",
                Flex(", ".join(one.writes) or "-", "dim"),
            ]
        )
    columns = [
        Column("intent"), Column("name", grow=True, least=12), Column("runs", right=True),
        Column("ok/failed/?", right=True, short="ok/bad/?", rank=3), Column("tools", right=True, rank=2),
        Column("changes", least=14, rank=1),
    ]  # fmt: skip
    screen.table(columns, rows)
    if len(found.intents) > limit:
        screen.sentence(f"and {len(found.intents) - limit:,} more; see --limit")
    if any(one.provisional for one in shown):
        screen.sentence("* fewer than 5 runs: provisional")
    if near:
        short = short_keys(workspace.sessions())
        for one in shown:
            parts = [
                f"{clean(short.get(n.run, n.run))} {n.similarity:.2f}"
                + (f" ({n.intent})" if n.intent else "")
                for n in one.near
            ]
            screen.flow(one.id, parts or ["no other run"], joint=", ", indent=12)
    screen.sentence(f"next  tracelode compile {shown[0].id}")
