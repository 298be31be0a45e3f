"""How is what a lenient reader decodes made JSON, and kept small?"""

from __future__ import annotations

from typing import Any

from tracelode.model.run import Tree

DEPTH = 100
"""Levels of lists and dicts."""
NODES = 500_000
"""Values: links of YAML can make a small file of endless ones."""


def plain(value: Any) -> Tree:
    """A decoded value as JSON.

    Args:
        value: of a JSON or YAML reader: it may hold dates, and keys that are no text.

    Returns:
        The same of JSON's types only; whatever else there is as its text.

    Raises:
        ValueError: it is deeper than DEPTH, or has more than NODES values.
    """
    return _plain(value, DEPTH, [NODES])


def _plain(value: Any, depth: int, left: list[int]) -> Tree:
    left[0] -= 1
    if left[0] < 0 or depth < 0:
        raise ValueError("too large")
    if isinstance(value, dict):
        return {_key(key): _plain(inner, depth - 1, left) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, depth - 1, left) for inner in value]
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return value
    return str(value)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(key)
