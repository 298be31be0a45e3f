"""Which dates, times, spans and numbers does a request mention? English and ISO, in the text's order."""

from __future__ import annotations

import re
from datetime import date

import msgspec

from tracelode.compile import forms
from tracelode.model.run import Tree

MOST = 40
"""Mentions of one request that are kept."""

_MONTHS = [month.lower() for month in forms.MONTHS]
_MONTH = (
    "(" + "|".join(f"{m}|{m[:3]}\\.?" + ("|sept\\.?" if m.startswith("sep") else "") for m in _MONTHS) + ")"
)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(\d{4}))?"
_DATES = re.compile(
    rf"\b(\d{{4}})-(\d{{2}})-(\d{{2}})\b"
    rf"|\b{_MONTH}\s+{_DAY}(?:\s*(?:to|until|till|through|and|-|–)\s*(?:the\s+)?{_DAY}(?!\s*(?:am|pm|:)))?{_YEAR}\b"
    rf"|\b{_DAY}(?:\s+of)?\s+{_MONTH}{_YEAR}\b"
    rf"|\b(\d{{1,2}})/(\d{{1,2}})/(\d{{4}})\b",
    re.I,
)
_TIMES = re.compile(
    r"\b(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?|\b([01]?\d|2[0-3]):([0-5]\d)\b|\b(noon|midnight)\b", re.I
)
_COUNTS = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen",
]  # fmt: skip
_COUNT = rf"(\d{{1,3}}|an?|{'|'.join(_COUNTS)})"
_SPANS = re.compile(
    rf"\b(the\s+day\s+after\s+tomorrow|tomorrow|(?:the\s+)?(?:next|following)\s+day|today|tonight)\b"
    rf"|\b{_COUNT}[\s-]+(day|night|week|hour|minute)s?\b",
    re.I,
)
_UNITS = {
    "day": ("days", 1),
    "night": ("days", 1),
    "week": ("days", 7),
    "hour": ("minutes", 60),
    "minute": ("minutes", 1),
}
_NUMBERS = re.compile(r"(?<![\w.,:/-])(\d{1,9})(?![\w,:/-]|\.\d)")


class Mention(msgspec.Struct, frozen=True):
    """Something that a text mentions."""

    kind: str
    """date, time, days, minutes or number."""
    value: Tree
    """ISO date, HH:MM, or an integer; tomorrow is 1 day, a week 7."""
    start: int
    """First character."""
    stop: int
    """After the last one."""


def mentions(text: str) -> list[Mention]:
    """Dates, times, spans and numbers in a text.

    Args:
        text: what a person asked.

    Returns:
        In the order of the text; a date without a year takes the year of the nearest later date that has
        one, else of the nearest earlier one, and is left out where there is none.

    Example:
        >>> [m.value for m in mentions("from December 10th to 17th, 2024 at 8 AM")]
        ['2024-12-10', '2024-12-17', '08:00']
    """
    text = text[:20_000]
    found = _dates(text)
    taken = [(m.start, m.stop) for m in found]
    for match in _TIMES.finditer(text):
        value = _time(match)
        if value is not None and _free(match.span(), taken):
            found.append(Mention("time", value, *match.span()))
            taken.append(match.span())
    for match in _SPANS.finditer(text):
        if _free(match.span(), taken):
            found.append(_span(match))
            taken.append(match.span())
    found += [
        Mention("number", int(m[1]), *m.span()) for m in _NUMBERS.finditer(text) if _free(m.span(), taken)
    ]
    return sorted(found, key=lambda m: (m.start, m.stop))[:MOST]


def _free(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return all(span[1] <= start or span[0] >= stop for start, stop in taken)


def _span(match: re.Match[str]) -> Mention:
    word, count, unit = match.groups()
    if word:
        plain = " ".join(word.lower().split())
        days = 2 if "after" in plain else 0 if plain in ("today", "tonight") else 1
        return Mention("days", days, *match.span())
    kind, each = _UNITS[unit.lower()]
    said = count.lower()
    number = int(said) if said.isdigit() else 1 if said in ("a", "an") else _COUNTS.index(said) + 1
    return Mention(kind, number * each, *match.span())


def _time(match: re.Match[str]) -> str | None:
    hour, minute, half, hour24, minute24, word = match.groups()
    if word:
        return "12:00" if word.lower() == "noon" else "00:00"
    if hour24 is not None:
        return f"{int(hour24):02}:{minute24}"
    if not 1 <= int(hour) <= 12 or int(minute or 0) > 59:
        return None
    return f"{int(hour) % 12 + (12 if half.lower() == 'p' else 0):02}:{int(minute or 0):02}"


def _dates(text: str) -> list[Mention]:
    raw: list[tuple[int | None, int, int, int, int]] = []
    for match in _DATES.finditer(text):
        iso_y, iso_m, iso_d, name, day, second, year, day2, name2, year2, us_m, us_d, us_y = match.groups()
        start, stop = match.span()
        if iso_y:
            raw.append((int(iso_y), int(iso_m), int(iso_d), start, stop))
        elif us_y:
            raw.append((int(us_y), int(us_m), int(us_d), start, stop))
        elif name:
            month, said = _month(name), int(year) if year else None
            raw.append((said, month, int(day), start, stop))
            if second:
                raw.append((said, month, int(second), start + 1, stop))
        else:
            raw.append((int(year2) if year2 else None, _month(name2), int(day2), start, stop))
    found = []
    for place, (said, month, number, start, stop) in enumerate(raw):
        year_of = (
            said
            or next((y for y, *_ in raw[place:] if y), None)
            or next((y for y, *_ in raw[:place][::-1] if y), None)
        )
        try:
            found.append(Mention("date", date(year_of or 0, month, number).isoformat(), start, stop))
        except ValueError:
            continue
    return found


def _month(name: str) -> int:
    return next(n for n, m in enumerate(_MONTHS, 1) if m.startswith(name.lower().rstrip(".")[:3]))
