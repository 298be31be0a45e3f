"""How are places in JSON values written, read and generalised? The one home of paths.

Text form: keys joined by dots, [0] for a place in a list, ["odd key"] for a key with other signs than
letters, digits, _ and -, [*] for every place, {*} for every key, "" for the whole value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec

from tracelode.errors import UsageError
from tracelode.model.run import Tree

Key: TypeAlias = str | int
ANY_PLACE = -(2**62)
"""Stands for [*] in a parsed path."""
ANY_KEY = "\0*"
"""Stands for {*} in a parsed path."""

_PLAIN = re.compile(r"[A-Za-z0-9_\-]+\Z")
_PART = re.compile(r'\.?([A-Za-z0-9_\-]+)|\[(-?\d{1,18}|\*)\]|\[("(?:[^"\\]|\\.)*")\]|\.?(\{\*\})')


@lru_cache(maxsize=65536)
def written(keys: tuple[Key, ...]) -> str:
    """The text of a path.

    Args:
        keys: dict keys and list places.

    Returns:
        Text that parsed() reads.

    Example:
        >>> written(("legs", 0, "to", "odd key"))
        'legs[0].to["odd key"]'
    """
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += "[*]" if key == ANY_PLACE else f"[{key}]"
        elif key == ANY_KEY:
            text += ".{*}" if text else "{*}"
        elif _PLAIN.match(key):
            text += f".{key}" if text else key
        else:
            text += f"[{msgspec.json.encode(key).decode()}]"
    return text


@lru_cache(maxsize=65536)
def parsed(path: str) -> tuple[Key, ...]:
    """The keys of a path.

    Args:
        path: its text.

    Returns:
        Dict keys and list places.

    Raises:
        UsageError: no path.

    Example:
        >>> parsed('legs[0].to["odd key"]')
        ('legs', 0, 'to', 'odd key')
    """
    keys: list[Key] = []
    at = 0
    while at < len(path):
        part = _PART.match(path, at)
        if part is None or (part[0].startswith(".") and at == 0):
            raise UsageError(f"no path: it goes wrong at sign {at + 1}")
        name, place, odd, star = part.groups()
        if star:
            keys.append(ANY_KEY)
        elif place is not None:
            keys.append(ANY_PLACE if place == "*" else int(place))
        else:
            keys.append(name if odd is None else msgspec.json.decode(odd, type=str))
        at = part.end()
    return tuple(keys)


def leaves(tree: Tree, keys: tuple[Key, ...] = ()) -> Iterator[tuple[tuple[Key, ...], Tree]]:
    """Every leaf of a value; an empty list or dict is one.

    Args:
        tree: JSON value.
        keys: where it lies.

    Yields:
        (keys, leaf) in the order of the value.
    """
    stack: list[tuple[tuple[Key, ...], Any]] = [(keys, tree)]
    while stack:
        at, value = stack.pop()
        if isinstance(value, dict) and value:
            stack.extend([((*at, key), inner) for key, inner in value.items()][::-1])
        elif isinstance(value, list) and value:
            stack.extend([((*at, place), inner) for place, inner in enumerate(value)][::-1])
        else:
            yield at, value


def deeper(tree: Tree, most: int) -> bool:
    """Are lists and dicts of a value nested deeper than some levels?

    Args:
        tree: JSON value.
        most: levels that are allowed; a list without lists and dicts in it is one.

    Example:
        >>> deeper([[1]], 2), deeper([[[1]]], 2), deeper(7, 1)
        (False, True, False)
    """
    level = [tree] if isinstance(tree, dict | list) else []
    for _ in range(most):
        if not level:
            return False
        inner: list[Tree] = []
        for outer in level:
            values = outer.values() if type(outer) is dict else outer
            inner += [value for value in values if type(value) is dict or type(value) is list]
        level = inner
    return bool(level)


def get(tree: Tree, path: str) -> Tree:
    """The value at a path; with [*] or {*} the list of all values that are there.

    Args:
        tree: JSON value.
        path: text form.

    Returns:
        What lies there.

    Raises:
        LookupError: nothing lies there.
    """
    return _get(tree, parsed(path))


def _get(tree: Tree, keys: tuple[Key, ...]) -> Tree:
    for place, key in enumerate(keys):
        if key in (ANY_PLACE, ANY_KEY):
            if not isinstance(tree, list if key == ANY_PLACE else dict):
                raise LookupError(written(keys))
            found: list[Tree] = []
            rest = keys[place + 1 :]
            many = ANY_PLACE in rest or ANY_KEY in rest
            for inner in tree if isinstance(tree, list) else tree.values():
                try:
                    value = _get(inner, rest)
                except LookupError:
                    continue
                found.extend(value) if many else found.append(value)
            return found
        if isinstance(tree, dict):
            there = isinstance(key, str) and key in tree
        else:
            there = isinstance(tree, list) and isinstance(key, int) and -len(tree) <= key < len(tree)
        if not there:
            raise LookupError(written(keys))
        tree = tree[key]
    return tree


def put(tree: Tree, keys: tuple[Key, ...], value: Tree) -> Tree:
    """A value with another one put in at a place; lists and dicts on the way are made.

    Args:
        tree: what is there, None for nothing; changed in place.
        keys: dict keys and list places, a list's one after another from 0.
        value: the leaf.

    Returns:
        The whole.

    Raises:
        LookupError: a leaf lies where a list or dict must be, or a place is left out.
    """
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if isinstance(key, int):
        tree = [] if tree is None else tree
        if not isinstance(tree, list) or not 0 <= key <= len(tree):
            raise LookupError(written(keys))
        if key == len(tree):
            tree.append(None)
        tree[key] = put(tree[key], rest, value)
        return tree
    tree = {} if tree is None else tree
    if not isinstance(tree, dict):
        raise LookupError(written(keys))
    tree[key] = put(tree.get(key), rest, value)
    return tree


@lru_cache(maxsize=65536)
def general(keys: tuple[Key, ...]) -> str:
    """The path with every list place generalised.

    Args:
        keys: dict keys and list places.

    Returns:
        Text form.

    Example:
        >>> general(("legs", 0, "to"))
        'legs[*].to'
    """
    return written(tuple(ANY_PLACE if isinstance(key, int) else key for key in keys))
