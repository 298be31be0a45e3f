"""What does reading a Copilot CLI log carry from event to event?"""

from __future__ import annotations

import msgspec

from tracelode.model.operation import operation_id

AGENT = "copilot-cli"


class Run(msgspec.Struct):
    """The calls of one model since the last shutdown."""

    calls: list[tuple[str, str, int]] = []
    """(session key, operation id, output tokens) of calls whose input is not known."""
    told: dict[str, int] = {}
    """Sums over calls whose usage is known: by field of Usage."""
    told_calls: int = 0
    """Number of the latter."""


class Open(msgspec.Struct):
    """A tool call without a result."""

    session: str
    """Session key."""
    operation: str
    """Operation id."""
    call: str
    """Id of the model operation, "" where none asked for it."""
    asks: bool
    """Its result is a person's answer."""
    started: int | None = None
    """When it began to run; None: not yet."""
    permitted: int | None = None
    """When a person gave permission."""
    denied: str = ""
    """human or rule, where it was denied."""


class State(msgspec.Struct):
    """What reading must remember between two reads of a growing file; no text of the trace."""

    session: str = ""
    """Session key of the main agent, "" until known."""
    parent: str | None = None
    """Session that a detached one continues."""
    project: str = ""
    """Digest of the working folder."""
    model: str = ""
    """Model in force."""
    branch: str = ""
    """Version-control branch."""
    count: int = 0
    """Operations without an id of the source's own so far."""
    runs: dict[str, Run] = {}
    """Digest of a model's name to its calls since the last shutdown."""
    before: dict[str, dict[str, int]] = {}
    """Digest of a model's name to the sums of all shutdowns so far."""
    open: dict[str, Open] = {}
    """Digest of a tool call id to the call."""
    asked: dict[str, str] = {}
    """Digest of a request for permission to that of its tool call id."""


def digest(text: str) -> str:
    """A short digest that stands for a text in saved states."""
    return operation_id(AGENT, text)
