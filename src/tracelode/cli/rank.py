"""tracelode rank: which operations should be looked at first, and why?"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import whole
from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions
from tracelode.cli.ranking_options import RANK, RankOptions, SessionWord

ROWS = 15
"""Operations on the screen, and in JSON, without --limit."""


def rank(
    session: SessionWord = None,
    /,
    *,
    limit: Annotated[
        int, Parameter(help=f"At most so many operations. Default: {ROWS}.", converter=whole, metavar="N")
    ] = ROWS,
    options: RankOptions = RANK,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """Print the operations that are most worth a look, each with its reasons, beside trivial orders.

    Args:
        session: key, unique start of a key, or short name; None for all.
        limit: operations shown.
        options: what the ranking rests on.
        filters: which operations are ranked.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import ranking_text, shapes, shapes_ranking
    from tracelode.cli.keys import short_keys
    from tracelode.cli.ranking_options import asked, nothing, unscored
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import families, number
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    ranking = workspace.rank(**asked(workspace, session, options, filters), limit=limit)
    ranking_text.left_out(ranking)
    answer = None
    if store.json:
        rows = [shapes_ranking.ranked(item) for item in ranking.ranked]
        answer = {**shapes_ranking.about(ranking), "ranked": rows}
    if (useless := unscored(ranking)) is not None:
        return nothing(workspace, useless, None if answer is None else {**answer, "ranked": []})
    if not ranking.ranked:
        return nothing(workspace, "no operation to rank; loosen the filters", answer)
    if answer is not None:
        shapes.write(answer)
    else:
        screen = Screen()
        screen.sentence(
            f"first {len(ranking.ranked):,} of {number(ranking.operations, 'operation')} in "
            f"{families(ranking.sessions, ranking.subagents)}"
        )
        ranking_text.rests_on(screen, ranking)
        ranking_text.order(
            screen, ranking.ranked, short_keys(workspace.sessions()), ranking.direct is not None
        )
        ranking_text.against(screen, ranking.faults, ranking.fault_sessions)
    return 0
