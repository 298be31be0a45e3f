"""What is asked of a model, what does it answer, and which shape has whoever asks it?"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec


class Turn(msgspec.Struct, frozen=True):
    """One message of a conversation with a model."""

    role: str
    """user or assistant."""
    text: str
    """What was said."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a model, whole: nothing is remembered between two of them."""

    system: str
    """The rules of the answer."""
    turns: tuple[Turn, ...]
    """The conversation so far; the last one is the user's."""
    name: str
    """Name of the answer's schema: letters and underscores."""
    schema: dict[str, Any]
    """JSON Schema that the answer has to follow."""
    most: int = 16_000
    """Tokens that the answer may have at most, a model's thinking included."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered: data, whatever it says."""

    text: str
    """The answer, JSON if all went well."""
    model: str = ""
    """The model that answered, as the other side names it; "" if it does not."""
    tokens_in: int | None = None
    """Input tokens, those from a cache included; None if not told."""
    tokens_cached: int = 0
    """Of them, read from the other side's cache."""
    tokens_out: int | None = None
    """Output tokens, thinking included; None if not told."""
    stop: str = ""
    """Why it ended, in the other side's word."""


class Sending(msgspec.Struct, frozen=True, kw_only=True):
    """What leaves this process for one request, and where it goes."""

    to: str
    """The address, or the command that is started."""
    headers: tuple[str, ...] = ()
    """Names of the HTTP headers that go with it; () for a command."""
    body: dict[str, Any] | str
    """The JSON body, or what the command reads from standard input."""


class Provider(Protocol):
    """Who asks models: one backend with its settings. Several threads may ask at once."""

    backend: str
    """openai, anthropic or agent."""
    model: str
    """The model asked for; "" for the agent's own choice."""
    place: str
    """Where a request goes: an address, or a command."""

    def ready(self) -> None:
        """Look whether anything can be asked at all; nothing is sent.

        Raises:
            MissingExtra: the backend's package is not installed.
            UsageError: there is no key, or no such command.
        """

    def sending(self, request: Request) -> Sending:
        """What complete() would send; nothing is sent, and no key is in it.

        Args:
            request: the question.
        """
        ...

    def complete(self, request: Request) -> Answer:
        """Ask once.

        Args:
            request: the question.

        Returns:
            The answer.

        Raises:
            ProviderError: there is none; its kind says why.
        """
        ...

    def close(self) -> None:
        """End what still runs; later questions fail."""
