"""What is a conversation, whichever file it stands in? Its messages and what is known of them as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from tracelode.model.ports import Line

_KEY = re.compile(r"[A-Za-z0-9_.:-]{16,80}")
_PART = re.compile(r"[A-Za-z0-9_.]{1,24}")
_OWN_IDS = ("conversation_id", "session_id", "thread_id", "id")


class Conversation(msgspec.Struct, kw_only=True):
    """One list of messages and what its file says of it."""

    messages: list[Any]
    """Decoded messages, in order."""
    line: Line
    """Where it stands."""
    agent: str = "chat"
    """The product that ran."""
    key: str = ""
    """Id of the file's own, "" where it has none."""
    title: tuple[str, ...] = ("chat",)
    """Parts of the beginning of a key that is made of the content."""
    model: str = ""
    """Model id where it is told once for all messages."""
    task: str | None = None
    """Benchmark task."""
    outcome: str | None = None
    """success or failure."""
    facts: dict[str, str] = {}
    """Fields of the first operation."""
    cost: int | None = None
    """Cost of the whole run in picodollars, where messages tell none."""
    errors: tuple[str, ...] = ()
    """Beginnings of a tool's text that say it failed, where the writer has such a rule."""
    zone: int | None = None
    """Microseconds to add to moments that name no zone."""

    def session(self) -> str:
        """Session key: the file's own id, else made of the content, so that a copy is the same session.

        Only plain words become part of it: taking characters out of other texts could hide a secret in
        them from the redactor.
        """
        if self.key:
            return self.key
        digest = blake2b(msgspec.json.encode(self.messages), digest_size=6).hexdigest()
        return "-".join((*filter(_PART.fullmatch, self.title), digest))


def own_key(value: dict[str, Any]) -> str:
    """The id an object gives itself, "" without one that is long enough to be unique everywhere."""
    found = next((value[name] for name in _OWN_IDS if isinstance(value.get(name), str)), "")
    return found if _KEY.fullmatch(found) else ""


def is_message(value: Any) -> bool:
    """Is a decoded value a chat message?"""
    return isinstance(value, dict) and isinstance(value.get("role"), str)


def message_list(value: dict[str, Any]) -> list[Any] | None:
    """The list of messages of an object, None where it has none."""
    for name in ("messages", "conversations"):
        found = value.get(name)
        if isinstance(found, list) and (not found or any(map(is_message, found))):
            return found
    return None


def word(value: Any) -> str:
    """A fact as text: strings as they are, flags and numbers as JSON writes them, "" for the rest."""
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode() if isinstance(value, bool | int | float) else ""


def facts(value: dict[str, Any], prefix: str, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Fields under a prefix, of those names that an object has."""
    for name in names:
        text = word(value.get(name))
        if text:
            yield f"{prefix}.{name}", text
