"""Which bytes are secret because of the words around them: headers, assignments, flags, commands?"""

from __future__ import annotations

import re
from typing import Final

from tracelode.redact.judge import benign, kind, mixed, secret, strength
from tracelode.redact.late import late
from tracelode.redact.lines import block, cell, pair
from tracelode.redact.prose import owned
from tracelode.redact.span import (
    AFTER,
    BEFORE,
    LIMIT,
    MARKER,
    OPEN,
    PROBE,
    Cut,
    Reader,
    decode,
    edge,
    keep,
    marker,
    read_value,
    take_value,
)
from tracelode.redact.table import Row

_LINE: Final = late(rb"[^\"'`\r\n\\]*")
_SCHEME: Final = late(rb"([A-Za-z][A-Za-z0-9-]{1,20}):?(?:[ ]{1,3}|%20)")
_SCHEMES: Final = frozenset(
    b"bearer basic token digest negotiate ntlm apikey api-key key hmac oauth bot jwt aws4-hmac-sha256 "
    b"sharedkey sharedkeylite sharedaccesssignature splunk ssws signature client-id zoho-oauthtoken discogs "
    b"pveapitoken x-api-key dpop mac hawk credential password secret".split()
)
# `"Password: " + x`, `input("token: ")`: the quote behind the sign ends the text the key stands in.
_ENDING_QUOTE: Final = late(rb"[ \t),;\]}]|\+ |\.[a-z_]+\(|\Z")
_PARAMETERS: Final = late(
    rb"(?:[A-Za-z_-]{1,40}=(?:\\?\"[^\"\r\n]{0,2000}\"|[^ \r\n,;\"']{0,2000})[,; ]{0,3})+"
)
_CREDENTIAL: Final = late(rb"[^\x00-\x20\"'`,;)\\\x7f]*")


def _authorization(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`Authorization: Bearer ...`: the scheme stays."""
    opened = OPEN.match(data, match.end())
    begin = opened.end() if opened else match.end()
    scheme = _SCHEME.match(data, begin)
    if scheme is None or scheme[1].lower() not in _SCHEMES:
        found = read_value(data, match.end())
        value = decode(found.content)
        if MARKER.match(data, found.start) or not secret(
            "auth", value, found.quoted, decode(data[found.stop : found.stop + 1])
        ):
            return keep(match, match.end(1), found.reach)
        return take_value(data, found, row.name)
    start = scheme.end()
    credential = _PARAMETERS.match(data, start, start + LIMIT) or _CREDENTIAL.match(
        data, start, start + LIMIT
    )
    stop = reach = credential.end() if credential else start
    while stop > start and data[stop - 1] in b",; ":
        stop -= 1
    if stop == start or MARKER.match(data, start) or benign(decode(data[start : min(stop, start + PROBE)])):
        return keep(match, match.end(1), reach + 12)
    return Cut(start, stop, marker(row.name), reach + 12)


_SCHEME_VALUE: Final = late(rb"[A-Za-z0-9._~+/=-]*")


def _scheme(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`Bearer abc...` and `Basic abc...` without their header."""
    found = _SCHEME_VALUE.match(data, match.end(1), match.end(1) + PROBE)
    stop = reach = found.end() if found else match.end()
    value = decode(data[match.end(1) : stop].rstrip(b"."))
    drawn = (mixed(value) and (len(value) >= 16 or value != value.lower())) or value.endswith("=")
    if not drawn or not edge(data, match.start()) or benign(value):
        return keep(match, match.end(1), reach)
    found = _SCHEME_VALUE.match(data, match.end(1), match.end(1) + LIMIT)
    stop = reach = found.end() if found else stop
    while data[stop - 1] == 0x2E:
        stop -= 1
    return Cut(match.end(1), stop, marker(row.name), reach + 2)


def _cookie(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    sign = match[1].rstrip(b" \t")[-1:]
    opened = OPEN.match(data, match.end())
    begin = opened.end() if opened else match.end()
    content = _LINE.match(data, begin, begin + PROBE)
    value = content[0].rstrip(b" ") if content else b""
    reach = content.end() + 12 if content else begin + 12
    word = sign != b":" and not opened
    if word:
        # `cookie = x` is code; `--cookie x` and `-b x` take one word.
        value = value.split(b" ", 1)[0] if match[1].startswith((b"--", b" -")) else b""
    refused = (
        b"=" not in value
        or value[:1] in (b"(", b"{", b"[", b"=", b"$")
        or (opened and _ENDING_QUOTE.match(value))
        or benign(decode(value))
    )
    if refused:
        return keep(match, match.end(1), reach)
    if not word and reach >= begin + PROBE and (content := _LINE.match(data, begin, begin + LIMIT)):
        value, reach = content[0].rstrip(b" "), content.end() + 12
    return Cut(begin, begin + len(value), marker(row.name), reach)


def _xml(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    if strength(decode(match[1]), True) == 0:
        return keep(match, match.end(1))
    stop = data.find(b"</", match.end(), match.end() + AFTER)
    value = data[match.end() : stop] if stop > 0 else b""
    if not value or b"\n" in value or b"\r" in value or MARKER.match(value) or benign(decode(value)):
        return keep(match, match.end(1), match.end() + AFTER)
    return Cut(match.end(), stop, marker(row.name), match.end() + AFTER)


_FLAG_BACK: Final = late(rb"[A-Za-z0-9_.-]*")


def _flag(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`--password X`: a flag says it loudly, so any word that is no placeholder goes."""
    found = read_value(data, match.end())
    value = decode(found.content)
    head = _FLAG_BACK.match(data[max(0, match.start() - 32) : match.start()][::-1])
    before = head[0][::-1] if head else b""
    key = decode(before + match[1]).strip()
    refused = (
        not edge(data, match.start() - len(before))
        or not key.startswith("-")
        or key.startswith("---")
        or value.startswith(("-", "/", "="))
        or MARKER.match(data, found.start)
        or (strength(key) == 0 and not key.endswith(("pass", "pw")))
        or not secret("PASSWORD", value, found.quoted, decode(data[found.stop : found.stop + 1]))
    )
    if refused:
        return keep(match, match.end(1), found.reach)
    return take_value(data, found, row.name)


_KEY_BACK: Final = late(rb"[A-Za-z0-9_.$-]*")
# `:param token: ...`, `@param {string} password`: documentation, unless a value is given outright.
_DOCUMENTED: Final = late(
    rb"[:@](?:param|type|arg|var|ivar|keyword|property)[ ]{1,2}[A-Za-z0-9_.{}$ -]{0,40}\Z"
)


def _key_before(data: bytes, start: int) -> str:
    """What stands before a telling word on the same word, read backwards: `DB_` of `DB_PASSWORD`."""
    back = data[max(0, start - 40) : start][::-1]
    found = _KEY_BACK.match(back)
    return decode(found[0][::-1]) if found else ""


_QUOTED: Final = late(rb"(?:\\{0,7}[\"'`]|&quot;|&#34;|&#39;)\Z")
_CELL_BEFORE: Final = late(rb"[|]([^|\r\n]{0,60})\Z")


def _beside(data: bytes, match: re.Match[bytes], floor: int) -> Cut:
    """A telling word that no value follows: its value is the next cell or another attribute."""
    word = decode(match[1])
    if data[match.end() - 1] != 0x7C:
        return pair(data, match, word, floor)
    before = _CELL_BEFORE.search(data[max(0, match.start() - BEFORE) : match.start()])
    if before is None:
        return keep(match, match.end(1), match.end())
    return cell(data, match, match.end() - 1, decode(before[1]).strip(" \t*_`\"'") + word)


def _assigned(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`password = "..."`, `"api_key": "..."`, `TOKEN=...` and their relatives."""
    end = data[match.end() - 1]
    if end in b"|>/,}" or (end in b" \t" and _QUOTED.match(data, match.end(1), match.end() - 1)):
        return _beside(data, match, floor)
    key = _key_before(data, match.start()) + decode(match[1])
    sign = data[match.end(1) : match.end()].rstrip(b" \t*")
    following = data[match.end() : match.end() + 1]
    if following == b"=" or (sign.endswith(b":") and following == b":"):
        return keep(match, match.end())
    if sign == b":" and _DOCUMENTED.search(data[max(0, match.start() - BEFORE) : match.start()]):
        return keep(match, match.end())
    if sign.endswith(b":") and following in (b"|", b">"):
        return block(data, match, key)
    found = read_value(data, match.end())
    if data[match.end() - 1] == 0x2A and not found.quoted:
        bare = found.content.rstrip(b"*")
        found = found._replace(stop=found.start + len(bare), content=bare)
    content = found.content
    if sign in (b":", b"=") and match[1] == key.encode():
        key = owned(data, match, key, found)
    refused = (
        b"---- BEGIN" in content
        or b"-----BEGIN" in content
        or MARKER.match(data, found.start)
        or (found.quoted and _ENDING_QUOTE.match(content))
        or not secret(
            key, decode(content), found.quoted, decode(data[found.stop : found.stop + 1]), sign.endswith(b"=")
        )
    )
    if refused:
        return keep(match, match.end(1), found.reach)
    return take_value(data, found, kind(decode(match[1])))


_ASKING: Final = late(r"(?:get|fetch|read|load|find|prompt|input|ask|for|enter)[_-]?\Z", re.I)


def _call(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`set_password("...")`."""
    found = read_value(data, match.end() - 1)
    content = decode(found.content)
    refused = (
        _ASKING.search(_key_before(data, match.start()))
        or not found.closed
        or " " in content
        or MARKER.match(data, found.start)
        or not secret("password", content, True, "")
    )
    if refused:
        return keep(match, match.end(1), found.reach)
    return take_value(data, found, row.name)


_PARAMETER: Final = late(rb"[A-Za-z0-9%._~+/=-]*")


def _parameter(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`?sig=...` of a signed address."""
    found = _PARAMETER.match(data, match.end(1), match.end(1) + LIMIT)
    stop = found.end() if found else match.end(1)
    if stop - match.end(1) < 16:
        return keep(match, match.end(1), stop)
    return Cut(match.end(1), stop, marker(row.name), stop + 2)


READERS: Final[dict[str, Reader]] = {
    "authorization": _authorization,
    "scheme": _scheme,
    "cookie": _cookie,
    "xml": _xml,
    "flag": _flag,
    "value": _assigned,
    "call": _call,
    "param": _parameter,
}
