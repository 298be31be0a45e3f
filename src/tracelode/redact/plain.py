"""What does a text look like without its secrets? The standard-library engine, for the recorder."""

from __future__ import annotations

from collections.abc import Iterable

from tracelode.redact.marks import Keyed, compiled, encode, keyed
from tracelode.redact.scan import Found, redact


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
