"""tracelode sessions: which runs are there? Newest first, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions

if TYPE_CHECKING:
    from tracelode.cli.screen import Cell
    from tracelode.model.report import Sums
    from tracelode.model.session import Session

ROWS = 20
"""Rows without --all."""


def sessions(
    *,
    all_: Annotated[bool, Parameter(name="--all", help="Every session, not the newest 20.")] = False,
    agents: Annotated[bool, Parameter(help="Sub-agents as lines of their own too.")] = False,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """List sessions, newest first, each with its sub-agents counted in.

    Args:
        all_: no limit.
        agents: list sub-agents too.
        filters: which operations count; sessions without one are left out.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.screen import warn
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    totals = workspace.totals(query_of(filters, workspace.tz))
    everything = workspace.sessions()
    sums = family_sums(everything, totals.by.get("session", {}))
    kept = [s for s in everything if s.key in sums and (agents or s.key == s.root)]
    kept.sort(key=lambda s: (-(s.started or 0), s.key))
    if store.json:
        shown = kept if all_ else kept[:ROWS]
        shapes.write({"count": len(kept), "sessions": [_answer(s, sums[s.key]) for s in shown]})
    elif kept:
        _draw(kept, everything, sums, workspace.tz, all_)
    if not kept:
        warn("no session; run tracelode import PATH, tracelode demo, or loosen the filters")
        return 3
    return 0


def family_sums(everything: list[Session], by: dict[str, Sums]) -> dict[str, Sums]:
    """Totals of each session, a root's with its sub-agents.

    Args:
        everything: all sessions.
        by: totals by session key, each session its own.

    Returns:
        Totals by key, for sessions that have some.
    """
    from tracelode.model.report import Sums

    sums = {key: row for key, row in by.items() if row.operations}
    for item in everything:
        row = by.get(item.key)
        if item.key == item.root or row is None or not row.operations:
            continue
        sums[item.root] = add(sums.get(item.root, Sums()), row)
    return sums


def add(a: Sums, b: Sums) -> Sums:
    """The sum of two rows of totals; what neither tells stays unknown."""
    from tracelode.model.report import Sums

    tokens: dict[str, int | None] = {}
    for kind in [*a.tokens, *(k for k in b.tokens if k not in a.tokens)]:
        known = [v for v in (a.tokens.get(kind), b.tokens.get(kind)) if v is not None]
        tokens[kind] = sum(known) if known else None
    return Sums(
        sessions=a.sessions,
        calls=a.calls + b.calls,
        operations=a.operations + b.operations,
        tokens=tokens,
        cost_picodollars=a.cost_picodollars + b.cost_picodollars,
        unpriced={m: a.unpriced.get(m, 0) + b.unpriced.get(m, 0) for m in [*a.unpriced, *b.unpriced]},
        time_us={k: a.time_us.get(k, 0) + b.time_us.get(k, 0) for k in [*a.time_us, *b.time_us]},
        calls_lower_bound=a.calls_lower_bound + b.calls_lower_bound,
    )


def _answer(item: Session, row: Sums) -> dict[str, Any]:
    from tracelode.cli import shapes

    return {**shapes.session(item), "totals": shapes.sums(row)}


def _draw(kept: list[Session], everything: list[Session], sums: dict[str, Sums], tz: str, all_: bool) -> None:
    from rich.text import Text

    from tracelode.cli.board import short_keys
    from tracelode.cli.screen import Column, Flex, Screen
    from tracelode.cli.text import clean, moment, rough
    from tracelode.model.words import count, dollars

    screen, short = Screen(), short_keys(everything)
    shown = kept if all_ else kept[:ROWS]
    years = {moment(item.started, tz, "%Y") for item in shown} - {"-"}
    form = "%m-%d %H:%M" if len(years) == 1 else "%Y-%m-%d"
    told = any(item.outcome for item in shown)
    rows: list[list[Cell]] = []
    for item in shown:
        row = sums[item.key]
        span = None if item.started is None or item.ended is None else item.ended - item.started
        cells: list[Cell] = [
            Text(clean(short[item.key]), style="cyan"),
            moment(item.started, tz, form),
            Flex(item.project.rstrip("/").rsplit("/", 1)[-1] or item.project or "-"),
            Flex(item.intent or "-"),
            count(row.operations),
            count(row.total_tokens),
            dollars(row.cost_picodollars) if row.cost_picodollars or not row.unpriced else "?",
            rough(span) or "-",
        ]
        rows.append([*cells, clean(item.outcome or "-")[:7]] if told else cells)
    right = ("ops", "tokens", "cost", "span")
    titles = (
        "session",
        years.pop() if len(years) == 1 else "started",
        "project",
        "intent",
        *right,
        *(["outcome"] if told else []),
    )
    screen.table([Column(title, right=title in right) for title in titles], rows)
    if len(kept) > len(rows):
        screen.print(f"{len(rows)} of {len(kept):,} sessions; --all lists every one")
