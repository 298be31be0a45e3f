"""What does a text look like without its secrets? The standard-library engine, for the recorder."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache

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


class Keyed:
    """A table and where to look its rows up: most texts hold the rarest two letters of few keywords.

    Args:
        order: rows in order of precedence.
    """

    def __init__(self, order: tuple[Row, ...]) -> None:
        self._rows = order
        places: dict[bytes, list[int]] = {}
        for place, row in enumerate(order):
            for word in row.keywords:
                places.setdefault(word.encode("latin-1"), []).append(place)
        self._pairs: dict[int, list[tuple[bytes, list[int]]]] = {}
        # a keyword of one letter has no pair: it is always looked for
        self._single = [(key, found) for key, found in places.items() if len(key) < 2]
        held: dict[int, int] = {}
        for key in places:
            for pair in _pairs(key):
                held[pair] = held.get(pair, 0) + 1
        for key, found in places.items():
            if len(key) > 1:
                rarest = min(_pairs(key), key=lambda pair: (_common(pair), held[pair], pair))
                self._pairs.setdefault(rarest, []).append((key, found))

    def holding(self, lower: bytes) -> list[Row]:
        """Rows of which a keyword occurs in a text.

        Args:
            lower: n bytes of UTF-8, ASCII in lower case.

        Returns:
            Rows in order of precedence. O(n).
        """
        places = [place for word, found in self._single if word in lower for place in found]
        for pair in self._pairs.keys() & _pairs(lower):
            for word, found in self._pairs[pair]:
                if word in lower:
                    places += found
        return [self._rows[place] for place in sorted(set(places))]


def _pairs(data: bytes) -> set[int]:
    """Every two neighbouring bytes, as one number: reading them as such takes a tenth of a loop."""
    view = memoryview(data)
    even, odd = len(data) // 2 * 2, (len(data) - 1) // 2 * 2 + 1
    return {*view[:even].cast("H"), *view[1:odd].cast("H")} if data else set()


def _common(pair: int) -> int:
    """How many of two bytes are letters of everyday words?"""
    return sum(letter in b"etaoinsrhdlucm/. " for letter in pair.to_bytes(2, sys.byteorder))


@lru_cache(maxsize=64)
def keyed(home_names: tuple[str, ...]) -> Keyed:
    """What a Finder takes.

    Args:
        home_names: n user names.

    Returns:
        The table, ready to be looked up in.
    """
    return Keyed(rows(home_names))


class Finder:
    """The leftmost trigger in one text, row by row: only rows whose keyword occurs are searched.

    Args:
        data: n bytes of UTF-8.
        order: the table.
    """

    def __init__(self, data: bytes, order: Keyed) -> None:
        self._data = data
        self._rows = order.holding(data.lower())
        self._next = [compiled(row.trigger).search(data) for row in self._rows]

    def __call__(self, position: int) -> Found | None:
        best: Found | None = None
        for i, found in enumerate(self._next):
            if found is not None and found.start() < position:
                found = self._next[i] = compiled(self._rows[i].trigger).search(self._data, position)
            if found is not None and (best is None or found.start() < best[1].start()):
                best = (self._rows[i], found)
        return best


def marked(text: str) -> bool:
    """Does anything in a text tell that a secret may follow?

    Args:
        text: any string.

    Returns:
        False only where neither the text nor any piece of it would be changed by redact_text().
    """
    data = encode(text)
    return any(compiled(row.trigger).search(data) is not None for row in keyed(()).holding(data.lower()))


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
