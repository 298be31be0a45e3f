"""What does a call touch, and can two calls touch the same thing?"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from tracelode.compile.paths import get
from tracelode.model.run import Call
from tracelode.model.workflow import Effect
from tracelode.signals.lexicon import load
from tracelode.signals.tools import is_shell

UNKNOWN = "unknown"
"""A resource that nothing names: it may be any other."""
_PATHS = ("file_path", "absolute_path", "notebook_path", "filePath", "path", "dir_path", "target_file")
_LOCAL = frozenset(
    (*_PATHS, "file", "filename", "folder", "directory", "repo_path", "cwd", "source", "destination")
)
_FILE_VERBS = frozenset({"explore", "edit", "create"})


class Touch(NamedTuple):
    """What one call touches."""

    family: str
    """Server, family or "file"; "" where it is not known."""
    entities: tuple[str, ...] = ()
    """Things inside of the family; () for all of it."""
    paths: tuple[str, ...] = ()
    """Argument paths that name the things."""
    seen: tuple[str, ...] = ()
    """What records below the call show that it changed."""
    local: bool = False
    """Takes a path: it may touch the files that other families touch too."""


def touches(call: Call, effect: Effect, seen: Sequence[str]) -> Touch:
    """What a call touches.

    Args:
        call: with its arguments.
        effect: of its tool; argument paths in it come from the user and are believed.
        seen: resources that it was seen to change.

    Returns:
        Its family and, where a file tool or the user's configuration names them, the things in it.
    """
    given = call.arguments if isinstance(call.arguments, dict) else {}
    local = any(key in _LOCAL for key in given)
    if effect.resource:
        return Touch(effect.family, _values(call, effect.resource), effect.resource, tuple(seen), local)
    if not call.server and not is_shell(call.name) and _is_file_tool(call.name):
        path = next((p for p in _PATHS if given.get(p)), "")
        if path:
            return Touch("file", _values(call, (path,)), (path,), tuple(seen), local)
    if is_shell(call.name):
        return Touch("", seen=tuple(seen))
    return Touch(effect.family, seen=tuple(seen), local=local)


def _is_file_tool(name: str) -> bool:
    return load().tools.get(name.lower()) in _FILE_VERBS


def _values(call: Call, paths: Sequence[str]) -> tuple[str, ...]:
    found = []
    for path in paths:
        try:
            found.append(str(get(call.arguments, path)))
        except LookupError:
            return ()
    return tuple(found)


def meeting(one: Sequence[Touch], other: Sequence[Touch]) -> str | None:
    """What two steps may both touch in a run.

    Args:
        one: what the calls of a step touch.
        other: the same of another step.

    Returns:
        The resource, UNKNOWN where one of them cannot be told, None where they have nothing in common.

    Example:
        >>> meeting([Touch("shop")], [Touch("mail")]), meeting([Touch("shop")], [Touch("shop")])
        (None, 'shop')
        >>> a, b = Touch("file", ("a.py",)), Touch("file", ("b.py",))
        >>> meeting([Touch("")], [Touch("mail")]), meeting([a], [b]), meeting([a], [a])
        ('unknown', None, 'file:a.py')
    """
    found = None
    for mine in one:
        for theirs in other:
            met = _meet(mine, theirs)
            if met not in (None, UNKNOWN):
                return met
            found = found or met
    return found


def _meet(one: Touch, other: Touch) -> str | None:
    both = set(one.seen) & set(other.seen)
    if both:
        return min(both)
    if not one.family or not other.family:
        return UNKNOWN
    if one.family != other.family:
        return "file" if one.local and other.local else None
    if not one.entities or not other.entities:
        return one.family
    if one.family == "file":
        shared = next((a for a in one.entities for z in other.entities if _inside(a, z)), None)
        return None if shared is None else f"file:{shared}"
    return f"{one.family}:{','.join(one.entities)}" if one.entities == other.entities else None


def _inside(one: str, other: str) -> bool:
    """May one path be the other, or a folder around it? Where a relative one starts is not known."""
    a, z = (posixpath.normpath(p.replace("\\", "/")).casefold() for p in (one, other))
    if a.startswith("..") or z.startswith("..") or "." in (a, z):
        return True
    if a == z or a.startswith(f"{z}/") or z.startswith(f"{a}/"):
        return True
    roots = a.startswith(("/", "~")), z.startswith(("/", "~"))
    return (not roots[0] and f"/{z}".endswith(f"/{a}")) or (not roots[1] and f"/{a}".endswith(f"/{z}"))
