"""tracelode top: which stacks are the largest?"""

from __future__ import annotations

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
    if store.json:
        rows, rest = _rows(profile, view.nodecount, view.nodefraction or 0)
        unit = profile.units[0]
        answer = [{**shapes.node(s, f, c, unit), **shapes.several(profile, s)} for s, f, c in rows]
        if rest:
            n, value = len(rest), sum(flat for _, flat, _ in rest)
            answer.append(shapes.node((f"(other {n:,})",), value, value, unit))
        shapes.write({**shapes.head(profile, unpriced(loaded)), "rows": answer})
    if not profile.totals:
        return nothing(loaded)
    if not store.json:
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


def _draw(
    loaded: View, profile: Profile, rows: list[tuple[Stack, int, int]], rest: list[tuple[Stack, int, int]]
) -> None:
    from tracelode.cli.heading import heading
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex
    from tracelode.cli.text import JOINT, cut_stack
    from tracelode.model.words import SHORT, percent, value_text

    screen = Screen()
    heading(screen, loaded)
    measures, total = profile.measures, profile.total()
    nested = any(flat != cum for _, flat, cum in rows)
    table: list[list[Cell]] = []
    running = 0
    for stack, flat, cum in rows:
        running += flat
        shown: list[Cell] = [value_text(measures[0], flat), percent(flat, total), percent(running, total)]
        shown += [value_text(measures[0], cum)] if nested else []
        shown += [value_text(m, v) for m, v in zip(measures[1:], profile.totals[stack][1:], strict=True)]
        table.append([*shown, Flex(JOINT.join(stack), shorten=cut_stack)])
    if rest:
        sums = [sum(profile.totals[stack][i] for stack, _, _ in rest) for i in range(len(measures))]
        shown = [value_text(measures[0], sums[0]), percent(sums[0], total), percent(running + sums[0], total)]
        shown += [""] if nested else []
        shown += [value_text(m, v) for m, v in zip(measures[1:], sums[1:], strict=True)]
        table.append([*shown, Flex(f"(other {len(rest):,})", "dim")])
    short = {m: SHORT.get(m, "") for m in measures}
    columns = [Column(measures[0], right=True, short=short[measures[0]])]
    columns += [Column("%", right=True, rank=8), Column("sum %", right=True, rank=9)]
    columns += [Column("cum", right=True, rank=7)] if nested else []
    columns += [Column(m, right=True, short=short[m], rank=1) for m in measures[1:]]
    gone = screen.table([*columns, Column(JOINT.join(loaded.fields), least=STACK)], table)
    if asked := [m for m in measures if m in gone]:
        names = ", ".join(asked)
        screen.sentence(f"not shown at {screen.width} columns: {names}; --json has them")
