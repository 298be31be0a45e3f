"""Which closed verb does a sentence lead with? The grammar for descriptions, narration and plan items."""

from __future__ import annotations

import re

from tracelode.signals.lexicon import Lexicon, load

_HEAD = 400
"""Characters looked at: the verb stands in front."""
_WORDS = 10
"""Words looked at."""
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'(?!\w)|<[^<>\n]*>")
_DROPPED = re.compile(r"\S*(?:://|[/\\]|\d|\w\.\w)\S*")
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)?")


def text_verb(text: str, lexicon: Lexicon | None = None) -> str | None:
    """The closed verb of the first verb among a sentence's first ten words.

    Args:
        text: a description, a sentence of narration or a plan item.
        lexicon: the words; None for the built-in ones.

    Returns:
        A closed verb, None if no known verb leads the sentence.

    Source:
        naming rules, step 4.

    Example:
        >>> text_verb("Make sure the tests pass"), text_verb("Setting up the database"), text_verb("The plan")
        ('verify', 'manage', None)
    """
    lexicon = lexicon or load()
    cleaned = _DROPPED.sub(" ", _QUOTED.sub(" ", text[:_HEAD])).lower()
    words = _WORD.findall(cleaned)[:_WORDS]
    articles = lexicon.words["articles"]
    fallback: str | None = None
    for place, word in enumerate(words):
        if place and words[place - 1] in articles:
            continue
        if place + 1 < len(words):
            paired = lexicon.pairs.get((_base(word, lexicon), words[place + 1]))
            if paired is not None and paired[:1] not in ("", "?"):
                return paired
            if paired is not None:  # the next verb counts; after "?" stands what holds without one
                fallback = paired[1:] or fallback
                continue
        verb = lexicon.says.get(_base(word, lexicon))
        if verb is not None:
            return verb
    return fallback


def _base(word: str, lexicon: Lexicon) -> str:
    """The base form of a word in -ing, or the word."""
    says = lexicon.says
    if word in says or not word.endswith("ing") or len(word) < 6:
        return word
    stem = word[:-3]
    for form in (stem, stem + "e", stem[:-1]):
        if form in says or any(form == first for first, _ in lexicon.pairs):
            return form
    return word
