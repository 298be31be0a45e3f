"""Which words must never enter a name? People's names, and whatever stands beside a secret."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import cache
from typing import Any

from tracelode.profile.name.objects import LONGEST, SHORTEST, one, split_words
from tracelode.signals.lexicon import load

BEFORE, AFTER = 16, 28
"""Characters around a word such as `password` whose words are kept out."""
APART = "\x1f"
"""Between texts that are looked at together: no neighbourhood reaches across."""

_WORD = 24
"""Characters of a word that may reach into a neighbourhood from outside."""
_ALNUM = (string.ascii_letters + string.digits).encode()
_ESCAPE = re.compile(rb"\\+(?:[nrtbfv]|u[0-9a-fA-F]{4})")
_LETTERS = re.compile(rb"[A-Za-z0-9\x80-\xff]+")
_AUTHOR = (
    r"(?:Author|Committer|Tagger|Co-[Aa]uthored-[Bb]y|Signed-[Oo]ff-[Bb]y|Reviewed-[Bb]y): {1,12}"
    r"[^<\n\x1f\\]{1,80} <|user\.name[\"' =]{1,6}[^\"'\n\x1f\\;&|]{1,60}"
)
_AUTHOR_NAME = re.compile(rb"(?:: *|user\.name[\"' =]*)(.*?)(?: <)?\Z", re.DOTALL)
_ACCOUNT = re.compile(r"[\w.%+-]+")


@cache
def _finders() -> tuple[Any, Any]:
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    near = "|".join(sorted(load().words["focus_secrets"]))
    return re2.compile(f"(?i){near}".encode(), options), re2.compile(_AUTHOR.encode(), options)


def banned(text: str) -> set[str]:
    """Words of kept texts that must not enter a name.

    Args:
        text: redacted previews and paths, APART between them.

    Returns:
        Words as one() writes them: those within BEFORE characters ahead of or AFTER behind a word that
        tells of secrets, and the names of authors that git prints.

    Source:
        naming rules, step 8, P3 and P4; accounting, registry of focus words.

    Example:
        >>> sorted(banned("the password of staging is swordfish; the parser of the price table stays"))
        ['password', 'staging', 'swordfish', 'the']
    """
    data = text.encode("utf-8", "replace")
    secrets, authors = _finders()
    around: set[tuple[bytes, int, int]] = set()
    for match in secrets.finditer(data):
        start, stop = match.span()
        # words that reach in from outside are taken whole
        low, high = max(0, start - BEFORE), stop + AFTER
        if data[low : low + 1].isalnum():
            outside = data[max(0, low - _WORD) : low]
            low -= len(outside) - len(outside.rstrip(_ALNUM))
        if data[high - 1 : high].isalnum():
            outside = data[high : high + _WORD]
            high += len(outside) - len(outside.lstrip(_ALNUM))
        around.add((data[low:high], start - low, stop - low))
    tokens: set[bytes] = set()
    for piece, start, stop in around:
        tokens.update(_beside(piece, start, stop))
    words = {word for token in tokens for word in _worth(split_words(token.decode("utf-8", "replace")))}
    for match in authors.finditer(data):
        name = _AUTHOR_NAME.search(match[0])
        if name is not None:
            words.update(_worth(split_words(name[1].decode("utf-8", "replace"))))
    return words


def _beside(piece: bytes, start: int, stop: int) -> list[bytes]:
    """The words of a neighbourhood, none of another text."""
    if b"\x1f" in piece:
        high = piece.find(b"\x1f", stop)
        piece = piece[piece.rfind(b"\x1f", 0, start) + 1 : high if high >= 0 else len(piece)]
    if b"\\" in piece:
        piece = _ESCAPE.sub(b" ", piece)  # an escaped line feed is no letter of the word behind it
    return _LETTERS.findall(piece)


def people(names: Iterable[str]) -> set[str]:
    """Words of accounts that must not enter a name.

    Args:
        names: user names of home folders and local parts of e-mail addresses.

    Returns:
        Words as one() writes them; accounts that stand for nobody, such as runner, give none.

    Source:
        naming rules, step 8, P3.

    Example:
        >>> sorted(people(["ann.muster", "runner"]))
        ['ann', 'muster']
    """
    nobody = load().words["focus_nobody"]
    found: set[str] = set()
    for name in names:
        for account in _ACCOUNT.findall(name):
            if account.lower() not in nobody:
                found.update(word for word in _worth(split_words(account)) if word not in nobody)
    return found


def _worth(words: Iterable[str]) -> Iterable[str]:
    """What could be a word of a name at all."""
    return (one(word) for word in words if SHORTEST <= len(word) <= LONGEST)
