"""In which forms are dates, times and numbers written? Closed tables: what is read is also written.

A form is named by its own parts: YYYY MM M DD D Mon Month Ddd Dddd th HH H hh h mm ss AM am zone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_BY_MONTH = {name[:size].lower(): n for n, name in enumerate(MONTHS, 1) for size in (3, len(name))}
_PARTS = {
    "YYYY": r"(?P<Y>(?:19|20|21)\d\d)", "MM": r"(?P<M>0[1-9]|1[0-2])", "M": r"(?P<M>[1-9]|1[0-2])",
    "DD": r"(?P<D>0[1-9]|[12]\d|3[01])", "D": r"(?P<D>[1-9]|[12]\d|3[01])",
    "Month": rf"(?P<B>{'|'.join(MONTHS)})", "Mon": rf"(?P<B>{'|'.join(m[:3] for m in MONTHS)})",
    "Dddd": rf"(?P<W>{'|'.join(DAYS)})", "Ddd": rf"(?P<W>{'|'.join(d[:3] for d in DAYS)})",
    "th": r"(?P<O>st|nd|rd|th)",
    "HH": r"(?P<H>[01]\d|2[0-3])", "H": r"(?P<H>\d|1\d|2[0-3])", "hh": r"(?P<h>0[1-9]|1[0-2])",
    "h": r"(?P<h>[1-9]|1[0-2])", "mm": r"(?P<m>[0-5]\d)", "ss": r"(?P<s>[0-5]\d)",
    "AM": r"(?P<p>[AaPp]\.?[Mm]\.?)", "zone": r"(?P<z>[Zz]|[+-]\d\d:?\d\d)",
}  # fmt: skip
_SPLIT = re.compile(r"(YYYY|Month|Mon|MM|M|DD|Dddd|Ddd|D|th|HH|H|hh|h|mm|ss|AM|zone)")
_DAY_FORMS = (
    "YYYY-MM-DD", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD", "DD/MM/YYYY", "MM/DD/YYYY", "D/M/YYYY", "M/D/YYYY",
    "DD-MM-YYYY", "MM-DD-YYYY", "DD.MM.YYYY", "D.M.YYYY", "D Month YYYY", "D Mon YYYY", "DD Month YYYY",
    "DD Mon YYYY", "Dth Month YYYY", "Dth Mon YYYY", "Month D, YYYY", "Mon D, YYYY", "Month D YYYY",
    "Mon D YYYY", "Month DD, YYYY", "Mon DD, YYYY", "Month Dth, YYYY", "Mon Dth, YYYY", "Month Dth YYYY",
    "Dddd, D Month YYYY", "Ddd, D Mon YYYY", "Ddd, DD Mon YYYY", "Dddd, Month D, YYYY", "Ddd, Mon D, YYYY",
    "DD-Mon-YYYY", "D-Mon-YYYY",
)  # fmt: skip
_YEARLESS = (
    "D Month", "D Mon", "Dth Month", "Dth Mon", "Dth of Month", "Month D", "Mon D", "Month Dth", "Mon Dth",
    "MM-DD",
)  # fmt: skip
_CLOCK_FORMS = (
    "HH:mm", "HH:mm:ss", "H:mm", "H:mm:ss", "h:mm AM", "hh:mm AM", "h:mmAM", "hh:mmAM", "h AM", "hAM",
    "hh AM",
)  # fmt: skip
_BOTH_FORMS = tuple(
    f"YYYY-MM-DD{gap}{clock}{zone}"
    for gap in ("T", " ")
    for clock in ("HH:mm:ss", "HH:mm")
    for zone in ("", "zone")
)


class Moment(NamedTuple):
    """What a text in one form says."""

    form: str
    """Name of the form."""
    year: int | None = None
    month: int | None = None
    day: int | None = None
    hour: int | None = None
    minute: int = 0
    second: int = 0
    zone: str = ""
    """As written."""
    half: str = ""
    """am or pm as written, "" on a clock of 24 hours."""

    @property
    def date(self) -> tuple[int, int, int] | None:
        """Year, month, day."""
        if self.year is None or self.month is None or self.day is None:
            return None
        return self.year, self.month, self.day

    @property
    def clock(self) -> tuple[int, int, int] | None:
        """Hour, minute, second."""
        return None if self.hour is None else (self.hour, self.minute, self.second)


def _compiled(form: str, tail: str = "") -> re.Pattern[str]:
    parts = _SPLIT.split(form)
    body = "".join(_PARTS.get(p, re.escape(p)) if i % 2 else re.escape(p) for i, p in enumerate(parts))
    return re.compile(body.replace(r"\ ", " +") + tail, re.IGNORECASE | re.ASCII)


FORMS = {form: _compiled(form) for form in (*_DAY_FORMS, *_YEARLESS, *_CLOCK_FORMS, *_BOTH_FORMS)}
_BARE = {form: pattern for form, pattern in FORMS.items() if not re.search(r"Mon|Dd|th|AM|T", form)}
"""Forms that can be written without letters."""
_FRACTION = _compiled("YYYY-MM-DDTHH:mm:ss", r"[.,]\d{1,9}(?:[Zz]|[+-]\d\d:?\d\d)?")
_LIKELY = re.compile(r"(?=.*\d)[A-Za-z\d\s:/.,+\-]{3,40}\Z", re.ASCII)
_LETTERS = re.compile(r"[A-Za-z]+", re.ASCII)
_VOCABULARY = frozenset(
    [name[:size].lower() for name in (*MONTHS, *DAYS) for size in (3, len(name))]
    + ["st", "nd", "rd", "th", "of", "am", "pm", "a", "p", "m", "t", "z"]
)
_LONGEST = 40


@lru_cache(maxsize=32768)
def read(text: str) -> tuple[Moment, ...]:
    """Every reading of a text that is a date, a time or both, and nothing else.

    Args:
        text: any.

    Returns:
        Readings in the order of the table; two for a day and month that could be either way round.

    Example:
        >>> [m.form for m in read("2024-11-18T13:05:00")]
        ['YYYY-MM-DDTHH:mm:ss']
    """
    text = " ".join(text.split())
    if len(text) > _LONGEST or not _LIKELY.match(text):
        return ()
    if any(word.lower() not in _VOCABULARY for word in _LETTERS.findall(text)):
        return ()
    tried = FORMS if _LETTERS.search(text) else _BARE
    found = [m for form, pattern in tried.items() if (m := _moment(form, pattern.fullmatch(text)))]
    if not found and (m := _moment("", _FRACTION.fullmatch(text))):
        found = [m]
    return tuple(found)


def _moment(form: str, match: re.Match[str] | None) -> Moment | None:
    if match is None:
        return None
    part = match.groupdict()
    year = int(part["Y"]) if part.get("Y") else None
    month = int(part["M"]) if part.get("M") else _BY_MONTH.get((part.get("B") or "").lower())
    day = int(part["D"]) if part.get("D") else None
    if month and day:
        try:
            there = date(year or 2000, month, day)
        except ValueError:
            return None
        if part.get("W") and DAYS[there.weekday()][:3].lower() != part["W"][:3].lower():
            return None
        if part.get("O") and part["O"].lower() != _ordinal(day):
            return None
    hour = int(part["H"]) if part.get("H") else None
    half = part.get("p") or ""
    if part.get("h"):
        hour = int(part["h"]) % 12 + (12 if half[0] in "pP" else 0)
    return Moment(form, year, month, day, hour, int(part.get("m") or 0), int(part.get("s") or 0),
                  part.get("z") or "", half)  # fmt: skip


def _ordinal(day: int) -> str:
    return "th" if 10 < day % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def write(moment: Moment, form: str, half: str = "AM") -> str:
    """A moment in a form.

    Args:
        moment: what is written.
        form: its name.
        half: how am and pm are written: AM, am, A.M. or a.m.

    Returns:
        Text.

    Raises:
        ValueError: the form needs a part that the moment does not have, or would lose its seconds.

    Example:
        >>> write(read("2024-11-18")[0], "Month Dth, YYYY")
        'November 18th, 2024'
    """
    if form not in FORMS:
        raise ValueError("no such form")
    names = _SPLIT.split(form)
    if moment.hour is not None and {"HH", "H", "hh", "h"}.intersection(names):
        lost = (moment.minute and "mm" not in names) or (moment.second and "ss" not in names)
        if lost:
            raise ValueError("minutes or seconds would be lost")
    return "".join(_part(moment, p, half) if i % 2 else p for i, p in enumerate(names))


def _part(moment: Moment, part: str, half: str) -> str:
    if part == "zone":
        if not moment.zone:
            raise ValueError("no zone")
        return moment.zone
    if part in ("HH", "H", "hh", "h", "mm", "ss", "AM"):
        return _clock(moment, part, half)
    if (
        moment.month is None
        or moment.day is None
        or (moment.year is None and part in ("YYYY", "Ddd", "Dddd"))
    ):
        raise ValueError("no date")
    return _DAY_PARTS[part](date(moment.year or 2000, moment.month, moment.day))


_DAY_PARTS: dict[str, Callable[[date], str]] = {
    "YYYY": lambda day: f"{day.year:04d}",
    "MM": lambda day: f"{day.month:02d}",
    "M": lambda day: str(day.month),
    "DD": lambda day: f"{day.day:02d}",
    "D": lambda day: str(day.day),
    "Month": lambda day: MONTHS[day.month - 1],
    "Mon": lambda day: MONTHS[day.month - 1][:3],
    "Dddd": lambda day: DAYS[day.weekday()],
    "Ddd": lambda day: DAYS[day.weekday()][:3],
    "th": lambda day: _ordinal(day.day),
}


def _clock(moment: Moment, part: str, half: str) -> str:
    if moment.hour is None:
        raise ValueError("no time")
    if part == "AM":
        letter = "AP"[moment.hour >= 12]
        return half.replace("A", letter).replace("a", letter.lower())
    hour = moment.hour % 12 or 12
    told = {
        "HH": f"{moment.hour:02d}", "H": str(moment.hour), "hh": f"{hour:02d}", "h": str(hour),
        "mm": f"{moment.minute:02d}", "ss": f"{moment.second:02d}",
    }  # fmt: skip
    return told[part]


def halves(written: str) -> str:
    """How a text writes am and pm, for write().

    Args:
        written: "AM", "p.m." and so on.
    """
    return written.replace("P", "A").replace("p", "a") or "AM"


def shifted(moment: Moment, days: int = 0, minutes: int = 0) -> Moment:
    """A moment later or earlier.

    Args:
        moment: a date, a time or both.
        days: added.
        minutes: added; a time without a date goes round.

    Returns:
        The moment in the same form.

    Raises:
        ValueError: the moment lacks what is counted, or leaves the calendar.
    """
    if moment.date is None and (days or moment.hour is None):
        raise ValueError("no full date")
    if minutes and moment.hour is None:
        raise ValueError("no time")
    day = date(*(moment.date or (2000, 1, 1)))
    at = datetime.combine(day, time(*(moment.clock or (0, 0, 0))))
    try:
        at += timedelta(days=days, minutes=minutes)
    except OverflowError as error:
        raise ValueError("beyond the calendar") from error
    if moment.date is not None:
        moment = moment._replace(year=at.year, month=at.month, day=at.day)
    return moment if moment.hour is None else moment._replace(hour=at.hour, minute=at.minute)


def days_between(early: Moment, late: Moment) -> int:
    """Days from one full date to another.

    Args:
        early: the first.
        late: the second.
    """
    return (date(*(late.date or (1, 1, 1))) - date(*(early.date or (1, 1, 1)))).days


def month(name: str) -> int:
    """The number of a month.

    Args:
        name: English, whole or its first three letters.

    Raises:
        KeyError: no month.
    """
    return _BY_MONTH[name.lower()]
