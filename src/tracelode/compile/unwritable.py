"""Was a value recorded that no JSON text can carry, so that what is known of it is not what was passed?"""

from __future__ import annotations

from tracelode.compile.normalise.values import LOST
from tracelode.compile.paths import leaves
from tracelode.model.run import Tree

_NO_NUMBER = frozenset(("NaN", "Infinity", "-Infinity"))


def unwritable(value: Tree) -> bool:
    """Is a part of a value half a character, or no finite number?

    Args:
        value: JSON value as normalise.values reads it: such numbers are texts.

    Example:
        >>> unwritable({"a": ["NaN"]}), unwritable("1e999"), unwritable("x\\ufffd"), unwritable("1e3")
        (True, True, True, False)
    """
    return any(isinstance(leaf, str) and _lost(leaf) for _, leaf in leaves(value))


def _lost(text: str) -> bool:
    if LOST in text or text in _NO_NUMBER:
        return True
    if text[:1] not in "-0123456789" or "e" not in text.lower() or len(text) > 400:
        return False
    try:
        return float(text) in (float("inf"), float("-inf"))
    except ValueError:
        return False
