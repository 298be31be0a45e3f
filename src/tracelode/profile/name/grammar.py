"""Which names are well formed? Verb first, at most four plain words."""

from __future__ import annotations

import re

from tracelode.errors import ModelError
from tracelode.signals.lexicon import Lexicon, load

MAX_WORDS = 4
"""Words in a name."""
MAX_LENGTH = 32
"""Characters in a name."""

_NAME = re.compile(r"[a-z]+(?: [a-z]+){0,3}")
_LEADING = """add answer call change configure connect develop do find investigate open refactor set ship
  start try understand write"""
"""Verbs that begin a stage or an intent and are no verb of an operation."""


def verbs(lexicon: Lexicon | None = None) -> frozenset[str]:
    """Every word that a name may begin with.

    Args:
        lexicon: the words; None for the built-in ones.

    Returns:
        The verbs of operations and those that stages and intents use in their place.
    """
    return frozenset((lexicon or load()).verbs) | frozenset(_LEADING.split())


def well_formed(name: str, lexicon: Lexicon | None = None) -> bool:
    """Is a name verb-first, of one to four words, without digit, path or capital?

    Args:
        name: a stage or intent name.
        lexicon: the words; None for the built-in ones.

    Returns:
        True if it is.

    Source:
        naming rules, section 5.

    Example:
        >>> well_formed("diagnose import error"), well_formed("edit src/a.py"), well_formed("tests")
        (True, False, False)
    """
    if len(name) > MAX_LENGTH or _NAME.fullmatch(name) is None:
        return False
    return name.partition(" ")[0] in verbs(lexicon)


def check(name: str, vocabulary: frozenset[str]) -> str:
    """Assert at write time that a name belongs to a closed vocabulary.

    Args:
        name: a stage or intent name.
        vocabulary: the closed set.

    Returns:
        The name.

    Raises:
        ModelError: it does not; the message does not hold the name, which may be text of a trace.

    Source:
        naming rules, step 8, P1.
    """
    if name not in vocabulary:
        raise ModelError("a stage or intent name lies outside the closed vocabulary")
    return name
