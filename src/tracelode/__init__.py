"""tracelode: mine weeks of LLM-agent traces (public names, loaded when first used)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_HOMES = {
    "Assessment": "tracelode.profile.score.assess",
    "Finding": "tracelode.model.finding",
    "Operation": "tracelode.model.operation",
    "Profile": "tracelode.model.profile",
    "Query": "tracelode.model.query",
    "Sample": "tracelode.profile.score.assess",
    "Segment": "tracelode.model.segment",
    "Session": "tracelode.model.session",
    "TracelodeError": "tracelode.errors",
    "Workspace": "tracelode.workspace",
    "assess": "tracelode.profile.score.assess",
    "b3": "tracelode.profile.score.b3",
    "best_window": "tracelode.profile.score.assess",
    "boundaries": "tracelode.profile.score.boundary",
    "figures": "tracelode.profile.score.tally",
    "fold": "tracelode.model.profile",
    "leaves": "tracelode.profile.score.partition",
    "lift": "tracelode.profile.score.assess",
    "open": "tracelode.workspace",
    "resamples": "tracelode.statistics.bootstrap",
    "scattered": "tracelode.profile.score.permutation",
    "shuffled": "tracelode.profile.score.permutation",
    "tally": "tracelode.profile.score.tally",
    "window_tallies": "tracelode.profile.score.assess",
}

__all__ = [
    "Assessment",
    "Finding",
    "Operation",
    "Profile",
    "Query",
    "Sample",
    "Segment",
    "Session",
    "TracelodeError",
    "Workspace",
    "assess",
    "b3",
    "best_window",
    "boundaries",
    "figures",
    "fold",
    "leaves",
    "lift",
    "open",
    "resamples",
    "scattered",
    "shuffled",
    "tally",
    "window_tallies",
]

if TYPE_CHECKING:
    from tracelode.errors import TracelodeError
    from tracelode.model.finding import Finding
    from tracelode.model.operation import Operation
    from tracelode.model.profile import Profile, fold
    from tracelode.model.query import Query
    from tracelode.model.segment import Segment
    from tracelode.model.session import Session
    from tracelode.profile.score.assess import Assessment, Sample, assess, best_window, lift, window_tallies
    from tracelode.profile.score.b3 import b3
    from tracelode.profile.score.boundary import boundaries
    from tracelode.profile.score.partition import leaves
    from tracelode.profile.score.permutation import scattered, shuffled
    from tracelode.profile.score.tally import figures, tally
    from tracelode.statistics.bootstrap import resamples
    from tracelode.workspace import Workspace, open


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tracelode' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
