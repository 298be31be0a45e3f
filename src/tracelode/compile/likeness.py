"""Do earlier outputs show what a write is passed, so that nobody can tell a copy from a constant?"""

from __future__ import annotations

import re

from tracelode.compile.paths import parsed
from tracelode.compile.work import Traced, Work

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NAMES = frozenset(("id", "ids", "key", "code", "number", "no", "token", "uuid", "name"))
"""Words for what tells a thing from others."""


def shown(work: Work, slot: str, path: str) -> bool:
    """Does one place of earlier outputs show an argument in every run?

    Args:
        work: after evidence.
        slot: step.
        path: of the argument.

    Returns:
        True where it does, and the match is no chance: the value is a rare one, or its place has a name like
        that of the argument.
    """
    alignment = work.alignment
    if alignment is None or not work.traced:
        return False
    shared: set[tuple[str, str]] | None = None
    rare = False
    for run, traced in enumerate(work.traced):
        mine = [t for t in traced if t.path == path and alignment.of[run][t.call] == slot]
        if not mine:
            continue
        here = {(alignment.of[run][s.call], s.gpath) for t in mine for s in t.sources}
        shared = here if shared is None else shared & here
        rare = rare or any(_rare(t) for t in mine)
    return bool(shared) and (rare or any(alike(path, gpath) for _, gpath in shared or ()))


def _rare(traced: Traced) -> bool:
    return traced.information and not traced.default


def alike(one: str, other: str) -> bool:
    """Do the names of two places share a word?

    Args:
        one: path.
        other: path.

    Example:
        >>> alike("tweet_id", "tweets[*].id"), alike("lines", "items[*].size")
        (True, False)
    """
    first, second = _last(one), _last(other)
    return bool(first & second) or bool(first & _NAMES and second & _NAMES)


def _last(path: str) -> set[str]:
    keys = [key for key in parsed(path) if isinstance(key, str) and not key.startswith("{")]
    return {word.lower() for word in _PARTS.findall(keys[-1])} if keys else set()
