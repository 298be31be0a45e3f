"""tracelode loops: where does a session go round in circles, and what does it cost?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import whole
from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions
from tracelode.cli.ranking_options import SessionWord

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.ranking import Loops
    from tracelode.workspace import Workspace

ROWS = 15
"""Loops on the screen, and in JSON, without --limit."""


def loops(
    session: SessionWord = None,
    /,
    *,
    least: Annotated[
        int, Parameter(help="At least so many repetitions. Default: 1.", converter=whole, metavar="N")
    ] = 1,
    limit: Annotated[
        int, Parameter(help=f"At most so many loops. Default: {ROWS}.", converter=whole, metavar="N")
    ] = ROWS,
    measure: Annotated[
        tuple[str, ...],
        Parameter(
            help="What repetitions cost: cost, tokens, time.tool, ...; repeatable; the first sorts. Default: "
            "cost where calls are priced, else tokens.output; then tokens, time.tool.",
            metavar="MEASURE,...",
        ),
    ] = (),
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """Print equal or nearly equal actions that came again with the same result, the dearest first.

    Args:
        session: key, unique start of a key, or short name; None for all.
        least: repetitions that make a loop.
        limit: loops shown.
        measure: what repetitions cost.
        filters: on the first repetition of a loop.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes, shapes_ranking
    from tracelode.cli.ranking_options import key_of, nothing
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace
    from tracelode.errors import UsageError

    workspace = open_workspace(store)
    names = tuple(dict.fromkeys(word.strip() for text in measure for word in text.split(",") if word.strip()))
    if measure and not names:
        raise UsageError("--measure names no measure; write it as --measure cost,tokens")
    found = workspace.loops(
        key_of(workspace, session),
        query_of(filters, workspace),
        measures=names or None,
        least=least,
        limit=limit,
    )
    answer = shapes_ranking.loops(found) if store.json else None
    if not found.loops:
        return nothing(workspace, "no action came again with the same result", answer)
    if answer is not None:
        shapes.write(answer)
    else:
        _draw(workspace, found)
    return 0


def _draw(workspace: Workspace, found: Loops) -> None:
    from tracelode.cli.keys import short_keys
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex, Styled
    from tracelode.cli.text import JOINT, clean, cut_stack, families, number
    from tracelode.model.words import SHORT, measure_text, percent, value_text

    screen, short = Screen(), short_keys(workspace.sessions())
    costs = ", ".join(
        measure_text(name, value) for name, value in found.measures.items() if value is not None
    )
    screen.sentence(
        f"loops    {found.total:,}: {number(found.repeats, 'repetition')} among "
        f"{number(found.operations, 'call')} in {families(found.sessions, found.subagents)}"
        + (f"; {costs}" if costs else "")
    )
    others = [f"{found.by_sort[name]:,} x {words}" for name, words in _others(found) if found.by_sort[name]]
    if others:
        screen.sentence(f"not counted: {'; '.join(others)}")
    rows: list[list[Cell]] = []
    for loop in found.loops:
        places = [f"#{place}" for place in loop.places]
        rows.append(
            [
                *(value_text(name, value) for name, value in loop.measures.items()),
                f"{loop.repeats:,}",
                Styled(clean(short.get(loop.session, loop.session)) + places[0], "cyan"),
                Flex(" ".join(places[1:])),
                Flex(JOINT.join(part for part in (loop.stage, loop.tool) if part), shorten=cut_stack),
                Flex(
                    loop.sort
                    if loop.exact
                    else f"{loop.sort}, {percent(round(loop.alike * 1000), 1000)} alike",
                    "dim",
                ),
            ]
        )
    names = list(found.measures)
    columns = [Column(names[0], right=True, short=SHORT.get(names[0], ""))]
    columns += [Column(n, right=True, rank=8 - i, short=SHORT.get(n, "")) for i, n in enumerate(names[1:3])]
    columns += [Column(n, right=True, rank=8, short=SHORT.get(n, "")) for n in names[3:]]
    columns += [Column("again", right=True), Column("first"), Column("then", rank=5)]
    columns += [Column("stage > tool", least=18), Column("what", least=17, rank=6)]
    screen.table(columns, rows)


def _others(found: Loops) -> list[tuple[str, str]]:
    """Sorts of repeats that are no loops, with their words."""
    return [(name, words) for name, words in found.words.items() if name in ("poll", "recheck", "rework")]
