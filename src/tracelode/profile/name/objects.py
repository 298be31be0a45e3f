"""Which words may name an object, and when are two of them one? Words of paths, plurals, the registry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from tracelode.profile.name.grammar import MAX_LENGTH
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.paths import strip_home

SHORTEST, LONGEST = 3, 14
"""Letters of a word that may name an object."""
ENOUGH = 2
"""Families in which an object occurs before it may name anything."""

_TOKEN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_HEX = re.compile(r"[0-9a-fA-F]+")
_VOWEL = re.compile("[aeiouy]")
_DEEP = 6
"""Folders looked at, from the file upwards."""


class Words(NamedTuple):
    """What a path says of an object."""

    stem: tuple[str, ...]
    """Words of the file's own name, in order."""
    folders: tuple[str, ...]
    """Words of its folders, the nearest first."""


class Ladder(NamedTuple):
    """What a segment may be called, best first."""

    verb: str
    """First word of the name."""
    objects: tuple[str, ...]
    """One or two words each."""


def split_words(text: str) -> list[str]:
    """Lower-case words of a text, cut at capitals and at whatever is no letter.

    Args:
        text: a part of a path or a few words.

    Returns:
        ASCII words in order; what looks like a digest or holds other letters is left out whole.

    Example:
        >>> split_words("HTTPServer_testColors2"), split_words("a1b2c3d4-map")
        (['http', 'server', 'test', 'colors'], ['map'])
    """
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if not token.isascii():
            continue
        if _HEX.fullmatch(token) and len(token) > 3:
            continue
        found += [word.lower() for word in _CAMEL.findall(token)]
    return found


def speaks(word: str, lexicon: Lexicon) -> bool:
    """May a word name an object at all?

    Args:
        word: in lower case.
        lexicon: the words.

    Returns:
        True for 3 to 14 letters with a vowel that are no verb and say something.

    Source:
        naming rules, step 5, words.
    """
    if not SHORTEST <= len(word) <= LONGEST or _VOWEL.search(word) is None or _HEX.fullmatch(word):
        return False
    empty = (lexicon.words["focus_drop"], lexicon.words["focus_pass"], lexicon.says, lexicon.verbs)
    return not any(form in words for words in empty for form in (word, one(word)))


def path_words(path: str, lexicon: Lexicon | None = None) -> Words:
    """The words of a path that may name an object.

    Args:
        path: relative or absolute, any slashes; what stands for a home folder says nothing.
        lexicon: the words; None for the built-in ones.

    Returns:
        Words of its last part and of the folders above.

    Source:
        naming rules, step 5; step 8, P2.

    Example:
        >>> path_words("/home/ann/shop/src/cart/price_table.py")
        Words(stem=('price', 'table'), folders=('cart', 'shop'))
    """
    return _path_words(path, lexicon or load())


@lru_cache(maxsize=16_384)
def _path_words(path: str, lexicon: Lexicon) -> Words:
    parts = [part for part in strip_home(path).split("/") if part and not part.startswith("~")]
    if not parts:
        return Words((), ())
    stem = parts[-1].lstrip(".").partition(".")[0]
    folders = [word for part in parts[-2 : -2 - _DEEP : -1] for word in reversed(_spoken(part, lexicon))]
    return Words(tuple(_spoken(stem, lexicon)), tuple(dict.fromkeys(folders)))


def _spoken(text: str, lexicon: Lexicon) -> list[str]:
    return [word for word in split_words(text) if speaks(word, lexicon)]


def one(word: str) -> str:
    """The form that stands for a word in the singular and the plural; every word of a phrase by itself.

    Args:
        word: lower-case words with blanks between.

    Returns:
        What is equal for both numbers; not always a word.

    Example:
        >>> one("colors"), one("queries"), one("classes"), one("status"), one("price tables")
        ('color', 'query', 'class', 'status', 'price table')
    """
    return " ".join(_singular(part) for part in word.split())


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1]


def admitted(seen: Iterable[tuple[str, str]], enough: int = ENOUGH) -> dict[str, str]:
    """The objects that occur often enough, and how each is written.

    Args:
        seen: (object as written, family) pairs, in any order; repeats add nothing.
        enough: families that must have it.

    Returns:
        one(object) to the form that most families write, the shortest and first of the alphabet on ties.

    Source:
        naming rules, step 6; decision 0011.
    """
    families: dict[str, set[str]] = {}
    forms: dict[str, dict[str, set[str]]] = {}
    for form, family in seen:
        key = one(form)
        families.setdefault(key, set()).add(family)
        forms.setdefault(key, {}).setdefault(form, set()).add(family)
    return {
        key: min(forms[key], key=lambda form: (-len(forms[key][form]), len(form), form))
        for key in sorted(families)
        if len(families[key]) >= enough
    }


def focus_name(ladder: Ladder, registered: Mapping[str, str]) -> str | None:
    """The name of a segment: its verb and the first of its objects that is registered.

    Args:
        ladder: what it may be called.
        registered: one(object) to how it is written.

    Returns:
        Two or three words, None where nothing is registered.

    Example:
        >>> focus_name(Ladder("edit", ("price tables", "table")), {"table": "table"})
        'edit table'
    """
    for item in ladder.objects:
        form = registered.get(one(item))
        if form is not None and len(ladder.verb) + 1 + len(form) <= MAX_LENGTH:
            return f"{ladder.verb} {form}"
    return None
