"""How are ids, moments and values spelled, and what do they mean? One reading for every spelling."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime, timedelta
from typing import Any

_HEX = re.compile(r"[0-9a-fA-F]+")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DURATION = re.compile(
    r"(?P<sign>-?)P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?"
    r"(?:(?P<seconds>\d+(?:\.\d{1,9})?)S)?)?"
)
_LAST = 2**63
"""Nanoseconds are 64-bit; later moments are damage."""
_NANOSECONDS = 10**17
"""From here on a number is one of nanoseconds."""


def ident(value: Any, size: int) -> str | None:
    """A trace or span id.

    Args:
        value: hexadecimal text, the same with 0x, base64 as protobuf's own JSON writes it, bytes, an integer,
            or any short text of another tracer.
        size: bytes of a proper id: 16 for traces, 8 for spans.

    Returns:
        Lower-case hexadecimal, or the text of another tracer; None where there is no id: absent, empty, all
        zeros.

    Source:
        OTLP: JSON encodes ids as hexadecimal; an id of zeros is invalid.

    Example:
        >>> ident("0xEEE19B7EC3C1B174", 8), ident("7uGbfsPBsXQ=", 8), ident("", 8)
        ('eee19b7ec3c1b174', 'eee19b7ec3c1b174', None)
    """
    if isinstance(value, bytes):
        text = value.hex()
        return text if text.strip("0") else None
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 8 * size:
        value = f"{value:0{2 * size}x}"
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text[:2] in ("0x", "0X"):
        text = text[2:]
    if _HEX.fullmatch(text):
        return text.lower() if text.strip("0") else None
    if text.endswith("=") and len(text) == (size + 2) // 3 * 4:
        try:
            return ident(base64.b64decode(text, validate=True), size)
        except binascii.Error:
            pass
    return text[:200] or None


def nanoseconds(value: Any) -> int | None:
    """A moment.

    Args:
        value: nanoseconds as an integer or its text; ISO 8601; [seconds, nanoseconds]; a number of seconds,
            milliseconds or microseconds, told apart by its size.

    Returns:
        Nanoseconds since the epoch; None for anything else, for 0 and for what no 64 bits hold.

    Example:
        >>> nanoseconds("1700000000000000000") == nanoseconds([1700000000, 0]) == nanoseconds(1.7e9)
        True
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        value = value.strip()
        if not value.isascii() or not value.isdigit():
            return _iso(value)
        value = int(value) if len(value) < 20 else 0
    if type(value) is int and value >= _NANOSECONDS:
        return value if value < _LAST else None
    if isinstance(value, list) and len(value) == 2 and all(type(part) is int for part in value):
        seconds, rest = value
        value = seconds * 1_000_000_000 + rest if 0 <= rest < 1_000_000_000 and 0 < seconds < 1e10 else 0
        return value or None
    if not isinstance(value, int | float) or not 0 < value < _LAST:
        return None
    for most, factor in ((1e11, 1_000_000_000), (1e14, 1_000_000), (_NANOSECONDS, 1_000)):
        if value < most:
            return round(value * factor)
    return int(value)


_BELOW = re.compile(r"[.,]\d{6}(\d{1,3})")
"""Digits below the microsecond, which Python leaves out."""


def _iso(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text.replace(" UTC", "Z"))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    below = _BELOW.search(text)
    rest = int(below[1].ljust(3, "0")) if below else 0
    found = (moment - _EPOCH) // timedelta(microseconds=1) * 1_000 + rest
    return found if 0 < found < _LAST else None


def duration(value: Any) -> int | None:
    """A length of time.

    Args:
        value: ISO 8601 ("PT1M11.3S"), [seconds, nanoseconds], or nanoseconds.

    Returns:
        Nanoseconds; None for anything else.

    Example:
        >>> duration("PT1M11.3S")
        71300000000
    """
    if isinstance(value, list) and len(value) == 2 and all(type(part) is int for part in value):
        return int(value[0]) * 1_000_000_000 + int(value[1])
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value < _LAST else None
    match = _DURATION.fullmatch(value) if isinstance(value, str) and len(value) < 60 else None
    if match is None or not any(match.group("days", "hours", "minutes", "seconds")):
        return None
    whole = (int(match["days"] or 0) * 24 + int(match["hours"] or 0)) * 60 + int(match["minutes"] or 0)
    seconds, _, part = (match["seconds"] or "0").partition(".")
    found = (whole * 60 + int(seconds)) * 1_000_000_000 + int(part.ljust(9, "0") or 0)
    return found if not match["sign"] and found < _LAST else None


_STATUSES = {"1": "ok", "2": "error", "ok": "ok", "error": "error"}


def status(value: Any) -> str:
    """The code of a span's status.

    Args:
        value: 0 to 2, or the name of a code in any spelling.

    Returns:
        unset, ok or error.

    Example:
        >>> status(2), status("STATUS_CODE_OK"), status(None)
        ('error', 'ok', 'unset')
    """
    if value is None or isinstance(value, bool) or not isinstance(value, int | str):
        return "unset"
    return _STATUSES.get(str(value).lower().removeprefix("status_code_").rpartition(".")[2], "unset")
