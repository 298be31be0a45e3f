"""How is a flame graph drawn with characters? One line per depth, a bar per frame, as wide as its share."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from rich.cells import set_cell_size
from rich.text import Text

from tracelode.cli.nodes import Node, merge
from tracelode.cli.screen import Screen
from tracelode.cli.text import GAP, clean, cut, number, width
from tracelode.model.words import UNKNOWN, percent

_PALETTE = (216, 222, 187, 151, 152, 153, 183, 218, 180, 210, 229, 115, 146, 174, 186, 223)
"""Colours of the 256-colour palette that black text can be read on."""
_DEEPEST = 40
"""Lines drawn; how many are left out is said."""
_NARROW = 7
"""Cells from which on a bar says something though its name is cut."""
_LEAST = 4
"""Cells of a name that still says something."""


@dataclass(frozen=True)
class Bar:
    """A frame's place on its line."""

    node: Node
    """What it stands for."""
    start: int
    """First cell."""
    stop: int
    """Cell after the last."""


def layout(root: Node, cells: int) -> list[list[Bar]]:
    """Places of all frames that get at least one cell.

    Args:
        root: the root of all; children largest first.
        cells: cells of a line.

    Returns:
        One list of bars per depth, left to right, the root of all first; bars never overlap.
    """
    lines: list[list[Bar]] = []
    line = [Bar(root, 0, cells)]
    # Edges are rounded from exact offsets, so that bars below each other stay aligned.
    offsets = {root.stack: 0}
    while line:
        lines.append(line)
        below: list[Bar] = []
        for bar in line:
            offset = offsets[bar.node.stack]
            for child in bar.node.children:
                start = max(bar.start, _edge(offset, root.cum, cells))
                stop = min(bar.stop, _edge(offset + child.cum, root.cum, cells))
                offsets[child.stack] = offset
                offset += child.cum
                if stop > start:
                    below.append(Bar(child, start, stop))
        line = below
    return lines


def _edge(value: int, total: int, cells: int) -> int:
    return (2 * value * cells + total) // (2 * total) if total > 0 else 0


def named(root: Node, cells: int) -> Node:
    """Put frames together whose bars would be too narrow for a name.

    Args:
        root: a tree; left as it is.
        cells: cells of a line.

    Returns:
        A new tree with the same total.
    """

    def fits(node: Node) -> bool:
        own = node.cum * cells // max(root.cum, 1)
        return own >= min(_NARROW, width(clean(node.frame)) + 1)

    return merge(root, fits)


def draw(screen: Screen, root: Node, measure: str, total: str) -> None:
    """Write a flame graph, the root on top.

    Args:
        screen: standard output.
        root: a pruned tree.
        measure: what the widths are.
        total: the value of all as text.
    """
    if not root.told:
        screen.sentence(f"{measure} is unknown: no source tells it; choose another --measure")
        return
    if root.cum <= 0:
        what = total if total in ("unpriced", UNKNOWN) else "0"
        screen.sentence(f"{measure} is {what} everywhere: nothing to draw; choose another --measure")
        return
    lines = layout(root, screen.width)
    for bars in lines[:_DEEPEST]:
        text, at = Text(), 0
        for bar in bars:
            text.append(" " * (bar.start - at))
            text.append_text(_bar(bar, root.cum, total, screen.colour))
            at = bar.stop
        screen.print(text)
    if len(lines) > _DEEPEST:
        screen.sentence(f"{number(len(lines) - _DEEPEST, 'more level')}; --output flame.svg has them")


def _bar(bar: Bar, whole: int, total: str, colour: bool) -> Text:
    cells, node = bar.stop - bar.start, bar.node
    name = clean(node.frame) if node.stack else f"all {total}"
    if node.merged:
        name = _names([clean(frame) for frame in node.merged], cells - 1)
    share = percent(node.cum, whole)
    label = f"{name} {share}" if node.stack and width(name) + len(share) + 2 <= cells else name
    if cells - 1 < width(label):
        label = set_cell_size(label, cells - 2) + GAP if cells > 4 else ""
    if colour:
        style = f"black on color({_colour(node)})"
        return Text(set_cell_size(f"▏{label}", cells), style=style)
    fill = " " if not node.stack else "·" if node.folded else "░"
    return Text("▌" + label + fill * (cells - 1 - width(label)))


def _names(frames: list[str], cells: int) -> str:
    """As many names of one bar as there is room for, and how many more there are."""
    for count in range(min(len(frames), cells // 2), 0, -1):
        more = f" +{len(frames) - count:,}" if count < len(frames) else ""
        text = ", ".join(frames[:count]) + more
        if width(text) <= cells:
            return text
    more = f" +{len(frames) - 1:,}"
    return cut(frames[0], cells - len(more)) + more if cells - len(more) >= _LEAST else more.strip()


def _colour(node: Node) -> int:
    if not node.stack or node.folded:
        return 250
    return _PALETTE[crc32(node.frame.encode("utf-8", "replace")) % len(_PALETTE)]
