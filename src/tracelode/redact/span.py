r"""How long is one secret, and what stands beside it? Helpers every reader of redact shares.

Standard library only; all offsets are bytes of UTF-8.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from tracelode.redact.late import late
from tracelode.redact.table import Row

LIMIT: Final = 16_384
"""Longest cut, bytes."""
BEFORE: Final = 128
"""How far left of a trigger a reader looks, bytes (private keys excepted: LIMIT)."""
PROBE: Final = 512
"""How much of a value is judged, bytes; bounds the work on text made to trigger again and again."""
AFTER: Final = 300
"""How far behind a secret a reader looks, bytes."""
SPAN: Final = 2_048
"""How far below its mark a line may begin that holds a secret because of it, bytes."""


class Cut(NamedTuple):
    """A judged stretch of bytes."""

    start: int
    """First byte that goes."""
    stop: int
    """First byte that stays."""
    text: bytes | None
    """What is put in its place; None: all stays, the walk goes on at stop."""
    reach: int
    """The judgement depends on no byte from here on; above the length: on the end of the text."""
    more: tuple[Cut, ...] = ()
    """Secrets further right, also on lines below, that the same mark tells of; each within a line."""


Reader: TypeAlias = Callable[[bytes, Row, "re.Match[bytes]", int], Cut]
"""Judges one trigger: bytes, row, match, and the first byte no earlier cut has taken."""

_TAILS: dict[str, re.Pattern[bytes]] = {}
_ESCAPE: Final = late(rb"(?:\\[nrtfbv]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,10}m)\Z")
_FLAG_BEFORE: Final = late(rb"(?:\A|[ \t\"'])-[A-Za-z]\Z")
MARKER: Final = late(rb"\[(?:secret:[a-z-]{1,20}|email)\]")
CHANGED: Final = late(rb"~|" + MARKER.pattern)
"""What stands for a secret or a home folder. What other rules changed is not judged anew because of another
line: it was refused as it stood, and redacting again must change nothing."""
OPEN: Final = late(rb"[bBfFrRuUL$@]{0,2}(\\{0,7})(\"\"\"|'''|[\"'`])|(&quot;|&#34;|&#39;)")
_BARE: Final = late(rb"(?:[^\x00-\x20\"'`,;&|<>(){}\[\]\\\x7f]|\\[^\x00-\x20nrtbfuv\"'`/\\\x7f-\xff])+")
WORD: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_PATH_BEFORE: Final = WORD | frozenset(b".-~)]}*$") | frozenset(range(0x80, 0x100))


def marker(name: str) -> bytes:
    """What stands for a secret.

    Args:
        name: closed name of its kind.

    Returns:
        `[secret:name]`, or `[email]` and `~` for their kinds.
    """
    return {"email": b"[email]", "home": b"~"}.get(name) or b"[secret:%s]" % name.encode()


def whole(data: bytes, offset: int) -> int:
    """An offset that cuts no character in two.

    Args:
        data: UTF-8.
        offset: any offset.

    Returns:
        The offset, moved left to a character boundary.
    """
    while 0 < offset < len(data) and 0x80 <= data[offset] < 0xC0:
        offset -= 1
    return offset


def keep(match: re.Match[bytes], stop: int, reach: int = 0) -> Cut:
    """The refusal of a trigger: all stays.

    Args:
        match: the trigger.
        stop: where the walk goes on.
        reach: how far was looked, if further than stop.

    Returns:
        A cut without text.
    """
    return Cut(match.start(), stop, None, max(stop, reach) + 2)


def decode(data: bytes) -> str:
    """Text of a piece whose ends may lie inside characters.

    Args:
        data: almost UTF-8.

    Returns:
        Text with replacement characters where bytes are missing.
    """
    return data.decode("utf-8", "replace")


def escaped(data: bytes, start: int) -> bool:
    """Does an escape sequence (backslash n, %3D, colour) end right before?

    Args:
        data: the text.
        start: the place.

    Returns:
        True if so.
    """
    return bool(_ESCAPE.search(data[max(0, start - 16) : start]))


def edge(data: bytes, start: int) -> bool:
    """May a word begin here?

    Args:
        data: the text.
        start: the place.

    Returns:
        True if so.
    """
    return start == 0 or data[start - 1] not in WORD or escaped(data, start)


def token_edge(data: bytes, start: int) -> bool:
    """May a token of a known make begin here? `mcp__server__AKIA...` is one.

    Args:
        data: the text.
        start: the place.

    Returns:
        True if so.
    """
    return start == 0 or data[start - 1] == 0x5F or edge(data, start)


def path_edge(data: bytes, start: int) -> bool:
    """May an absolute path begin here?

    Args:
        data: the text.
        start: the place.

    Returns:
        True if so.
    """
    if start == 0 or data[start - 1] not in _PATH_BEFORE:
        return True
    return escaped(data, start) or bool(_FLAG_BEFORE.search(data[max(0, start - 3) : start]))


def goes_on(data: bytes, stop: int) -> bool:
    """Does a file name continue here?

    Args:
        data: the text.
        stop: the place behind the name so far.

    Returns:
        True if so.
    """
    following = data[stop : stop + 2]
    if not following:
        return False
    if following[0] in b".":
        return following[1:] != b"" and following[1] in WORD
    # A replacement behind counts like the name it stands for: redacting again must change nothing.
    return following[0] in WORD or following[0] in b"-[~" or following[0] >= 0x80


def tail(data: bytes, row: Row, at: int, most: int = sys.maxsize) -> tuple[int, int]:
    """How far a token goes on behind its trigger.

    Args:
        data: the text.
        row: whose tail characters count.
        at: end of the trigger.
        most: how far is looked at most, bytes.

    Returns:
        Where it stops, full stops of the sentence left out; how far was looked.
    """
    pattern = _TAILS.get(row.tail)
    if pattern is None:
        pattern = _TAILS[row.tail] = re.compile(f"(?:{row.tail})*".encode("latin-1"))
    found = pattern.match(data, at, min(len(data), at + most))
    stop = end = found.end() if found else at
    while stop > at and data[stop - 1] == 0x2E:
        stop -= 1
    return stop, end + 2


class Value(NamedTuple):
    """A value as far as needed to judge it."""

    start: int
    """First byte inside the quotes."""
    stop: int
    """First byte behind."""
    quoted: bool
    """Whether it stands in quotes."""
    closed: bool
    """False for a quote that never ends on its line."""
    reach: int
    """How far was looked."""
    content: bytes
    """The value; its first PROBE bytes if it is longer."""


def read_value(data: bytes, at: int) -> Value:
    """The value that begins at an offset: in quotes of any depth of escaping, or a bare word.

    Args:
        data: the text.
        at: first byte behind the sign.

    Returns:
        A bare word is read up to PROBE bytes only; take_value() reads it to its end.
    """
    opened = OPEN.match(data, at)
    if opened is None:
        bare = _BARE.match(data, at, at + PROBE)
        stop = bare.end() if bare else at
        return Value(at, stop, False, True, stop + 12, data[at:stop])
    begin, depth = opened.end(), len(opened[1] or b"")
    close = opened[3] or opened[2]
    limit = min(len(data), begin + LIMIT)
    feeds = (data.find(b"\n", begin, limit), data.find(b"\r", begin, limit))
    line = min((feed for feed in feeds if feed >= 0), default=limit)
    stop = data.find(close, begin, line)
    while stop > begin and not depth and not opened[3] and _backslashes(data, begin, stop) % 2:
        stop = data.find(close, stop + 1, line)
    if stop < 0:
        stop = min(line, whole(data, begin + AFTER))
        return Value(begin, stop, True, False, line, data[begin : min(stop, begin + PROBE)])
    reach = stop + len(close)
    while depth and stop > begin and data[stop - 1] == 0x5C:
        stop -= 1
    return Value(begin, stop, True, True, reach, data[begin : min(stop, begin + PROBE)])


def take_value(data: bytes, value: Value, name: str) -> Cut:
    """The cut of a value that was judged a secret.

    Args:
        data: the text.
        value: as read.
        name: closed name of its kind.

    Returns:
        The whole value, up to LIMIT.
    """
    stop, reach = value.stop, value.reach
    if not value.quoted and stop - value.start >= PROBE - 1:
        bare = _BARE.match(data, value.start, value.start + LIMIT)
        stop = bare.end() if bare else stop
        reach = stop + 12
    return Cut(value.start, stop, marker(name), reach + 2)


def _backslashes(data: bytes, floor: int, at: int) -> int:
    count = 0
    while at - count > floor and data[at - count - 1] == 0x5C:
        count += 1
    return count
