"""Which segmenter cuts what? The plan where there is one, elsewhere the first that the session fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracelode import registry
from tracelode.errors import UsageError
from tracelode.model.operation import Operation
from tracelode.model.ports import ChoosySegmenter, PartialSegmenter, Segmenter
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import cover

DEFAULT: tuple[str, ...] = ("plan", "learned", "changepoint", "phase")
"""Names of the default chain."""


class ChainSegmenter:
    """Cuts by the agent's plan, and between its items by the first of several that the session fits.

    Parts that claim stretches come first, each working where those before it claim nothing. Of the others one
    cuts what is left: the first that says that the session fits it, the last one if none does.

    Args:
        parts: segmenters or their registered names.

    Raises:
        UsageError: no part, or one before the last that can leave nothing to others.

    Source:
        segmentation rules: default chain.
    """

    name = "chain"

    def __init__(self, parts: Sequence[Segmenter | str] = DEFAULT) -> None:
        made: list[Any] = [
            registry.load("segmenters", part) if isinstance(part, str) else part for part in parts
        ]
        if not made:
            raise UsageError("a chain of segmenters needs at least one")
        places = [index for index, part in enumerate(made[:-1]) if not hasattr(part, "claim")]
        first = places[0] if places else len(made) - 1
        unable = [part.name for part in made[first:-1] if not hasattr(part, "fits")]
        if unable:
            raise UsageError(f"segmenter {unable[0]!r} leaves nothing to the next: move it to the end")
        self._partial: list[PartialSegmenter] = made[:first]
        self._choosy: list[ChoosySegmenter] = made[first:-1]
        self._last: Segmenter = made[-1]
        self.version = " > ".join(f"{part.name} {part.version}" for part in made)

    def segment(self, operations: Sequence[Operation]) -> Segmentation:
        """Cut one session.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Nested segments that cover [0, n).
        """
        session = operations[0].session if operations else ""
        rest: Segmenter = next((part for part in self._choosy if part.fits(operations)), self._last)
        return Segmentation(session, self.name, self.version, tuple(self._cut(operations, 0, rest)))

    def _cut(self, operations: Sequence[Operation], part: int, rest: Segmenter) -> Sequence[Segment]:
        if part == len(self._partial):
            return rest.segment(operations).segments
        claims = self._partial[part].claim(operations)
        return cover(operations, claims, lambda run: self._cut(run, part + 1, rest))
