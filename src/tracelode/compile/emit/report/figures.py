"""What do the checks say? Tiles, folds, the learning curve and what is saved."""

from __future__ import annotations

from tracelode.compile.emit.report.proofs import text
from tracelode.model.measure import UNITS
from tracelode.model.verification import CurvePoint, Fold, Verification
from tracelode.model.words import count, percent, value_text

_FOLDS = 500
"""Folds that are listed."""
_ENDS = ("exact", "equivalent", "escalated", "unbound", "wrong")


def folds(found: Verification) -> str:
    """The folds as a table.

    Args:
        found: what leave-one-out gave.
    """
    rows = "".join(_fold(f) for f in found.folds[:_FOLDS])
    more = len(found.folds) - _FOLDS
    tail = f"<p class=soft>and {count(more)} more</p>" if more > 0 else ""
    heads = "".join(f"<th class=n>{e}</th>" for e in _ENDS)
    return (
        "<div class=scroll><table><thead><tr><th>run left out</th><th class=n>calls</th>"
        f"{heads}<th>end</th></tr></thead><tbody>{rows}</tbody></table></div>{tail}"
    )


def _fold(one: Fold) -> str:
    ends: list[str] = [c.end for c in one.calls]
    cells = "".join(f"<td class=n>{ends.count(e) or ''}</td>" for e in _ENDS)
    kind = {"complete": "good", "unsafe": "bad"}.get(one.end, "soft")
    return (
        f"<tr><td class=key-cell><code>{text(one.run)}</code></td><td class=n>{len(one.calls)}</td>{cells}"
        f"<td class={kind}>{one.end.replace('_', ' ')}</td></tr>"
    )


def curve(points: tuple[CurvePoint, ...]) -> str:
    """How much more runs help, as a picture and a table.

    Args:
        points: by number of runs.
    """
    rows = "".join(
        f"<tr><td class=n>{p.runs}</td><td class=n>{percent(p.bound, p.calls)}</td>"
        f"<td class=n>{percent(p.right, p.bound)}</td><td class=n>{percent(p.whole, p.folds)}</td>"
        f"<td class=n>{percent(p.whole_right, p.whole)}</td></tr>"
        for p in points
    )
    return (
        f"{_picture(points)}<div class=scroll><table><thead><tr><th class=n>runs</th><th class=n>calls "
        f"bound</th>"
        "<th class=n>of these right</th><th class=n>runs whole</th><th class=n>of these "
        "right</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _picture(points: tuple[CurvePoint, ...]) -> str:
    width, height, left, low = 440, 170, 44, 140
    most = max((p.runs for p in points), default=1)

    def at(runs: int, part: int, whole: int) -> tuple[float, float]:
        across = (runs - 1) / (most - 1) if most > 1 else 0.5
        return left + 12 + (width - left - 40) * across, low - (low - 14) * (part / whole if whole else 0)

    lines = []
    for name, pairs in (
        ("bound", [at(p.runs, p.bound, p.calls) for p in points]),
        ("right", [at(p.runs, p.right, p.bound) for p in points if p.bound]),
    ):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in pairs)
        lines.append(f'<polyline class="{name}" points="{path}"/>')
        lines += [f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in pairs]
    ticks = [
        f'<text x="{at(p.runs, 0, 1)[0]:.1f}" y="{low + 17}" text-anchor="middle">{p.runs}</text>'
        for p in points
    ]
    marks = [
        f'<line class="axis" x1="{left}" x2="{width - 10}" y1="{at(1, n, 100)[1]:.1f}" '
        f'y2="{at(1, n, 100)[1]:.1f}"/>'
        f'<text x="{left - 6}" y="{at(1, n, 100)[1] + 4:.1f}" text-anchor="end">{n} %</text>'
        for n in (0, 50, 100)
    ]
    key = (
        "<p class=key><span><b class=soft>grey</b>: calls bound</span>"
        "<span><b class=lit>orange</b>: of these right</span></p>"
    )
    return (
        f'<svg class="curve" viewBox="0 0 {width} {height}" width="{width}" '
        f'style="max-width:100%;height:auto" role="img" '
        f'aria-label="Share of calls by number of '
        f'runs">{"".join(marks)}{"".join(lines)}{"".join(ticks)}</svg>{key}'
    )


def saved(found: Verification) -> str:
    """What the calls cost that need no model any more.

    Args:
        found: with saved.
    """
    rows = "".join(
        f"<tr><td>{text(name)}</td><td class=n>{text(value_text(name, value))}</td>"
        f"<td class=n>{text(value_text(name, value // found.saved['runs']))}</td></tr>"
        for name, value in found.saved.items()
        if name in UNITS and value and found.saved.get("runs")
    )
    if not rows:
        return ""
    return (
        "<h2>What it saves</h2><p class=soft>What the recorded calls cost that need no model any more.</p>"
        f"<div class=scroll><table><thead><tr><th>measure</th><th "
        f"class=n>{count(found.saved.get('runs', 0))} runs</th>"
        f"<th class=n>each</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
