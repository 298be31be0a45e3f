"""Which texts are a number, and how is a number said with its noun? One home for what is typed or read.

Python's own int() and float() also take 1_000, blanks and the digits of other scripts, which nobody means.
"""

from __future__ import annotations

import re

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_DECIMAL = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)", re.ASCII | re.IGNORECASE
)
_LONGEST = 400


def whole(text: str) -> int | None:
    """A whole number.

    Args:
        text: as typed.

    Returns:
        The number; None where it is none, or above 18 digits.

    Example:
        >>> whole("-12"), whole("1_000"), whole("٣")
        (-12, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None


def decimal(text: str) -> float | None:
    """A number that may have a fraction.

    Args:
        text: as typed.

    Returns:
        The number, which may be NaN or infinite; None where it is none.

    Example:
        >>> decimal("2.5e3"), decimal("1_000"), decimal("0x10")
        (2500.0, None, None)
    """
    return float(text) if len(text) <= _LONGEST and _DECIMAL.fullmatch(text) else None


def number(n: int, name: str) -> str:
    """A count with its noun.

    Args:
        n: how many.
        name: one of them.

    Returns:
        The text, with thousands separated.

    Example:
        >>> number(1, "fork"), number(1234, "fork")
        ('1 fork', '1,234 forks')
    """
    return f"{n:,} {name}{'' if n == 1 else 's'}"
