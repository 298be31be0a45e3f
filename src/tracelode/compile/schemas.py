"""What is a tool's schema known by, to see whether it changed?"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

_WORDS = frozenset(("description", "title", "examples", "example", "$comment", "default"))
"""What may change without changing which arguments are taken."""


def schema_digest(parameters: Mapping[str, Any]) -> str:
    """A digest of which arguments a tool takes.

    Args:
        parameters: JSON Schema of its arguments, {} if unknown.

    Returns:
        16 hex digits, "" for an unknown schema; the same whatever words describe the arguments.

    Example:
        >>> a = {"type": "object", "properties": {"id": {"type": "string", "description": "Which."}}}
        >>> schema_digest(a) == schema_digest({"properties": {"id": {"type": "string"}}, "type": "object"})
        True
    """
    if not parameters:
        return ""
    data = msgspec.json.encode(_bare(parameters, False), order="deterministic")
    return blake2b(data, digest_size=8).hexdigest()


def _bare(tree: Any, named: bool) -> Any:
    """Without words; under properties the keys are names, not keywords."""
    if isinstance(tree, Mapping):
        return {
            key: _bare(value, not named and key == "properties")
            for key, value in tree.items()
            if named or key not in _WORDS
        }
    if isinstance(tree, list):
        return [_bare(value, False) for value in tree]
    return tree
