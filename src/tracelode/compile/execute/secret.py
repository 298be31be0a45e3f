"""How do secret inputs stay out of what is written? By a sign in their place, turned back when it is read."""

from __future__ import annotations

from collections.abc import Mapping

from tracelode.model.run import Tree

_SHORT = 4
"""Signs below which a secret is only hidden where it is the whole text."""


def hidden(tree: Tree, secrets: Mapping[str, Tree]) -> Tree:
    """A value without secrets.

    Args:
        tree: JSON value; not changed.
        secrets: name to value.

    Returns:
        The value with a sign at every place of a secret.
    """
    pairs = [(str(value), _sign(name)) for name, value in sorted(secrets.items()) if value not in (None, "")]
    return _swapped(tree, pairs) if pairs else tree


def shown(tree: Tree, secrets: Mapping[str, Tree]) -> Tree:
    """A value with its secrets put back.

    Args:
        tree: what hidden() gave.
        secrets: the same.
    """
    pairs = [(_sign(name), str(value)) for name, value in sorted(secrets.items()) if value not in (None, "")]
    return _swapped(tree, pairs) if pairs else tree


def _sign(name: str) -> str:
    return f"\ue000secret:{name}\ue001"


def _swapped(tree: Tree, pairs: list[tuple[str, str]]) -> Tree:
    if isinstance(tree, dict):
        return {_text(key, pairs): _swapped(inner, pairs) for key, inner in tree.items()}
    if isinstance(tree, list | tuple):
        return [_swapped(inner, pairs) for inner in tree]
    return _text(tree, pairs) if isinstance(tree, str) else tree


def _text(text: str, pairs: list[tuple[str, str]]) -> str:
    for old, new in pairs:
        if text == old or len(old) >= _SHORT:
            text = text.replace(old, new)
    return text
