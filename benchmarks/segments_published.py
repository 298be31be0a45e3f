"""How do our figures stand beside those published for the same control on other sessions of the same set?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tracelode.profile.score.assess import Sample, assess
from tracelode.profile.score.tally import Tally


class Anchor(NamedTuple):
    """A published figure."""

    method: str
    """Our name of the control."""
    sessions: int
    """How many were scored."""
    b3: float
    """B3 F1, pooled."""
    boundary: float | None = None
    """Boundary F1, exact, pooled."""
    near: float | None = None
    """The same with tolerance 1."""
    source: str = "feasibility study"
    """Who scored."""


PAPER = "arXiv 2609.20301"
ANCHORS: dict[str, tuple[Anchor, ...]] = {
    "codetrace": (
        Anchor("window 2", 78, 0.421, 0.207, 0.424),
        Anchor("window 8", 78, 0.674, 0.117),
        Anchor("window 9", 78, 0.679, 0.151, 0.322),
        Anchor("change of class", 78, 0.547, 0.294, 0.340),
        Anchor("change of command", 405, 0.541, source=f"raw action, {PAPER}"),
        Anchor("recurrence, NPMI of classes", 78, 0.673, 0.319, 0.425),
        Anchor("recurrence, as published", 78, 0.668, 0.277, 0.429),
        Anchor("recurrence, as published", 405, 0.663, 0.266, source=PAPER),
        Anchor("phase", 78, 0.654, source="phase-change rule"),
    ),
    "plan-silver": (
        Anchor("window 2", 168, 0.478, 0.247, 0.494),
        Anchor("window 7", 168, 0.667, 0.150),
        Anchor("change of tool", 168, 0.675, 0.330),
    ),
}
"""By set. None of them was scored on exactly the sessions at hand: those are halves of the sets."""


def beside(
    name: str, tallies: Mapping[str, Sequence[Tally]], drawn: Sequence[Sequence[float]]
) -> list[dict[str, Any]]:
    """Ours beside what is published.

    Args:
        name: of the set.
        tallies: of each method, one per session.
        drawn: resamples of the sessions.

    Returns:
        One row for each published figure whose method was scored here; covered tells whether our interval
        holds it.
    """
    found = []
    for anchor in ANCHORS.get(name, ()):
        if anchor.method not in tallies:
            continue
        ours = assess(Sample(tallies[anchor.method], drawn))
        for what, value, score, bounds in (
            ("B3 F1", anchor.b3, ours.figures.b3, ours.b3),
            ("cuts F1", anchor.boundary, ours.figures.exact, ours.exact),
            ("cuts F1 +-1", anchor.near, ours.figures.near, ours.near),
        ):
            if value is not None:
                found.append(
                    {
                        "set": name,
                        "method": anchor.method,
                        "figure": what,
                        "ours": score.f1,
                        "interval": bounds,
                        "sessions": len(drawn[0]) if drawn else 0,
                        "published": value,
                        "published_sessions": anchor.sessions,
                        "source": anchor.source,
                        "covered": bounds is not None and bounds.low <= value <= bounds.high,
                    }
                )
    return found
