"""Which words are a number or a path? What they are not is said in one line, before anything is done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tracelode.errors import UsageError
from tracelode.model import numbers

if TYPE_CHECKING:
    from cyclopts import Token

MOST = 2**31 - 1
"""Counts above are this: more rows than there can be, and a number every engine takes."""


def whole(_: type, tokens: Sequence[Token]) -> int:
    """A count.

    Args:
        tokens: one, as typed.

    Returns:
        1 to MOST.

    Raises:
        UsageError: it is none.
    """
    name, text = _typed(tokens)
    digits = text.lstrip("0")
    if not digits or not re.fullmatch("[0-9]+", text):
        raise UsageError(f"{name} {text!r} is no whole number from 1 on")
    return MOST if len(digits) > 9 else int(digits)


def share(_: type, tokens: Sequence[Token]) -> float:
    """A share of a whole.

    Args:
        tokens: one, as typed.

    Returns:
        0 to 1.

    Raises:
        UsageError: it is none.
    """
    name, text = _typed(tokens)
    value = numbers.decimal(text)
    if value is None or not 0 <= value <= 1:
        raise UsageError(f"{name} {text!r} is no share from 0 to 1; write it as 0.05")
    return value


def integer(_: type, tokens: Sequence[Token]) -> int:
    """A whole number, as a seed.

    Args:
        tokens: one, as typed.

    Returns:
        The number.

    Raises:
        UsageError: it is none.
    """
    name, text = _typed(tokens)
    value = numbers.whole(text)
    if value is None:
        raise UsageError(f"{name} {text!r} is no whole number of at most 18 digits")
    return value


def factor(_: type, tokens: Sequence[Token]) -> float:
    """A number above 0.

    Args:
        tokens: one, as typed.

    Returns:
        The number.

    Raises:
        UsageError: it is none.
    """
    name, text = _typed(tokens)
    value = numbers.decimal(text)
    if value is None or not 0 < value < float("inf"):
        raise UsageError(f"{name} {text!r} is no number above 0; write it as 2 or 0.5")
    return value


def path(_: type, tokens: Sequence[Token]) -> Path:
    """A path.

    Args:
        tokens: one, as typed.

    Returns:
        The path.

    Raises:
        UsageError: it is empty; a Path of nothing would be the working folder.
    """
    return Path(file(str, tokens))


def file(_: type, tokens: Sequence[Token]) -> str:
    """A path, or - for a stream.

    Args:
        tokens: one, as typed.

    Returns:
        The text.

    Raises:
        UsageError: it is empty.
    """
    name, text = _typed(tokens)
    if not text:
        raise UsageError(f"{name} needs a path, and got an empty word")
    return text


def _typed(tokens: Sequence[Token]) -> tuple[str, str]:
    return tokens[0].keyword or "PATH", tokens[0].value
