"""What a finding is: one thing worth a human's eye."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing worth a human's eye: what, where, score, why."""

    what: str
    """Short closed sentence in plain English; no text of the trace."""
    where: tuple[str, ...]
    """Places, each "session#index", the first the one to open."""
    score: float
    """Larger is more worth a look; comparable within one kind."""
    why: str
    """The figures behind it."""
    kind: str
    """Closed kind of finding, such as repeated-failure."""
