"""Which part of an argument comes from an output, with fixed text around it?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tracelode.compile import forms, transforms
from tracelode.compile.evidence.search import PLAIN, Pieces
from tracelode.compile.evidence.wanted import Leaf

WORDS = 24
"""Words of an argument beyond which it is prose that somebody writes."""
FEWEST = 5
"""Characters of a part."""
SHARE = 0.15
"""Of the argument that a part must be."""
_WORD = re.compile(r"\w+(?:[.@+\-]\w+)*", re.UNICODE)
_NAMED = re.compile(r"[A-Z\d@]")
_COMMON = frozenset((
    "about", "after", "before", "dinner", "lunch", "breakfast", "meeting", "monday", "tuesday", "wednesday",
    "thursday", "friday", "saturday", "sunday", "today", "tomorrow", "please", "update", "reminder",
    "appointment",
))  # fmt: skip


@dataclass(frozen=True)
class Parts:
    """Parts of an argument that could be values, longest first."""

    value: str
    """The argument."""
    parts: tuple[tuple[int, int], ...]
    """(start, stop) of each."""

    def within(self, pieces: Pieces) -> Iterator[tuple[int, str, tuple[int, int] | None, tuple[int, int]]]:
        """Parts that an output tells.

        Args:
            pieces: its texts.

        Yields:
            (number of the text, produced text, its piece or None for the whole, place of the part in the
            argument); only parts of the largest length that is told.
        """
        told = 0
        held = pieces.words if pieces.texts else frozenset()
        for start, stop in self.parts:
            if stop - start < told:
                return
            part = self.value[start:stop]
            if not held.issuperset(PLAIN.findall(part.lower())):
                continue
            for number, text, first, last in pieces.find(part.lower(), 4):
                if text[first:last] != part:
                    continue
                told = stop - start
                span = None if (first, last) == (0, len(text)) else (first, last)
                yield number, text, span, (start, stop)


def parts_of(leaf: Leaf) -> Parts | None:
    """The parts of an argument.

    Args:
        leaf: what was passed.

    Returns:
        Runs of whole words with a capital or a digit, all but the whole; None where it is no text of several
        words, or a date or number.
    """
    value = leaf.value
    if (
        not isinstance(value, str)
        or len(value) > 400
        or forms.read(value)
        or transforms.number(value) is not None
    ):
        return None
    words = [match.span() for match in _WORD.finditer(value)]
    if not 1 < len(words) <= WORDS:
        return None
    found = []
    for first in range(len(words)):
        for last in range(first, len(words)):
            start, stop = words[first][0], words[last][1]
            part = value[start:stop]
            if (
                stop - start < max(FEWEST, SHARE * len(value))
                or (start, stop) == (0, len(value))
                or not _NAMED.match(part)
            ):
                continue
            if first == last and part.lower() in _COMMON:
                continue
            found.append((start, stop))
    found.sort(key=lambda span: (span[0] - span[1], span[0]))
    return Parts(value, tuple(found)) if found else None
