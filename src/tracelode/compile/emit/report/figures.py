"""What do the checks say? Tiles, folds, the learning curve and what is saved."""

from __future__ import annotations

from tracelode.compile.emit.report.proofs import text
from tracelode.model.measure import parts
from tracelode.model.verification import CurvePoint, Fold, Verification
from tracelode.model.words import count, percent, value_text

_FOLDS = 500
"""Folds that are listed."""
_ENDS = {
    "exact": "same",
    "equivalent": "other form",
    "escalated": "asks",
    "unbound": "not bound",
    "wrong": "wrong",
}
_FOLD_ENDS = {
    "complete": "all right",
    "safe_partial": "safe, in part",
    "unsafe": "wrong write",
}
_SAVED = {
    "calls": "model calls",
    "tokens": "model tokens",
    "cost": "model cost",
    "time.model": "time of the model",
}


def folds(found: Verification) -> str:
    """The folds as a table.

    Args:
        found: what leave-one-out gave.
    """
    rows = "".join(_fold(f) for f in found.folds[:_FOLDS])
    more = len(found.folds) - _FOLDS
    tail = f"<p class=soft>and {count(more)} more</p>" if more > 0 else ""
    heads = "".join(f"<th class=n>{words}</th>" for words in _ENDS.values())
    return (
        "<p class=soft>The calls of each run, made from what the other runs teach.</p>"
        "<div class=scroll><table><thead><tr><th>run left out</th><th class=n>calls</th>"
        f"{heads}<th>in all</th></tr></thead><tbody>{rows}</tbody></table></div>{tail}"
    )


def _fold(one: Fold) -> str:
    ends: list[str] = [c.end for c in one.calls]
    cells = "".join(f"<td class=n>{ends.count(e)}</td>" for e in _ENDS)
    kind = {"complete": "good", "unsafe": "bad"}.get(one.end, "soft")
    return (
        f"<tr><td class=key-cell><code>{text(one.run)}</code></td><td class=n>{len(one.calls)}</td>{cells}"
        f'<td class="end {kind}">{_FOLD_ENDS.get(one.end, one.end)}</td></tr>'
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
    """What of a model is not needed any more; the tools still run, so nothing of theirs is saved.

    Args:
        found: with saved.
    """
    runs = found.saved.get("runs", 0)
    tools = found.saved.get("tool_calls", 0)
    unmade = found.saved.get("noise", 0)
    if not runs or not tools:
        return ""
    total = {name: sum(found.saved.get(part, 0) for part in parts(name)) for name in _SAVED}
    rows = "".join(
        f"<tr><td>{words}</td><td class=n>{text(value_text(name, total[name]))}</td>"
        f"<td class=n>{text(_each(name, total[name], runs))}</td></tr>"
        for name, words in _SAVED.items()
        if total[name]
    )
    made = tools - unmade
    many = (
        f"<p>{count(made)} tool calls of {count(runs)} runs, {made / runs:,.1f} a run, are made without a "
        "model. The tools still run: their time and cost stay."
    )
    if unmade:
        be = "is" if unmade == 1 else "are"
        many += f" {count(unmade)} more that did nothing {be} not made."
    many += "</p>"
    head = f"<th>what the model took for them</th><th class=n>{count(runs)} runs</th><th class=n>a run</th>"
    table = (
        f"<div class=scroll><table class=few><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
        if rows
        else "<p class=soft>The runs do not tell what the model took for them.</p>"
    )
    return f"<h2>What it saves</h2>{many}{table}"


def _each(name: str, value: int, runs: int) -> str:
    return f"{value / runs:,.1f}" if name == "calls" else value_text(name, value // runs)
