"""SVG: a differential flame graph without scripts: width is both sets together, colour says which has more.

Specification: SVG 1.1 (https://www.w3.org/TR/SVG11/); dark colours by the media query
prefers-color-scheme. Layout after AgentPProf (arXiv 2609.20301), figure 3: a frame is as wide as both sides
together, the bar inside it is their net difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from tracelode.exports.svg import NARROWEST, NODES, cut_text, extent, fonts, xml
from tracelode.model.difference import Difference, each_text
from tracelode.model.profile import Stack
from tracelode.model.words import printable

WIDTH = 1200
_MARGIN = 16
_TOP = 78
_BOTTOM = 62
_ROW = 24
_FONT = 12
_PALETTE: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "more": (("#f7dbe6", "#eb9dbd"), ("#46293a", "#94466a")),
    "less": (("#d9ecdc", "#86c79b"), ("#26402e", "#32754d")),
    "same": (("#e6e1d8", "#cdc5b8"), ("#38332d", "#5a5349")),
}
"""Fills of frame and inner bar, light and dark; pink and green of one lightness scale, that most colour-blind
readers tell apart; ink has a contrast of at least 5:1 on each."""


class DiffSvgExporter:
    """Draws a difference: more in other is pink, more in base green, too little support grey.

    Args:
        width: pixels, at least 400.
    """

    def __init__(self, width: int = WIDTH) -> None:
        self.width = max(width, 400)

    def write(self, difference: Difference, stream: IO[bytes]) -> None:
        """Write the picture; every frame has a tooltip, and its net value in data-net.

        Args:
            difference: what to draw.
            stream: an open binary stream.
        """
        lines = _page(self.width, difference)
        stream.write("\n".join(lines).encode() + b"\n")


class _Node:
    """One frame: a prefix of stacks."""

    __slots__ = ("base", "below", "children", "depth", "name", "other", "rest", "stack")

    def __init__(self, stack: Stack, rest: int = 0) -> None:
        self.stack, self.rest = stack, rest
        self.name, self.depth = (stack[-1] if stack else "all"), len(stack)
        self.base = self.other = 0
        self.children: dict[str, _Node] = {}
        """Every frame below."""
        self.below: list[_Node] = []
        """The frames below that are drawn, left to right."""

    @property
    def width(self) -> int:
        """Both sides together."""
        return self.base + self.other

    @property
    def net(self) -> int:
        """Other minus base."""
        return self.other - self.base

    def add(self, base: int, other: int) -> None:
        """Count a stack that passes through."""
        self.base += base
        self.other += other

    def walk(self) -> Iterator[_Node]:
        """This node and all below it; without recursion, stacks may be deep."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo += node.children.values()


def _tree(difference: Difference) -> _Node:
    root = _Node(())
    for row in sorted(difference.rows, key=lambda row: row.stack):
        if not row.width:
            continue
        node = root
        node.add(abs(row.base), abs(row.other))
        for frame in row.stack:
            below = node.children.get(frame)
            if below is None:
                below = node.children[frame] = _Node((*node.stack, frame))
            node = below
            node.add(abs(row.base), abs(row.other))
    return root


def _prune(root: _Node, pixels: int) -> list[_Node]:
    """Choose what is drawn and sum the rest per parent as (other n); the drawn nodes, root first."""
    nodes = sorted(root.walk(), key=lambda node: (-node.width, node.depth, node.stack))
    kept = [node for node in nodes[:NODES] if node.width * pixels >= NARROWEST * root.width]
    ids = {id(node) for node in kept}
    drawn = list(kept)
    for node in kept:
        small = [child for child in node.children.values() if id(child) not in ids]
        large = [child for child in node.children.values() if id(child) in ids]
        node.below = sorted(large, key=lambda child: (-child.width, child.name))
        if small:
            count = sum(1 for child in small for _ in child.walk())
            rest = _Node((*node.stack, f"(other {count:,})"), count)
            for child in small:
                rest.add(child.base, child.other)
            node.below.append(rest)
            drawn.append(rest)
    return drawn


def _page(width: int, difference: Difference) -> Iterator[str]:
    root, inner = _tree(difference), width - 2 * _MARGIN
    drawn = _prune(root, inner) if root.width else []
    height = _TOP + (max((n.depth for n in drawn), default=0) + 1) * _ROW + _BOTTOM
    base, other = (printable(name) for name in difference.names)
    per = "" if difference.per == "total" else f" per {difference.per}"
    title = f"{other} minus {base}: {difference.measure}{per}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{xml(title)}">'
    )
    yield f"<title>{xml(title)}</title><style>{_style()}</style>"
    yield f'<rect class="page" width="{width}" height="{height}"/>'
    yield f'<text class="title" x="{_MARGIN}" y="30">{xml(cut_text(title, inner * 0.72, 17))}</text>'
    net = each_text(difference.measure, root.net, difference.scale, sign=True)
    yield f'<text class="total" x="{width - _MARGIN}" y="30">{xml(net)}</text>'
    one, two = (each_text(difference.measure, value, difference.scale) for value in (root.base, root.other))
    n, m = difference.sessions
    yield _note(
        f"{base} {one} ({n:,} sessions) · {other} {two} ({m:,} sessions) · {difference.tasks:,} tasks, "
        f"{difference.pairs:,} pairs",
        52,
        inner,
    )
    if root.width:
        yield from _frames(root, difference, inner)
    else:
        yield _note("nothing to draw: both totals are 0", _TOP + 15, inner)
    yield from _legend(difference, base, other, height)
    yield "</svg>"


def _legend(difference: Difference, base: str, other: str, height: int) -> Iterator[str]:
    least = f"below {difference.least[0]} sessions or {difference.least[1]} tasks, or no difference"
    x, y = float(_MARGIN), height - 48
    for shade, text in (("more", f"more in {other}"), ("less", f"more in {base}"), ("same", least)):
        yield (
            f'<g class="{shade}"><rect x="{x:.0f}" y="{y}" width="34" height="14" rx="2"/>'
            f'<rect class="net" x="{x:.0f}" y="{y}" width="14" height="14" rx="2"/></g>'
            f'<text class="key" x="{x + 40:.0f}" y="{y + 11}">{xml(text)}</text>'
        )
        x += 40 + extent(text, 11) + 26
    notes = ["a frame is as wide as both sides together, the bar inside it is their net difference"]
    yield _note(" · ".join([*notes, *difference.notes]), height - 13, WIDTH * 2)


def _note(text: str, y: int, width: float) -> str:
    return f'<text class="note" x="{_MARGIN}" y="{y}">{xml(cut_text(printable(text), width, 11))}</text>'


def _frames(root: _Node, difference: Difference, inner: int) -> Iterator[str]:
    """One nested <svg> per frame: it clips its text by itself, whatever font is there."""
    scale = inner / root.width
    todo: list[tuple[_Node, int]] = [(root, 0)]
    while todo:
        node, start = todo.pop()
        yield _frame(node, difference, _MARGIN + start * scale, node.width * scale)
        below = []
        for child in node.below:
            below.append((child, start))
            start += child.width
        todo += reversed(below)


def _frame(node: _Node, difference: Difference, x: float, width: float) -> str:
    name = printable(node.name) or "(empty)"
    shown = width - (1 if width >= 6 else 0.2 * width)
    net = each_text(difference.measure, node.net, difference.scale, sign=True)
    bar = shown * abs(node.net) / node.width
    head = (
        f'<svg class="{_shade(node, difference)}" x="{x:.2f}" y="{_TOP + node.depth * _ROW}" '
        f'width="{shown:.2f}" height="{_ROW - 1}" data-net="{node.net}"><title>'
        f"{_tip(node, difference, name, net)}</title>"
        '<rect width="100%" height="100%" rx="2"/>'
        f'<rect class="net" width="{bar:.2f}" height="100%" rx="2"/>'
    )
    return head + _label(name, net, shown) + "</svg>"


def _tip(node: _Node, difference: Difference, name: str, net: str) -> str:
    measure, scale = difference.measure, difference.scale
    what = f"{name}: frames too small to draw" if node.rest else name
    sides = " · ".join(
        f"{side} {each_text(measure, value, scale)}"
        for side, value in zip(difference.names, (node.base, node.other), strict=True)
    )
    found = difference.support.get(node.stack)
    lines = [what, f"{net}: {sides}"]
    if found:
        lines.append(f"{found.base} and {found.other} sessions, {found.tasks} tasks")
    return "\n".join(map(xml, lines))


def _label(name: str, net: str, width: float) -> str:
    """The frame's name, and its net value where there is room for both."""
    text = cut_text(name, width - 8, _FONT)
    if not text:
        return ""
    label = f'<text x="5" y="16">{xml(text)}</text>'
    if text == name and extent(net, 11) < width - extent(name, _FONT) - 26:
        label += f'<text class="v" x="{width - 6:.1f}" y="16">{xml(net)}</text>'
    return label


def _shade(node: _Node, difference: Difference) -> str:
    """more, less or same; what is too thinly supported is not called different."""
    enough = not node.stack or difference.supported(node.stack)
    if node.rest or not enough or not node.net:
        return "same"
    return "more" if node.net > 0 else "less"


def _style() -> str:
    def fills(dark: int) -> str:
        return "".join(
            f".{name}{{fill:{_PALETTE[name][dark][0]}}}.{name} .net{{fill:{_PALETTE[name][dark][1]}}}"
            for name in _PALETTE
        )

    return (
        f"text{{font-family:{fonts()};font-size:{_FONT}px;fill:#2a2119;white-space:pre}}"
        ".title{font-size:17px;font-weight:600}.total{font-size:17px;font-weight:600;text-anchor:end}"
        ".note{font-size:11px;fill:#6b6055}.key{font-size:11px}.v{font-size:11px;text-anchor:end}"
        f".page{{fill:#fffdf9}}{fills(0)}"
        "@media(prefers-color-scheme:dark){text{fill:#f6efe5}.note{fill:#b3a799}"
        f".page{{fill:#1b1815}}{fills(1)}}}"
    )
