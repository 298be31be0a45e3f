"""Which dates, times, spans and numbers does a request mention? English and ISO, in the text's order."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

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
    r"\b(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?"
    r"|\b(\d{1,2})(?::(\d{2}))?(?:\s*o'clock)?\s+(?:in\s+the|at)\s+(morning|afternoon|evening|night)\b"
    r"|\b(\d{1,2})\s*o'clock\b"
    r"|\b([01]?\d|2[0-3]):([0-5]\d)\b|\b(noon|midday|midnight)\b",
    re.I,
)
_ONLY_DAY = re.compile(r"\b(?:on|until|till|by|from|to)\s+the\s+(\d{1,2})(?:st|nd|rd|th)\b", re.I)
_FEASTS = {
    "new year's day": (1, 1), "valentine's day": (2, 14), "independence day": (7, 4), "halloween": (10, 31),
    "thanksgiving": (11, 0), "christmas eve": (12, 24), "christmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31),
}  # fmt: skip
_FEAST = re.compile(rf"\b({'|'.join(sorted(_FEASTS, key=len, reverse=True))})\b(?!\s*\()", re.I)
_YEARS = re.compile(r"\b(20\d\d)\b")
_COUNTS = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen",
]  # fmt: skip
_COUNT = rf"(\d{{1,3}}|an?|{'|'.join(_COUNTS)})"
_SPANS = re.compile(
    rf"\b(the\s+day\s+after\s+tomorrow|tomorrow|(?:the\s+)?(?:next|following)\s+day|today|tonight)\b"
    rf"|\b(half\s+an|{_COUNT[1:-1]})[\s-]+(day|night|week|hour|minute)s?\b",
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
    other: str = ""
    """Of a date of numbers (02/03/2027), whose value has the month first: what it is with the day first; ""
    where only one of the two is a date, or both are the same."""


@lru_cache(maxsize=4096)
def mentions(text: str) -> tuple[Mention, ...]:
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
    return tuple(sorted(found, key=lambda m: (m.start, m.stop))[:MOST])


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
    if said.startswith("half"):
        return Mention(kind, each // 2, *match.span())
    number = int(said) if said.isdigit() else 1 if said in ("a", "an") else _COUNTS.index(said) + 1
    return Mention(kind, number * each, *match.span())


def _time(match: re.Match[str]) -> str | None:
    hour, minute, half, hour2, minute2, part, clock, hour24, minute24, word = match.groups()
    if word:
        return "00:00" if word.lower() == "midnight" else "12:00"
    if hour24 is not None:
        return f"{int(hour24):02}:{minute24}"
    if clock is not None:
        return f"{int(clock):02}:00" if int(clock) < 24 else None
    if part is not None:
        hour, minute, half = hour2, minute2, "a" if part.lower() == "morning" else "p"
    if not 1 <= int(hour) <= 12 or int(minute or 0) > 59:
        return None
    return f"{int(hour) % 12 + (12 if half.lower() == 'p' else 0):02}:{int(minute or 0):02}"


def _dates(text: str) -> list[Mention]:
    raw: list[tuple[int | None, int, int, int, int]] = []
    numeric: list[list[Mention]] = []
    for match in _DATES.finditer(text):
        iso_y, iso_m, iso_d, name, day, second, year, day2, name2, year2, us_m, us_d, us_y = match.groups()
        start, stop = match.span()
        if iso_y:
            raw.append((int(iso_y), int(iso_m), int(iso_d), start, stop))
        elif us_y:
            numeric.append(_numeric(int(us_y), int(us_m), int(us_d), start, stop))
            raw.append((int(us_y), 0, 0, start, stop))
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
        found.extend(_day(year_of, month, number, start, stop))
    found += [mention for few in numeric for mention in few]
    found.sort(key=lambda m: m.start)
    return [*found, *_only_days(text, found), *_feasts(text, found)]


def _day(year: int | None, month: int, number: int, start: int, stop: int) -> list[Mention]:
    try:
        return [Mention("date", date(year or 0, month, number).isoformat(), start, stop)]
    except ValueError:
        return []


def _numeric(year: int, first: int, second: int, start: int, stop: int) -> list[Mention]:
    """02/03/2027: the month first, as long as nothing says that it is the day."""
    american, european = _day(year, first, second, start, stop), _day(year, second, first, start, stop)
    if not american or not european or american == european:
        return american or european
    return [msgspec.structs.replace(american[0], other=str(european[0].value))]


def _only_days(text: str, found: list[Mention]) -> list[Mention]:
    """On the 7th: in the month of the date before, or in the next one where the day has passed."""
    more: list[Mention] = []
    for match in _ONLY_DAY.finditer(text):
        before = [m for m in found if m.stop <= match.start()]
        if not before or any(m.start < match.end() and match.start() < m.stop for m in found):
            continue
        year, month, day = map(int, before[-1].value.split("-"))
        number = int(match[1])
        if number < day:
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        more.extend(_day(year, month, number, *match.span()))
    return more


def _feasts(text: str, found: list[Mention]) -> list[Mention]:
    """Feasts with a date that everybody knows, in the year that the text names."""
    more: list[Mention] = []
    years = [(m.start(), int(m[1])) for m in _YEARS.finditer(text)]
    for match in _FEAST.finditer(text):
        start, stop = match.span()
        near = min(years, key=lambda y: y[0] - stop if y[0] >= stop else start - y[0] - 4, default=None)
        if near is None or any(m.start < match.end() and match.start() < m.stop for m in found):
            continue
        month, day = _FEASTS[match[1].lower()]
        # the fourth Thursday
        day = day or 22 + (3 - date(near[1], 11, 22).weekday()) % 7
        more.extend(_day(near[1], month, day, *match.span()))
    return more


def _month(name: str) -> int:
    return next(n for n, m in enumerate(_MONTHS, 1) if m.startswith(name.lower().rstrip(".")[:3]))
