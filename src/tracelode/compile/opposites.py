"""Which verbs undo each other, in the names of tools and in what people ask?"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

PAIRS = (
    ("add", "remove"),
    ("add", "delete"),
    ("create", "delete"),
    ("create", "remove"),
    ("create", "cancel"),
    ("book", "cancel"),
    ("buy", "sell"),
    ("open", "close"),
    ("lock", "unlock"),
    ("start", "stop"),
    ("enable", "disable"),
    ("follow", "unfollow"),
    ("like", "unlike"),
    ("grant", "revoke"),
    ("subscribe", "unsubscribe"),
    ("archive", "unarchive"),
    ("deposit", "withdraw"),
    ("increase", "decrease"),
    ("assign", "unassign"),
    ("join", "leave"),
    ("push", "pop"),
    ("mute", "unmute"),
    ("save", "unsave"),
    ("pause", "resume"),
)
"""Verbs of tools that undo each other."""

SPOKEN = (
    *PAIRS,
    ("purchase", "sell"), ("buy", "cancel"), ("purchase", "cancel"), ("order", "cancel"), ("place", "cancel"),
    ("reserve", "cancel"), ("reserve", "release"), ("schedule", "cancel"), ("register", "deregister"),
    ("register", "cancel"), ("accept", "reject"), ("accept", "decline"), ("approve", "reject"),
    ("approve", "deny"), ("confirm", "cancel"), ("allow", "block"), ("activate", "deactivate"),
    ("engage", "disengage"), ("engage", "release"), ("raise", "lower"), ("include", "exclude"),
    ("include", "remove"), ("post", "delete"), ("publish", "unpublish"), ("send", "delete"),
    ("send", "recall"), ("write", "erase"), ("write", "delete"), ("copy", "delete"), ("move", "delete"),
    ("fill", "drain"), ("fill", "empty"), ("fund", "withdraw"), ("upload", "delete"), ("invite", "remove"),
    ("invite", "uninvite"), ("share", "unshare"), ("install", "uninstall"), ("connect", "disconnect"),
    ("resolve", "reopen"), ("close", "reopen"), ("comment", "delete"), ("retweet", "delete"),
)  # fmt: skip
"""Verbs of people that undo each other."""

_WORD = re.compile(r"[a-z]+")
_NOT = re.compile(r"\b(?:do not|don't|never|not to|without|instead of)\s+(?:[a-z]+ly\s+)?([a-z]+)")
VERBS = frozenset(word for pair in SPOKEN for word in pair)
"""All verbs that have an opposite."""
_COUNTERS: dict[str, set[str]] = {}
for _one, _other in SPOKEN:
    _COUNTERS.setdefault(_one, set()).add(_other)
    _COUNTERS.setdefault(_other, set()).add(_one)


def said(text: str) -> set[str]:
    """The verbs of a text that have an opposite, without endings; one that is denied counts as "not VERB".

    Args:
        text: what somebody asks, or the words of a tool's name.

    Example:
        >>> sorted(said("Please add Bob and don't cancel the booking"))
        ['add', 'book', 'not cancel']
    """
    plain = text.lower().replace("’", "'")
    denied = {f"not {verb}" for match in _NOT.finditer(plain) if (verb := stem(match[1]))}
    spoken = {verb for word in _WORD.findall(_NOT.sub(" ", plain)) if (verb := stem(word))}
    return denied | spoken


@lru_cache(maxsize=16384)
def stem(word: str, verbs: frozenset[str] = VERBS) -> str:
    """A known verb, of one of its forms.

    Args:
        word: in small letters.
        verbs: those that are known.

    Returns:
        The verb, "" for another word.
    """
    if word in _IRREGULAR and verbs is VERBS:
        return _IRREGULAR[word]
    ends = [word]
    for end in ("s", "es", "ed", "d", "ing", "ling", "led", "ation", "ion", "al"):
        if word.endswith(end):
            root = word[: -len(end)]
            ends += [root, f"{root}e", root[:-1] if root[-2:-1] == root[-1:] else root]
    return next((w for w in ends if w in verbs), "")


_IRREGULAR = {
    "bought": "buy", "sold": "sell", "left": "leave", "sent": "send", "wrote": "write", "written": "write",
    "withdrew": "withdraw", "withdrawn": "withdraw", "cancellation": "cancel", "removal": "remove",
    "deletion": "delete", "applies": "", "copied": "copy", "copies": "copy", "copying": "copy",
}  # fmt: skip


def undone(verb: str, by: Collection[str]) -> bool:
    """Does a verb undo, or deny, one of others?

    Args:
        verb: as said() gives it.
        by: others.

    Example:
        >>> undone("cancel", {"book"}), undone("not book", {"book"}), undone("book", {"add"})
        (True, True, False)
    """
    if verb.startswith("not "):
        return verb[4:] in by
    return any(other in by for other in _COUNTERS.get(verb, ()))
