"""Does a request name a second value beside one that is needed: "T-1 and T-2", "Oslo, Rome"?"""

from __future__ import annotations

import re
from collections.abc import Collection

_JOIN = r"(?:[,;&+/]|\b(?:and|plus|or|then|to|through|until)\b|\b(?:as well as|along with|together with)\b)"
_SIGN = r"[^\s,;&+/\"'`’”“‘()\[\]]"
_AFTER = re.compile(
    rf"[\"'`’”)\]]*\s*(?P<join>{_JOIN})(?:\s*{_JOIN})*\s*[\"'`‘“(\[]*(?P<other>{_SIGN}+)", re.I
)
_BEFORE = re.compile(
    rf"(?P<other>{_SIGN}+)[\"'`’”)\]]*\s*(?P<join>{_JOIN})(?:\s*{_JOIN})*\s*[\"'`‘“(\[]*\Z", re.I
)
_SPLIT = re.compile(rf"\s*{_JOIN}\s*", re.I)
_CODE = re.compile(r"[A-Za-z0-9]+(?:[-_:#./][A-Za-z0-9]+)*")
_AWAY = ".!?:"
"""Signs at the end of a word that belong to the sentence."""
_NEAR = 120
"""Characters before a value that are looked at."""


def beside(text: str, start: int, stop: int, usual: Collection[str]) -> bool:
    """Is there another value of the same look, joined to one by a comma or by and?

    Args:
        text: a request.
        start: where the value begins.
        stop: where it ends.
        usual: words that may stand beside any value, in small letters.
    """
    value = text[start:stop]
    parts = [part for part in _SPLIT.split(value) if part]
    if len(parts) > 1 and len({_look(part) for part in parts}) == 1 and _look(parts[0]) != "a":
        return True
    words = value.split()
    if not words:
        return False
    after = _AFTER.match(text, stop)
    before = _BEFORE.search(text[max(0, start - _NEAR) : start])
    return any(
        found is not None and _second(found, word, usual)
        for found, word in ((after, words[0]), (before, words[-1]))
    )


def _second(found: re.Match[str], word: str, usual: Collection[str]) -> bool:
    other = found["other"].strip(_AWAY)
    if not other or other.lower() in usual:
        return False
    # "from Oslo to Rome": a range where the values are numbers, dates or codes, two places otherwise
    if found["join"].lower() in ("to", "through", "until", "then") and not any(s.isdigit() for s in other):
        return False
    return _look(other) == _look(word)


def _look(word: str) -> str:
    """What a word looks like: 9 for digits, A for a word that begins large, a for another."""
    told = re.sub(r"\d+(?:[.,]\d+)*", "9", word.strip(_AWAY))
    told = re.sub(r"[^\W\d_]*[A-Z][^\W\d_]*", "A", told)
    return re.sub(r"[^\W\d_]*[^\W\d_A][^\W\d_]*", "a", told)


def twins(text: str, values: Collection[str]) -> set[str]:
    """Codes among values to which a request names others that differ in nothing but digits.

    Args:
        text: a request.
        values: all that it gives inputs.
    """
    known = {value.casefold() for value in values}
    looks = {_masked(value): value for value in values if _code(value)}
    there = {word for word in _CODE.findall(text) if word.casefold() not in known}
    within = {word for word in there if any(word.casefold() in value for value in known)}
    return {looks[look] for word in sorted(there - within) if (look := _masked(word)) in looks}


def _code(value: str) -> bool:
    whole = _CODE.fullmatch(value) is not None
    return whole and any(s.isdigit() for s in value) and any(s.isalpha() for s in value)


def _masked(word: str) -> str:
    return re.sub(r"\d+", "9", word.casefold())
