"""tracelode top: which stacks are the largest?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tracelode.cli.options import FILES, STORE, VIEW, FileOptions, StoreOptions, ViewOptions

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.cli.view import View
    from tracelode.model.profile import Profile, Stack

ROWS = 20
"""Rows on the screen without --nodecount."""
STACK = 24
"""Cells that stacks keep; where they get fewer, other columns are left out."""

TOLD = 36
"""Cells that stacks get beside three measures or more, if only shares have to go for it: in fewer, one stack
can hardly be told from the next."""


def top(
    *,
    view: ViewOptions = VIEW,
    file: FileOptions = FILES,
    store: StoreOptions = STORE,
) -> int:
    """Print the largest stacks. The flat column sums to the total.

    Args:
        view: what is counted and shown.
        file: write a file instead.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.heading import nothing
    from tracelode.cli.target import wanted, write_file
    from tracelode.cli.view import load, unpriced

    if wanted(file):
        return write_file(view, store, file)
    loaded = load(view, store)
    profile = loaded.shown()
    if not profile.totals:
        head = shapes.head(profile, unpriced(loaded))
        return nothing(loaded, {**head, "rows": []} if store.json else None)
    if store.json:
        rows, rest = _rows(profile, view.nodecount, view.nodefraction or 0)
        unit = profile.units[0]
        below = profile.told_below()
        answer = []
        for stack, _, cum in rows:
            known = None if below is not None and stack not in below else cum
            answer.append(
                {
                    **shapes.node(stack, profile.told(stack)[0], known, unit),
                    **shapes.several(profile, stack),
                }
            )
        if rest:
            sums = _sums(profile, rest)
            values = {"values": dict(zip(profile.measures, sums, strict=True))} if len(sums) > 1 else {}
            other = shapes.node((f"(other {len(rest):,})",), sums[0], sums[0], unit)
            answer.append({**other, **values})
        shapes.write({**shapes.head(profile, unpriced(loaded)), "rows": answer})
    else:
        _draw(loaded, profile, *_rows(profile, view.nodecount or ROWS, view.nodefraction or 0))
    return 0


def _rows(
    profile: Profile, count: int | None, fraction: float
) -> tuple[list[tuple[Stack, int, int]], list[tuple[Stack, int, int]]]:
    """Rows to show, and the rest."""
    rows = profile.top()
    least = abs(profile.total()) * fraction
    kept = [row for row in rows if abs(row[1]) >= least][:count]
    return kept, rows[len(kept) :]


def _sums(profile: Profile, rest: list[tuple[Stack, int, int]]) -> list[int | None]:
    """Sums of the stacks that are not shown, None where none of them tells a measure."""
    told = [profile.told(stack) for stack, _, _ in rest]
    columns = ([value for value in column if value is not None] for column in zip(*told, strict=True))
    return [sum(column) if column else None for column in columns]


def _draw(
    loaded: View, profile: Profile, rows: list[tuple[Stack, int, int]], rest: list[tuple[Stack, int, int]]
) -> None:
    from tracelode.cli.heading import heading, not_shown
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex, Layout
    from tracelode.cli.text import JOINT, cut_stack
    from tracelode.model.words import SHORT, percent

    screen = Screen()
    heading(screen, loaded)
    measures, total = profile.measures, profile.total()
    nested = any(flat != cum for _, flat, cum in rows)
    table: list[list[Cell]] = []
    running = 0
    below = profile.told_below()
    bare = {prefix: (flat, cum) for prefix, flat, cum in loaded.bare.flat_cum()}
    for stack, flat, cum in rows:
        running += flat
        told, lacking = profile.told(stack), bare[stack]
        shown: list[Cell] = [
            loaded.text(measures[0], told[0], lacking[0]),
            percent(told[0], total),
            percent(running, total),
        ]
        if nested:
            known = cum if below is None or stack in below else None
            shown.append(loaded.text(measures[0], known, lacking[1]))
        shown += [loaded.text(m, v, lacking[0]) for m, v in zip(measures[1:], told[1:], strict=True)]
        table.append([*shown, Flex(JOINT.join(stack), shorten=cut_stack)])
    if rest:
        sums = _sums(profile, rest)
        left = percent(running + (sums[0] or 0), total)
        lack = sum(bare[stack][0] for stack, _, _ in rest)
        shown = [loaded.text(measures[0], sums[0], lack), percent(sums[0], total), left]
        shown += [""] if nested else []
        shown += [loaded.text(m, v, lack) for m, v in zip(measures[1:], sums[1:], strict=True)]
        table.append([*shown, Flex(f"(other {len(rest):,})", "dim")])
    short = {m: SHORT.get(m, "") for m in measures}
    columns = [Column(measures[0], right=True, short=short[measures[0]])]
    columns += [Column("%", right=True, rank=8), Column("sum %", right=True, rank=9)]
    columns += [Column("cum", right=True, rank=7)] if nested else []
    columns += [Column(m, right=True, short=short[m], rank=1) for m in measures[1:]]
    stacks = Column(JOINT.join(loaded.fields), least=STACK)
    if len(measures) > 2:
        wide = replace(stacks, least=TOLD)
        gone = Layout([*columns, wide], table, screen.width).left_out
        stacks = stacks if set(gone) & set(measures) else wide
    gone = screen.table([*columns, stacks], table)
    not_shown(screen, gone, measures)
