"""Which role does a command, or a call of a workspace, need? One table for both doors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from tracelode.model.governing import Role, may
from tracelode.workspace.guarding import Door

Class = TypeVar("Class", bound=type)

COMMANDS: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("top", "tree", "peek", "flame", "diff", "export"), "reader"),
    **dict.fromkeys(("import", "outcome", "segment", "annotate", "rename", "run", "gc", "access"), "owner"),
}
"""Command to the least role; every other one needs an analyst."""
FREE: Final = frozenset(("demo", "completion", "record", "redact", "watch"))
"""Commands that open no store of the user's."""
OPTIONS: Final[Mapping[tuple[str, str], Role]] = {
    ("export", "detail"): "analyst",
    ("export", "warehouse"): "analyst",
    ("show", "whole"): "owner",
    ("export", "operations"): "owner",
}
"""Options that lead back to sessions, or show whole texts."""
OPENING: Final[Role] = "owner"
"""Who may give what a store keeps when it is opened: redaction, idle limit, prices, another layout."""
METHODS: Final[Mapping[str, Role]] = {
    **dict.fromkeys(
        ("profile", "difference", "sensitivity", "told_apart", "export", "export_difference", "plan_metrics"),
        "reader",
    ),
    **dict.fromkeys(
        (
            "annotations", "artefacts", "audit", "behind", "comparison", "compile", "contiguities",
            "contiguity", "cuts", "doctor", "explain", "export_page", "export_report", "export_warehouse",
            "findings", "guide", "intents", "loops", "names", "operations", "plan_alerts", "plan_bench",
            "plan_check", "plan_events", "plan_export", "plan_policy", "plan_starts", "plan_study", "rank",
            "report", "runs", "save", "segmentation", "session", "sessions", "sessions_by", "totals", "uncut",
            "verify",
        ),
        "analyst",
    ),
    **dict.fromkeys(
        (
            "access_check", "access_log", "add", "annotate_export", "annotate_import", "contents",
            "export_operations", "forget", "forget_sessions", "gc", "judge", "judge_from", "judge_from_git",
            "judge_from_issues", "local_history", "model_cut", "model_estimate", "model_sending", "policy",
            "rename", "rules", "segment", "set_salt", "train",
        ),
        "owner",
    ),
}  # fmt: skip
"""Method of a workspace to the least role."""
UNASKED: Final = frozenset(("comments", "default_measure", "empty", "folder_name", "query"))
"""Methods that tell nothing of sessions."""
_INSIDE: ContextVar[Path | None] = ContextVar("inside", default=None)
"""The store one of whose methods runs: what it calls in turn was asked for with it."""


def guarded(made: Class) -> Class:
    """Have every method of METHODS ask the policy of its store first.

    Args:
        made: the class of workspaces; an instance has a `door`.

    Returns:
        The same class.
    """
    for name, needed in METHODS.items():
        setattr(made, name, _asking(getattr(made, name), needed))
    return made


def ask_opening(door: Door | None, *changed: object) -> None:
    """Ask who changes by opening it what a store keeps.

    Args:
        door: of the store.
        changed: what was given; None, False and "" are nothing.

    Raises:
        AccessDenied: the role is not enough.
    """
    given = any(value is not None and value is not False and value != "" for value in changed)
    if door is not None and given and _INSIDE.get() != door.folder:
        door.ask(OPENING, "python open")


def _asking(method: Callable[..., Any], needed: Role) -> Callable[..., Any]:
    @wraps(method)
    def asked(self: Any, *args: Any, **kw: Any) -> Any:
        door: Door | None = self.door
        if door is None or _INSIDE.get() == door.folder:
            return method(self, *args, **kw)
        bound = inspect.signature(method).bind(self, *args, **kw)
        door.ask(_least(method.__name__, needed, bound), f"python {method.__name__}")
        if door.role == "reader":
            _share(self, bound)
        with inside(door.folder):
            return method(*bound.args, **bound.kwargs)

    return asked


def _least(name: str, needed: Role, bound: inspect.BoundArguments) -> Role:
    """The role of a method with what it is given: single sessions and samples lead back to them."""
    given = bound.arguments
    detail = given.get("kw", {}).get("detail") or any(getattr(v, "detail", False) for v in given.values())
    single = name == "plan_metrics" and given.get("sessions")
    return "analyst" if (detail or single) and not may(needed, "analyst") else needed


def _share(workspace: Any, bound: inspect.BoundArguments) -> None:
    """A reader's view is a shared one: closed words as they are, pseudonyms for all others."""
    takes = bound.signature.parameters
    if "query" not in takes:
        return
    kw = bound.arguments.pop("kw", {}) if "kw" in takes else {}
    query = bound.arguments.get("query") or workspace.query(**kw)
    bound.arguments["query"] = msgspec.structs.replace(query, share=True)


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """What happens here was asked for already.

    Args:
        folder: of the store.
    """
    token = _INSIDE.set(folder)
    try:
        yield
    finally:
        _INSIDE.reset(token)
