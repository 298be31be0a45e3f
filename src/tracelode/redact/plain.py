"""What does a text look like without its secrets? The standard-library engine, for the recorder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from tracelode.redact.scan import Found, encode, redact
from tracelode.redact.table import Row, table

_LONGEST_NAME = 64


@lru_cache(maxsize=1024)
def _compiled(trigger: str) -> re.Pattern[bytes]:
    return re.compile(trigger.encode("latin-1"))


def _usable(name: str) -> bool:
    return 1 < len(name) <= _LONGEST_NAME and name.isprintable()


@lru_cache(maxsize=64)
def rows(home_names: tuple[str, ...]) -> tuple[Row, ...]:
    """The table for given home names.

    Args:
        home_names: n user names; single letters and names over 64 characters are passed over.

    Returns:
        Rows in order of precedence.
    """
    names = {name.encode("utf-8", "replace").decode("latin-1") for name in home_names if _usable(name)}
    return table(tuple(sorted(names, key=lambda name: (-len(name), name))))


class Finder:
    """The leftmost trigger in one text, row by row: only rows whose keyword occurs are searched.

    Args:
        data: n bytes of UTF-8.
        order: rows in order of precedence.
    """

    def __init__(self, data: bytes, order: tuple[Row, ...]) -> None:
        lower = data.lower()
        self._data = data
        self._rows: list[Row] = []
        self._next: list[re.Match[bytes] | None] = []
        for row in order:
            if any(word.encode("latin-1") in lower for word in row.keywords):
                self._rows.append(row)
                self._next.append(_compiled(row.trigger).search(data))

    def __call__(self, position: int) -> Found | None:
        best: Found | None = None
        for i, found in enumerate(self._next):
            if found is not None and found.start() < position:
                found = self._next[i] = _compiled(self._rows[i].trigger).search(self._data, position)
            if found is not None and (best is None or found.start() < best[1].start()):
                best = (self._rows[i], found)
        return best


def redact_text(text: str, home_names: Iterable[str] = ()) -> str:
    """A text with secrets, e-mail addresses and home folders replaced.

    Args:
        text: any string; lone surrogates become question marks.
        home_names: user names that are to go from paths and slugs.

    Returns:
        The text; redacting it again changes nothing.
    """
    order = rows(tuple(sorted(home_names)))
    return redact(encode(text), lambda data: Finder(data, order)).decode()
