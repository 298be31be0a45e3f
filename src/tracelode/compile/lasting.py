"""Until when does something hold? The names of fields that tell it, and how their values are read."""

from __future__ import annotations

import datetime as dt
import re
from time import time_ns
from typing import Any

SECONDS = frozenset((
    "expiresin", "expiresinsec", "expiresinsecs", "expiresinseconds", "expireinseconds", "expiryseconds",
    "expiryinseconds", "expirationseconds", "expirationinseconds", "secondstoexpiry", "secondsuntilexpiry",
    "ttl", "ttlsec", "ttlsecs", "ttlseconds", "timetolive", "timetoliveseconds", "maxage", "maxagesec",
    "maxagesecs", "maxageseconds", "validfor", "validforsec", "validforsecs", "validforseconds",
    "validityseconds", "validityinseconds", "lifetimeseconds",
))  # fmt: skip
"""Names of durations in seconds, as plain() writes them (RFC 6749: expires_in; RFC 9111: max-age)."""
MILLISECONDS = frozenset((
    "expiresinms", "expiresinmillis", "expiresinmilliseconds", "expiryms", "expirymillis", "ttlms",
    "ttlmillis", "ttlmilliseconds", "timetolivems", "timetolivemillis", "maxagems", "maxagemillis",
    "maxagemilliseconds", "validforms", "validformillis", "validformilliseconds", "validityms", "lifetimems",
))  # fmt: skip
"""Names of durations in milliseconds."""
MOMENTS = frozenset((
    "expires", "expiresat", "expireat", "expireson", "expirests", "expirestime", "expiresdate", "expiredate",
    "expiretime", "expiry", "expiryat", "expirydate", "expirytime", "expirydatetime", "expirytimestamp",
    "exp", "expiration", "expirationat", "expirationdate", "expirationtime", "expirationdatetime",
    "expirationtimestamp", "expiresatms", "expiresatutc", "expirytimeutc", "validuntil", "validto",
    "validtill", "validthrough", "validthru", "validtodate", "validuntildate", "gooduntil", "gooduntildate",
    "notafter", "notonorafter", "holduntil", "helduntil", "reserveduntil",
))  # fmt: skip
"""Names of moments (RFC 7519 exp, X.509 notAfter)."""
SECOND = 1_000_000
"""Microseconds."""
LONGEST = 10 * 366 * 86_400
"""Seconds of a duration; a larger number is something else, such as a moment."""
_DAY = 86_400 * SECOND
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?")
_LAST_ZONE = dt.timezone(dt.timedelta(hours=-12))
"""Where a day ends last."""
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def clock() -> int:
    """UTC microseconds of this moment; it may go back."""
    return time_ns() // 1_000


def plain(name: str) -> str:
    """The name of a field without case and signs: expires_in, expiresIn and Expires-In are one.

    Args:
        name: a key of an object.
    """
    return re.sub(r"[\W_]+", "", name).lower()


def kind_of(name: str) -> str:
    """What a field of this name tells.

    Args:
        name: a key of an object.

    Returns:
        seconds, milliseconds or moment; "" for nothing of the kind.
    """
    bare = plain(name)
    if bare in SECONDS:
        return "seconds"
    return "milliseconds" if bare in MILLISECONDS else "moment" if bare in MOMENTS else ""


def form(kind: str, value: Any) -> str:
    """How a value tells it.

    Args:
        kind: as kind_of() gives it.
        value: JSON value.

    Returns:
        A word for its form, "" where it tells nothing that can be read for certain.
    """
    if kind != "moment":
        most = LONGEST * (1_000 if kind == "milliseconds" else 1)
        whole = isinstance(value, int) and not isinstance(value, bool)
        return kind if whole and 0 < value <= most else ""
    if isinstance(value, str) and _ISO.fullmatch(value.strip()) and _iso(value) is not None:
        text = value.strip()
        zoned = text[-1] in "Zz" or "+" in text or "-" in text[10:]
        return "date" if len(text) == 10 else "zoned" if zoned else "local"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if 1e9 <= value < 1e11:
            return "epoch"
        return "epoch_ms" if 1e12 <= value < 1e14 else ""
    return ""


def until(kind: str, value: Any, begun: int | None) -> int | None:
    """The moment after which it certainly no longer holds.

    Args:
        kind: seconds, milliseconds or moment.
        value: what the field says.
        begun: UTC microseconds at which the call that gave it began, None if unknown.

    Returns:
        UTC microseconds, None where it cannot be told.
    """
    told = form(kind, value)
    if not told or (kind != "moment" and begun is None):
        return None
    if told == "seconds":
        return (begun or 0) + int(value) * SECOND
    if told == "milliseconds":
        return (begun or 0) + int(value) * 1_000
    if told == "epoch":
        return int(value * SECOND)
    return int(value * 1_000) if told == "epoch_ms" else _iso(value)


def _iso(text: str) -> int | None:
    try:
        moment = dt.datetime.fromisoformat(text.strip().upper().replace(",", "."))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=_LAST_ZONE)
    micros = (moment - _EPOCH) // dt.timedelta(microseconds=1)
    return micros + (_DAY if len(text.strip()) == 10 else 0)


def held(kind: str, value: Any, begun: int | None, now: int) -> tuple[bool | None, str]:
    """Does something still hold?

    Args:
        kind: seconds, milliseconds or moment.
        value: what the field says now.
        begun: UTC microseconds at which the call that gave it began, None if unknown.
        now: UTC microseconds.

    Returns:
        (True, False, or None where it cannot be told; why not, in closed words, "" where it does).
    """
    if not form(kind, value):
        return None, "its expiry is told in another way than in the runs"
    if kind != "moment" and begun is None:
        return None, "when it was given was not noted"
    if kind != "moment" and begun is not None and now < begun:
        return None, "the clock stands before the moment at which it was given"
    end = until(kind, value, begun)
    if end is None:
        return None, "its expiry is told in another way than in the runs"
    return (True, "") if now <= end else (False, f"it ran out {_ago(now - end)} ago")


def _ago(micros: int) -> str:
    seconds = micros // SECOND
    for name, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size:,} {name}s"
    return f"{seconds:,} second{'' if seconds == 1 else 's'}"
