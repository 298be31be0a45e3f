"""Which closed word is a tool's word for the state of a plan item?"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache

CLOSED: tuple[str, ...] = ("pending", "in_progress", "completed", "failed", "paused", "removed")
"""The closed words."""

_LIKE = {
    "pending": "pending todo to_do open not_started planned new queued",
    "in_progress": "in_progress inprogress running active doing started working ongoing current",
    "completed": "completed complete done finished success succeeded resolved closed",
    "failed": "failed failure error errored",
    "paused": "paused blocked waiting on_hold deferred postponed",
    "removed": "removed deleted cancelled canceled skipped dropped abandoned obsolete",
}
_WORDS = {word: meaning for meaning, words in _LIKE.items() for word in words.split()}
USUAL = frozenset({"pending", "in_progress", "completed"})
"""Words that say no more than the closed word does."""

_NEAR = 0.7
_OTHER = re.compile(r"[^a-z]+")


@lru_cache(maxsize=256)
def closed(word: str) -> str:
    """The closed word nearest to a tool's word: models write words outside their tool's list.

    Args:
        word: any text.

    Returns:
        One of CLOSED; paused for a word that is like none: it tells neither progress nor an end.

    Source:
        plan rules, section 5.1.

    Example:
        >>> closed("in-progress"), closed("cancelled"), closed("compleeted"), closed("someday")
        ('in_progress', 'removed', 'completed', 'paused')
    """
    plain = _OTHER.sub("_", word[:40].lower()).strip("_")
    if plain in _WORDS:
        return _WORDS[plain]
    near = get_close_matches(plain, _WORDS, n=1, cutoff=_NEAR)
    return _WORDS[near[0]] if near else "paused"
