"""Records what a program plans and does (the SDK), or runs a command and writes down what it did.

The standard library, tracelode.redact and tracelode.signals.listdiff only; names are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Executor": "scope",
    "RecordError": "trace",
    "Recorder": "recorder",
    "Session": "live",
    "TraceEvent": "event",
    "TraceSession": "trace",
    "adopt": "recorder",
    "bind": "scope",
    "current": "recorder",
    "environment": "recorder",
    "find_plan": "wrap",
    "node": "recorder",
    "session": "recorder",
    "wrap_planner": "wrap",
    "wrap_tool": "wrap",
}

__all__ = [
    "Executor",
    "RecordError",
    "Recorder",
    "Session",
    "TraceEvent",
    "TraceSession",
    "adopt",
    "bind",
    "current",
    "environment",
    "find_plan",
    "node",
    "session",
    "wrap_planner",
    "wrap_tool",
]

if TYPE_CHECKING:
    from tracelode.record.event import TraceEvent
    from tracelode.record.live import Session
    from tracelode.record.recorder import Recorder, adopt, current, environment, node, session
    from tracelode.record.scope import Executor, bind
    from tracelode.record.trace import RecordError, TraceSession
    from tracelode.record.wrap import find_plan, wrap_planner, wrap_tool


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
