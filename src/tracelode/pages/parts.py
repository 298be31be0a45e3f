"""What is a report made of? Sections of tiles, tables, bars, pictures and flame graphs, as values."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

Tone: TypeAlias = Literal["", "good", "bad", "warn", "soft", "more", "less"]
"""Colour of a word; what it says must be in the word too."""


class Cell(msgspec.Struct, frozen=True):
    """A cell of a table that is more than a word."""

    text: str
    """What is read."""
    tone: Tone = ""
    """Its colour."""
    share: float | None = None
    """0 to 1: drawn as a bar before the text; None for no bar."""
    code: bool = False
    """True: a key, a path or a command."""


class Tiles(msgspec.Struct, frozen=True):
    """Figures side by side."""

    items: tuple[tuple[str, str], ...]
    """(figure, what it is)."""


class Words(msgspec.Struct, frozen=True):
    """A paragraph."""

    text: str
    """What is read."""
    kind: Literal["plain", "soft", "note", "code", "title"] = "plain"
    """plain, soft ink, a note in a box, a command line, or the heading of what follows."""


Row: TypeAlias = tuple[str | Cell | None, ...]
"""Cells of a line; None is shown as unknown."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows under headings."""

    heads: tuple[str, ...]
    """n headings; one that begins with ">" heads numbers, which stand right."""
    rows: tuple[Row, ...]
    """m rows of n cells."""
    note: str = ""
    """A sentence below it: what was left out and how much."""
    few: bool = False
    """True: no wider than it needs to be."""


class Bars(msgspec.Struct, frozen=True, kw_only=True):
    """Labelled bars of one measure."""

    rows: tuple[tuple[str, str, float], ...]
    """(label, value as text, share of the longest bar 0 to 1)."""
    note: str = ""
    """A sentence below them."""


class Interval(msgspec.Struct, frozen=True):
    """One estimate with its bounds."""

    label: str
    """What is estimated."""
    value: float
    """The estimate."""
    low: float | None
    """Lower bound; None where there is none."""
    high: float | None
    """Upper bound; None where there is none."""
    text: str
    """The figures as text."""
    tone: Tone = ""
    """Colour of its mark."""


class Intervals(msgspec.Struct, frozen=True, kw_only=True):
    """Estimates on one axis, below each other."""

    rows: tuple[Interval, ...]
    """In order."""
    mark: float | None = 0.0
    """Where a line stands that says "no difference"; None for none."""
    note: str = ""
    """A sentence below them."""


class Points(msgspec.Struct, frozen=True, kw_only=True):
    """A line through points, as of a series or a curve."""

    lines: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    """(name, points (x, y)) of at most four lines."""
    across: str
    """What x is."""
    up: str
    """What y is."""
    note: str = ""
    """A sentence below it."""


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """An SVG of our own making."""

    svg: str
    """Markup in which every text of a trace is escaped; wider pages show it as wide as it is."""
    note: str = ""
    """A sentence below it."""


class Flame(msgspec.Struct, frozen=True):
    """A flame graph to zoom and search in."""

    payload: dict[str, Any]
    """Of pages.flame.payload() or contrast()."""


Part: TypeAlias = Tiles | Words | Table | Bars | Intervals | Points | Picture | Flame
"""Anything that a section holds."""


class Section(msgspec.Struct, frozen=True):
    """A heading and what stands below it."""

    title: str
    """Heading; "" for none."""
    parts: tuple[Part, ...]
    """In order."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A report."""

    title: str
    """Heading of the page."""
    lead: str = ""
    """A sentence below it."""
    marks: tuple[str, ...] = ()
    """Facts below the sentence: what it was made of."""
    sections: tuple[Section, ...] = ()
    """In order."""
    comments: tuple[str, ...] = ()
    """What it was made with, at its foot."""
