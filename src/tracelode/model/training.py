"""What came of training a segmenter: figures on sessions it did not see, and whether it was kept."""

from __future__ import annotations

import msgspec

from tracelode.model.report import Skipped

Bounds = tuple[float, float]
"""Lower and upper bound of a 95 % interval."""


class TrialRow(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of one way to cut the labelled sessions."""

    method: str
    """Name of a segmenter, or the window it stands for."""
    b3: float | None
    """B3 F1 over operations, 0..1; None without any."""
    b3_interval: Bounds | None
    """Bootstrap over sessions."""
    boundary: float | None
    """F1 of exact cuts, 0..1; None without any."""
    boundary_interval: Bounds | None
    """Bootstrap over sessions."""
    cuts: float
    """Cuts it makes; a mean where it was trained several times."""
    note: str = ""
    """What to know of the figures."""


class Lift(msgspec.Struct, frozen=True, kw_only=True):
    """How much a trained segmenter adds to the best fixed window."""

    value: float | None
    """Difference of the figure."""
    interval: Bounds | None
    """Paired bootstrap over sessions."""


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of training."""

    segmenter: str
    """What was trained."""
    labels: str
    """Where the labels are from: marks, plan, or a file."""
    sessions: int
    """Labelled sessions, or stretches of sessions that a plan covers."""
    tasks: int
    """Groups that are kept on one side of every division."""
    grouped: str
    """What a group is: task, project or session."""
    operations: int
    """Labelled operations."""
    cuts: int
    """True cuts."""
    divisions: str = ""
    """How the figures were made; "" where there are none."""
    rows: tuple[TrialRow, ...] = ()
    """The trained segmenter out of fold, then what it must beat, then others for comparison."""
    lift_b3: Lift | None = None
    """B3 over the best window; None where there are no figures."""
    lift_boundary: Lift | None = None
    """Boundary F1 over the best window; None where there are no figures."""
    kept: bool = False
    """Does the store cut with it from now on where this segmenter is asked?"""
    reason: str = ""
    """Why it was not kept; "" where it was."""
    version: str = ""
    """Digest of what was learned; "" where nothing was kept."""
    recut: int = 0
    """Sessions that were cut anew with it."""
    skipped: tuple[Skipped, ...] = ()
    """Labels that could not be used."""
