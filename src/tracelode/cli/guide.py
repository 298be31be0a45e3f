"""tracelode guide: which few groups of operations should be read, within a budget of tokens?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import whole
from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions
from tracelode.cli.ranking_options import RANK, RankOptions, SessionWord

if TYPE_CHECKING:
    from tracelode.model.ranking import Guide
    from tracelode.workspace import Workspace

EXAMPLES = 3
"""Operations shown of each group without --examples."""


def guide(
    session: SessionWord = None,
    /,
    *,
    groups: Annotated[
        int, Parameter(help="At most so many groups. Default: 5.", converter=whole, metavar="N")
    ] = 5,
    budget: Annotated[
        int,
        Parameter(
            help="Tokens that may be opened, about. Default: 20000.", converter=whole, metavar="TOKENS"
        ),
    ] = 20_000,
    examples: Annotated[
        int,
        Parameter(help=f"Operations shown of each group. Default: {EXAMPLES}.", converter=whole, metavar="N"),
    ] = EXAMPLES,
    options: RankOptions = RANK,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """Print the few groups that show most of a ranking for the fewest tokens. --json lists all they open.

    Args:
        session: key, unique start of a key, or short name; None for all.
        groups: groups opened.
        budget: tokens opened.
        examples: operations shown of each.
        options: what the ranking rests on.
        filters: which operations are ranked.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import ranking_text, shapes, shapes_ranking
    from tracelode.cli.ranking_options import asked, nothing, unscored
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    made = workspace.guide(**asked(workspace, session, options, filters), most=groups, budget=budget)
    ranking_text.left_out(made.ranking)
    answer = shapes_ranking.guide(made) if store.json else None
    if (useless := unscored(made.ranking)) is not None:
        return nothing(workspace, useless, None if answer is None else {**answer, "packets": []})
    if not made.packets:
        small, none = (
            "no operation fits the budget; raise --budget",
            "no operation to read; loosen the filters",
        )
        return nothing(workspace, small if made.ranking.ranked else none, answer)
    if answer is not None:
        shapes.write(answer)
    else:
        _draw(workspace, made, examples)
    return 0


def _draw(workspace: Workspace, made: Guide, examples: int) -> None:
    from tracelode.cli import ranking_text
    from tracelode.cli.keys import short_keys
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import JOINT, clean, number
    from tracelode.model.words import count, percent

    screen, short = Screen(), short_keys(workspace.sessions())
    screen.sentence(
        f"open     {number(len(made.packets), 'group')}: {count(made.tokens)} of {count(made.of)} tokens "
        f"({percent(made.tokens, made.of)}), {ranking_text.share_text(made.worth)} of the ranking's worth"
    )
    ranking_text.rests_on(screen, made.ranking)
    for n, packet in enumerate(made.packets, 1):
        screen.print()
        screen.sentence(f"{n}. {clean(JOINT.join(packet.group))}")
        screen.sentence(
            f"{number(packet.operations, 'operation')} in {number(packet.sessions, 'session')}, "
            f"{count(packet.tokens)} tokens, {ranking_text.share_text(packet.worth)} of the worth"
            + (f"; {examples:,} shown" if packet.operations > examples else "")
        )
        ranking_text.examples(screen, packet.opened[:examples], short)
    if made.full is not None and made.kept is not None:
        orders = {"full order": made.full, "after reading": made.kept}
        ranking_text.against(screen, orders, made.ranking.fault_sessions)
