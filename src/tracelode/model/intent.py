"""What is an intent? A set of runs that ask for the same thing and change the same things."""

from __future__ import annotations

import msgspec


class Neighbour(msgspec.Struct, frozen=True):
    """A run that is near an intent and not of it."""

    run: str
    """Session key."""
    similarity: float
    """Mean cosine to the members, 0 to 1."""
    intent: str = ""
    """Where it is instead, "" for a run that is alone."""


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """Runs that ask for the same thing."""

    id: str
    """i_ and 8 hex digits, of its members' keys."""
    name: str
    """Verb and object, in closed words and tool names."""
    runs: tuple[str, ...]
    """Session keys, sorted."""
    tools: tuple[tuple[str, int], ...] = ()
    """Tools with the number of runs that call them, most frequent first."""
    writes: tuple[str, ...] = ()
    """Tools that change something: the effect signature."""
    silhouette: float | None = None
    """Mean silhouette of its members, None where there is one intent only."""
    provisional: bool = False
    """True: 3 or 4 runs."""
    near: tuple[Neighbour, ...] = ()
    """The closest runs outside."""
