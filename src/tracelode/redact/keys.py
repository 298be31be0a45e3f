"""Which bytes make up a token of a known make, or a private key? Readers of redact."""

from __future__ import annotations

import re
from typing import Final

from tracelode.redact.late import late
from tracelode.redact.span import BEFORE, LIMIT, PROBE, Cut, Reader, keep, marker, tail, token_edge
from tracelode.redact.table import Row

# Marks that words do not end in: `disk-...`, `TypeInfo_...` hold shorter ones.
_MARK: Final = late(
    rb"[A-Za-z]{4,14}[_.-]|(?:npm|gsk|ntn|hf)_|[sr]k_live_|xai-|hv[sbr][.]|sk-(?:proj|svcacct|admin|service)-"
    rb"|sk-[A-Za-z0-9]{40}"
)
_RUN: Final = late(rb"[A-Za-z0-9]{16,}")
_CLASSES: Final = tuple(late(letters) for letters in (rb"[a-z]", rb"[A-Z]", rb"[0-9]"))


def _glued(row: Row, taken: bytes) -> bool:
    """Is it a token even behind a letter or digit? Names are not written in three classes of characters."""
    if row.name == "jwt":
        return b".eyJ" in taken
    if row.name == "aws":
        # Sequences of genes and proteins are written in capitals only.
        return taken.startswith((b"AKIA", b"ASIA")) and bool(_CLASSES[2].search(taken))
    runs = _RUN.findall(taken)
    return bool(_MARK.match(taken)) and any(all(c.search(run) for c in _CLASSES) for run in runs)


def _token(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    if row.kind == "token" and not token_edge(data, match.start()):
        stop, reach = tail(data, row, match.end(), PROBE)
        if not _glued(row, data[match.start() : stop]):
            return keep(match, match.start() + 1, reach)
    stop, reach = tail(data, row, match.end())
    start = match.end(1) if match.re.groups and match[1] is not None else match.start()
    return Cut(start, stop, marker(row.name), reach)


_BEFORE_TOKEN: Final = {
    "telegram": late(rb"[0-9]{8,10}\Z"),
    "azure": late(rb"[A-Za-z0-9_.~-]{3}\Z"),
    "terraform": late(rb"[A-Za-z0-9]{14}\Z"),
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

_B64_LINE: Final = late(rb"[A-Za-z0-9+/=]{16}")
_B64_BODY: Final = late(rb"[A-Za-z0-9+/=]{60}")
_PEM_END: Final = late(rb"-----END [A-Z0-9 ]{0,40}-{0,5}|---- END [A-Z0-9 ]{0,40}-{0,4}")
_PEM_BEGIN: Final = late(rb"-----BEGIN |---- BEGIN ")
_PEM_BODY: Final = late(
    rb"(?: BLOCK)?-{0,5}(?:(?:\\[nr]|[\r\n ])*(?:Proc-Type|DEK-Info|Comment|Version)[^\r\n\\]*)*"
    rb"(?:(?:\\[nrt]|[ \t]{0,8}[0-9]{1,6}(?:\t|\xe2\x86\x92|:|\|)|[\t\r\n \"'>|#*,\\]){1,80}"
    rb"[A-Za-z0-9+/=]{16,})+"
    rb"(?:(?:\\[nrt]|[\t\r\n \"'>|#*,\\]){1,8}[A-Za-z0-9+/=]{1,15}\Z)?"
)
_PEM_BACK: Final = late(
    rb"(?:n\\|r\\|[\t\r\n \"'>|#*,\\]){0,80}(?:[A-Za-z0-9+/=]{1,15}(?:n\\|r\\|[\t\r\n \"'>|#*,\\]){1,80})?"
    rb"[A-Za-z0-9+/=]{16,}(?:(?:n\\|r\\|[\t\r\n \"'>|#*,\\]|[|:\t][0-9]{1,6}[ ]){1,80}[A-Za-z0-9+/=]{16,})*"
    rb"(?:(?:n\\|r\\|[\t\r\n ]){1,8}[A-Za-z0-9+/=]{1,15}\Z)?"
)


def _pem_line(
    data: bytes, pattern: re.Pattern[bytes], word: bytes, at: int, limit: int
) -> re.Match[bytes] | None:
    """The next line of hyphens with a word, of either spelling."""
    places = [data.find(hyphens + word + b" ", at, limit) for hyphens in (b"-----", b"---- ")]
    return pattern.match(data, min((place for place in places if place >= 0), default=len(data)))


def _pem(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """A private key: to its END line, or as far as lines look like base64."""
    limit = match.start() + LIMIT
    end = _pem_line(data, _PEM_END, b"END", match.end(), limit)
    if end is not None:
        if _B64_LINE.search(data, match.end(), end.start()) is not None:
            return Cut(match.start(), end.end(), marker(row.name), end.end() + 64)
        # When this was redacted before, a secret may have taken the first END line with it: look for another.
        begin = _pem_line(data, _PEM_BEGIN, b"BEGIN", end.end(), limit)
        later = _pem_line(data, _PEM_END, b"END", end.end(), begin.start() if begin else limit)
        if later is not None and _B64_BODY.search(data, end.end(), later.start()) is not None:
            return Cut(match.start(), later.end(), marker(row.name), limit + 64)
        return keep(match, match.end(), limit)
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
