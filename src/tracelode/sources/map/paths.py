"""How does a path get a value out of a decoded record?"""

from __future__ import annotations

import re
from typing import Any

import msgspec

_PARTS = re.compile(r"((?:\\.|[^.\\])+)(?:\.|$)")


class Getter(msgspec.Struct, frozen=True):
    """A way into a record, or a constant."""

    steps: tuple[str, ...] = ()
    """Keys of objects and places in arrays, outermost first."""
    constant: str | None = None
    """The same value for every record; None for a path."""

    def __call__(self, record: Any) -> Any:
        """The value, None where the record has none there.

        Args:
            record: a decoded JSON value.
        """
        if self.constant is not None:
            return self.constant
        for step in self.steps:
            if isinstance(record, dict):
                record = record.get(step)
            elif isinstance(record, list) and step.removeprefix("-").isdecimal():
                place = int(step)
                record = record[place] if -len(record) <= place < len(record) else None
            else:
                return None
        return record


def getter(written: Any) -> Getter | None:
    r"""A path as a mapping writes it.

    Args:
        written: "event.name" (a dot inside a key is written \.), ["event", "name"], or "=constant".

    Returns:
        What gets the value; None where it is none of these.

    Example:
        >>> getter("choices.0.text")({"choices": [{"text": "yes"}]})
        'yes'
        >>> getter("=tool")({}), getter(["a.b", "c"])({"a.b": {"c": 1}}), getter(7)
        ('tool', 1, None)
    """
    if isinstance(written, list):
        steps = tuple(written)
        return Getter(steps) if steps and all(isinstance(step, str) for step in steps) else None
    if not isinstance(written, str) or not written:
        return None
    if written.startswith("="):
        return Getter(constant=written[1:]) if len(written) > 1 else None
    parts = _PARTS.findall(written)
    if sum(len(part) + 1 for part in parts) - 1 != len(written):
        return None
    return Getter(tuple(re.sub(r"\\(.)", r"\1", part) for part in parts))


def text(value: Any) -> str:
    """A value as text: strings as they are, other JSON values as JSON, "" for none.

    Args:
        value: a decoded JSON value.
    """
    if value is None or isinstance(value, str):
        return value or ""
    return msgspec.json.encode(value).decode("utf-8", "replace")
