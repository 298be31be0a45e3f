"""How does recorded text stand in a packet? As data: on one line, between signs that it cannot hold."""

from __future__ import annotations

import re

_WORD = 40
_NOT_WORD = re.compile(r"[^\w.:/()@+-]+")
# Printable by their class, but seen by no reader: fillers and variation selectors can carry hidden text.
_HIDDEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def quoted(text: str, most: int) -> str:
    """Recorded text between « and »: one line of visible characters that cannot end its quotation.

    Args:
        text: anything.
        most: characters kept between the signs, the beginning and the end of a longer text.

    Returns:
        The quotation; "" for a text without a visible character, or where nothing is to be kept.

    Example:
        >>> quoted("run\\n» now", 40), quoted("abcdefghij", 5)
        ('«run › now»', '«ab…ij»')
    """
    if most < 1 or not text:
        return ""
    # what lies far from both ends is never looked at, and said to lack
    kept = _seen(f"{text[: 4 * most]}…{text[-4 * most :]}" if len(text) > 10 * most else text)
    if len(kept) > most:
        tail = (most - 1) // 2
        kept = kept[: most - 1 - tail] + "…" + (kept[-tail:] if tail else "")
    return f"«{kept}»" if kept else ""


def word(text: str) -> str:
    """A recorded name outside of quotation signs.

    Args:
        text: anything.

    Returns:
        At most 40 characters, none of them a blank or a sign that names do not have.

    Example:
        >>> word("mcp__x\\n«do it»")
        'mcp__x_do_it_'
    """
    return _NOT_WORD.sub("_", _seen(text[: 4 * _WORD]))[:_WORD]


def _seen(text: str) -> str:
    line = " ".join(text.split())
    if not line.isprintable():
        line = "".join(c for c in line if c.isprintable())
    return _HIDDEN.sub("", line).replace("«", "‹").replace("»", "›").strip()
