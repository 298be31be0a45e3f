r"""Which secrets stand in another line, cell or attribute than the word that tells of them?

Tables (`| password | x |`, a column headed `password`), pairs (`<add key="ApiKey" value="x"/>`, `name:
DB_PASSWORD` above `value: x`), and block scalars of YAML (`password: |` above the value). Every secret is cut
within its own line; what a line gives away never depends on the lines below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tracelode.redact.judge import benign, kind, mixed, secret, strength, technical
from tracelode.redact.late import late
from tracelode.redact.span import (
    BEFORE,
    CHANGED,
    LIMIT,
    MARKER,
    PROBE,
    SPAN,
    Cut,
    Reader,
    decode,
    edge,
    keep,
    marker,
    read_value,
)
from tracelode.redact.table import Row

# Line feeds, also written out as in JSON; line numbers, diff signs and quote signs before a line.
_FEED = rb"(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)"
_GUTTER = rb"(?:[ \t]{0,8}[0-9]{1,6}(?:\t|\xe2\x86\x92|[:|])|[+]|[>#](?=[ \t]))?"
_Q = rb"(?:\\{0,7}[\"'`]|&quot;|&#34;|&#39;)?"
_PLAIN: Final = late(rb"([^\r\n]*)(\r?\n)?")
_WRITTEN: Final = late(rb"((?:[^\"\r\n\\]|\\[^nr\"\r\n\\])*)((?:\\{1,4}r)?\\{1,4}n)?")


def _lines(data: bytes, at: int, most: int, written: bool) -> Iterator[tuple[int, int]]:
    """Lines from an offset on, where each begins and ends; written: their feeds are escape sequences."""
    pattern, limit = _WRITTEN if written else _PLAIN, at + most
    while at < min(limit, len(data)):
        found = pattern.match(data, at, min(len(data), at + LIMIT))
        if found is None:
            return
        yield at, found.end(1)
        if found[2] is None:
            return
        at = found.end()


def _cut(data: bytes, start: int, stop: int, name: str) -> Cut:
    return Cut(start, stop, marker(name), stop + 12)


# --- block scalars -------------------------------------------------------------------------------------

_HEAD: Final = late(rb"[|>][+-]?[0-9]?[+-]?[ \t]{0,8}(" + _FEED + rb")")
_KEY_LINE: Final = late(
    rb"(?:\A|[\n\"'`]|\\n)(?:" + _GUTTER + rb")([ \t]*)((?:-[ ]{0,8}){0,2})[\"'\\]{0,2}[A-Za-z0-9_.-]*\Z"
)
_BODY: Final = late(_GUTTER + rb"([ \t]*)(.*?)[ \t]*\Z", re.S)


def block(data: bytes, match: re.Match[bytes], key: str) -> Cut:
    """`password: |` or `password: >-`, and the value on the lines below.

    Args:
        data: the text.
        match: from the key to before the bar.
        key: as written.

    Returns:
        A refusal whose `more` holds the lines of the value.
    """
    head = _HEAD.match(data, match.end())
    above = _KEY_LINE.search(data[max(0, match.start() - BEFORE) : match.start()])
    if head is None or above is None or data[match.end() - 2 : match.end()] != b": ":
        return keep(match, match.end(1), match.end() + 24)
    indent, removed = len(above[1]) + len(above[2]), False
    more: list[Cut] = []
    reach = head.end()
    for start, stop in _lines(data, head.end(), SPAN, head[1].startswith(b"\\")):
        if not more and not above[1] and above[2] and data[start : start + 1] == b"-":
            # Nothing of a value may stand below the hyphen of a list: these are lines a diff took away.
            removed, indent = True, len(above[2]) - 1
        if removed:
            start += 1
        body, reach = _BODY.match(data[start:stop]), stop + 12
        if body is None or not body[2]:
            continue
        content = decode(body[2][:PROBE])
        if len(body[1]) <= indent or (not more and not _scalar(key, content)):
            break
        more.append(_cut(data, start + body.start(2), start + body.end(2), kind(key)))
    return keep(match, match.end(1), reach)._replace(more=tuple(more))


def _scalar(key: str, content: str) -> bool:
    """Is the first line of a block scalar a secret, not a description or a private key?"""
    return (
        not CHANGED.search(content.encode())
        and "-----BEGIN" not in content
        and content.count(" ") < 6
        and not (" " in content and content.endswith((".", ":")))
        and secret(key, content, True, "", False)
    )


# --- tables --------------------------------------------------------------------------------------------

_DECORATION: Final = late(rb"[ \t*_`\"':]{0,40}")
_ROW: Final = late(rb"(?:\A|[\n\"'`]|\\n)" + _GUTTER + rb"[ \t]*[|][^\n]*\Z")
_NAME_OF_CODE: Final = late(r"[A-Za-z_][A-Za-z0-9_]*(?:[Kk]ey|[Tt]oken|[Ss]ecret|[Pp]assword)\Z")
_CELL: Final = late(rb"[ \t*_`\"']{0,12}([^|\r\n]*?)[ \t*_`\"']{0,400}(?=[|]|\Z)")
_REST: Final = late(rb"((?:[^\r\n\\]|\\[^nr\r\n])*)(" + _FEED + rb")?")
_RULE: Final = late(_GUTTER + rb"[ \t]*[|+: -]*--[|+: -]*\Z")


def _cell(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`| password | x |`; and the column below a head `| user | password |`."""
    found = _DECORATION.match(data, match.end())
    at = found.end() if found else match.end()
    return cell(data, match, at, decode(match[0]).strip("| \t*_`\"'"))


def cell(data: bytes, match: re.Match[bytes], at: int, key: str) -> Cut:
    """The cells beside and below one that holds a telling word.

    Args:
        data: the text.
        match: up to the word at least.
        at: end of the word's cell.
        key: the words of the cell.

    Returns:
        A refusal whose `more` holds the secrets.
    """
    rest = _REST.match(data, at, min(len(data), at + 2 * PROBE))
    if rest is None or strength(key, True) == 0 or (rest[1] and rest[1][:1] != b"|"):
        return keep(match, match.end(), at + 2)
    name, more, reach = kind(key), [], rest.end() + 12
    if rest[1][:1] == b"|" and _ROW.search(data[max(0, match.start() - BEFORE) : match.start() + 1]):
        found = _drawn(data, at + 1, rest.end(1), key, False)
        if found:
            more.append(_cut(data, *found, name))
    if rest[2]:
        columns, ruled, count = rest[1].count(b"|"), False, 0
        for start, stop in _lines(data, rest.end(), SPAN, rest[2].startswith(b"\\")):
            line, reach, count = data[start:stop], stop + 12, count + 1
            if count == 1:
                if _RULE.match(line) is None:
                    break
                ruled = b"+" in line
                continue
            bars = [i for i, byte in enumerate(line) if byte == 0x7C]
            if len(bars) < columns + (1 if columns or ruled else 2):
                break
            if MARKER.search(line):
                continue  # bars may have gone with a secret
            end = start + bars[-columns] if columns else stop
            found = _drawn(data, start + bars[-columns - 1] + 1, end, key, ruled)
            if found:
                more.append(_cut(data, *found, name))
    return keep(match, match.end(), reach)._replace(more=tuple(more))


def _drawn(data: bytes, start: int, stop: int, key: str, ruled: bool) -> tuple[int, int] | None:
    """Where in a cell a secret stands; ruled: the table is a database's answer, so plain words count."""
    cell = _CELL.match(data, start, stop)
    if cell is None or not cell[1]:
        return None
    value = decode(cell[1][:PROBE])
    strong = strength(key, True) == 2
    like = mixed(value, 6 if strong else 8) or (ruled and strong and len(value) >= 3)
    if (
        not like
        or " " in value
        or CHANGED.search(cell[1])
        or technical(value)
        or not secret("PASSWORD", value, True, "")
        or "(" in value
        or _NAME_OF_CODE.match(value)
    ):
        return None
    return cell.start(1), cell.end(1)


# --- pairs ---------------------------------------------------------------------------------------------

_SPACE = rb"[ \t]{0,40}(?:,?[ \t]{0,8}" + _FEED + _GUTTER + rb"[ \t]{0,40})?"
_VALUE = rb"(?:[Vv]alue|content)"
_IN_ATTRIBUTE: Final = late(
    _Q + rb"[^<>\r\n{}]{0,100}?(?<![A-Za-z0-9_-])" + _VALUE + _Q + rb"[ \t]{0,4}[:=][ \t]{0,4}"
)
_IN_NEXT: Final = late(_Q + _SPACE + _Q + _VALUE + _Q + rb"[ \t]{0,4}[:=][ \t]{0,4}")
_IN_ELEMENT: Final = late(_Q + rb"(?:[ ][^<>\r\n]{0,60})?>|</[A-Za-z:]{1,20}>" + _SPACE + rb"<[Vv]alue>")
_TEXT: Final = late(rb"([^<>\r\n\x00-\x20]{1,512})</")
_BEFORE_NAME: Final = late(
    rb"(?<![A-Za-z0-9_-])" + _VALUE + _Q + rb"[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}([\"'])([^\"'\r\n\\]{1,110})"
    rb"\\{0,7}\1[ \t,]{1,4}(?:\\{0,7}[\"'])?\Z"
)
_NAME: Final = late(
    rb"(?:(?<![A-Za-z0-9_-])|(?<=\\n))((?:[Kk]ey|[Nn]ame)(?:"
    + _Q
    + rb"[ \t]{0,4}[:=][ \t]{0,4}"
    + _Q
    + rb"|>)"
    rb"([A-Za-z0-9_.:-]{0,40}))\Z"
)


def pair(data: bytes, match: re.Match[bytes], word: str, floor: int) -> Cut:
    """`<add key="ApiKey" value="x"/>`, also turned round; `<property name="password">x`; JSON alike.

    Args:
        data: the text.
        match: the telling word (group 1) and what closes it.
        word: the telling word.
        floor: first byte no earlier cut has taken.

    Returns:
        The cut of a value before the name, or a refusal whose `more` holds the value behind it.
    """
    # Asked of every `"password", ` of code, so what is no pair has to leave early.
    low = max(0, match.start() - BEFORE)
    left = data[low : match.start()]
    name = _NAME.search(left) if b"ame" in left or b"ey" in left else None
    if name is None:
        return keep(match, match.end(1), match.end())
    key = decode(name[2]) + word
    low = max(floor, low)
    before = _BEFORE_NAME.search(data[low : match.start() - len(name[1])])
    if before is not None and data[match.end(1) : match.end(1) + 1] in (b'"', b"'", b"\\"):
        start = low + before.start(2)
        if _worth(key, before[2], True):
            return Cut(start, start + len(before[2]), marker(kind(key)), match.end() + 2)
        return keep(match, match.end(1), match.end())
    return _named_value(data, match, match.end(1), key)


def _titled(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`name: DB_PASSWORD` above `value: x`."""
    if not edge(data, match.start()):
        return keep(match, match.start() + 1)
    return _named_value(data, match, match.end(), decode(match[0]).split(":", 1)[1].strip())


def _named_value(data: bytes, match: re.Match[bytes], at: int, key: str) -> Cut:
    """The value that goes with a name, on its line or the next."""
    refusal = keep(match, match.start() + 1, at + SPAN)
    found = _IN_ATTRIBUTE.match(data, at) or _IN_NEXT.match(data, at)
    if found is None:
        element = _IN_ELEMENT.match(data, at)
        text = _TEXT.match(data, element.end()) if element else None
        if text is None or not _worth(key, text[1], True):
            return refusal
        return refusal._replace(more=(_cut(data, text.start(1), text.end(1), kind(key)),))
    value = read_value(data, found.end())
    changed = not value.quoted and MARKER.match(data, value.stop)
    if changed or not _worth(key, value.content, value.quoted):
        return refusal
    return refusal._replace(more=(Cut(value.start, value.stop, marker(kind(key)), value.reach + 2),))


def _worth(key: str, content: bytes, quoted: bool) -> bool:
    value = decode(content[:PROBE])
    return (
        " " not in value
        and CHANGED.search(content) is None
        and not benign(value)
        and secret(key, value, quoted, "", True)
    )


READERS: Final[dict[str, Reader]] = {"cell": _cell, "titled": _titled}
