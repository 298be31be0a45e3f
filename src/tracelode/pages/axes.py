"""How are estimates and series drawn? SVG in the colours of the page, and figures as text."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tracelode.pages.document import text
from tracelode.pages.parts import Intervals, Points

_ROW = 28
_MARKS = ("one", "two", "three", "four")


def intervals(part: Intervals) -> str:
    """Estimates with their bounds, one a row of a table.

    Args:
        part: at least no row; a row without bounds shows its estimate alone.
    """
    held = [v for row in part.rows for v in (row.low, row.value, row.high) if v is not None]
    held = [v for v in held if math.isfinite(v)] + ([] if part.mark is None else [part.mark])
    low, high = (min(held), max(held)) if held else (0.0, 1.0)
    span = high - low or 1.0
    low, high = low - 0.04 * span, high + 0.04 * span

    def x(value: float) -> str:
        return f"{100 * (min(max(value, low), high) - low) / (high - low):.2f}%"

    def line(kind: str, one: float, two: float, top: str = "50%", end: str = "50%") -> str:
        return f'<line class="{kind}" x1="{x(one)}" x2="{x(two)}" y1="{top}" y2="{end}"/>'

    rows = []
    for row in part.rows:
        # percents, not a view box: the picture is as wide as there is room, its marks stay round
        drawn = "" if part.mark is None else line("zero", part.mark, part.mark, "0", "100%")
        if row.low is not None and row.high is not None:
            drawn += line("bound", row.low, row.high)
        drawn += f'<circle class="{row.tone}" cx="{x(row.value)}" cy="50%" r="4.5"/>'
        picture = f'<svg class="interval" width="100%" height="{_ROW}" aria-hidden="true">{drawn}</svg>'
        words = f'<th scope="row">{text(row.label)}</th><td class=n>{text(row.text)}</td>'
        rows.append(f"<tr>{words}<td>{picture}</td></tr>")
    return f"<table class=intervals><tbody>{''.join(rows)}</tbody></table>"


def points(part: Points) -> str:
    """Lines through points, with a table for those who do not see them.

    Args:
        part: one to four lines.
    """
    held = [p for _, line in part.lines for p in line]
    if not held:
        return "<p class=soft>no points</p>"
    width, height, left, low, right = 560, 200, 62, 164, 16
    xs, ys = _range([p[0] for p in held]), _range([0.0, *(p[1] for p in held)])

    def at(point: tuple[float, float]) -> tuple[float, float]:
        across = (point[0] - xs[0]) / (xs[1] - xs[0])
        up = (point[1] - ys[0]) / (ys[1] - ys[0])
        return left + (width - left - right) * across, low - (low - 14) * up

    drawn = []
    for mark in (ys[0], (ys[0] + ys[1]) / 2, ys[1]):
        y = at((xs[0], mark))[1]
        drawn.append(
            f'<path class="axis" d="M{left} {y:.1f}H{width - right}"/>'
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{_short(mark)}</text>'
        )
    for mark, anchor in ((xs[0], "start"), (xs[1], "end")):
        drawn.append(
            f'<text x="{at((mark, 0))[0]:.1f}" y="{low + 18}" text-anchor="{anchor}">{_short(mark)}</text>'
        )
    drawn.append(
        f'<text x="{(left + width) / 2:.0f}" y="{low + 18}" text-anchor="middle">{text(part.across)}</text>'
    )
    drawn += list(_lines(part, at))
    key = "".join(
        f'<span><i class="dot {mark}"></i>{text(name)}</span>'
        for mark, (name, _) in zip(_MARKS, part.lines, strict=False)
    )
    words = f"{part.up} by {part.across}"
    return (
        f'<div class="scroll picture"><svg class="points" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{text(words)}">{"".join(drawn)}</svg></div>'
        f"<p class=key><b>{text(part.up)}</b>{key}</p>"
    )


def _lines(part: Points, at: object) -> Iterator[str]:
    assert callable(at)
    for mark, (_, line) in zip(_MARKS, part.lines, strict=False):
        places = [at(point) for point in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline class="{mark}" points="{path}"/>'
        if len(places) <= 60:
            yield "".join(f'<circle class="{mark}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places)


def _range(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
