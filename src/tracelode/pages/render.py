"""How does a report become HTML? One function a part, the same style on every page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tracelode.model.numbers import number
from tracelode.model.words import UNKNOWN
from tracelode.pages import flame
from tracelode.pages.axes import intervals, points
from tracelode.pages.document import document, head, made_with, text
from tracelode.pages.parts import (
    Bars,
    Cell,
    Flame,
    Intervals,
    Page,
    Part,
    Picture,
    Points,
    Section,
    Table,
    Tiles,
    Words,
)

_LINKS = 4
"""Sections from which on a page has a list of them."""
_FOLDED = 13
"""Sections from which on the list is folded."""
_LONG = 48
"""Letters from which on a cell gets room for several lines of them."""
_WORD = re.compile(r"[^\s-]{25}")
"""A word that may be broken."""


def render(page: Page) -> bytes:
    """A report as one HTML file that asks for nothing outside.

    Args:
        page: what it holds; every text in it is escaped, so it may be of a trace.

    Returns:
        UTF-8. Only a page with a flame graph has a script.
    """
    drawn = [part for section in page.sections for part in section.parts]
    live = any(isinstance(part, Flame) for part in drawn)
    body = [head(page.title, page.lead, page.marks)]
    titled = [(_name(i, s.title), s.title) for i, s in enumerate(page.sections) if s.title]
    if len(titled) >= _LINKS:
        links = "".join(f'<a href="#{name}">{text(title)}</a>' for name, title in titled)
        nav = f'<nav class="toc" aria-label="Sections">{links}</nav>'
        if len(titled) >= _FOLDED:
            nav = f"<details><summary>{number(len(titled), 'section')}</summary>{nav}</details>"
        body.append(nav)
    body += [_section(section, _name(i, section.title)) for i, section in enumerate(page.sections)]
    body.append(made_with(page.comments))
    kinds = ((live, "flame"), (any(isinstance(part, Picture) for part in drawn), "timeline"))
    styles = ("report", *(name for there, name in kinds if there))
    return document(page.title, body, styles=styles, script=flame.script() if live else "").encode()


def _name(place: int, title: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f"{words or 'part'}-{place + 1}"


def _section(section: Section, name: str) -> str:
    title = f'<h2 id="{name}">{text(section.title)}</h2>' if section.title else ""
    return f"<section>{title}{''.join(map(draw, section.parts))}</section>"


def draw(part: Part) -> str:
    """One part as HTML.

    Args:
        part: what it shows.
    """
    return _DRAWN[type(part)](part)


def _tiles(part: Tiles) -> str:
    tiles = "".join(f"<div class=tile><b>{text(v)}</b><span>{text(w)}</span></div>" for v, w in part.items)
    return f"<div class=tiles>{tiles}</div>"


def _words(part: Words) -> str:
    if part.kind == "code":
        return f"<p><code>{text(part.text)}</code></p>"
    if part.kind == "title":
        return f"<h3>{text(part.text)}</h3>"
    kind = {"plain": "", "soft": " class=soft", "note": ' class="note"'}[part.kind]
    return f"<p{kind}>{text(part.text)}</p>"


def _table(part: Table) -> str:
    right = [title.startswith(">") for title in part.heads]
    heads = "".join(
        f'<th scope="col"{" class=n" if n else ""}>{text(title.removeprefix(">"))}</th>'
        for title, n in zip(part.heads, right, strict=True)
    )
    rows = "".join(
        f"<tr>{''.join(_cell(cell, n) for cell, n in zip(row, right, strict=True))}</tr>" for row in part.rows
    )
    few = " class=few" if part.few else ""
    return (
        f'<div class=scroll tabindex="0" role="group" aria-label="Table, scrolls sideways"><table{few}>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{_note(part.note)}"
    )


def _cell(cell: str | Cell | None, right: bool) -> str:
    if cell is None:
        cell = Cell(UNKNOWN, "soft")
    elif isinstance(cell, str):
        cell = Cell(cell)
    long = "long" if len(cell.text) > _LONG else ""
    broken = "break" if _WORD.search(cell.text) else ""
    kinds = " ".join(filter(None, ("n" if right else "", cell.tone, long, broken)))
    inner = f"<code>{text(cell.text)}</code>" if cell.code else text(cell.text)
    if cell.share is not None:
        inner = _bar(cell.share, 56, 9) + inner
    return f"<td{f' class={chr(34)}{kinds}{chr(34)}' if kinds else ''}>{inner}</td>"


def _bar(share: float, width: int, height: int) -> str:
    """A bar: an SVG, because a policy without styles in the markup lets its width be an attribute."""
    wide = max(0.0, min(1.0, share)) * width
    return (
        f'<svg class="bar" width="{width}" height="{height}" aria-hidden="true">'
        f'<rect width="{max(wide, 0.5):.1f}" height="{height}" rx="2"/></svg>'
    )


def _bars(part: Bars) -> str:
    rows = "".join(
        f'<tr><th scope="row">{text(label)}</th><td class=n>{text(value)}</td>'
        f'<td class=wide-bar><svg width="100%" height="14" aria-hidden="true">'
        f'<rect width="{max(0.0, min(1.0, share)) * 100:.2f}%" height="14" rx="3"/></svg></td></tr>'
        for label, value, share in part.rows
    )
    return f"<table class=bars><tbody>{rows}</tbody></table>{_note(part.note)}"


def _picture(part: Picture) -> str:
    return (
        '<div class="scroll picture" tabindex="0" role="group" aria-label="Picture, scrolls sideways">'
        f"{part.svg}</div>{_note(part.note)}"
    )


def _note(words: str) -> str:
    return f"<p class=soft>{text(words)}</p>" if words else ""


_DRAWN: dict[Any, Callable[[Any], str]] = {
    Tiles: _tiles,
    Words: _words,
    Table: _table,
    Bars: _bars,
    Intervals: lambda part: intervals(part) + _note(part.note),
    Points: lambda part: points(part) + _note(part.note),
    Picture: _picture,
    Flame: lambda part: flame.block(part.payload),
}
