"""What moment or length of time do words name?"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo

from tracelode.errors import UsageError

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_LENGTH = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*([smhdw])")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def seconds(text: str) -> float:
    """A length of time.

    Args:
        text: a number and s, m, h, d or w; several may follow each other (1h30m).

    Returns:
        Seconds.

    Raises:
        UsageError: not such a text.

    Example:
        >>> seconds("1h30m")
        5400.0
    """
    parts = _LENGTH.findall(text)
    if not parts or _LENGTH.sub("", text).strip():
        raise UsageError(f"{text!r} is no length of time; write it as 90s, 5m, 12h or 28d")
    return float(sum(float(number) * _SECONDS[unit] for number, unit in parts))


def instant(text: str, zone: tzinfo, now: datetime, *, end: bool = False) -> int:
    """A moment.

    Args:
        text: a length of time before now (28d), a day (2026-10-01), or RFC 3339.
        zone: zone of days and of times without an offset.
        now: the present.
        end: a bare day means its end.

    Returns:
        UTC microseconds.

    Raises:
        UsageError: not such a text.
    """
    if _DAY.fullmatch(text):
        day = _parse(text)
        if end:
            # The day after the last one of the calendar cannot be written.
            day = datetime.max if day.date() == datetime.max.date() else day + timedelta(days=1)
        return _micros(day.replace(tzinfo=zone))
    if re.match(r"\d{4}-", text):
        moment = _parse(text)
        return _micros(moment if moment.tzinfo else moment.replace(tzinfo=zone))
    if not _LENGTH.match(text):
        raise _wrong(text)
    try:
        return _micros(now - timedelta(seconds=seconds(text)))
    except OverflowError:
        raise _wrong(text) from None


def _parse(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise _wrong(text) from None


def _wrong(text: str) -> UsageError:
    return UsageError(f"{text!r} is no moment; write it as 28d, 2026-10-01 or 2026-10-01T09:30:00Z")


def _micros(moment: datetime) -> int:
    epoch = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    return (moment - epoch) // timedelta(microseconds=1)
