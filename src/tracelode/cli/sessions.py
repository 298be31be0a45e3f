"""tracelode sessions: which runs are there? Newest first, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.contiguity import Contiguity
    from tracelode.model.report import Sums
    from tracelode.model.session import Session

ROWS = 20
"""Rows without --all."""
NARROW = 60
"""Cells of a line below which the time of day is left out."""


def sessions(
    *,
    all_: Annotated[
        bool, Parameter(name="--all", help="Every session, not the newest 20 (--json: always).")
    ] = False,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """List sessions, newest first, each with its sub-agents counted in.

    Args:
        all_: no limit.
        filters: which operations count; sessions without one are left out.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.nothing import nothing_found, nothing_stored
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    totals = workspace.totals(query_of(filters, workspace))
    everything = workspace.sessions()
    sums = totals.by.get("session", {})
    kept = families(everything, sums)
    if not kept:
        loosen = "no session matches; loosen the filters"
        reason = nothing_stored(workspace) if workspace.empty() else loosen
        return nothing_found(reason, {"sessions": []} if store.json else None)
    if store.json:
        # A program gets every session; only the screen stops.
        certain = workspace.contiguities(s.key for s in kept)
        shapes.write({"sessions": [_answer(s, sums[s.key], certain.get(s.key)) for s in kept]})
    else:
        _draw(kept, everything, sums, workspace.tz, all_)
    return 0


def families(everything: list[Session], sums: dict[str, Sums]) -> list[Session]:
    """One session per family that counts.

    Args:
        everything: all sessions.
        sums: totals by root key.

    Returns:
        Roots, newest first; where only sub-agents of a root are there, the first of them stands for it
        under the root's key.
    """
    import msgspec

    heads: dict[str, Session] = {}
    for item in sorted(everything, key=lambda s: (s.key != s.root, s.started or 0, s.key)):
        if item.root in sums:
            heads.setdefault(item.root, msgspec.structs.replace(item, key=item.root))
    return sorted(heads.values(), key=lambda s: (-(s.started or 0), s.key))


def _answer(item: Session, row: Sums, certain: Contiguity | None) -> dict[str, Any]:
    from tracelode.cli import shapes

    return {
        **shapes.session(item),
        "totals": shapes.sums(row),
        "contiguity": certain and {"index": certain.index, "marks": list(certain.marks)},
    }


def _draw(kept: list[Session], everything: list[Session], sums: dict[str, Sums], tz: str, all_: bool) -> None:
    from tracelode.cli.keys import short_keys
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex, Styled
    from tracelode.cli.text import clean, moment, number, rough
    from tracelode.model.priced import money_text
    from tracelode.model.words import UNKNOWN, count

    screen, short = Screen(), short_keys(everything)
    shown = kept if all_ else kept[:ROWS]
    years = {moment(item.started, tz, "%Y") for item in shown} - {"-"}
    form = "%Y-%m-%d" if len(years) != 1 else "%m-%d" if screen.width < NARROW else "%m-%d %H:%M"
    told = any(item.outcome for item in shown)
    rows: list[list[Cell]] = []
    for item in shown:
        row = sums[item.key]
        span = None if item.started is None or item.ended is None else item.ended - item.started
        cells: list[Cell] = [
            Styled(clean(short[item.key]), "cyan"),
            moment(item.started, tz, form),
            Flex(item.project.rstrip("/").rsplit("/", 1)[-1] or item.project or "-"),
            Flex(item.intent or "-"),
            count(row.operations),
            UNKNOWN if row.untold else count(row.total_tokens),
            UNKNOWN if row.untold else money_text(row.cost_picodollars, sum(row.unpriced.values())),
            rough(span) or "-",
        ]
        rows.append([*cells, clean(item.outcome or "-")[:7]] if told else cells)
    columns = [
        Column("session"),
        Column(years.pop() if len(years) == 1 else "started"),
        Column("project", rank=2),
        Column("intent", least=10),
        Column("ops", right=True, rank=4),
        Column("tokens", right=True, rank=3),
        Column("cost", right=True),
        Column("span", right=True, rank=5),
    ]
    screen.table([*columns, Column("outcome", rank=1)] if told else columns, rows)
    if len(kept) > len(rows):
        screen.sentence(f"{len(rows)} of {number(len(kept), 'session')}; --all lists every one")
