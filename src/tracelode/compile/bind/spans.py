"""How is a piece of a text found again in another text? An expression made of what stands around it."""

from __future__ import annotations

import re

AROUND = 24
"""Characters before and after that are looked at."""
SHAPES = (
    (re.compile(r"\d{4}-\d{2}-\d{2}\Z"), r"\d{4}-\d{2}-\d{2}"),
    (re.compile(r"\d{1,2}:\d{2}\Z"), r"\d{1,2}:\d{2}"),
    (re.compile(r"[\w.+-]+@[\w.-]+\Z"), r"[\w.+-]+@[\w.-]+\w"),
    (re.compile(r"https?://\S+\Z"), r"https?://[^\s,;'\")>\]]+"),
    (re.compile(r"-?\d+\Z"), r"-?\d+"),
    (re.compile(r"-?\d+\.\d+\Z"), r"-?\d+(?:\.\d+)?"),
    (re.compile(r"[\w-]+\Z"), r"[\w-]+"),
)
"""What a piece looks like, and what is then looked for; the first that fits."""


def pattern(text: str, span: tuple[int, int]) -> str | None:
    """An RE2 expression with one group that finds a piece by its line's words before it.

    Args:
        text: whole text.
        span: (start, stop) of the piece.

    Returns:
        The expression; None where nothing fixed stands before or after the piece in its line.
    """
    start, stop = span
    piece = text[start:stop]
    line = text.rfind("\n", 0, start) + 1
    end = text.find("\n", stop)
    before = _fixed(text[max(line, start - AROUND) : start], last=True)
    after = _fixed(text[stop : min(end if end >= 0 else len(text), stop + AROUND)], last=False)
    shape = next((look for form, look in SHAPES if form.match(piece)), None)
    if not before and not after:
        return None
    if shape is None:
        if not after and end < 0 and stop < len(text):
            return None
        shape = r"[^\n]+?"
        after_expression = re.escape(after) if after else r"(?:\n|$)"
    else:
        after_expression = re.escape(after) if after and not before else ""
    return f"{re.escape(before)}({shape}){after_expression}"


def _fixed(around: str, last: bool) -> str:
    """The nearest words around a piece, without digits: those are values themselves."""
    parts = re.split(r"\d+", around)
    near = parts[-1] if last else parts[0]
    words = re.findall(r"\S+\s*|\s+", near) if last else re.findall(r"\s*\S+|\s+", near)
    return "".join(words[-2:] if last else words[:2])
