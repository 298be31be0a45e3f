r"""Where does a home folder's name stand? Readers for /home/x, C:\Users\x, -Users-x- and told names."""

from __future__ import annotations

import re
from typing import Final

from tracelode.redact.late import late
from tracelode.redact.span import WORD, Cut, Reader, edge, goes_on, keep, marker, path_edge
from tracelode.redact.table import Row

_NAME: Final = late(rb"[A-Za-z0-9_.\x80-\xff-]*")
_SPACED: Final = late(
    rb"[A-Za-z0-9_.\x80-\xff-]*(?:(?:[ ][A-Z][A-Za-z0-9_.\x80-\xff-]{0,30}){1,2}(?=[\\/]))?"
)
_PART: Final = late(rb"[A-Za-z0-9_]*")


def _stop(data: bytes, pattern: re.Pattern[bytes], at: int) -> tuple[int, int]:
    """Where a name ends and how far was looked; a full stop or hyphen at its end is the sentence's."""
    found = pattern.match(data, at)
    stop = end = found.end() if found else at
    while stop > at and data[stop - 1] in b".-":
        stop -= 1
    return stop, end + 70


def _home(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    if not path_edge(data, match.start()):
        return keep(match, match.start() + 1)
    stop, reach = _stop(data, _NAME, match.end())
    return Cut(match.start(), stop, marker(row.name), reach)


def _windows(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    if not edge(data, match.start()):
        return keep(match, match.start() + 1)
    stop, reach = _stop(data, _SPACED, match.end())
    return Cut(match.start(), stop, marker(row.name), reach)


def _exact(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """/root, or a folder with a told name: only if the name ends where the trigger does."""
    if not path_edge(data, match.start()) or goes_on(data, match.end()):
        return keep(match, match.start() + 1)
    return Cut(match.start(), match.end(), marker(row.name), match.end() + 3)


def _slug(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`-Users-x-src`: a folder path with its slashes made hyphens; `--home-dir` is an option."""
    if not path_edge(data, match.start()):
        return keep(match, match.start() + 1)
    before = data[max(0, match.start() - 1) : match.start()]
    root = match[0].startswith(b"-root-")
    stop = match.start() + 5 if root else _stop(data, _PART, match.end())[0]
    following = data[stop : stop + 2]
    option = before in (b" ", b"\t") and b"Users" not in match[0]
    if option and (root or following[:1] != b"-" or following[1:2] == b"" or following[1] not in WORD):
        return keep(match, match.start() + 1)
    return Cut(match.start(), stop, marker(row.name), stop + 3)


def _named_slug(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    following = data[match.end() : match.end() + 1]
    if following and (following[0] in WORD or following[0] in b"[~" or following[0] >= 0x80):
        return keep(match, match.start() + 1)
    return Cut(match.start() + 1, match.end(), marker(row.name), match.end() + 3)


READERS: Final[dict[str, Reader]] = {
    "home": _home,
    "windows": _windows,
    "root": _exact,
    "named": _exact,
    "slug": _slug,
    "named-slug": _named_slug,
}
