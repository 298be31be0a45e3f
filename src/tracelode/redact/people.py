"""Whose names did the walk take out of texts? Kept in memory until somebody asks, then forgotten."""

from __future__ import annotations

from typing import Final

KINDS: Final = frozenset(("home", "windows", "slug", "email"))
"""Kinds of rows whose cut holds a person's name."""
_MOST: Final = 20_000
_seen: set[bytes] = set()


def note(piece: bytes) -> None:
    """Remember the name that a cut stretch holds.

    Args:
        piece: a home folder in any spelling, or an e-mail address.
    """
    if len(_seen) < _MOST:
        _seen.add(piece)


def taken() -> set[str]:
    """User names and local parts of addresses met since the last call.

    Returns:
        Names as they stood in the texts; they are for keeping out, never for keeping.

    Example:
        >>> _ = taken()
        >>> note(b"/home/ann"), note(b"C:\\\\Users\\\\Bo"), note(b"cy@example.org"), sorted(taken())
        (None, None, None, ['Bo', 'ann', 'cy'])
    """
    found = set()
    for piece in _seen:
        text = piece.decode("utf-8", "replace").partition("@")[0].replace("\\", "/")
        if "/" not in text and text.startswith("-"):
            text = text.replace("-", "/")
        found.add(text.rstrip("/").rpartition("/")[2])
    _seen.clear()
    return found
