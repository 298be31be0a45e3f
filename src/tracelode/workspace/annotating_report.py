"""What became of an export or an import of marks?"""

from __future__ import annotations

import msgspec

from tracelode.model.annotation import Agreement


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """One session that was exported."""

    session: str
    """Its key."""
    file: str
    """Its marks file, relative to the folder."""
    operations: int
    """Operations it has."""
    characters: int
    """Length of its packet."""
    tokens: int
    """About how many tokens that is."""
    confidence: float | None
    """Mean confidence of its cuts, 0..1; None where the segmenter gives none or it was not looked at."""
    stratum: str
    """lowest, middle, highest (thirds of confidence), unknown, marked; "" where the sample was not by it."""


class Exported(msgspec.Struct, kw_only=True):
    """What lies in a folder for annotators."""

    folder: str
    """The folder."""
    sessions: list[Shown] = []
    """In order of their files."""
    blind: bool = False
    """Are the current marks left out?"""
    looked_at: int = 0
    """Sessions whose confidence was looked at."""
    of: int = 0
    """Sessions there were to choose from."""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """One session whose marks were taken in, or would be."""

    session: str
    """Its key."""
    file: str
    """The file they were in."""
    marks: int
    """How many there are."""
    before: int
    """How many there were: of the last revision, or of the segmenter's cut."""
    revision: int | None
    """Number of the revision; None where nothing was stored."""
    agreement: Agreement
    """With how the session was cut before."""


class Imported(msgspec.Struct, kw_only=True):
    """What was in marks files."""

    taken: list[Taken] = []
    """Sessions whose marks are new, in order of their files."""
    unchanged: list[str] = []
    """Keys of sessions whose marks are those of now."""
    empty: list[str] = []
    """Keys of sessions that nobody marked yet."""
    repeated: int = 0
    """Marks left out because they repeat the path before them."""
    names: list[str] = []
    """Names that no session of the store had."""
    alike: list[tuple[str, str, str]] = []
    """(new name, other name, why) of names that may mean the same."""
    b3: float | None = None
    """B3 F1 pooled over the operations of the sessions taken."""
    boundary: float | None = None
    """Boundary F1 pooled over them."""
    stored: bool = False
    """False where it was only checked."""
