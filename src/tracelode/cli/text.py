"""How does text of a trace get on a screen? Without control characters, and never wider than its place."""

from __future__ import annotations

import re
import shlex
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from tracelode.model.words import duration, printable

GAP = "…"
"""Stands where text was cut."""


def clean(text: str) -> str:
    """Neutralise whatever could steer a terminal or hide in a line.

    Args:
        text: anything.

    Returns:
        One line: white space as single spaces, control, direction and invisible characters visible.

    Example:
        >>> clean("a" + chr(27) + "[31mb" + chr(10) + "c")
        'a␛[31mb c'
    """
    return printable(" ".join(text.split()))


def clean_lines(text: str) -> list[str]:
    """The same for text whose line breaks count.

    Args:
        text: anything.

    Returns:
        Lines without control characters; tabs as four spaces.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return [printable(line.replace("\t", "    ").rstrip()) for line in lines]


def width(text: str) -> int:
    """Terminal cells a text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, cells: int) -> str:
    """Shorten a text to a number of terminal cells.

    Args:
        text: clean text.
        cells: at most this many cells, at least 1.

    Returns:
        The text, or its ends around "…".

    Example:
        >>> cut("diagnose authentication error", 15)
        'diagnos…n error'
    """
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= cells:
        return text
    left = cells // 2
    right = cells - 1 - left
    tail, taken = len(text), 0
    while tail > 0 and taken + cell_len(text[tail - 1]) <= right:
        tail -= 1
        taken += cell_len(text[tail])
    return set_cell_size(text, left) + GAP + text[tail:]


def moment(at: int | None, tz: str, form: str = "%Y-%m-%d %H:%M") -> str:
    """A time of day in a zone.

    Args:
        at: UTC microseconds, or None.
        tz: zone name.
        form: strftime form.

    Returns:
        The text, "-" for an unknown time.
    """
    if at is None:
        return "-"
    try:
        return datetime.fromtimestamp(at // 1_000_000, ZoneInfo(tz)).strftime(form)
    except (ValueError, OverflowError, OSError):  # a trace may claim any year
        return "-"


def rough(us: int | None) -> str:
    """A length of time in a narrow column: whole minutes from one minute on.

    Args:
        us: microseconds, or None.

    Returns:
        The text, "" for none or unknown.
    """
    minute = 60 * 10**6
    if not us:
        return ""
    return duration(us if us < minute else (us + minute // 2) // minute * minute)


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


def iso(at: int | None) -> str | None:
    """A time for machines.

    Args:
        at: UTC microseconds, or None.

    Returns:
        RFC 3339 with microseconds and Z, None for an unknown time.
    """
    if at is None:
        return None
    micro = at % 1_000_000
    text = moment(at, "UTC", "%Y-%m-%dT%H:%M:%S")
    return None if text == "-" else f"{text}.{micro:06d}Z"


def shell_path(path: Path) -> str:
    """A path as a word of a shell.

    Args:
        path: a file or folder.

    Returns:
        Absolute, the home folder as ~ where that needs no quotes.
    """
    short = home(path.expanduser().absolute())
    return short if re.fullmatch(r"[\w~./+:@-]+", short) else shlex.quote(str(path.expanduser().absolute()))


def home(path: object) -> str:
    """A path with the home folder as ~."""
    from os.path import expanduser

    text, root = str(path), expanduser("~").rstrip("/")
    return "~" + text[len(root) :] if root and (text == root or text.startswith(root + "/")) else text
