"""SVG: a flame graph that needs no script: root at the top, width is value, largest child left.

Specification: SVG 1.1 (https://www.w3.org/TR/SVG11/); dark colours by the media query
prefers-color-scheme.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import IO
from unicodedata import category, east_asian_width
from zlib import crc32

from tracelode.errors import ExportError
from tracelode.model.profile import Profile
from tracelode.model.words import measure_text, noun, percent, printable, value_text

NODES = 5_000
"""Most frames drawn; the smaller ones are summed as (other n)."""
NARROWEST = 2.0
"""Frames narrower than this many pixels are summed as (other n)."""

_MARGIN = 16
_TOP = 64
_BOTTOM = 34
_LINE = 15
_ROW = 22
_FONT = 12

# Warm and neutral fills, each for a light and for a dark page.
FILLS: tuple[tuple[str, str], ...] = (
    ("#f4c9a4", "#72432a"),
    ("#efbd93", "#714527"),
    ("#e8b49c", "#6e3f31"),
    ("#f2d4ae", "#614c2d"),
    ("#e6c6a6", "#63483a"),
    ("#f5ddb8", "#604d24"),
    ("#e4cdb9", "#574c42"),
    ("#e0bc9e", "#643e2c"),
    ("#edcdc3", "#66403f"),
    ("#ead9c4", "#574e41"),
    ("#dbcebc", "#514a41"),
    ("#f2d29a", "#664b1d"),
    ("#dec8aa", "#594b35"),
    ("#e8c4b2", "#633f36"),
    ("#d6c9a8", "#4f4a33"),
    ("#f0c3ad", "#70402f"),
)
"""Colours of frames; ink has a contrast of at least 7:1 on each."""

_FONTS = "ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"


class SvgExporter:
    """Draws one measure of a profile as a flame graph (icicle: the root is at the top).

    Args:
        measure: which measure; None for the profile's first.
        width: pixels, at least 200.
        title: heading; None for the measure and the stack fields.
    """

    name = "svg"
    suffixes = (".svg",)
    binary = False

    def __init__(self, measure: str | None = None, width: int = 1200, title: str | None = None) -> None:
        self.measure, self.width, self.title = measure, max(width, 200), title

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        """Write the picture; every frame has a tooltip and its value in data-value.

        Args:
            profile: what to draw.
            stream: an open binary stream.

        Raises:
            UnknownMeasure: the profile does not carry the chosen measure.
            ExportError: a value is negative; width cannot show it.
        """
        place = profile.place(self.measure)
        measure = profile.measures[place]
        title = self.title or _title(profile, measure)
        lines = _page(self.width, _tree(profile, place), measure, title, profile.comments)
        stream.write("\n".join(lines).encode() + b"\n")


class _Node:
    """One frame: a prefix of stacks."""

    __slots__ = ("below", "children", "depth", "name", "other", "value")

    def __init__(self, name: str, depth: int, value: int = 0, other: bool = False) -> None:
        self.name, self.depth, self.value, self.other = name, depth, value, other
        self.children: dict[str, _Node] = {}
        """Every frame below."""
        self.below: list[_Node] = []
        """The frames below that are drawn, left to right."""

    def walk(self) -> Iterator[_Node]:
        """This node and all below it, parents first; without recursion, stacks may be deep."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo += node.children.values()


def _tree(profile: Profile, place: int) -> _Node:
    root = _Node("all", 0)
    for stack, values in sorted(profile.totals.items()):
        value = values[place]
        if value < 0:
            measure = profile.measures[place]
            raise ExportError(f"{measure}: a flame graph cannot show values below 0; write pprof instead")
        if not value:
            continue
        node = root
        node.value += value
        for frame in stack:
            node = node.children.setdefault(frame, _Node(frame, node.depth + 1))
            node.value += value
    return root


def _prune(root: _Node, pixels: int) -> list[_Node]:
    """Choose what is drawn, and sum the rest per parent as (other n).

    Args:
        root: the whole tree; `below` of its nodes is filled in.
        pixels: width of the root.

    Returns:
        The drawn nodes, root first.
    """
    nodes = sorted(root.walk(), key=lambda node: (-node.value, node.depth))
    # A parent is never smaller than its child and comes before it, so what is kept is a tree.
    kept = [node for node in nodes[:NODES] if node.value * pixels >= NARROWEST * root.value]
    ids = {id(node) for node in kept}
    drawn = list(kept)
    for node in kept:
        small = [child for child in node.children.values() if id(child) not in ids]
        large = [child for child in node.children.values() if id(child) in ids]
        node.below = sorted(large, key=lambda child: (-child.value, child.name))
        if small:
            n = sum(1 for child in small for _ in child.walk())
            rest = sum(child.value for child in small)
            node.below.append(_Node(f"(other {n:,})", node.depth + 1, rest, other=True))
            drawn.append(node.below[-1])
    return drawn


def _title(profile: Profile, measure: str) -> str:
    name = noun(measure)
    name = name[:1].upper() + name[1:]
    return f"{name} by {' › '.join(profile.fields)}" if profile.fields else name


def _page(width: int, root: _Node, measure: str, title: str, comments: tuple[str, ...]) -> Iterator[str]:
    """The lines of the picture."""
    inner = width - 2 * _MARGIN
    drawn = _prune(root, inner)
    notes = _lines([f"width is {noun(measure)}, root at the top, largest left", *comments], inner)
    height = _TOP + (max(node.depth for node in drawn) + 1) * _ROW + _BOTTOM + _LINE * (len(notes) - 1)
    total = measure_text(measure, root.value)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{xml(title)}: {xml(total)}">'
    )
    yield f"<style>{_style()}</style>"
    yield f'<rect class="page" width="{width}" height="{height}"/>'
    heading = cut_text(printable(title), inner - extent(total, 17) - 24, 17)
    yield f'<text class="title" x="{_MARGIN}" y="29">{xml(heading)}</text>'
    yield f'<text class="total" x="{width - _MARGIN}" y="29">{xml(total)}</text>'
    yield _note(_counts(root, drawn), 49, inner)
    if root.value:
        yield from _frames(root, measure, inner)
    else:
        yield _note("nothing to draw: the total is 0", _TOP + 15, inner)
    for place, note in enumerate(reversed(notes)):
        yield _note(note, height - 13 - _LINE * place, inner)
    yield "</svg>"


def _lines(notes: Sequence[str], width: int) -> list[str]:
    """Notes in as few lines as they fit; fonts differ, so some room is left."""
    lines: list[str] = []
    for note in notes:
        joined = f"{lines[-1]} · {note}" if lines else note
        if lines and extent(printable(joined), 11) <= 0.85 * width:
            lines[-1] = joined
        else:
            lines.append(note)
    return lines


def _note(text: str, y: int, width: int) -> str:
    return f'<text class="note" x="{_MARGIN}" y="{y}">{xml(cut_text(printable(text), width, 11))}</text>'


def _counts(root: _Node, drawn: list[_Node]) -> str:
    shown = sum(1 for node in drawn if not node.other) - 1
    hidden = sum(1 for _ in root.walk()) - 1 - shown
    text = f"{shown:,} frame{'s' if shown != 1 else ''}"
    return f"{text}; {hidden:,} too small to draw, summed as (other n)" if hidden else text


def _frames(root: _Node, measure: str, inner: int) -> Iterator[str]:
    """One nested <svg> per frame: it clips its text by itself, whatever font is there."""
    scale = inner / root.value
    todo: list[tuple[_Node, int]] = [(root, 0)]
    while todo:
        node, start = todo.pop()
        x, y = _MARGIN + start * scale, _TOP + node.depth * _ROW
        yield _frame(node, x, y, node.value * scale, measure, root.value)
        below = []
        for child in node.below:
            below.append((child, start))
            start += child.value
        todo += reversed(below)


def _frame(node: _Node, x: float, y: int, width: float, measure: str, total: int) -> str:
    name, value = printable(node.name) or "(empty)", value_text(measure, node.value)
    share = percent(node.value, total)
    # A pixel of page between neighbours, less where that would eat the frame.
    shown = width - (1 if width >= 6 else 0.2 * width)
    what = f"{name}: frames too small to draw" if node.other else name
    head = (
        f'<svg class="{_shade(node)}" x="{x:.2f}" y="{y}" width="{shown:.2f}" height="{_ROW - 1}" '
        f'data-value="{node.value}"><title>{xml(what)}\n{xml(value)} · {xml(share)}</title>'
        '<rect width="100%" height="100%" rx="2"/>'
    )
    return head + _label(name, value, share, shown) + "</svg>"


def _label(name: str, value: str, share: str, width: float) -> str:
    """The frame's name, and its value and share where there is room for both."""
    text = cut_text(name, width - 8, _FONT)
    if not text:
        return ""
    label = f'<text x="5" y="15">{xml(text)}</text>'
    if text != name:
        return label
    room = width - extent(name, _FONT) - 26
    for aside in (f"{value}  {share}", share):
        if extent(aside, 11) < room:
            return f'{label}<text class="v" x="{width - 6:.1f}" y="15">{xml(aside)}</text>'
    return label


def _shade(node: _Node) -> str:
    if not node.depth:
        return "r"
    return "o" if node.other else f"c{crc32(node.name.encode('utf-8', 'replace')) % len(FILLS)}"


def _style() -> str:
    light = "".join(f".c{i}{{fill:{fill}}}" for i, (fill, _) in enumerate(FILLS))
    dark = "".join(f".c{i}{{fill:{fill}}}" for i, (_, fill) in enumerate(FILLS))
    return (
        f"text{{font-family:{_FONTS};font-size:{_FONT}px;fill:#2a2119;white-space:pre}}"
        ".title{font-size:17px;font-weight:600}.total{font-size:17px;font-weight:600;text-anchor:end}"
        ".note{font-size:11px;fill:#6b6055}.v{font-size:11px;text-anchor:end}"
        f".page{{fill:#fffdf9}}.r{{fill:#d9d2c7}}.o{{fill:#e6e1d8}}{light}"
        "@media(prefers-color-scheme:dark){text{fill:#f6efe5}.note{fill:#b3a799}"
        f".page{{fill:#1b1815}}.r{{fill:#49433b}}.o{{fill:#38332d}}{dark}}}"
    )


def fonts() -> str:
    """Font families of every picture."""
    return _FONTS


def xml(text: str) -> str:
    """A text of a trace as SVG takes it."""
    return escape(printable(text))


_NARROW = frozenset("fijlrtI.,:;|!'()[]{} /\\-`\"*")
_WIDE = frozenset("mwMW@%…—")


def _advance(char: str) -> float:
    """About how wide a character is, in ems of a common sans-serif font."""
    if char in _NARROW:
        return 0.36
    if char in _WIDE:
        return 0.9
    if east_asian_width(char) in "WF":
        return 1.05
    if category(char) in ("Mn", "Me"):
        return 0.0
    return 0.68 if char.isupper() else 0.58


def extent(text: str, font: int) -> float:
    """About how many pixels wide a text is in a font of a size."""
    return font * sum(map(_advance, text))


def cut_text(text: str, width: float, font: int) -> str:
    """As much of a text as fits, with an ellipsis where it was cut; empty where nothing fits."""
    room, tail = width, font * _advance("…")
    fits = 0  # characters that leave room for the ellipsis
    for i, char in enumerate(text, 1):
        room -= font * _advance(char)
        if room >= tail:
            fits = i
        if room < 0:
            return f"{text[:fits].rstrip()}…" if fits >= 2 else ""
    return text
