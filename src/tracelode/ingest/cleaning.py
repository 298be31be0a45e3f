"""How are words that a source wrote cleaned where they are no text of an operation? In states and names."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.lenient import storable
from tracelode.redact.fast import Redactor


def cleaned(state: Any, redactor: Redactor) -> Any:
    """A resume state without anything a source wrote: every string goes through the redactor.

    Args:
        state: of an adapter.
        redactor: the one choke point.
    """
    return msgspec.convert(_names(msgspec.to_builtins(state), redactor), type(state))


def renamed(item: Any, redactor: Any) -> Any:
    """Something with a name, which is a path.

    Args:
        item: a struct.
        redactor: the one choke point.
    """
    return msgspec.structs.replace(item, name=redactor.path(item.name))


def _names(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.name(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return storable(value)
    if isinstance(value, list | tuple):
        return [_names(item, redactor) for item in value]
    if isinstance(value, dict):
        return {_names(key, redactor): _names(item, redactor) for key, item in value.items()}
    return value
