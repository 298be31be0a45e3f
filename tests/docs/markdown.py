"""How are tables and lists of the pages written? Three small ones that all makers of parts use."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable


def rows(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    cells = [list(head)]
    cells += [["---"] * len(cells[0]), *([c.replace("|", "\\|") for c in row] for row in body)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def code(words: Iterable[str]) -> str:
    """Words in code type, in a row."""
    return ", ".join(f"`{word}`" for word in words)


def wrapped(text: str, width: int = 110) -> str:
    """A paragraph in lines."""
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))
