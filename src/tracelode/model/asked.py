"""What does a run that lets a model cut sessions need to know, and what did it do?"""

from __future__ import annotations

import msgspec

from tracelode.model.annotation import Mark

BACKENDS = ("openai", "anthropic", "agent")
"""Who can be asked; an annotation of a model has one of them before the slash in its author."""

TOKENS = 1_000_000
"""Input tokens above which a run needs a budget."""

VALID, REPAIRED, LAST, NONE = "valid", "repaired", "last", "none"
"""How an answer was come by: at once; mended; an earlier one, as the last could not be used; not at all."""


def by_model(author: str) -> bool:
    """Was an annotation made by a model?

    Args:
        author: of the annotation.

    Example:
        >>> by_model("openai/some-model"), by_model("Sam")
        (True, False)
    """
    return author.partition("/")[0] in BACKENDS and "/" in author


class Backend(msgspec.Struct, frozen=True, kw_only=True):
    """Who is to be asked, and how."""

    name: str
    """One of BACKENDS."""
    model: str = ""
    """The model's name; "" where an agent chooses."""
    base_url: str = ""
    """Another address than the vendor's; "" for that."""
    key_env: str = ""
    """Variable of the environment that holds the key; "" for the usual one, which the vendor alone gets."""
    agent: str = ""
    """A known local agent."""
    command: str = ""
    """A local agent's command of one's own."""
    timeout: float = 300.0
    """Seconds that one answer may take."""
    insecure: bool = False
    """Whether http:// may lead to another machine."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a run may spend."""

    tokens: int | None = None
    """Input tokens; None for TOKENS."""
    cost: int | None = None
    """Picodollars; None for no limit."""
    jobs: int = 4
    """Questions at the same time."""
    overwrite: bool = False
    """Whether sessions are asked about that a person marked."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a run will send, about."""

    backend: str
    """One of BACKENDS."""
    model: str
    """As it stands in the author."""
    place: str
    """Address or command."""
    ask: tuple[str, ...]
    """Keys of the sessions that will be asked about, in order."""
    cached: tuple[str, ...] = ()
    """Keys of those whose answer is there already."""
    human: tuple[str, ...] = ()
    """Keys of those that a person marked, and that are left alone."""
    short: tuple[str, ...] = ()
    """Keys of those with fewer than two operations: there is nothing to cut."""
    order: tuple[str, ...] = ()
    """Keys of ask and cached in the order of the sessions."""
    tokens_in: int = 0
    """Input tokens if every question is answered at once."""
    tokens_out: int = 0
    """Output tokens likewise, thinking not included."""
    cost: int | None = None
    """Picodollars of both; None where the model has no known price."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of asking about one session."""

    session: str
    """Session key."""
    state: str
    """valid, repaired, last or none."""
    marks: tuple[Mark, ...] = ()
    """The marks; () for none."""
    reason: str = ""
    """Of last and none: invalid, budget, stopped, or the kind of a ProviderError; "" otherwise."""
    said: str = ""
    """What the ProviderError said."""
    cached: bool = False
    """Whether the answer was there already."""
    repairs: int = 0
    """Questions after the first that asked to mend the answer."""
    model: str = ""
    """The model that answered, as the other side names it."""
    tokens_in: int = 0
    """Input tokens that were spent, as told; estimated where they were not."""
    tokens_cached: int = 0
    """Of them, read from the other side's cache."""
    tokens_out: int = 0
    """Output tokens that were spent, as told."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a run did."""

    author: str
    """Author of the annotations: backend and model."""
    outcomes: tuple[Outcome, ...] = ()
    """In the order of the sessions; those that were never asked about have the reason stopped."""
    stored: int = 0
    """Annotations that are new."""
    cut: int = 0
    """Families of sessions that were cut anew."""
    tokens_in: int = 0
    """Input tokens spent."""
    tokens_out: int = 0
    """Output tokens spent."""
    cost: int | None = None
    """Picodollars spent; None where the model has no known price."""
    interrupted: bool = False
    """Whether the user ended it."""
    problem: str = ""
    """Why it stopped before its end; "" if it did not."""
