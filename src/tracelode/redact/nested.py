"""How does a decoded JSON value read without its secrets, cut at a limit?"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from tracelode.redact.judge import kind, secret_key

_DEPTH: Final = 100
_COMMAND: Final = 4_000
"""Longest list of words read as a command, characters."""
_ELLIPSIS: Final = "…"
_NAMING: Final = ("name", "key", "Name", "Key")
_HOLDING: Final = ("value", "Value")


class _Full(Exception):
    """The limit is reached."""


class _Writer:
    """Collects pieces until the limit is passed."""

    def __init__(
        self, limit: int | None, start: Callable[[str, int], str], whole: Callable[[str], str]
    ) -> None:
        self.pieces: list[str] = []
        self._limit, self._start, self._whole = limit, start, whole
        self.size = 0

    def put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.size += len(piece)
        if self._limit is not None and self.size > self._limit:
            raise _Full

    def string(self, text: str) -> None:
        if self._limit is None:
            redacted = self._whole(text)
        else:
            # One more than fits: a string that is cut always passes the limit with its quotes.
            redacted = self._start(text, self._limit - self.size + 1)
        self.put(json.dumps(redacted, ensure_ascii=False))

    def value(self, obj: Any, depth: int) -> None:
        if isinstance(obj, str):
            self.string(obj)
        elif obj is None or isinstance(obj, bool | int | float):
            self.put(json.dumps(obj))
        elif depth > _DEPTH:
            self.put('"…"')
        elif isinstance(obj, dict):
            self.mapping(obj, depth)
        elif isinstance(obj, list | tuple):
            self.sequence(obj, depth)
        else:
            self.string(str(obj))

    def secret(self, key: str, obj: Any, depth: int) -> None:
        if (
            obj is None
            or isinstance(obj, bool)
            or obj == ""
            or (_is_number(obj) and key.lower().endswith("token"))
        ):
            self.value(obj, depth)
        else:
            self.put(f'"[secret:{kind(key)}]"')

    def mapping(self, obj: dict[Any, Any], depth: int) -> None:
        told = next((obj[k] for k in _NAMING if isinstance(obj.get(k), str)), "")
        named = told if told and len(told) < 100 and secret_key(told) else ""
        self.put("{")
        for i, (key, inner) in enumerate(obj.items()):
            if i:
                self.put(",")
            text = key if isinstance(key, str) else str(key)
            self.string(text)
            self.put(":")
            if len(text) < 100 and secret_key(text):
                self.secret(text, inner, depth + 1)
            elif named and text in _HOLDING:
                self.secret(named, inner, depth + 1)
            else:
                self.value(inner, depth + 1)
        self.put("}")

    def command(self, obj: list[Any] | tuple[Any, ...]) -> list[str] | None:
        """A list that is a command, redacted as the line it stands for: `["docker", "login", "-p", "x"]`."""
        words = [word for word in obj if isinstance(word, str) and " " not in word and "\n" not in word]
        if len(words) < len(obj) or not any(word.startswith("-") for word in words):
            return None
        if sum(map(len, words)) > _COMMAND:
            return None
        told = self._whole(" ".join(words)).split(" ")
        return told if len(told) == len(obj) else None

    def sequence(self, obj: list[Any] | tuple[Any, ...], depth: int) -> None:
        self.put("[")
        before: Any = None
        told = self.command(obj)
        for i, inner in enumerate(obj):
            if i:
                self.put(",")
            if told and told[i] != inner:
                self.put(json.dumps(told[i], ensure_ascii=False))
            elif _flag(before) and isinstance(inner, str) and not inner.startswith("-"):
                self.secret(before, inner, depth + 1)
            else:
                self.value(inner, depth + 1)
            before = inner
        self.put("]")


def _is_number(obj: Any) -> bool:
    return isinstance(obj, int | float) and not isinstance(obj, bool)


def _flag(text: Any) -> bool:
    """Is it an option such as `--password`, whose value is the next item?"""
    return isinstance(text, str) and text.startswith("-") and len(text) < 40 and secret_key(text)


def write(
    obj: Any,
    limit: int | None,
    start: Callable[[str, int], str],
    whole: Callable[[str], str],
) -> str:
    """A decoded JSON value as compact text.

    Args:
        obj: dict, list, str, int, float, bool or None, nested.
        limit: characters kept; None: all.
        start: gives the first n characters of a redacted text.
        whole: gives a redacted text.

    Returns:
        JSON; if longer than limit its first limit characters and an ellipsis.
    """
    writer = _Writer(limit, start, whole)
    try:
        writer.value(obj, 0)
    except _Full:
        return "".join(writer.pieces)[:limit] + _ELLIPSIS
    return "".join(writer.pieces)
