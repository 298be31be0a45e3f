"""Does a value carry a mark of the redactor, so that what it was is not known?"""

from __future__ import annotations

import re

from tracelode.compile.paths import leaves
from tracelode.model.run import Tree

_MARK = re.compile(r"\[(?:secret:[a-z-]{1,20}|email)\]")


def masked(value: Tree) -> bool:
    """Was a part of a value redacted when its run was imported?

    Args:
        value: JSON value.

    Example:
        >>> masked("[email]"), masked({"to": ["Jo <[email]>"]}), masked("jo@")
        (True, True, False)
    """
    return any(isinstance(leaf, str) and _MARK.search(leaf) is not None for _, leaf in leaves(value))


def unmarked(text: str) -> str:
    """A text with blanks in the place of marks: what stands in one is no word of who wrote the text.

    Args:
        text: what a person asks.

    Returns:
        The text; every other sign stays in its place.

    Example:
        >>> unmarked("Mail [email] now.")
        'Mail         now.'
    """
    return _MARK.sub(lambda mark: " " * len(mark[0]), text)
