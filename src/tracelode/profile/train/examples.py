"""What does training see of a labelled session, and which sessions are kept on one side of a division?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from tracelode.profile.learned.features import readings
from tracelode.profile.learned.reading import Reading
from tracelode.profile.train.labelled import Labelled

Chances = Callable[[Any], Any]
"""n probabilities of cuts before the turns of a session, from what prepare() made of it; the first is 0."""


class Example(NamedTuple):
    """A labelled session made ready for training."""

    session: Labelled
    """Where it is from."""
    first: list[int]
    """The first labelled operation of each of n turns."""
    given: Any
    """What is known of its turns, as a trainer prepares it."""
    cuts: list[int]
    """n flags: the truth cuts before the turn; cuts inside a turn are left out."""


class Trainer(Protocol):
    """Learns from examples of one kind."""

    name: str
    """The segmenter that it trains."""

    def prepare(self, rows: Sequence[Reading]) -> Any:
        """What is known of the turns of a session."""

    def fit(self, given: Sequence[Example], seed: int = 0) -> Chances:
        """Learn from examples; the same for the same arguments."""

    def keep(self, given: Sequence[Example]) -> tuple[bytes, str]:
        """Learn from examples: what the segmenter reads again, without text of a trace, and its version."""


def examples(trainer: Trainer, sessions: Sequence[Labelled]) -> list[Example]:
    """Sessions as a trainer sees them.

    Args:
        trainer: who will learn.
        sessions: labelled sessions.

    Returns:
        One example a session.
    """
    found = []
    for session in sessions:
        rows = readings(session.operations)
        first = firsts([row.start for row in rows], session.places)
        rows = rows[: len(first)]
        truth = session.truth
        cuts = [0, *(int(truth[i] != truth[i - 1]) for i in first[1:])] if rows else []
        if rows:
            found.append(Example(session, first, trainer.prepare(rows), cuts))
    return found


def firsts(starts: Sequence[int], places: Sequence[int]) -> list[int]:
    """The first labelled operation at or after each start.

    Args:
        starts: increasing places of turns.
        places: n increasing places of labelled operations.

    Returns:
        Numbers of labelled operations; it ends early where none is left.
    """
    found: list[int] = []
    at = 0
    for start in starts:
        while at < len(places) and places[at] < start:
            at += 1
        if at == len(places):
            break
        found.append(at)
    return found
