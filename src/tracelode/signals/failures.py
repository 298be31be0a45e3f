"""Which class of failure does an output show?"""

from __future__ import annotations

from tracelode.signals.lexicon import Lexicon, load

_HEAD = 1_500
"""Characters looked at."""


def error_class(text: str, lexicon: Lexicon | None = None) -> str | None:
    """The class of the failure that an output tells of.

    Args:
        text: output of an operation that failed.
        lexicon: the words; None for the built-in ones.

    Returns:
        The first class of the lexicon's order that matches, None if none does.

    Source:
        naming rules, appendix, error classes; authentication error comes before permission error.

    Example:
        >>> error_class("bash: frob: command not found"), error_class("Permission denied (publickey).")
        ('missing command', 'authentication error')
    """
    return (lexicon or load()).failures.first(text[:_HEAD])


def error_class_alone(text: str, lexicon: Lexicon | None = None) -> str | None:
    """The class of a failure in an output whose record does not say that it failed.

    Args:
        text: output of an operation that exercises something; a pipe may have hidden its exit code.
        lexicon: the words; None for the built-in ones.

    Returns:
        The first class whose stricter form matches, None if none does.
    """
    return (lexicon or load()).failures_alone.first(text[:_HEAD])
