"""Which number, unit, phone number or plain text does a value write? What two values are compared by."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

import msgspec

from tracelode.compile import forms
from tracelode.model.run import Tree

Shared = tuple[Any, ...]
"""A lookup key: kind first, then what is compared."""
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_PADDED = re.compile(r"[+-]?0\d", re.ASCII)
AROUND = re.compile(r"(?P<before>[^\d+\-]*)(?P<number>[+-]?\d[\d,]*(?:\.\d+)?)(?P<after>\D*)", re.ASCII)
_CURRENCIES = frozenset((
    "$", "€", "£", "¥", "₹", "us$", "usd", "eur", "gbp", "jpy", "inr", "cny", "aud", "cad", "chf", "sek",
    "nok", "dkk", "nzd", "sgd", "hkd", "brl", "mxn", "krw",
))  # fmt: skip
_UNITS = frozenset((
    "%", "°", "°c", "°f", "c", "f", "mm", "cm", "m", "km", "mi", "ft", "in", "kg", "g", "mg", "lb", "lbs",
    "oz", "l", "ml", "kb", "mb", "gb", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute",
    "minutes", "h", "hr", "hrs", "hour", "hours", "day", "days", "night", "nights", "week", "weeks",
    "month", "months", "year", "years", "yr", "yrs", "pt", "pts", "point", "points", "star", "stars",
    "person", "people", "guest", "guests", "adult", "adults", "child", "children", "room", "rooms", "item",
    "items",
))  # fmt: skip
_PHONE = re.compile(r"\+?[\d\s().\-/]{7,24}", re.ASCII)
PLACES = 6
"""Most decimal places that a rounded number is recognised by."""
LARGEST = 10**18
_LONGEST = 40
"""Characters of a text that is a number."""


def text(value: Tree) -> str:
    """A value as text.

    Args:
        value: JSON value.

    Returns:
        The text itself; true, false; "" for null; JSON for the rest.
    """
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def number(value: Tree) -> int | float | None:
    """The number that a value is, or that its text writes.

    Args:
        value: JSON value. A comma counts as one between groups of thousands only: "5,8" is no number.

    Returns:
        int where it has no places, None where it is no finite number.
    """
    if isinstance(value, str):
        value = value.strip()
        if len(value) > _LONGEST or not _NUMBER.fullmatch(value):
            return None
        plain = value.replace(",", "")
        return float(plain) if "." in plain else int(plain)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if math.isfinite(value) else None


def fold(value: str) -> str:
    """A text without differences of case and white space.

    Args:
        value: any.
    """
    return " ".join(value.split()).casefold()


def canonical(value: Tree) -> tuple[Shared, ...]:
    """The keys of levels L0 and L1.

    Args:
        value: JSON value.

    Returns:
        One key or two; () for null, an empty text and whatever is no leaf.
    """
    if isinstance(value, bool):
        return (("s", "true" if value else "false"),)
    if isinstance(value, str):
        return _short(value) if len(value) <= _LONGEST else _canonical(value)
    known = number(value)
    return () if known is None else (("n", known),)


def _canonical(value: str) -> tuple[Shared, ...]:
    folded = fold(value)
    if not folded:
        return ()
    known = None if _PADDED.match(folded) else number(folded)
    return (("s", folded),) if known is None else (("s", folded), ("n", known))


_short = lru_cache(maxsize=65536)(_canonical)


def amount(value: Tree) -> tuple[int | float, str] | None:
    """The number in a text that has a currency or a unit around it.

    Args:
        value: JSON value.

    Returns:
        Number and unit, None where it is no such text.
    """
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    parts = AROUND.fullmatch(value.strip())
    if parts is None:
        return None
    before, after = parts["before"].strip().lower(), parts["after"].strip().lower()
    if bool(before) == bool(after) or (before and before not in _CURRENCIES):
        return None
    if after and after not in _CURRENCIES and after not in _UNITS:
        return None
    known = number(parts["number"])
    return None if known is None else (known, before or after)


def digits_of(value: Tree) -> str | None:
    """The digits of a phone number.

    Args:
        value: JSON value.

    Returns:
        7 to 15 of them, None where it is no text of digits and what stands between them.
    """
    if not isinstance(value, str) or not _PHONE.fullmatch(value.strip()):
        return None
    found = "".join(c for c in value if c.isdigit())
    if not 7 <= len(found) <= 15 or (number(value) is not None and not value.strip().isdigit()):
        return None
    return None if forms.read(value) and not value.strip().isdigit() else found


def places_of(known: int | float) -> int:
    """Decimal places that a number needs.

    Args:
        known: finite.

    Returns:
        0 for a whole one; more than PLACES where it is written with an exponent.
    """
    if isinstance(known, int) or known == int(known):
        return 0
    told = repr(known)
    return PLACES + 9 if "e" in told else len(told.partition(".")[2])


def numeric(value: Tree) -> int | float | None:
    """The number that a value is canonically.

    Args:
        value: JSON value.

    Returns:
        None also for a text such as 007, which is no number to whoever wrote it.
    """
    return next((key[1] for key in canonical(value) if key[0] == "n"), None)
