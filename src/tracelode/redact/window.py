"""What are the first and last characters of a redacted text, without redacting all of it?

Exact, not approximate: a window counts only where the rest of the text provably cannot change it.
No cut crosses a line feed (private keys are asked for first), so windows end at line feeds; where a mark
above a feed tells of secrets below it (`password: |`, the head of a table), the end is not cut off there. In
a line too long for that, the start is every stretch whose judgements end before the window does, and the
end counts only if nothing near it is redacted at all.
"""

from __future__ import annotations

import re
from typing import Final

from tracelode.redact.keys import PEM_BACK
from tracelode.redact.marks import encode
from tracelode.redact.scan import PASSES, READERS, Bind, Find, apply, redact, tells, walk
from tracelode.redact.span import BEFORE, LIMIT, PROBE, SPAN, Cut
from tracelode.redact.table import PEM_WORD, TRIGGER_MAX

_MARGIN: Final = TRIGGER_MAX + 2 * BEFORE
_SEEN_BELOW: Final = SPAN + TRIGGER_MAX + BEFORE
_STEPS: Final = 4
_SLACK: Final = 128
_NAMING: Final = re.compile("(?:key|Key|name|Name)(?:=?[\"'`&\\\\]|: |>)")
_FEED_REACH: Final = 4_096


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


def _holds(text: str, words: str, low: int, high: int) -> bool:
    """Is there such a text in a stretch? Asks for its last character: one alone is found ten times faster."""
    last, size = words[-1], len(words)
    at = text.find(last, low, high)
    for _ in range(_STEPS):
        if at < 0:
            return False
        if low <= at + 1 - size and text[at + 1 - size : at + 1] == words:
            return True
        at = text.find(last, at + 1, high)
    return at >= 0 and text.find(words, max(low, at - size), high) >= 0


def first(text: str, count: int, bind: Bind) -> tuple[str, int] | None:
    """The redacted text's beginning.

    Args:
        text: n characters, unredacted.
        count: characters wanted.
        bind: the engine.

    Returns:
        At least count characters of the redacted text, from at most how many of the original; None if
        only the whole text can tell.
    """
    width = count + _SLACK
    while width < len(text):
        feed = text.find("\n", width, width + _FEED_REACH)
        seen = feed if feed >= 0 else width + PASSES * _MARGIN
        if _holds(text, PEM_WORD, 0, seen + PEM_BACK + _MARGIN):
            return None
        if feed >= 0:
            redacted, used = redact(encode(text[:feed]), bind).decode(), feed
        else:
            # Every pass of the whole text can reach one margin further into what we see of it.
            used, data = seen, encode(text[:seen])
            for _ in range(PASSES):
                sure = _sure(data, bind(data))
                if sure is None:
                    return None
                data = sure
            redacted = data.decode()
        if len(redacted) >= count:
            return redacted, used
        width *= 4
    return None


def _sure(data: bytes, find: Find) -> bytes | None:
    """What is certain of one pass over a text whose end is cut off; None if lines know of each other."""
    safe = len(data) - _MARGIN
    cuts: list[Cut] = []
    stop = 0
    for found in walk(data, find):
        if found.more:
            return None
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
    return apply(data, [found for found in cuts if found.start < end], 0, end)


def last(text: str, count: int, bind: Bind) -> tuple[str, int] | None:
    """The redacted text's end.

    Args:
        text: n characters, unredacted.
        count: characters wanted.
        bind: the engine.

    Returns:
        At least count characters of the redacted text, and where in the original they begin; None if
        only the whole text can tell.
    """
    width = count + _SLACK
    while width < len(text):
        target = len(text) - width
        point = text.rfind("\n", max(0, target - _FEED_REACH), target) + 1
        if _holds(text, PEM_WORD, max(0, (point or target) - LIMIT - BEFORE), len(text)):
            return None
        if not point:
            return (encode(text[target:]).decode(), target) if _untouched(text, target, bind) else None
        if _hints(text, point) and _told(text, point, bind):
            return None
        redacted = redact(encode(text[point:]), bind).decode()
        if len(redacted) >= count:
            return redacted, point
        width *= 4
    return None


def _untouched(text: str, target: int, bind: Bind) -> bool:
    """Does no pass over the text change anything from target on, nor can a cut cross it?

    A cut is at most LIMIT long, and every pass may make new ones out of what an earlier one changed.
    """
    low = max(0, target - PASSES * (LIMIT + BEFORE))
    data = encode(text[low:])
    find, position = bind(data), 0
    while (found := find(position)) is not None:
        row, match = found
        position = match.start() + 1
        cut = READERS[row.kind](data, row, match, 0)
        if cut.text is not None or cut.more:
            return False
    return True


def _hints(text: str, point: int) -> bool:
    """May a mark above a line feed tell of secrets below it? Quick, and True too often."""
    low = max(0, point - _SEEN_BELOW)
    if text.find("|", low, point) >= 0 or _holds(text, "<<", low, point):
        return True
    above = text[max(low, text.rfind("\n", low, max(low, point - 1))) : point].rstrip()
    return above.endswith("\\") or bool(_NAMING.search(above)) or _holds(text, ": >", low, point)


def _told(text: str, point: int, bind: Bind) -> bool:
    """Does a mark above a line feed tell of secrets below it, as it stands or when it is redacted?"""
    above = encode(text[max(0, point - _SEEN_BELOW) : point])
    below = encode(text[point : point + SPAN + PROBE])
    return any(tells(head + below, len(head), bind) for head in (above, redact(above, bind)))
