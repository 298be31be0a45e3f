"""How a session is cut into stretches of one kind of work."""

from __future__ import annotations

import msgspec

from tracelode.errors import ModelError


class Segment(msgspec.Struct, frozen=True):
    """A half-open interval of a session's operations with a name."""

    start: int
    """Index of the first operation."""
    stop: int
    """Index after the last operation."""
    level: int
    """0 is the outermost; a segment of level n lies inside one of level n - 1."""
    name: str
    """Stage name; "" while unnamed."""
    confidence: float | None = None
    """Confidence in the cut at start, 0..1; None where the segmenter gives none."""
    observed: str = ""
    """What the operations themselves are called, where name is what a plan declared; "" elsewhere."""
    declared: str = ""
    """What the plan item in progress declares, whether it is the name or not; "" without one."""


class Segmentation(msgspec.Struct, frozen=True):
    """The nested segments of one session; each level covers [0, n)."""

    session: str
    """Session key."""
    segmenter: str
    """Name of the segmenter."""
    version: str
    """Version of the segmenter and its lexicon."""
    segments: tuple[Segment, ...]
    """Sorted by (level, start)."""

    def check(self, n: int) -> None:
        """Assert that every level covers [0, n) and nests in the level above.

        Args:
            n: number of operations in the session.

        Raises:
            ModelError: a gap, an overlap, or a segment that crosses its parent.
        """
        levels: dict[int, list[Segment]] = {}
        for segment in self.segments:
            levels.setdefault(segment.level, []).append(segment)
        above: set[int] | None = None
        for level in sorted(levels):
            at = 0
            for segment in levels[level]:
                if segment.start != at or segment.stop <= segment.start:
                    raise ModelError(f"level {level} has a gap or overlap at operation {segment.start}")
                at = segment.stop
            if at != n:
                raise ModelError(f"level {level} covers {at} of {n} operations")
            cuts = {s.start for s in levels[level]}
            if above is not None and not above <= cuts:
                raise ModelError(f"level {level} crosses a segment of the level above")
            above = cuts
        if n and not levels:
            raise ModelError(f"no segment covers the {n} operations")
