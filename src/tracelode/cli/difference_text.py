"""How does a difference look in a terminal? Both totals, what was compared, and the largest net values."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from tracelode.cli.heading import not_shown
from tracelode.cli.screen import Screen
from tracelode.cli.table import GAP, LEAST, Cell, Column, Flex, Styled
from tracelode.cli.text import JOINT, clean, cut, cut_stack, number, width
from tracelode.model.difference import Difference, Sensitivity, ToldApart, bound_text, each_text

ROWS = 20
"""Rows without --nodecount."""
STACK = 24
"""Cells that stacks keep; where they get fewer, other columns are left out."""
WORD = 12
"""Letters of the words for sets that head columns."""
NAME = 5
"""Letters of them that stay where the line is narrow."""
MORE, LESS = "magenta", "green"
"""Styles of what the other and what the base set has more of."""


def draw(screen: Screen, found: Difference, count: int | None, *, vanished: bool, share: bool) -> None:
    """Write a difference.

    Args:
        screen: standard output.
        found: the difference.
        count: rows; None for 20.
        vanished: only stacks that one set has alone.
        share: the answer may leave the machine.
    """
    heading(screen, found)
    rows = [row for row in found.rows if row.net and (not vanished or row.only)]
    if not rows:
        screen.sentence("no stack is in one set alone" if vanished else "no stack differs")
        return
    shown = rows[: count or ROWS]
    table: list[list[Cell]] = []
    for row in shown:
        support = found.support[row.stack]
        firm = found.supported(row.stack)
        style = (MORE if row.net > 0 else LESS) if firm else "dim"
        if firm and row.low is not None and row.high is not None and (row.low > 0 or row.high < 0):
            style += " bold"
        sides = [each_text(found.measure, value, found.scale) for value in (row.base, row.other)]
        table.append(
            [
                Styled(each_text(found.measure, row.net, found.scale, sign=True), style),
                Styled(_bounds(found.measure, row.low, row.high), "dim"),
                *sides,
                f"{support.sessions:,}{'' if firm else '*'}",
                Flex(JOINT.join(row.stack), "" if firm else "dim", shorten=cut_stack),
            ]
        )
    if len(rows) > len(shown) and not vanished:
        rest = rows[len(shown) :]
        sums = [sum(getattr(row, side) for row in rest) for side in ("net", "base", "other")]
        net, *sides = [each_text(found.measure, v, found.scale, sign=not i) for i, v in enumerate(sums)]
        table.append([net, "", *sides, "", Flex(f"(other {len(rest):,})", "dim")])
    sides_shown = _sides(found, [[line[i] for line in table] for i in (0, 2, 3)], screen.width)
    columns = [
        Column("net", right=True),
        Column("95% interval", rank=3),
        *sides_shown,
        Column("sess", right=True, rank=4),
        Column(JOINT.join(found.fields), least=STACK),
    ]
    if all(row.low is None for row in shown):
        columns, table = columns[:1] + columns[2:], [line[:1] + line[2:] for line in table]
    gone = screen.table(columns, table)
    not_shown(screen, gone, [column.title for column in sides_shown])
    if vanished and len(rows) > len(shown):
        screen.sentence(f"{len(shown)} of {number(len(rows), 'stack')}; --nodecount shows more")
    if any(not found.supported(row.stack) for row in shown):
        least = f"{number(found.least[0], 'session')} or {number(found.least[1], 'task')}"
        screen.sentence(f"* below {least}: not called different")


def heading(screen: Screen, found: Difference) -> None:
    """Write what is compared with what.

    Args:
        screen: standard output.
        found: the difference.
    """
    base, other = (clean(name) for name in found.names)
    totals = found.totals
    one, two = (each_text(found.measure, value, found.scale) for value in totals)
    net = totals[1] - totals[0]
    text = each_text(found.measure, net, found.scale, sign=True)
    sure = _bounds(found.measure, *found.interval) if found.interval else ""
    more = f", more in {other if net > 0 else base}" if net else ""
    per = "" if found.per == "total" else f" per {found.per}"
    screen.flow(
        found.measure + per,
        [
            f"{base} {one}",
            f"{other} {two}",
            Text(f"net {text}{more}", style="bold"),
            *([sure] if sure else []),
        ],
        indent=len(found.measure + per) + 2,
    )
    n, m = found.sessions
    parts = [f"{n:,} {base}", f"{m:,} {other}"]
    if found.per == "task":
        parts.append(f"{number(found.pairs, 'pair')} of {number(found.tasks, 'task')}")
    screen.flow("sessions", parts, indent=10)
    if found.left_out:
        screen.flow("left out", [f"{n:,} {why}" for why, n in found.left_out], indent=10)
    for note in found.notes:
        screen.flow("note", [note], indent=10)


def _short(found: Difference, side: int) -> str:
    """A heading for a side's column: its word where both are short."""
    names = [name.removeprefix("seem to have ") for name in found.names]
    return names[side] if max(map(len, names)) <= WORD else ("base", "other")[side]


def _sides(found: Difference, values: Sequence[Sequence[Cell]], line: int) -> list[Column]:
    """The columns of both sides: shown as long as they fit, since a net value says little without them."""
    titles = [clean(_short(found, side)) for side in (0, 1)]
    texts = [[cell if isinstance(cell, str) else cell.text for cell in held] for held in values]
    net, *bodies = [max(map(width, held), default=0) for held in texts]
    bodies = [max(NAME, body) for body in bodies]
    # a figure that is cut says nothing, or something else
    rank = 0 if net + sum(bodies) + 3 * GAP + LEAST <= line else 1
    return [
        Column(title, right=True, short=cut(title, body), rank=rank)
        for title, body in zip(titles, bodies, strict=True)
    ]


def _bounds(measure: str, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f"{bound_text(measure, low)} .. {bound_text(measure, high)}"


def draw_cuts(screen: Screen, found: Difference, moved: Sensitivity, count: int | None) -> None:
    """Write how far the shares of stages move over segmenters.

    Args:
        screen: standard output.
        found: the difference as the store's segmenter cuts.
        moved: the shares under every segmenter.
        count: rows; None for 20.
    """
    heading(screen, found)
    names = moved.cuts[0].segmenters if moved.cuts else ()
    screen.flow("cut by", list(names), joint=", ", indent=10)
    screen.flow("lexicon", list(moved.lexicons), joint=", ", indent=10)
    marks = [f"{n:,} {why}" for why, n in sorted(moved.doubtful.items())]
    whole = f"of {number(moved.sessions, 'session')}"
    screen.flow("mixed up", [*(marks or ["none"]), whole], joint=", ", indent=10)
    shown = moved.cuts[: count or ROWS]
    rows: list[list[Cell]] = [
        [
            Styled(_points(cut.net[0], sign=True), "" if cut.stable else "yellow"),
            Styled(_range(cut.net, sign=True) + ("" if cut.stable else "?"), "" if cut.stable else "yellow"),
            _range(cut.base),
            _range(cut.other),
            "-" if cut.doubtful is None else f"{100 * cut.doubtful:.0f}%",
            Flex(cut.stage),
        ]
        for cut in shown
    ]
    columns = [
        Column("net", right=True),
        Column("range"),
        Column(clean(_short(found, 0)), rank=3),
        Column(clean(_short(found, 1)), rank=2),
        Column("mixed", right=True, rank=4),
        Column("stage", least=16),
    ]
    screen.table(columns, rows)
    if any(not cut.stable for cut in shown):
        screen.sentence("? the sign is not the same under every segmenter")
    if len(moved.cuts) > len(shown):
        screen.sentence(f"{len(shown)} of {number(len(moved.cuts), 'stage')}; --nodecount shows more")


def _points(share: float, *, sign: bool = False) -> str:
    return f"{100 * share:{'+' if sign else ''}.1f}%"


def _range(shares: Sequence[float], *, sign: bool = False) -> str:
    low, high = (_points(share, sign=sign) for share in (min(shares), max(shares)))
    return f"{low[:-1]} .. {high}"


def draw_held_out(screen: Screen, held: ToldApart) -> None:
    """Write whether what differs holds on other tasks.

    Args:
        screen: standard output.
        held: held-out pairs in order.
    """
    parts = [f"{100 * held.value:.0f}% of {number(held.pairs, 'pair')} told apart by the other tasks"]
    if held.null is not None and held.p is not None:
        parts.append(f"{100 * held.null:.0f}% with outcomes dealt anew, p {held.p:.3f}")
    screen.flow("held out", parts, indent=10)
