"""Which segmenter cuts what? One after the other, each where the ones before it know nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracelode import registry
from tracelode.errors import UsageError
from tracelode.model.operation import Operation
from tracelode.model.ports import PartialSegmenter, Segmenter
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import cover

DEFAULT: tuple[str, ...] = ("plan", "phase")
"""Names of the default chain."""


class ChainSegmenter:
    """Cuts by the agent's plan, and by phases where no item of a plan is in progress.

    Args:
        parts: segmenters or their registered names; all but the last claim stretches.

    Raises:
        UsageError: no part, or one before the last that cannot leave stretches to others.

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
        unable = [part.name for part in made[:-1] if not hasattr(part, "claim")]
        if unable:
            raise UsageError(f"segmenter {unable[0]!r} leaves nothing to the next: move it to the end")
        self._partial: list[PartialSegmenter] = made[:-1]
        self._last: Segmenter = made[-1]
        self.version = " > ".join(f"{part.name} {part.version}" for part in made)

    def segment(self, operations: Sequence[Operation]) -> Segmentation:
        """Cut one session.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Nested segments that cover [0, n); those of the last part alone where no other claims any.
        """
        session = operations[0].session if operations else ""
        return Segmentation(session, self.name, self.version, tuple(self._cut(operations, 0)))

    def _cut(self, operations: Sequence[Operation], part: int) -> Sequence[Segment]:
        if part == len(self._partial):
            return self._last.segment(operations).segments
        claims = self._partial[part].claim(operations)
        return cover(operations, claims, lambda run: self._cut(run, part + 1))
