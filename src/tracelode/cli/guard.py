"""Which role does a command need? Checked against the policy of the store, before it runs."""

from __future__ import annotations

import dataclasses
import re
from inspect import BoundArguments
from typing import TYPE_CHECKING

from tracelode.cli.options import ViewOptions

if TYPE_CHECKING:
    from tracelode.model.governing import Role

_OPTION = re.compile(r"--?[a-zA-Z][a-zA-Z-]*")


def admit(words: list[str], bound: BoundArguments) -> None:
    """Ask whether this user may run a command; a reader's view is a shared one.

    Args:
        words: the command line, the command first.
        bound: what the command is called with; changed in place.

    Raises:
        AccessDenied: the policy does not allow it.
    """
    from tracelode.workspace.doors import COMMANDS, FREE, OPENING, OPTIONS
    from tracelode.workspace.guarding import admit as asked

    given = bound.arguments
    command = words[0] if words and not words[0].startswith("-") else ""
    if command in FREE:
        return
    # a study file names arms, whose sessions are those of the store
    if command == "plan" and given.get("action") != "study" and _of_files(given.get("targets") or ()):
        return
    store = given.get("store")
    needed: Role = COMMANDS.get(command, "analyst")
    if command == "plan" and given.get("action") == "metrics" and not given.get("targets"):
        needed = "reader"
    for (name, option), role in OPTIONS.items():
        if command == name and given.get(option):
            needed = role
    if getattr(store, "idle", None) is not None or getattr(store, "price_file", None) is not None:
        needed = OPENING
    action = str(given.get("action") or "")
    options = sorted({word for word in words[1:] if _OPTION.fullmatch(word.split("=")[0])})
    named = " ".join(dict.fromkeys(word.split("=")[0] for word in options))
    said = " ".join(filter(None, (command or "summary", action, named)))
    role_of_user = asked(getattr(store, "store", None), needed, said)
    if role_of_user == "reader" and command != "plan":
        view = given.get("view") or ViewOptions()
        given["view"] = dataclasses.replace(view, share=True)


def _of_files(targets: tuple[str, ...]) -> bool:
    """Are only files asked for, and nothing of the store?"""
    from tracelode.workspace.planning import is_path

    return bool(targets) and all(map(is_path, targets))
