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
    from tracelode.cli.nodes import check
    from tracelode.cli.target import write_file
    from tracelode.cli.view import load, unpriced

    check(view.nodefraction, view.nodecount)
    if file.output is not None:
        return write_file(view, store, file)
    loaded = load(view, store)
    profile = loaded.shown()
    if store.json:
        rows, rest = _rows(profile, view.nodecount, view.nodefraction or 0)
        unit = profile.units[0]
        answer = [{**shapes.node(s, f, c, unit), **shapes.several(profile, s)} for s, f, c in rows]
        if rest:
            n, value = len(rest), sum(flat for _, flat, _ in rest)
            answer.append(shapes.node((f"(other {n})",), value, value, unit))
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
    from tracelode.model.words import percent, value_text

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
        table.append([*shown, Flex(" > ".join(stack))])
    if rest:
        sums = [sum(profile.totals[stack][i] for stack, _, _ in rest) for i in range(len(measures))]
        shown = [value_text(measures[0], sums[0]), percent(sums[0], total), percent(running + sums[0], total)]
        shown += [""] if nested else []
        shown += [value_text(m, v) for m, v in zip(measures[1:], sums[1:], strict=True)]
        table.append([*shown, Flex(f"(other {len(rest)})", "dim")])
    titles = [measures[0], "%", "sum %", *(["cum"] if nested else []), *measures[1:]]
    columns = [Column(title, right=True) for title in titles]
    screen.table([*columns, Column(" > ".join(loaded.fields))], table)
