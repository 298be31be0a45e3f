"""What does a text look like without its secrets? The standard-library engine, for the recorder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from tracelode.redact.scan import Found, encode, redact
from tracelode.redact.table import Row, table

_LONGEST_NAME = 64


@lru_cache(maxsize=1024)
def compiled(trigger: str) -> re.Pattern[bytes]:
    """A trigger for the standard library.

    Args:
        trigger: as in the table.

    Returns:
        The pattern, compiled once.
    """
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


Keyed: TypeAlias = tuple[tuple[Row, tuple[bytes, ...]], ...]
"""Rows in order of precedence, each with its keywords as bytes."""


@lru_cache(maxsize=64)
def keyed(home_names: tuple[str, ...]) -> Keyed:
    """What a Finder takes.

    Args:
        home_names: n user names.

    Returns:
        The table with keywords as bytes.
    """
    return tuple((row, tuple(word.encode("latin-1") for word in row.keywords)) for row in rows(home_names))


class Finder:
    """The leftmost trigger in one text, row by row: only rows whose keyword occurs are searched.

    Args:
        data: n bytes of UTF-8.
        order: rows in order of precedence.
    """

    def __init__(self, data: bytes, order: Keyed) -> None:
        lower = data.lower()
        self._data = data
        self._rows: list[Row] = []
        self._next: list[re.Match[bytes] | None] = []
        # Rows share keywords, and looking for one costs as much as a simple pattern.
        known: dict[bytes, bool] = {}
        for row, words in order:
            for word in words:
                held = known.get(word)
                if held is None:
                    held = known[word] = word in lower
                if held:
                    self._rows.append(row)
                    self._next.append(compiled(row.trigger).search(data))
                    break

    def __call__(self, position: int) -> Found | None:
        best: Found | None = None
        for i, found in enumerate(self._next):
            if found is not None and found.start() < position:
                found = self._next[i] = compiled(self._rows[i].trigger).search(self._data, position)
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
    order = keyed(tuple(sorted(home_names)))
    return redact(encode(text), lambda data: Finder(data, order)).decode()
