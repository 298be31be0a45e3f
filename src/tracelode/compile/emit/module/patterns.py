"""How does an RE2 expression read for Python's own re, with the same matches?"""

from __future__ import annotations

import re

_PLAIN = frozenset("dDwWbBsSnrtfvaA")
"""Escapes of one letter that mean the same under re.ASCII; s and S are told apart below."""
_SPACE = r"\t\n\f\r "
"""What \\s is to RE2; Python's has \\v too."""


def python_pattern(pattern: str) -> str | None:
    """An expression for re.search(..., re.ASCII).

    Args:
        pattern: RE2 expression with one group.

    Returns:
        The same for Python; None where the two differ, or it may be slow on long texts.
    """
    if _slow(pattern):
        return None
    made, at, inside = "", 0, False
    while at < len(pattern):
        sign = pattern[at]
        two = pattern[at : at + 2]
        if sign == "\\":
            part = _escaped(two, inside)
            at += 2
        elif not inside and sign == "(" and pattern[at + 1 : at + 2] == "?":
            if pattern[at : at + 3] != "(?:":
                return None
            part = "(?:"
            at += 3
        else:
            part = r"\Z" if sign == "$" and not inside else sign
            if inside and (sign == "[" or two in ("--", "&&", "~~", "||")):
                part = "\\" + sign if pattern[at : at + 2] != "[:" else None
            inside = (sign != "]" or _opens(pattern, at)) if inside else sign == "["
            at += 1
        if part is None:
            return None
        made += part
    try:
        return made if re.compile(made, re.ASCII).groups == 1 else None
    except (re.error, RecursionError, OverflowError):
        return None


def _opens(pattern: str, at: int) -> bool:
    """Is a ] the first sign of its class, and so a sign like others?"""
    return pattern[at - 1] == "[" or (pattern[at - 1] == "^" and pattern[at - 2 : at - 1] == "[")


def _escaped(two: str, inside: bool) -> str | None:
    letter = two[1:]
    if letter == "z":
        return None if inside else r"\Z"
    if letter == "s":
        return _SPACE if inside else f"[{_SPACE}]"
    if letter == "S":
        return None if inside else f"[^{_SPACE}]"
    if letter in _PLAIN or (letter and not letter.isalnum() and letter != "_"):
        return two
    return None


def _slow(pattern: str) -> bool:
    """Does a repetition hold another one? Only such expressions are slow where they do not match."""
    return bool(re.search(r"[+*}]\)[+*{]", pattern))
