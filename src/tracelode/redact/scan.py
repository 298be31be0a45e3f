r"""Where does each secret start and stop? The one walk both redaction engines share.

An engine finds the leftmost trigger of the table; the readers here judge it and measure the secret.
Standard library only. All work is on UTF-8 bytes. Three facts the preview windows rest on: no cut
holds a line feed except private keys, no cut is longer than LIMIT, and what a reader decides depends
on nothing further left than BEFORE and nothing at or behind its `reach`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeAlias

from tracelode.redact.judge import benign, mixed, secret, strength
from tracelode.redact.table import Row

LIMIT: Final = 16_384
"""Longest cut, bytes."""
BEFORE: Final = 64
"""How far left of a trigger a reader looks, bytes (private keys excepted: LIMIT)."""
AFTER: Final = 300
"""How far behind a secret a reader looks, bytes."""


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


Found: TypeAlias = tuple[Row, "re.Match[bytes]"]
Find: TypeAlias = Callable[[int], "Found | None"]
"""Leftmost trigger at or behind an offset."""
Reader: TypeAlias = Callable[[bytes, Row, "re.Match[bytes]", int], Cut]

_TAILS: dict[str, re.Pattern[bytes]] = {}
_ESCAPE: Final = re.compile(rb"(?:\\[nrtfbv]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,10}m)\Z")
_FLAG_BEFORE: Final = re.compile(rb"(?:\A|[ \t\"'])-[A-Za-z]\Z")
_MARKER: Final = re.compile(rb"\[(?:secret:[a-z-]{1,20}|email)\]")
_OPEN: Final = re.compile(rb"[bBfFrRuUL$@]{0,2}(\\{0,7})(\"\"\"|'''|[\"'`])|(&quot;|&#34;|&#39;)")
_BARE: Final = re.compile(rb"(?:[^\x00-\x20\"'`,;&|<>(){}\[\]\\\x7f]|\\[^\x00-\x20nrtbfuv\"'`/\\\x7f-\xff])+")
_LINE: Final = re.compile(rb"[^\"'`\r\n\\]*")
_KEY_BEFORE: Final = re.compile(rb"[A-Za-z0-9_.$-]{0,40}\Z")
_WORD: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_PATH_BEFORE: Final = _WORD | frozenset(b".-~)]}*$") | frozenset(range(0x80, 0x100))
_HOME_NAME: Final = re.compile(rb"[A-Za-z0-9_.\x80-\xff-]*")
_SPACED_NAME: Final = re.compile(
    rb"[A-Za-z0-9_.\x80-\xff-]*(?:(?:[ ][A-Z][A-Za-z0-9_.\x80-\xff-]{0,30}){1,2}(?=[\\/]))?"
)
_SLUG_NAME: Final = re.compile(rb"[A-Za-z0-9_]*")
_LOCAL_BEFORE: Final = re.compile(rb"[A-Za-z0-9_%+.\x80-\xff-]{1,64}\Z")
_DOMAIN: Final = re.compile(rb"(?:[A-Za-z0-9\x80-\xff-]{1,63}\.){1,8}[A-Za-z\x80-\xff]{2,}")
_NO_DOMAIN: Final = re.compile(
    rb"\d+x\.[A-Za-z]+\Z|.*\.(?:png|jpe?g|svg|webp|gif|ico|json|css|m?jsx?|tsx?|html?|ya?ml|lock|tgz|whl|zip)\Z",
    re.I | re.S,
)


def marker(name: str) -> bytes:
    """What stands for a secret.

    Args:
        name: closed name of its kind.

    Returns:
        `[secret:name]`, or `[email]` and `~` for their kinds.
    """
    return {"email": b"[email]", "home": b"~"}.get(name) or b"[secret:%s]" % name.encode()


def walk(data: bytes, find: Find, start: int = 0) -> Iterable[Cut]:
    """Judge every trigger from left to right; accepted cuts do not overlap.

    Args:
        data: n bytes of UTF-8.
        find: the engine, bound to the same bytes.
        start: where to begin; what stands before is context only.

    Yields:
        Cuts in order, refused ones (text None) included.
    """
    position = floor = start
    while (found := find(position)) is not None:
        row, match = found
        cut = READERS[row.kind](data, row, match, floor)
        if cut.stop - cut.start > LIMIT:
            cut = cut._replace(stop=_whole(data, cut.start + LIMIT))
        yield cut
        position = max(cut.stop, match.start() + 1)
        if cut.text is not None:
            floor = position


def apply(data: bytes, cuts: Iterable[Cut], start: int = 0) -> bytes:
    """The bytes with every accepted cut replaced.

    Args:
        data: n bytes of UTF-8.
        cuts: as walk() yields them.
        start: first byte of interest.

    Returns:
        UTF-8 from start on.
    """
    pieces, done = [], start
    for cut in cuts:
        if cut.text is not None:
            pieces += (data[done : cut.start], cut.text)
            done = cut.stop
    pieces.append(data[done:])
    return b"".join(pieces)


def encode(text: str) -> bytes:
    """UTF-8, lone surrogates as question marks.

    Args:
        text: any string.

    Returns:
        Valid UTF-8.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _whole(data: bytes, offset: int) -> int:
    """The offset, moved left to a character boundary."""
    while 0 < offset < len(data) and 0x80 <= data[offset] < 0xC0:
        offset -= 1
    return offset


def _keep(match: re.Match[bytes], stop: int, reach: int = 0) -> Cut:
    return Cut(match.start(), stop, None, max(stop, reach) + 2)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _escaped(data: bytes, start: int) -> bool:
    """Does an escape sequence (backslash n, %3D, colour) end right before?"""
    return bool(_ESCAPE.search(data[max(0, start - 16) : start]))


def _edge(data: bytes, start: int) -> bool:
    """May a word begin here?"""
    return start == 0 or data[start - 1] not in _WORD or _escaped(data, start)


def _path_edge(data: bytes, start: int) -> bool:
    """May an absolute path begin here?"""
    if start == 0 or data[start - 1] not in _PATH_BEFORE:
        return True
    return _escaped(data, start) or bool(_FLAG_BEFORE.search(data[max(0, start - 3) : start]))


def _goes_on(data: bytes, stop: int) -> bool:
    """Does a file name continue here?"""
    following = data[stop : stop + 2]
    if not following:
        return False
    if following[0] in b".":
        return following[1:] != b"" and following[1] in _WORD
    return following[0] in _WORD or following[0] in b"-" or following[0] >= 0x80


def _tail(data: bytes, row: Row, at: int) -> int:
    pattern = _TAILS.get(row.tail)
    if pattern is None:
        pattern = _TAILS[row.tail] = re.compile(f"(?:{row.tail})*".encode("latin-1"))
    found = pattern.match(data, at)
    stop = found.end() if found else at
    while stop > at and data[stop - 1] == 0x2E:
        stop -= 1
    return stop


class _Value(NamedTuple):
    start: int
    stop: int
    quoted: bool
    closed: bool
    reach: int


def _value(data: bytes, at: int) -> _Value:
    """The value that begins at an offset: in quotes of any depth of escaping, or a bare word."""
    opened = _OPEN.match(data, at)
    if opened is None:
        bare = _BARE.match(data, at, at + LIMIT)
        stop = bare.end() if bare else at
        return _Value(at, stop, False, True, stop)
    begin, depth = opened.end(), len(opened[1] or b"")
    close = opened[3] or opened[2]
    limit = min(len(data), begin + LIMIT)
    line = min((i for i in (data.find(b"\n", begin, limit), data.find(b"\r", begin, limit)) if i >= 0), default=limit)
    stop = data.find(close, begin, line)
    while stop > begin and not depth and not opened[3] and _backslashes(data, begin, stop) % 2:
        stop = data.find(close, stop + 1, line)
    if stop < 0:
        return _Value(begin, min(line, _whole(data, begin + AFTER)), True, False, line)
    reach = stop + len(close)
    while depth and stop > begin and data[stop - 1] == 0x5C:
        stop -= 1
    return _Value(begin, stop, True, True, reach)


def _backslashes(data: bytes, floor: int, at: int) -> int:
    count = 0
    while at - count > floor and data[at - count - 1] == 0x5C:
        count += 1
    return count


def _token(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    if row.kind == "token" and not _edge(data, match.start()):
        return _keep(match, match.start() + 1)
    stop = _tail(data, row, match.end())
    start = match.end(1) if match.re.groups and match[1] is not None else match.start()
    return Cut(start, stop, marker(row.name), stop + 2)


_BEFORE_TOKEN: Final = {
    "telegram": re.compile(rb"[0-9]{6,16}\Z"),
    "azure": re.compile(rb"[A-Za-z0-9_.~-]{3,4}\Z"),
    "terraform": re.compile(rb"[A-Za-z0-9]{10,40}\Z"),
}


def _before(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """A token whose telling part stands in its middle."""
    head = _BEFORE_TOKEN[row.name].search(data[max(floor, match.start() - BEFORE) : match.start()])
    if head is None:
        return _keep(match, match.start() + 1)
    stop = _tail(data, row, match.end())
    return Cut(match.start() - len(head[0]), stop, marker(row.name), stop + 2)


def _marker(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    return _keep(match, match.end())


_B64_LINE: Final = re.compile(rb"[A-Za-z0-9+/=]{16}")
_PEM_END: Final = re.compile(rb"-----END [A-Z0-9 ]{0,40}-{0,5}|---- END [A-Z0-9 ]{0,40}-{0,4}")
_PEM_BODY: Final = re.compile(
    rb"(?: BLOCK)?-{0,5}(?:(?:\\[nr]|[\r\n ])*(?:Proc-Type|DEK-Info|Comment|Version)[^\r\n\\]*)*"
    rb"(?:(?:\\[nrt]|[ \t]{0,8}[0-9]{1,6}(?:\t|\xe2\x86\x92|:|\|)|[\t\r\n \"'>|#*,\\]){1,80}[A-Za-z0-9+/=]{16,})+"
    rb"(?:(?:\\[nrt]|[\t\r\n \"'>|#*,\\]){1,8}[A-Za-z0-9+/=]{1,15}\Z)?"
)
_PEM_BACK: Final = re.compile(
    rb"(?:n\\|r\\|[\t\r\n \"'>|#*,\\]){0,80}(?:[A-Za-z0-9+/=]{1,15}(?:n\\|r\\|[\t\r\n \"'>|#*,\\]){1,80})?"
    rb"[A-Za-z0-9+/=]{16,}(?:(?:n\\|r\\|[\t\r\n \"'>|#*,\\]|[|:\t][0-9]{1,6}[ ]){1,80}[A-Za-z0-9+/=]{16,})*"
    rb"(?:(?:n\\|r\\|[\t\r\n ]){1,8}[A-Za-z0-9+/=]{1,15}\Z)?"
)


def _pem(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """A private key: to its END line, or as far as lines look like base64."""
    limit = match.start() + LIMIT
    end = _PEM_END.search(data, match.end(), limit)
    if end is not None:
        if _B64_LINE.search(data, match.end(), end.start()) is None:
            return _keep(match, match.end(), end.end())
        return Cut(match.start(), end.end(), marker(row.name), end.end() + 64)
    body = _PEM_BODY.match(data, match.end(), limit)
    if body is None:
        return _keep(match, match.end(), limit)
    return Cut(match.start(), body.end(), marker(row.name), limit + 64)


def _pem_end(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """The end of a private key whose beginning was cut away before the text reached us."""
    before = data[max(floor, match.start() - LIMIT // 2) : match.start()]
    body = _PEM_BACK.match(before[::-1])
    if body is None:
        return _keep(match, match.end())
    end = _PEM_END.match(data, match.start())
    stop = end.end() if end else match.end()
    return Cut(match.start() - body.end(), stop, marker(row.name), stop + 64)


_SCHEMES: Final = frozenset(
    b"bearer basic token digest negotiate ntlm apikey api-key key hmac oauth bot jwt aws4-hmac-sha256 sharedkey "
    b"sharedkeylite sharedaccesssignature splunk ssws signature client-id zoho-oauthtoken discogs pve pveapitoken "
    b"x-api-key dpop mac hawk credential password secret apikeyauth".split()
)
_WHOLE_LINE: Final = frozenset(b"digest aws4-hmac-sha256 oauth hmac signature sharedaccesssignature mac hawk".split())


def _authorization(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    opened = _OPEN.match(data, match.end())
    begin = opened.end() if opened else match.end()
    line = _LINE.match(data, begin, begin + LIMIT)
    content = line[0] if line else b""
    words = content.split(b" ", 1)
    reach = begin + len(content)
    scheme = words[0].lower().rstrip(b":")
    if len(words) == 2 and scheme in _SCHEMES:
        value = words[1].lstrip(b" ")
        start = begin + len(content) - len(value)
        value = value.rstrip(b" ") if scheme in _WHOLE_LINE else value.split(b" ", 1)[0]
        value = value if scheme in _WHOLE_LINE else value.rstrip(b",;)}")
        if not value or _MARKER.match(value) or benign(_text(value)):
            return _keep(match, match.end(1), reach)
    else:
        start, value = begin, words[0].rstrip(b",;)}")
        if _MARKER.match(value) or not secret("auth", _text(value), bool(opened), ""):
            return _keep(match, match.end(1), reach)
    return Cut(start, start + len(value), marker(row.name), reach + 2)


_SCHEME_VALUE: Final = re.compile(rb"[A-Za-z0-9._~+/=-]*")


def _scheme(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`Bearer abc...` and `Basic abc...` without their header."""
    found = _SCHEME_VALUE.match(data, match.end(1), match.end(1) + LIMIT)
    stop = found.end() if found else match.end()
    while data[stop - 1] == 0x2E:
        stop -= 1
    value = _text(data[match.end(1) : stop])
    drawn = mixed(value) and (len(value) >= 16 or value != value.lower()) or value.endswith("=")
    if not drawn or not _edge(data, match.start()) or benign(value):
        return _keep(match, match.end(1), stop)
    return Cut(match.end(1), stop, marker(row.name), stop + 2)


def _cookie(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    sign = match[1].rstrip(b" \t")[-1:]
    opened = _OPEN.match(data, match.end())
    begin = opened.end() if opened else match.end()
    content = _LINE.match(data, begin, begin + LIMIT)
    value = content[0].rstrip(b" ") if content else b""
    reach = begin + len(value)
    if sign != b":" and not opened:
        value = value.split(b" ", 1)[0] if sign in (b"b", b"e") or match[1].startswith(b"--") else b""
    if b"=" not in value or value[:1] in (b"(", b"{", b"[", b"=", b"$") or benign(_text(value)):
        return _keep(match, match.end(1), reach + 2)
    return Cut(begin, begin + len(value), marker(row.name), reach + 2)


def _xml(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    stop = data.find(b"</", match.end(), match.end() + AFTER)
    value = data[match.end() : stop] if stop > 0 else b""
    if not value or b"\n" in value or b"\r" in value or _MARKER.match(value) or benign(_text(value)):
        return _keep(match, match.end(1), match.end() + AFTER)
    return Cut(match.end(), stop, marker(row.name), match.end() + AFTER)


def _flag(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`--password X`: a flag says it loudly, so any word that is no placeholder goes."""
    value = _value(data, match.end())
    text = _text(data[value.start : value.stop])
    key = _text(match[1]).strip()
    refused = (
        not _edge(data, match.start())
        or data[max(0, match.start() - 1) : match.start()] == b"-"
        or text.startswith(("-", "/", "="))
        or _MARKER.match(data, value.start)
        or (strength(key) == 0 and not key.endswith(("pass", "pw")))
        or not secret("PASSWORD", text, value.quoted, _text(data[value.stop : value.stop + 1]))
    )
    if refused:
        return _keep(match, match.end(1), value.reach)
    return Cut(value.start, value.stop, marker(row.name), value.reach + 2)
