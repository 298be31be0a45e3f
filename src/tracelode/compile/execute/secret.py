"""How do secret inputs stay out of what is written? By a sign in their place, turned back when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tracelode.compile.execute.given import parts
from tracelode.model.run import Tree

_SHORT = 4
"""Signs below which a secret is only hidden where it is the whole text."""


class _Pair(NamedTuple):
    """A text and what stands in its place."""

    old: str
    new: str
    least: int
    """Signs from which it is replaced inside of a text as well."""


def hidden(tree: Tree, secrets: Mapping[str, Tree]) -> Tree:
    """A value without secrets.

    Args:
        tree: JSON value; not changed.
        secrets: name to value.

    Returns:
        The value with a sign at every place of a secret.
    """
    pairs = [_Pair(text, _sign(name), _SHORT) for name, text in _texts(secrets)]
    return _swapped(tree, pairs) if pairs else tree


def shown(tree: Tree, secrets: Mapping[str, Tree]) -> Tree:
    """A value with its secrets put back.

    Args:
        tree: what hidden() gave.
        secrets: the same.
    """
    pairs = [_Pair(_sign(name), text, 0) for name, text in _texts(secrets)]
    return _swapped(tree, pairs) if pairs else tree


def masked(tree: Tree, secrets: Mapping[str, Tree]) -> Tree:
    """A value as it may be printed.

    Args:
        tree: JSON value, with secrets or with signs in their place.
        secrets: name to value.

    Returns:
        The value with [secret:NAME] at every place of a secret, numbers among them.
    """
    pairs = []
    for name, text in _texts(secrets):
        mark = "[secret:" + name.partition("\0")[0] + "]"
        pairs += [_Pair(_sign(name), mark, 0), _Pair(text, mark, _SHORT)]
    return _swapped(tree, pairs, numbers=True) if pairs else tree


def _texts(secrets: Mapping[str, Tree]) -> list[tuple[str, str]]:
    """Names of parts and their texts: a longer one first, as a shorter one may lie in it."""
    found = [
        (name if number == 0 else f"{name}\0{number}", text)
        for name, value in sorted(secrets.items())
        for number, text in enumerate(parts(value))
    ]
    return sorted(found, key=lambda one: (-len(one[1]), one[0]))


def _sign(name: str) -> str:
    name, _, number = name.partition("\0")
    return f"\ue000secret:{name}{'#' * bool(number)}{number}\ue001"


def _swapped(tree: Tree, pairs: list[_Pair], *, numbers: bool = False) -> Tree:
    if isinstance(tree, dict):
        return {_text(key, pairs): _swapped(inner, pairs, numbers=numbers) for key, inner in tree.items()}
    if isinstance(tree, list | tuple):
        return [_swapped(inner, pairs, numbers=numbers) for inner in tree]
    if numbers and isinstance(tree, int | float) and not isinstance(tree, bool):
        return next((one.new for one in pairs if one.old == str(tree)), tree)
    return _text(tree, pairs) if isinstance(tree, str) else tree


def _text(text: str, pairs: list[_Pair]) -> str:
    for one in pairs:
        if text == one.old or len(one.old) >= one.least:
            text = text.replace(one.old, one.new)
    return text
