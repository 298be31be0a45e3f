"""How is the graph drawn? Inline SVG whose arrows and steps are links to their proof."""

from __future__ import annotations

from html import escape

from tracelode.compile.emit.graph import links
from tracelode.compile.emit.report.layout import HEIGHT, WIDTH, Layout, layout
from tracelode.compile.emit.wording import label
from tracelode.model.words import printable
from tracelode.model.workflow import Step, Workflow

_SIGNS = 27
"""Signs of a name that fit into a step."""
_CLASSES = {
    "data_hard": "data",
    "effect_hard": "effect",
    "control_hard": "control",
    "data_suspected": "suspected",
}


def link_id(before: int, after: int, kind: str) -> str:
    """The id of the proof of an arrow.

    Args:
        before: number of the step, from 1.
        after: number of the other.
        kind: of the edge.
    """
    return f"proof-{_CLASSES[kind]}-{before}-{after}"


def drawing(workflow: Workflow) -> str:
    """The graph of a workflow.

    Args:
        workflow: any.

    Returns:
        An SVG element; every text of the trace is escaped.
    """
    number = {step.slot: n for n, step in enumerate(workflow.steps, 1)}
    arrows = links(workflow)
    made = placed(workflow)
    parts = [
        f'<svg class="graph" xmlns="http://www.w3.org/2000/svg" width="{made.width:.0f}" '
        f'height="{made.height:.0f}" '
        f'viewBox="0 0 {made.width:.0f} {made.height:.0f}" role="group" aria-label="Steps and what '
        f'orders them">',
        "<defs>",
        *(
            f'<marker id="tip-{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            f'markerUnits="userSpaceOnUse" orient="auto"><path class="tip {name}" d="M0 0.5 7.5 4 0 '
            f'7.5z"/></marker>'
            for name in _CLASSES.values()
        ),
        "</defs>",
    ]
    beside: dict[tuple[str, str], int] = {}
    for first, then, kind, words in arrows:
        parallel = beside.get((first, then), 0)
        beside[first, then] = parallel + 1
        parts.append(_arrow(made, first, then, kind, words, number, parallel))
    parts += [_box(made, step, number[step.slot]) for step in workflow.steps]
    return "\n".join([*parts, "</svg>"])


def placed(workflow: Workflow) -> Layout:
    """Where each step and each arrow of a workflow stands.

    Args:
        workflow: any.
    """
    before: dict[str, list[str]] = {}
    for first, then, kind, _ in links(workflow):
        if kind != "data_suspected":
            before.setdefault(then, []).append(first)
    return layout([s.slot for s in workflow.steps], before)


def _arrow(
    made: Layout, first: str, then: str, kind: str, words: str, number: dict[str, int], parallel: int
) -> str:
    points = made.ways.get((first, then)) if kind != "data_suspected" else None
    shift = 18.0 * parallel
    path = _curve(points or _straight(made, first, then), shift)
    name = _CLASSES[kind]
    target = link_id(number[first], number[then], kind)
    spoken = f"{number[first]} {first} before {number[then]} {then}: {kind.replace('_', ' ')} {words}".strip()
    return (
        f'<a href="#{target}" class="arrow {name} to-{target}"><title>{escape(printable(spoken))}</title>'
        f'<path class="reach" d="{path}"/><path class="line" d="{path}" marker-end="url(#tip-{name})"/></a>'
    )


def _straight(made: Layout, first: str, then: str) -> list[tuple[float, float]]:
    (x, y), (u, v) = made.boxes[first], made.boxes[then]
    if v > y:
        return [(x + WIDTH * 0.7, y + HEIGHT), (u + WIDTH * 0.7, v)]
    # the same layer, or against the order: from side to side
    return (
        [(x + WIDTH, y + HEIGHT / 2), (u + WIDTH, v + HEIGHT / 2)]
        if u <= x
        else [(x + WIDTH, y + HEIGHT / 2), (u, v + HEIGHT / 2)]
    )


def _curve(points: list[tuple[float, float]], shift: float) -> str:
    (x, y), rest = points[0], points[1:]
    x += shift
    path = f"M{x:.1f} {y:.1f}"
    for place, (u, v) in enumerate(rest):
        u += shift
        if place == len(rest) - 1:
            v -= 2
        half = (v - y) / 2
        path += f"C{x:.1f} {y + half:.1f} {u:.1f} {v - half:.1f} {u:.1f} {v:.1f}"
        x, y = u, v
    return path


def _box(made: Layout, step: Step, number: int) -> str:
    x, y = made.boxes[step.slot]
    notes = label(step) or "reads"
    kind = "write" if step.effect.writes else "read"
    name = printable(step.slot)
    shown = _cut(name, _SIGNS - len(f"{number}. "))
    return (
        f'<a href="#step-{number}" class="step {kind}"><title>{escape(name)}</title>'
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{WIDTH:.0f}" height="{HEIGHT:.0f}" rx="7"/>'
        f'<rect class="bar" x="{x:.1f}" y="{y:.1f}" width="6" height="{HEIGHT:.0f}" rx="3"/>'
        f'<text class="name" x="{x + 16:.1f}" y="{y + 22:.1f}">{number}. {escape(shown)}</text>'
        f'<text class="note" x="{x + 16:.1f}" y="{y + 40:.1f}">{escape(notes)}</text></a>'
    )


def _cut(name: str, room: int) -> str:
    """A name that fits; its number is kept, since it tells two steps of one tool apart."""
    if len(name) <= room:
        return name
    head, mark, tail = name.rpartition("#")
    end = f"{mark}{tail}" if head and len(tail) < 4 else ""
    return (head if end else name)[: room - len(end) - 1] + "…" + end
