"""Which role does a command need? Checked against the policy of the store, before it runs."""

from __future__ import annotations

import dataclasses
import re
from inspect import BoundArguments
from typing import TYPE_CHECKING

from tracelode.cli.options import ViewOptions

if TYPE_CHECKING:
    from tracelode.model.governing import Role

_NEEDED: dict[str, Role] = {
    **dict.fromkeys(("top", "tree", "peek", "flame", "diff", "export"), "reader"),
    **dict.fromkeys(("import", "outcome", "segment", "annotate", "rename", "run", "gc", "access"), "owner"),
}
"""Command to the least role; every other one needs an analyst."""
_FREE = frozenset(("demo", "completion", "record", "redact", "watch"))
"""Commands that open no store of the user's."""
_OWNER = (("show", "whole"), ("export", "operations"))
"""Options that show whole texts."""
_ANALYST = (("export", "detail"), ("export", "warehouse"))
"""Options that lead back to sessions."""
_OPTION = re.compile(r"--?[a-zA-Z][a-zA-Z-]*")


def admit(words: list[str], bound: BoundArguments) -> None:
    """Ask whether this user may run a command; a reader's view is a shared one.

    Args:
        words: the command line, the command first.
        bound: what the command is called with; changed in place.

    Raises:
        AccessDenied: the policy does not allow it.
    """
    from tracelode.workspace.guarding import admit as asked

    given = bound.arguments
    command = words[0] if words and not words[0].startswith("-") else ""
    if command in _FREE:
        return
    if command == "plan" and _of_files(given.get("targets") or ()):
        return
    store = getattr(given.get("store"), "store", None)
    needed: Role = _NEEDED.get(command, "analyst")
    if command == "plan" and given.get("action") == "metrics" and not given.get("targets"):
        needed = "reader"
    for option, role in ((_ANALYST, "analyst"), (_OWNER, "owner")):
        if any(command == name and given.get(flag) for name, flag in option):
            needed = role  # type: ignore[assignment]
    action = str(given.get("action") or "")
    options = sorted({word for word in words[1:] if _OPTION.fullmatch(word.split("=")[0])})
    named = " ".join(dict.fromkeys(word.split("=")[0] for word in options))
    said = " ".join(filter(None, (command or "summary", action, named)))
    role_of_user = asked(store, needed, said)
    if role_of_user == "reader" and command != "plan":
        view = given.get("view") or ViewOptions()
        given["view"] = dataclasses.replace(view, share=True)


def _of_files(targets: tuple[str, ...]) -> bool:
    """Are only files asked for, and nothing of the store?"""
    from tracelode.workspace.planning import is_path

    return bool(targets) and all(map(is_path, targets))
