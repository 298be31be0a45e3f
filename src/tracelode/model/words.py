"""How does a number or a name read to a person? Pure functions that every face shares."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from tracelode.model.measure import unit

UNKNOWN = "unknown"
"""What a person reads where a value is None."""

SHORT: dict[str, str] = {
    "tokens": "tokens",
    "tokens.input": "input",
    "tokens.input_fresh": "fresh",
    "tokens.cache_read": "cache read",
    "tokens.cache_write_5m": "write 5m",
    "tokens.cache_write_1h": "write 1h",
    "tokens.output": "output",
    "tokens.reasoning": "reasoning",
    "tokens.unpriced": "unpriced",
    "cost": "",
    "cost.fees": "fees",
    "cost.reported": "reported",
    "time": "",
    "time.active": "active",
    "time.model": "model",
    "time.tool": "tool",
    "time.blocked": "blocked",
    "time.idle": "idle",
    "time.unknown": "unknown",
    "calls": "calls",
    "calls.lower_bound": "calls at least",
    "operations": "operations",
    "bytes.arguments": "arguments",
    "bytes.output": "output",
    "bytes.read": "read",
    "bytes.written": "written",
    "bytes.received": "received",
    "bytes.sent": "sent",
    "events": "events",
}
"""Word before a value in running text; empty where the value's unit says it all."""


def _half_up(value: int, divisor: int) -> int:
    return (2 * value + divisor) // (2 * divisor)


def _scaled(n: int, steps: tuple[str, ...]) -> str:
    """n >= 0 with at most two digits before a decimal, else none: 999, 1.2k, 12k, 4M."""
    power = 0
    while power + 1 < len(steps) and _half_up(n, 1000**power) >= 1000:
        power += 1
    if power and _half_up(10 * n, 1000**power) < 100:
        whole, tenth = divmod(_half_up(10 * n, 1000**power), 10)
        return f"{whole}.{tenth}{steps[power]}" if tenth else f"{whole}{steps[power]}"
    return f"{_half_up(n, 1000**power):,}{steps[power]}"


def count(n: int | None) -> str:
    """A number of things, to two or three digits.

    Args:
        n: how many; None where unknown.

    Returns:
        Digits, with k, M or B from a thousand on.

    Example:
        >>> [count(n) for n in (0, 999, 1_234, 12_300, 999_960, 4_100_000, 3 * 10**9)]
        ['0', '999', '1.2k', '12k', '1M', '4.1M', '3B']
    """
    if n is None:
        return UNKNOWN
    return ("-" if n < 0 else "") + _scaled(abs(n), ("", "k", "M", "B"))


def size(n: int | None) -> str:
    """A number of bytes, in powers of 1,000.

    Args:
        n: bytes; None where unknown.

    Returns:
        Digits and B, kB, MB, GB or TB.

    Example:
        >>> [size(n) for n in (512, 1_500, 12_000_000)]
        ['512 B', '1.5 kB', '12 MB']
    """
    if n is None:
        return UNKNOWN
    return ("-" if n < 0 else "") + _scaled(abs(n), (" B", " kB", " MB", " GB", " TB"))


def exact_dollars(picodollars: int) -> str:
    """Money as an exact decimal, for files.

    Args:
        picodollars: the amount.

    Returns:
        Digits with a decimal point, at least two decimals, no sign of currency, no exponent.

    Example:
        >>> [exact_dollars(p) for p in (7_420_000_000_000, 1, 0, -50_000_000_000)]
        ['7.42', '0.000000000001', '0.00', '-0.05']
    """
    whole, rest = divmod(abs(picodollars), 10**12)
    decimals = f"{rest:012d}".rstrip("0").ljust(2, "0")
    return f"{'-' if picodollars < 0 else ''}{whole}.{decimals}"


def dollars(picodollars: int | None) -> str:
    """Money for a person: cents, or two digits of an amount under ten cents.

    Args:
        picodollars: the amount; None where unknown.

    Returns:
        Dollars with a leading sign of currency.

    Example:
        >>> [dollars(p * 10**9) for p in (7_420, 4, 42, 0, 1_234_560, 98_765_432, -2_310)]
        ['$7.42', '$0.004', '$0.042', '$0', '$1,234.56', '$98,765', '-$2.31']
        >>> dollars(1)
        '<$0.000001'
    """
    if picodollars is None:
        return UNKNOWN
    sign, n = ("-" if picodollars < 0 else ""), abs(picodollars)
    if n == 0:
        return "$0"
    if n < 10**6:
        return f"{sign}<$0.000001"
    if n < 10**11:
        step = int(10 ** (len(str(n)) - 2))
        return f"{sign}${exact_dollars(_half_up(n, step) * step)}"
    if n < 10**16:
        whole, cents = divmod(_half_up(n, 10**10), 100)
        return f"{sign}${whole:,}.{cents:02d}"
    return f"{sign}${_half_up(n, 10**12):,}"


def duration(us: int | None) -> str:
    """A time span for a person: the two largest units that matter.

    Args:
        us: microseconds; None where unknown.

    Returns:
        Number and unit; hours are followed by minutes, a few minutes by seconds.

    Example:
        >>> [duration(s * 10**6) for s in (0, 31, 200, 52 * 60, 6000, 22_200, 259_200)]
        ['0 s', '31 s', '3 min 20', '52 min', '1 h 40', '6 h 10', '3 d']
        >>> duration(450), duration(12_345), duration(3_200_000)
        ('450 µs', '12 ms', '3.2 s')
    """
    if us is None:
        return UNKNOWN
    sign, n = ("-" if us < 0 else ""), abs(us)
    return sign + _span(n)


def _span(n: int) -> str:
    second = 10**6
    if 0 < n < 1000:
        return f"{n} µs"
    if n > 0 and _half_up(n, 1000) < 1000:
        return f"{_half_up(n, 1000)} ms"
    if _half_up(10 * n, second) < 100:
        whole, tenth = divmod(_half_up(10 * n, second), 10)
        return f"{whole}.{tenth} s" if tenth else f"{whole} s"
    seconds = _half_up(n, second)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 600:
        return _pair(*divmod(seconds, 60), "min", "")
    minutes = _half_up(n, 60 * second)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return _pair(*divmod(minutes, 60), "h", "")
    return _pair(*divmod(_half_up(n, 3600 * second), 24), "d", " h")


def _pair(large: int, small: int, name: str, end: str) -> str:
    if not small:
        return f"{large} {name}"
    return f"{large} {name} {small}{end}" if end else f"{large} {name} {small:02d}"


def percent(part: int | None, whole: int | None) -> str:
    """A share for a person.

    Args:
        part: the share.
        whole: what it is a share of.

    Returns:
        Percent without decimals from 1% on; "-" where there is no whole or a value is unknown.

    Example:
        >>> [percent(p, 1000) for p in (310, 3, 0, 1000, 999, -125)]
        ['31%', '0.3%', '0%', '100%', '99.9%', '-13%']
        >>> percent(1, 10**6), percent(1, 0)
        ('<0.1%', '-')
    """
    if part is None or not whole:
        return "-"
    if whole < 0:
        part, whole = -part, -whole
    sign, n = ("-" if part < 0 else ""), abs(part)
    if n == 0:
        return "0%"
    tenths = _half_up(1000 * n, whole)
    if tenths == 0:
        return f"{sign}<0.1%"
    if tenths < 10 or (n < whole and tenths >= 995):
        # 99.96% must not read as the whole.
        tenths = min(tenths, 999) if n < whole else tenths
        return f"{sign}{tenths // 10}.{tenths % 10}%"
    return f"{sign}{_half_up(100 * n, whole)}%"


def value_text(measure: str, value: int | None) -> str:
    """A value in its measure's human unit, without the measure's name.

    Args:
        measure: a stored or derived measure.
        value: the integer in the stored unit; None where unknown.

    Returns:
        Text for a table cell or a tooltip.

    Raises:
        UnknownMeasure: no such measure.

    Example:
        >>> value_text("cost", 2_310_000_000_000), value_text("tokens.output", 88_000)
        ('$2.31', '88k')
    """
    forms = {"picodollars": dollars, "microseconds": duration, "bytes": size}
    return forms.get(unit(measure), count)(value)


def measure_text(measure: str, value: int | None) -> str:
    """A value with the short word that says what it counts.

    Args:
        measure: a stored or derived measure.
        value: the integer in the stored unit; None where unknown.

    Returns:
        Text for a sentence or a heading.

    Raises:
        UnknownMeasure: no such measure.

    Example:
        >>> measure_text("tokens", 4_100_000), measure_text("tokens.input_fresh", 12_000)
        ('tokens 4.1M', 'fresh 12k')
        >>> measure_text("cost", 2_310_000_000_000), measure_text("time", 6_000_000_000)
        ('$2.31', '1 h 40')
        >>> measure_text("tokens.reasoning", None)
        'reasoning unknown'
    """
    return f"{SHORT.get(measure, measure)} {value_text(measure, value)}".strip()


def noun(measure: str) -> str:
    """What a measure counts, for a sentence.

    Args:
        measure: a stored or derived measure.

    Raises:
        UnknownMeasure: no such measure.

    Example:
        >>> noun("cost"), noun("tokens.output"), noun("time.idle")
        ('cost', 'output tokens', 'idle time')
    """
    name = SHORT.get(measure) or measure
    kind = {"microseconds": "time", "tokens": "tokens", "picodollars": "cost"}.get(unit(measure))
    return name if kind is None or name in (kind, "fees") else f"{name} {kind}"


# Control, direction-changing, invisible and unpaired characters, and line separators.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff]"
)
_UNPAIRED = re.compile("[\ud800-\udfff]")
_RESERVED = re.compile(f"[;]|{_UNSEEN.pattern}|%(?=[0-9A-Fa-f]{{2}})")


def printable(text: str) -> str:
    """Text that cannot steer a terminal, a text layout or a markup parser.

    Args:
        text: any string; trace content is untrusted.

    Returns:
        The same text with control, direction-changing and unpaired characters shown as stand-ins;
        markup is not escaped.

    Example:
        >>> printable("ok")
        'ok'
        >>> [hex(ord(c)) for c in printable(chr(27) + chr(0x202E))]
        ['0x241b', '0xfffd']
    """
    return text if text.isprintable() else _UNSEEN.sub(_stand_in, text)


def _stand_in(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def encodable(text: str) -> str:
    """Text that can be written as UTF-8.

    Args:
        text: any string; one cut inside a character holds unpaired surrogates.

    Returns:
        The same text, unpaired surrogates replaced by U+FFFD.

    Example:
        >>> encodable("a" + chr(0xD83D)) == "a" + chr(0xFFFD)
        True
    """
    return text if text.isprintable() else _UNPAIRED.sub("\ufffd", text)


def stack_text(stack: Iterable[str]) -> str:
    """A stack on one line.

    Args:
        stack: frames, root to leaf.

    Returns:
        Frames joined by ";". A ";", a character that is not printable, and a "%" that would read
        as an escape are written %XX (UTF-8), so that readers which know no escapes cut in the
        right places; urllib.parse.unquote gives the frame back.

    Example:
        >>> stack_text(("fix bug", "a;b", "100%", "%3B"))
        'fix bug;a%3Bb;100%;%253B'
    """
    return ";".join(_RESERVED.sub(_percent, encodable(frame)) for frame in stack)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def json_text(value: Any, *, compact: bool = False) -> str:
    """JSON on one line, readable in every script and safe to print.

    Args:
        value: anything the standard library's json can encode; integers of any size.
        compact: no blanks after commas and colons.

    Returns:
        JSON with letters of all scripts as they are, characters that are not printable escaped.

    Example:
        >>> json_text({"stack": ["é", chr(0x202E)]})
        '{"stack": ["é", "\\\\u202e"]}'
    """
    text = encodable(json.dumps(value, ensure_ascii=False, separators=(",", ":") if compact else None))
    return text if text.isprintable() else _UNSEEN.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
