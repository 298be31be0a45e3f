"""Which words do the requests of an intent have in common? They name it where its tools say nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

SHARE = 0.8
"""Share of the requests that must have the words."""
FEWEST, MOST = 2, 5
"""Words of a name."""
READ = 80
"""Words of a request that are looked at."""
_WORD = re.compile(r"[^\W\d_][\w'-]*|[.!?;:\n\[\]<>]|\S")
"""Words, and signs that end a phrase."""
_SMALL = re.compile(
    r"an?|and|are|as|at|be|by|can|could|do|for|from|has|have|i|in|is|its?|me|my|of|on|or|our|please|so|that"
    r"|the|their|then|there|this|to|up|us|was|we|were|what|when|which|will|with|would|your?"
)


def phrase(requests: Sequence[str]) -> str:
    """The longest words that most requests have in a row.

    Args:
        requests: n texts.

    Returns:
        2 to 5 words in lower case, the earliest of the longest; "" where they share none.

    Example:
        >>> phrase(["Please fix the failing test of ui", "fix the failing test in core"])
        'fix the failing test'
    """
    rows = [list(_phrases(text)) for text in requests]
    counts = Counter(words for row in rows for words in dict.fromkeys(row))
    shared = [words for words, count in counts.items() if count >= SHARE * len(rows)]
    if not shared:
        return ""
    places = {words: min(row.index(words) for row in rows if words in row) for words in shared}
    best = min(shared, key=lambda words: (-len(words), places[words], words))
    return " ".join(best)


def _phrases(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.lower())[:READ]
    for at in range(len(words)):
        for size in range(FEWEST, MOST + 1):
            part = tuple(words[at : at + size])
            if len(part) < size or any(not word[0].isalpha() for word in part):
                break
            if not _SMALL.fullmatch(part[0]) and not _SMALL.fullmatch(part[-1]):
                yield part
