"""What a person or a model says about how a session is cut: sparse marks, and who made them."""

from __future__ import annotations

import msgspec


class Mark(msgspec.Struct, frozen=True):
    """Where a stretch of work begins, and the path of names it lies under."""

    start_operation_id: str
    """Id of its first operation."""
    path: tuple[str, ...]
    """Names from the outermost stretch to the innermost; it holds until the next mark."""


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far marks agree with how the session was cut before, both seen as leaf partitions."""

    b3: float | None
    """B-cubed F1 over the operations that were marked, 0..1."""
    boundary: float | None
    """F1 of the cuts at exact places; None where neither has a cut."""
    beside: str
    """What they were compared with: a segmenter and its version, or a revision of marks."""
    blind: bool = False
    """True where the annotator was not shown that cut."""


class Annotation(msgspec.Struct, frozen=True, kw_only=True):
    """One revision of the marks of one session."""

    session: str
    """Session key."""
    marks: tuple[Mark, ...]
    """In the order of the session; the first stands at its first operation."""
    operations: int
    """How many operations the session had when it was looked at."""
    last: str
    """Id of the last of them: together with the number it tells a session that grew from another one."""
    author: str
    """Who made them: a person's name, or the name of a backend and its model."""
    reason: str = ""
    """Why, in the author's words; "" if nothing was said."""
    made: int = 0
    """When they were taken in, UTC microseconds."""
    revision: int = 0
    """1 for the first of its session; the highest counts."""
    agreement: Agreement | None = None
    """Measured when they were taken in; None if it was not."""
