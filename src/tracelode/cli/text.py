"""How does text of a trace get on a screen? Without control characters, and never wider than its place."""

from __future__ import annotations

import re
import shlex
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from tracelode.model.numbers import number as number
from tracelode.model.words import duration, printable

GAP = "…"
"""Stands where text was cut."""
JOINT = " > "
"""Between the frames of a stack."""
NARROWEST = 40
"""Narrower lines are written as if they had so many cells: in fewer, words would be cut inside."""
SHORTEST = 7
"""Cells that a cut frame keeps, so that it can still be guessed."""


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


def cut_end(text: str, cells: int) -> str:
    """Shorten a sentence to a number of terminal cells; its beginning says what it is about.

    Args:
        text: clean text.
        cells: at most this many cells, at least 1.

    Returns:
        The text, or its beginning before "…".

    Example:
        >>> cut_end("find out why it fails", 12)
        'find out wh…'
    """
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + GAP


def cut_path(text: str, cells: int) -> str:
    """Shorten a path to a number of terminal cells; its end says more than its beginning.

    Args:
        text: clean text.
        cells: at most this many cells, at least 1.

    Returns:
        The text, or its end behind "…".

    Example:
        >>> cut_path("~/traces/a.jsonl:12", 12)
        '…/a.jsonl:12'
    """
    from rich.cells import cell_len

    if cell_len(text) <= cells:
        return text
    start, taken = len(text), 0
    while start > 0 and taken + cell_len(text[start - 1]) <= cells - 1:
        start -= 1
        taken += cell_len(text[start])
    return GAP + text[start:]


def cut_stack(text: str, cells: int) -> str:
    """Shorten a stack to a number of terminal cells: inside its frames, so that each is told from the next.

    Args:
        text: clean frames joined by " > ".
        cells: at most this many cells, at least 1.

    Returns:
        The text; else the widest frames before the last cut; else "…" for the frames after the first, as few
        of them as it takes; else "…" and the last frame.

    Example:
        >>> cut_stack("change code > explore code > Bash:git", 34)
        'chang…code > explo…code > Bash:git'
        >>> cut_stack("change code > explore code > Bash:git", 26)
        'change code > … > Bash:git'
    """
    frames = text.split(JOINT)
    if len(frames) == 1 or width(text) <= cells:
        return cut(text, cells)
    sizes = [width(frame) for frame in frames]
    least = [min(size, SHORTEST) + len(JOINT) for size in sizes[:-1]]
    if sum(least) + sizes[-1] <= cells:
        return _narrowed(frames, sizes, cells)
    # The first frame, "…", and as many of the last ones as there is room for.
    need, kept = least[0] + len(GAP) + len(JOINT) + sizes[-1], 1
    while kept < len(frames) - 2 and need + least[-kept] <= cells:
        need, kept = need + least[-kept], kept + 1
    if need <= cells and len(frames) > 2:
        return _narrowed([frames[0], GAP, *frames[-kept:]], [sizes[0], 1, *sizes[-kept:]], cells)
    lead = f"{GAP}{JOINT}"
    if len(frames) == 2 and len(lead) + sizes[-1] > cells >= 3 * SHORTEST + len(JOINT):
        lead = cut(frames[0], SHORTEST) + JOINT
    if cells >= len(lead) + min(sizes[-1], SHORTEST):
        return lead + cut(frames[-1], cells - len(lead))
    return cut(frames[-1], cells)


def _narrowed(frames: list[str], sizes: list[int], cells: int) -> str:
    """The frames with the widest before the last cut to one width; there is room for SHORTEST cells each."""
    room = cells - len(JOINT) * (len(frames) - 1) - sizes[-1]
    low, high = SHORTEST, max(SHORTEST, *sizes[:-1])
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(min(s, middle) for s in sizes[:-1]) <= room else (low, middle - 1)
    spare = room - sum(min(size, low) for size in sizes[:-1])
    shown = []
    for frame, size in zip(frames[:-1], sizes[:-1], strict=True):
        more = 1 if size > low and spare > 0 else 0
        spare -= more
        shown.append(cut(frame, low + more))
    return JOINT.join([*shown, frames[-1]])


def fold(text: str, first: int, rest: int) -> list[str]:
    """Break a text into lines: at blanks, in words that are too long behind a slash, else anywhere.

    Args:
        text: clean text.
        first: cells of the first line.
        rest: cells of the others.

    Returns:
        Lines that hold every character but blanks at their ends.

    Example:
        >>> fold("stored in ~/traces/weekly", 12, 10)
        ['stored in', '~/traces/', 'weekly']
    """
    from rich.cells import chop_cells

    lines, line, room = [""], "", first
    for word in text.split(" "):
        pieces = [word]
        if width(word) > rest:
            pieces = [p for part in re.findall(r"[^/]*/|[^/]+", word) for p in chop_cells(part, max(2, rest))]
        for place, piece in enumerate(pieces):
            joint = " " if line and not place else ""
            # A word of several pieces begins on a line of its own.
            need = width(joint) + width(piece if place else word)
            if width(line) + need > room and (line or (len(lines) == 1 and first < rest)):
                lines[-1], line, joint, room = line.rstrip(" "), "", "", rest
                lines.append("")
            line += joint + piece
    lines[-1] = line.rstrip(" ")
    return lines


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


def families(sessions: int, subagents: int) -> str:
    """A count of sessions as every command says it: root sessions, and their sub-agents apart.

    Args:
        sessions: root sessions.
        subagents: below them.

    Returns:
        The text.

    Example:
        >>> families(12, 30), families(1, 0)
        ('12 sessions, 30 sub-agents', '1 session')
    """
    below = f", {number(subagents, 'sub-agent')}" if subagents else ""
    return number(sessions, "session") + below


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


def shell_word(text: str) -> str:
    """A text as a word of a shell.

    Args:
        text: clean text.

    Returns:
        The text, in quotes where a shell would read more or less than it; "#" and "~" inside of a word are
        read as they are.

    Example:
        >>> shell_word("7f3a2b1c#41"), shell_word("my run#1")
        ('7f3a2b1c#41', "'my run#1'")
    """
    return text if re.fullmatch(r"[\w./:@%+-][\w./:@%+~#-]*", text) else shlex.quote(text)


def home(path: object) -> str:
    """A path with the home folder as ~."""
    from os.path import expanduser

    text, root = str(path), expanduser("~").rstrip("/")
    return "~" + text[len(root) :] if root and (text == root or text.startswith(root + "/")) else text
