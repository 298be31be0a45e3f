"""What are the first and last characters of a redacted text, without redacting all of it?

Exact, not approximate: a window counts only where the rest of the text provably cannot change it.
At the start that is every stretch whose judgements end before the window does; at the end it is all
that follows a point no cut can cross: a line feed, or a place no possible cut covers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tracelode.redact.scan import READERS, Find, apply, encode, walk
from tracelode.redact.span import BEFORE, LIMIT, Cut
from tracelode.redact.table import PEM_WORD, TRIGGER_MAX

_MARGIN: Final = TRIGGER_MAX + 2 * BEFORE
_SLACK: Final = 128
_FEED_REACH: Final = 4_096
_POINT_REACH: Final = 2_048

Engine = Callable[[bytes], Find]
"""Binds an engine to bytes."""


def cut(text: str, head: int, tail: int, total: int) -> str:
    """A redacted text bounded to its first and last characters.

    Args:
        text: already redacted.
        head: characters kept at the start.
        tail: characters kept at the end.
        total: characters of the text before redaction.

    Returns:
        The text, or head, a line that tells how many characters of the original are left out, and tail.
    """
    if len(text) <= head + tail:
        return text
    return join(text[:head], text[len(text) - tail :] if tail else "", total - head - tail)


def join(head: str, tail: str, left: int) -> str:
    """Head and tail of a bounded text.

    Args:
        head: first characters.
        tail: last characters, may be empty.
        left: characters left out; at least 1 is shown.

    Returns:
        One text.
    """
    return f"{head}\n…[{max(1, left)} characters]…" + (f"\n{tail}" if tail else "")


def first(text: str, count: int, engine: Engine) -> tuple[str, int] | None:
    """The redacted text's beginning.

    Args:
        text: n characters, unredacted.
        count: characters wanted.
        engine: what finds triggers.

    Returns:
        At least count characters of the redacted text, from how many of the original; None if only the
        whole text can tell.
    """
    width = count + _MARGIN + _SLACK
    while width < len(text):
        if text.find(PEM_WORD, 0, width + LIMIT + BEFORE) >= 0:
            return None
        data = encode(text[:width])
        redacted, used = _sure(data, engine(data))
        if len(redacted) >= count:
            return redacted, used
        width *= 4
    return None


def _sure(data: bytes, find: Find) -> tuple[str, int]:
    """What is certain of a text whose end is cut off, and how many bytes of it that took."""
    safe = len(data) - _MARGIN
    cuts: list[Cut] = []
    stop = 0
    for found in walk(data, find):
        if found.start >= safe:
            break
        if found.reach > len(data):
            safe = min(safe, found.start - BEFORE)
            break
        if found.text is not None:
            cuts.append(found)
            stop = found.stop
    end = max(safe, stop, 0)
    while end > stop and 0x80 <= data[end] < 0xC0:
        end -= 1
    return apply(data[:end], [c for c in cuts if c.start < end]).decode(), end


def last(text: str, count: int, engine: Engine) -> tuple[str, int] | None:
    """The redacted text's end.

    Args:
        text: n characters, unredacted.
        count: characters wanted.
        engine: what finds triggers.

    Returns:
        At least count characters of the redacted text, and where in the original they begin; None if
        only the whole text can tell.
    """
    width = count + _SLACK
    while width < len(text):
        target = len(text) - width
        at = text.rfind("\n", max(0, target - _FEED_REACH), target) + 1
        point = at or _open_point(text, target, engine)
        if not point or text.find(PEM_WORD, max(0, point - LIMIT - BEFORE)) >= 0:
            return None
        context = encode(text[max(0, point - BEFORE) : point])
        data = context + encode(text[point:])
        cuts = walk(data, engine(data), len(context))
        redacted = apply(data, cuts, len(context)).decode()
        if len(redacted) >= count:
            return redacted, point
        width *= 4
    return None


def _open_point(text: str, target: int, engine: Engine) -> int:
    """The last place before target that no possible cut covers; 0 if none is near."""
    start = max(0, target - _POINT_REACH - LIMIT - BEFORE)
    data = encode(text[start : target + 2 * _MARGIN])
    goal = len(encode(text[start:target]))
    lowest = len(encode(text[start : max(start, target - _POINT_REACH)]))
    find, position = engine(data), 0
    covered: list[tuple[int, int]] = []
    while (found := find(position)) is not None:
        row, match = found
        position = match.start() + 1
        judged = READERS[row.kind](data, row, match, 0)
        if judged.reach > len(data):
            covered.append((match.start() - BEFORE, len(data)))
        elif judged.text is not None:
            covered.append((judged.start, min(judged.stop, judged.start + LIMIT)))
    for low, high in sorted(covered, key=lambda pair: -pair[1]):
        if low < goal < high:
            goal = low
    while goal > 0 and 0x80 <= data[goal] < 0xC0:
        goal -= 1
    if goal <= lowest or any(low < goal < high for low, high in covered):
        return 0
    return start + len(data[:goal].decode())
