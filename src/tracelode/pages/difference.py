"""How is a difference read by people? What is compared, the flame graph, the largest net values."""

from __future__ import annotations

from tracelode.model.difference import Contrast, Difference, bound_text, each_text
from tracelode.model.numbers import number
from tracelode.model.words import noun
from tracelode.pages.flame import contrast
from tracelode.pages.parts import (
    Cell,
    Flame,
    Interval,
    Intervals,
    Page,
    Part,
    Section,
    Table,
    Tiles,
    Tone,
    Words,
)
from tracelode.pages.tree import NODES

ROWS = 40
"""Stacks in the table."""
HEADLINES = 12
"""Stacks whose intervals are drawn."""


def page(difference: Difference, *, nodes: int = NODES) -> Page:
    """A report of a difference.

    Args:
        difference: two sets of sessions.
        nodes: frames of the flame graph, at most.
    """
    base, other = difference.names
    per = "" if difference.per == "total" else f" per {difference.per}"
    return Page(
        title=f"{other} minus {base}",
        lead=f"Where {noun(difference.measure)}{per} of two sets of sessions differ. More in one set is "
        "where to look, and no cause.",
        sections=(Section("", tuple(summary(difference))), *sections(difference, nodes=nodes)),
        comments=difference.comments,
    )


def summary(difference: Difference) -> list[Part]:
    """What is compared with what: both totals, sessions, pairs, and what was left out.

    Args:
        difference: two sets of sessions.
    """
    one, two = difference.totals
    measure, scale = difference.measure, difference.scale
    net = each_text(measure, two - one, scale, sign=True)
    tiles = [
        (each_text(measure, one, scale), difference.names[0]),
        (each_text(measure, two, scale), difference.names[1]),
        (net, "difference"),
    ]
    if difference.interval is not None:
        low, high = (bound_text(measure, bound) for bound in difference.interval)
        tiles.append((f"{low} .. {high}", "95% interval of the difference"))
    tiles.append((f"{difference.sessions[0]:,} and {difference.sessions[1]:,}", "sessions compared"))
    if difference.per == "task":
        tiles.append((f"{difference.pairs:,}", f"pairs, of {number(difference.tasks, 'task')}"))
    parts: list[Part] = [Tiles(tuple(tiles))]
    if difference.left_out:
        why = ", ".join(f"{number:,} {reason}" for reason, number in difference.left_out)
        parts.append(Words(f"Left out: {why}.", "soft"))
    parts += [Words(note, "note") for note in difference.notes]
    return parts


def sections(difference: Difference, *, nodes: int = NODES) -> tuple[Section, ...]:
    """The flame graph, the largest stacks with intervals, and the table.

    Args:
        difference: two sets of sessions.
        nodes: frames of the flame graph, at most.
    """
    flame = Flame(contrast(difference, nodes=nodes))
    rows = [row for row in difference.rows if row.net]
    if not rows:
        return (Section("Flame graph", (flame,)), Section("", (Words("No stack differs."),)))
    found = [Section("Flame graph", (flame,))]
    headlines = [row for row in rows if row.low is not None and difference.supported(row.stack)][:HEADLINES]
    if headlines:
        found.append(Section("How sure is it?", (_intervals(difference, headlines),)))
    found.append(Section("Largest differences", (_table(difference, rows),)))
    return tuple(found)


def _intervals(difference: Difference, rows: list[Contrast]) -> Intervals:
    drawn = []
    for row in rows:
        value = row.net / difference.scale
        low, high = row.low or 0.0, row.high or 0.0
        text = f"{bound_text(difference.measure, low)} .. {bound_text(difference.measure, high)}"
        tone: Tone = ("more" if value > 0 else "less") if row.sure else "soft"
        drawn.append(Interval(" › ".join(row.stack), value, low, high, text, tone))
    return Intervals(rows=tuple(drawn), note="95% intervals, by resampling tasks; grey where 0 is inside.")


def _table(difference: Difference, rows: list[Contrast]) -> Table:
    measure, scale = difference.measure, difference.scale
    lines = []
    for row in rows[:ROWS]:
        support = difference.support[row.stack]
        firm = difference.supported(row.stack)
        net = each_text(measure, row.net, scale, sign=True)
        tone: Tone = {"+": "more", "-": "less"}.get(net[0], "") if firm else "soft"  # type: ignore[assignment]
        lines.append(
            (
                Cell(" › ".join(row.stack), "" if firm else "soft"),
                Cell(net, tone),
                each_text(measure, row.base, scale),
                each_text(measure, row.other, scale),
                f"{support.base:,} and {support.other:,}",
                f"{support.tasks:,}",
            )
        )
    least = f"{number(difference.least[0], 'session')} and {number(difference.least[1], 'task')}"
    note = f"Grey: fewer than {least}, not called different."
    if len(rows) > ROWS:
        note += f" {number(len(rows) - ROWS, 'more stack')} below that."
    stack = " › ".join(difference.fields) or "stack"
    base, other = difference.names
    heads = (stack, ">difference", f">{base}", f">{other}", ">sessions", ">tasks")
    return Table(heads=heads, rows=tuple(lines), note=note, few=True)
