"""How mixed up is the work of a session, and what makes its segments doubtful?"""

from __future__ import annotations

import msgspec

DOUBTFUL = 0.5
"""Index below which work is called interleaved."""
TOGETHER = 0.5
"""Share of the tool calls, issued together with others, from which on work is called parallel."""


class Contiguity(msgspec.Struct, frozen=True, kw_only=True):
    """How far a session's tool calls of one stage lie next to each other."""

    index: float | None
    """1: each stage is one stretch; 0: as mixed as by chance; None below 2 stages, or where none repeats."""
    adjacent: float | None
    """Share of neighbouring tool calls of one stage; None below 2 tool calls."""
    expected: float | None
    """The same in a random order of the same tool calls."""
    operations: int
    """Tool calls."""
    together: int
    """Of them: issued with another one by the same call of the model."""
    overlapping: int
    """Pairs of sub-agents that ran at the same time."""
    resumed: int
    """Waits above the idle limit after which the session went on."""

    @property
    def marks(self) -> tuple[str, ...]:
        """Why the segments are doubtful: interleaved, parallel, resumed; empty where they are not."""
        mixed = self.index is not None and self.index < DOUBTFUL
        beside = self.together >= TOGETHER * self.operations > 0 or self.overlapping > 0
        words = (("interleaved", mixed), ("parallel", beside), ("resumed", self.resumed > 0))
        return tuple(word for word, holds in words if holds)
