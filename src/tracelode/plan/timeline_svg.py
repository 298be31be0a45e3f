"""How does a session's plan look over time? An SVG without script: a row a node, a bar an attempt.

Specification: SVG 1.1 (https://www.w3.org/TR/SVG11/); dark colours by prefers-color-scheme.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape

from tracelode.model.numbers import number
from tracelode.model.planning import SessionPlan
from tracelode.model.words import printable

ROWS = 400
"""Most nodes drawn; the rest are counted."""
WIDTH = 1200
_LABEL, _RIGHT, _TOP, _ROW = 330, 24, 78, 24
_CELLS = 46
_STYLE = """<style>
text{font:12px ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;fill:#1d1b18}
.h{font-size:15px;font-weight:600}.d{fill:#5d574f}.page{fill:#fff}.line{stroke:#d9d3ca}
.succeeded{fill:#6f9f7a}.failed{fill:#c05a4b}.paused{fill:#c9a55c}.removed{fill:#a39b8f}.running{fill:#6b90b5}
.segment{fill:#8f8a82}.implied{fill-opacity:.35;stroke:#5d574f;stroke-dasharray:3 2}
.human{stroke:#7a3fa0;stroke-width:2}.back{fill:#c05a4b}
@media (prefers-color-scheme:dark){text{fill:#eee8df}.d{fill:#b3aa9d}.page{fill:#1d1b18}.line{stroke:#46413a}
.human{stroke:#c79ae6}}
</style>"""


def draw(one: SessionPlan, *, inside: bool = False) -> str:
    """The picture.

    Args:
        one: a measured session.
        inside: True: a part of a page, whose style sheet (web/timeline.css) has the colours.

    Returns:
        An SVG document; the same session gives the same text.
    """
    return "\n".join(_lines(one, inside)) + "\n"


def _lines(one: SessionPlan, inside: bool) -> Iterator[str]:
    nodes = one.nodes[:ROWS]
    height = _TOP + _ROW * max(1, len(nodes)) + 40
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" class="timeline" role="img" aria-label="plan timeline">'
    )
    if not inside:
        yield _STYLE
        yield f'<rect class="page" width="{WIDTH}" height="{height}"/>'
        yield f'<text class="h" x="16" y="26">{_shown(one.session_id, 90)}</text>'
    counts = ((one.nodes, "node"), (one.bars, "attempt"), (one.rollbacks, "rollback"))
    words = ", ".join(number(len(rows), noun) for rows, noun in counts)
    yield f'<text class="d" x="16" y="{26 if inside else 46}">{escape(words)}: {_shown(one.goal, 110)}</text>'
    place = {node.id: row for row, node in enumerate(nodes)}
    yield from _axis(one, height)
    for node in nodes:
        y = _TOP + _ROW * place[node.id]
        yield f'<line class="line" x1="16" x2="{WIDTH - _RIGHT}" y1="{y + _ROW}" y2="{y + _ROW}"/>'
        mark = "" if node.initial else "+ "
        yield f'<text x="16" y="{y + 16}">{mark}{_shown(node.text or node.id, _CELLS)}</text>'
    yield from _bars(one, place)
    yield from _people(one, place)
    if len(one.nodes) > ROWS:
        yield f'<text class="d" x="16" y="{height - 10}">and {len(one.nodes) - ROWS:,} more nodes</text>'
    yield "</svg>"


def _axis(one: SessionPlan, height: int) -> Iterator[str]:
    if one.started is None or one.ended is None:
        yield f'<text class="d" x="{_LABEL}" y="66">no moments are known</text>'
        return
    for at, anchor in ((one.started, "start"), (one.ended, "end")):
        text = datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        yield f'<text class="d" x="{_x(one, at):.1f}" y="66" text-anchor="{anchor}">{text}</text>'
    yield f'<line class="line" x1="{_LABEL}" x2="{_LABEL}" y1="{_TOP - 6}" y2="{height - 34}"/>'


def _x(one: SessionPlan, at: int) -> float:
    span = (one.ended or 0) - (one.started or 0)
    share = (at - (one.started or 0)) / span if span else 0.0
    return _LABEL + share * (WIDTH - _LABEL - _RIGHT)


def _bars(one: SessionPlan, place: dict[str, int]) -> Iterator[str]:
    for bar in one.bars:
        row = place.get(bar.node)
        if row is None or bar.started is None:
            continue
        stop = bar.ended if bar.ended is not None else one.ended or bar.started
        x = _x(one, bar.started)
        wide = max(2.0, _x(one, max(stop, bar.started)) - x)
        told = " implied" if bar.implied else ""
        length = "" if bar.ended is None or bar.implied else f", {(stop - bar.started) / 1e6:,.1f} s"
        yield (
            f'<rect class="{bar.end}{told}" x="{x:.1f}" y="{_TOP + _ROW * row + 5}" width="{wide:.1f}" '
            f'height="{_ROW - 10}"><title>{_shown(bar.node, 60)}: {bar.end}{length}</title></rect>'
        )
    for back in one.rollbacks:
        row = place.get(back.to_node)
        if row is not None and back.timestamp is not None:
            x, y = _x(one, back.timestamp), _TOP + _ROW * row + 3
            yield (
                f'<path class="back" d="M{x:.1f} {y}l-5 -6h10z"><title>rollback '
                f"{', '.join(back.detectors)}, by {back.initiator}</title></path>"
            )


def _people(one: SessionPlan, place: dict[str, int]) -> Iterator[str]:
    for person in one.interventions:
        if person.timestamp is None:
            continue
        row = place.get(person.node_id)
        top = _TOP - 6 if row is None else _TOP + _ROW * row + 2
        x = _x(one, person.timestamp)
        end = top + (6 if row is None else 20)
        yield (
            f'<line class="human" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{end}">'
            f"<title>{person.decision} ({person.position})</title></line>"
        )


def _shown(text: str, cells: int) -> str:
    line = printable(" ".join(text.split()))
    return escape(line if len(line) <= cells else line[: cells - 1] + "…")
