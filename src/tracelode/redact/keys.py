"""Which bytes make up a token of a known make, or a private key? Readers of redact."""

from __future__ import annotations

import re
from typing import Final

from tracelode.redact.span import BEFORE, LIMIT, Cut, Reader, edge, keep, marker, tail
from tracelode.redact.table import Row


def _token(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    if row.kind == "token" and not edge(data, match.start()):
        return keep(match, match.start() + 1)
    stop, reach = tail(data, row, match.end())
    start = match.end(1) if match.re.groups and match[1] is not None else match.start()
    return Cut(start, stop, marker(row.name), reach)


_BEFORE_TOKEN: Final = {
    "telegram": re.compile(rb"[0-9]{8,10}\Z"),
    "azure": re.compile(rb"[A-Za-z0-9_.~-]{3}\Z"),
    "terraform": re.compile(rb"[A-Za-z0-9]{14}\Z"),
}


def _before(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """A token whose telling part stands in its middle."""
    head = _BEFORE_TOKEN[row.name].search(data[max(floor, match.start() - BEFORE) : match.start()])
    if head is None:
        return keep(match, match.start() + 1)
    stop, reach = tail(data, row, match.end())
    return Cut(match.start() - len(head[0]), stop, marker(row.name), reach)


def _marker(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    return keep(match, match.end())


PEM_BACK: Final = LIMIT // 2
"""How far left of its END line the body of a private key is looked for, bytes."""

_B64_LINE: Final = re.compile(rb"[A-Za-z0-9+/=]{16}")
_PEM_END: Final = re.compile(rb"-----END [A-Z0-9 ]{0,40}-{0,5}|---- END [A-Z0-9 ]{0,40}-{0,4}")
_PEM_BODY: Final = re.compile(
    rb"(?: BLOCK)?-{0,5}(?:(?:\\[nr]|[\r\n ])*(?:Proc-Type|DEK-Info|Comment|Version)[^\r\n\\]*)*"
    rb"(?:(?:\\[nrt]|[ \t]{0,8}[0-9]{1,6}(?:\t|\xe2\x86\x92|:|\|)|[\t\r\n \"'>|#*,\\]){1,80}"
    rb"[A-Za-z0-9+/=]{16,})+"
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
    places = [data.find(word, match.end(), limit) for word in (b"-----END ", b"---- END ")]
    end = _PEM_END.match(data, min((p for p in places if p >= 0), default=len(data)))
    if end is not None:
        if _B64_LINE.search(data, match.end(), end.start()) is None:
            return keep(match, match.end(), end.end())
        return Cut(match.start(), end.end(), marker(row.name), end.end() + 64)
    body = _PEM_BODY.match(data, match.end(), limit)
    if body is None:
        return keep(match, match.end(), limit)
    return Cut(match.start(), body.end(), marker(row.name), limit + 64)


def _pem_end(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """The end of a private key whose beginning was cut away before the text reached us."""
    before = data[max(floor, match.start() - PEM_BACK) : match.start()]
    body = _PEM_BACK.match(before[::-1])
    if body is None:
        return keep(match, match.end())
    end = _PEM_END.match(data, match.start())
    stop = end.end() if end else match.end()
    return Cut(match.start() - body.end(), stop, marker(row.name), stop + 64)


READERS: Final[dict[str, Reader]] = {
    "token": _token,
    "loose": _token,
    "before": _before,
    "marker": _marker,
    "pem": _pem,
    "pem-end": _pem_end,
}
