"""What is behind a frame? Its largest operations with file and line, and how many there are in all."""

from __future__ import annotations

import msgspec

from tracelode.model.profile import Stack


class Worked(msgspec.Struct, frozen=True):
    """One operation of a stack."""

    stack: Stack
    """Frames as the view shows them, root to leaf."""
    session: str
    """Key of its session."""
    index: int
    """Its place in the session."""
    name: str
    """Name of the tool, or what it is."""
    path: str
    """File as origins name it, "" for none."""
    line: int
    """1-based line, 0 for none."""
    values: tuple[int | None, ...]
    """One per measure; None where unknown."""


class Behind(msgspec.Struct, frozen=True):
    """Operations behind the frames of a profile: a bounded number, the rest counted."""

    measures: tuple[str, ...]
    """m measure names; the first one says which operations are the largest."""
    rows: tuple[Worked, ...]
    """The largest of each stack."""
    counts: dict[Stack, int]
    """Stack to its operations, those that are not in rows included."""
