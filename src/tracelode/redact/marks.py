"""Does anything in a text tell that a secret may follow? The table, and where to look its rows up.

Standard library only, and nothing of the readers: most texts hold no mark, and then nothing else is loaded.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Iterator
from functools import lru_cache

from tracelode.redact.table import Row, table

FEW = 64
"""Texts from which an index of letters pays: it takes as long to make as looking through so many."""
MOST = 8_192
"""Words without a keyword that are kept at most, in memory only."""
_LONGEST_NAME = 64
_SHORT, _DIGITS = 4, b"0123456789"
_TURN = 4
"""Words are learned from one text of so many: those that matter come again."""
_KINDS_OF_KEY = (
    b"access", b"api", b"app", b"auth", b"account", b"admin", b"client", b"private", b"signing",
    b"signature", b"ssh", b"role", b"session", b"service", b"activation", b"licence", b"secret",
    b"subscription", b"encrypt", b"encryption", b"master", b"license", b"deploy", b"hmac", b"jwt",
)  # fmt: skip
_ENDS = rb"(?:[_-]?(?:id|data))?(?:[_-]?[0-9]{1,3}|[_-][a-z]{1,14})?[*_`\\\] \t]{0,30}"
"""What may stand between a secret's name and the sign behind it: ends of names, marks of style, blanks."""
_SIGN = rb"(?:[=:?%|&<]|[\"'][]*_ \t=:?%|,/>}])"
_NAMES = tuple(
    (word, re.compile(more + _ENDS + _SIGN))
    for word, more in (
        (b"pass", rb"(?:words?|wort|wd|phrase|code)?"),
        (b"pw", rb"d?"),
        (b"secret", rb"(?:[ ._-]?(?:access[ ._-]?)?key)?"),
        (b"credential", rb"s?"),
        (b"token", rb""),
        (b"kennwort", rb""),
        (b"_auth", rb""),
    )
)
"""Names of secrets with what must follow them where they are given a value."""
_KEY = re.compile(_ENDS + _SIGN)
_SAYS = tuple(word.encode() for word in ("is", "was", "has", "are", "for", "to", "of", "on", "set"))


def encode(text: str) -> bytes:
    """UTF-8, lone surrogates as question marks.

    Args:
        text: any string.

    Returns:
        Valid UTF-8.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


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


def _signed(lower: bytes) -> bool:
    """Does a secret's name stand before a sign that gives it a value?"""
    for word, behind in _NAMES:
        at = lower.find(word)
        while at >= 0:
            if behind.match(lower, at + len(word)) is not None:
                return True
            at = lower.find(word, at + 1)
    return any(_KEY.match(lower, at + 3) is not None for at in _keys(lower))


def _keys(lower: bytes) -> Iterator[int]:
    """Where the key of something begins: of an account, an interface and the like."""
    at = lower.find(b"key")
    while at >= 0:
        before = lower[max(0, at - 13) : at]
        if before[-1:] in _JOINTS:
            before = before[:-1]
        if before.endswith(_KINDS_OF_KEY):
            yield at
        at = lower.find(b"key", at + 1)


def _told(lower: bytes) -> bool:
    """Does a sentence say what a secret is?"""
    for word in (b"token ", b"secret ", b"credential ", b"credentials "):
        at = lower.find(word)
        while at >= 0:
            if lower.startswith(_SAYS, at + len(word)):
                return True
            at = lower.find(word, at + 1)
    return any(lower[at + 3 : at + 4] == b" " and lower.startswith(_SAYS, at + 4) for at in _keys(lower))


_JOINTS = (b" ", b".", b"_", b"-")


def _said(lower: bytes) -> bool:
    return any(word in lower for word in _SPOKEN)


_SPOKEN = (b"password ", b"passwort ", b"passwd ", b"passphrase ", b"passcode ", b"pwd ", b"kennwort ",
           b"identified by ")  # fmt: skip
NEEDS: dict[tuple[str, str], Callable[[bytes], object]] = {
    ("password", "xml"): lambda lower: b"<" in lower and b">" in lower,
    ("password", "flag"): lambda lower: b"-" in lower,
    ("password", "cell"): lambda lower: b"|" in lower,
    ("signature", "param"): lambda lower: b"?" in lower or b"&" in lower or b";" in lower,
    ("password", "value"): _signed,
    ("password", "said"): _said,
    ("secret", "said"): _told,
}
"""Name and kind of a row to what every text with a match has, beside a keyword: their triggers take a hundred
times as long to compile as these take to look. A text is given in lower case."""


class Keyed:
    """A table and where to look its rows up: most words of a text were in one before, and held no keyword.

    Args:
        order: rows in order of precedence.
    """

    def __init__(self, order: tuple[Row, ...]) -> None:
        self._rows = order
        self._needs = [NEEDS.get((row.name, row.kind)) for row in order]
        # By its longest piece without blanks, which lies within one word of a text: keywords and their rows.
        self._places: dict[bytes, list[tuple[bytes, int]]] = {}
        for place, row in enumerate(order):
            for text in row.keywords:
                word = text.encode("latin-1")
                piece = max(word.split(), key=len, default=b"")
                self._places.setdefault(piece, []).append((word, place))
        # a piece of one letter has no pair: it is always looked for
        self._single = [piece for piece in self._places if len(piece) < 2]
        self._pairs: dict[int, list[bytes]] = {}
        self._rare: frozenset[int] = frozenset()
        self._clean: set[bytes] = set()
        self._holding: dict[bytes, list[bytes]] = {}
        self._asked = 0

    def _index(self) -> None:
        held: dict[int, int] = {}
        for key in self._places:
            for pair in _own(key):
                held[pair] = held.get(pair, 0) + 1
        for key in self._places:
            if len(key) > 1:
                rarest = min(_own(key), key=lambda pair: (_common(pair), held[pair], pair))
                self._pairs.setdefault(rarest, []).append(key)
        self._rare = frozenset(self._pairs)

    def _pieces(self, lower: bytes) -> list[bytes]:
        """Pieces of keywords that occur."""
        self._asked += 1
        if self._asked < FEW:
            return [piece for piece in self._places if piece in lower]
        if not self._pairs:
            self._index()
        found = [piece for piece in self._single if piece in lower]
        for pair in _pairs(lower, self._rare):
            found += [piece for piece in self._pairs[pair] if piece in lower]
        return found

    def _learn(self, words: list[bytes], pieces: list[bytes]) -> None:
        if len(self._clean) + len(self._holding) > MOST:
            self._clean.clear()
            self._holding.clear()
        for word in words:
            if not _kept(word):
                continue
            if held := [piece for piece in pieces if piece in word]:
                self._holding[word] = held
            else:
                self._clean.add(word)

    def _unknown(self, words: list[bytes]) -> set[bytes]:
        """Pieces of keywords that occur in words which were not seen before."""
        pieces = self._pieces(b"\n".join(words))
        if self._asked % _TURN == 0:
            self._learn(words[:MOST], pieces)
        return set(pieces)

    def holding(self, lower: bytes) -> list[Row]:
        """Rows of which a keyword occurs in a text.

        Args:
            lower: n bytes of UTF-8, ASCII in lower case.

        Returns:
            Rows in order of precedence. O(n).
        """
        words, seen = set(lower.split()), self._holding
        words -= self._clean
        # a name of blanks only has no piece
        pieces = {b""} if b"" in self._places else set()
        unknown = []
        for word in words:
            if (held := seen.get(word)) is None:
                unknown.append(word)
            else:
                pieces.update(held)
        if unknown:
            pieces |= self._unknown(unknown)
        places = {
            place for piece in pieces for word, place in self._places[piece] if word == piece or word in lower
        }
        needs = self._needs
        return [
            self._rows[place] for place in sorted(places) if (need := needs[place]) is None or need(lower)
        ]


def _kept(word: bytes) -> bool:
    """Is it no drawn one? Secrets are not to stay in memory, and numbers seldom come again."""
    size = len(word)
    return size <= _SHORT or (size < _LONGEST_NAME and len(word.translate(None, _DIGITS)) == size)


def _pairs(data: bytes, wanted: frozenset[int]) -> frozenset[int]:
    """Which of the wanted pairs of bytes, as numbers, occur: reading an array takes a tenth of a loop."""
    size = len(data)
    even = array("H", data[: size // 2 * 2])
    odd = array("H", data[1 : (size - 1) // 2 * 2 + 1])
    return wanted.intersection(even) | wanted.intersection(odd)


def _own(key: bytes) -> set[int]:
    """The pairs of one keyword."""
    return {int.from_bytes(key[i : i + 2], sys.byteorder) for i in range(len(key) - 1)}


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


def marked(text: str) -> bool:
    """Does anything in a text tell that a secret may follow?

    Args:
        text: any string.

    Returns:
        False only where neither the text nor any piece of it would be changed by redact_text().
    """
    data = encode(text)
    return any(compiled(row.trigger).search(data) is not None for row in keyed(()).holding(data.lower()))
