"""tracelode: mine weeks of LLM-agent traces (public names, loaded when first used)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_HOMES = {
    "Finding": "tracelode.model.finding",
    "Operation": "tracelode.model.operation",
    "Profile": "tracelode.model.profile",
    "Query": "tracelode.model.query",
    "Segment": "tracelode.model.segment",
    "Session": "tracelode.model.session",
    "TracelodeError": "tracelode.errors",
    "Workspace": "tracelode.workspace",
    "fold": "tracelode.model.profile",
    "open": "tracelode.workspace",
}

__all__ = [
    "Finding",
    "Operation",
    "Profile",
    "Query",
    "Segment",
    "Session",
    "TracelodeError",
    "Workspace",
    "fold",
    "open",
]

if TYPE_CHECKING:
    from tracelode.errors import TracelodeError
    from tracelode.model.finding import Finding
    from tracelode.model.operation import Operation
    from tracelode.model.profile import Profile, fold
    from tracelode.model.query import Query
    from tracelode.model.segment import Segment
    from tracelode.model.session import Session
    from tracelode.workspace import Workspace, open


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tracelode' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
