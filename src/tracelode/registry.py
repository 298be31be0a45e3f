"""Which adapters are there, by name: ours and strangers' through the same door, entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tracelode.errors import PluginError

GROUPS = ("embedders", "engines", "exports", "histories", "segmenters", "sources")
"""What can be registered; histories names again the sources that keep a history on this machine, so that
a look at it loads no other."""


@cache
def _points(group: str) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=f"tracelode.{group}"), key=lambda p: (p.name, p.value)):
        if point.name in found and found[point.name].value != point.value:
            raise PluginError(
                f"two packages register the {group} adapter {point.name!r} "
                f"({found[point.name].value} and {point.value}); uninstall one of them"
            )
        found[point.name] = point
    return found


def names(group: str) -> tuple[str, ...]:
    """Names of the registered adapters of a group, sorted.

    Args:
        group: one of GROUPS.

    Returns:
        The names, without loading any adapter.
    """
    return tuple(sorted(_points(group)))


@cache
def load(group: str, name: str) -> Any:
    """One adapter, made once.

    Args:
        group: one of GROUPS.
        name: the registered name.

    Returns:
        An instance of the adapter.

    Raises:
        PluginError: unknown name, or the adapter cannot be loaded.
    """
    points = _points(group)
    if name not in points:
        raise PluginError(f"no {group} adapter {name!r}; known: {', '.join(sorted(points)) or 'none'}")
    point = points[name]
    try:
        return point.load()()
    except Exception as error:
        raise PluginError(
            f"the {group} adapter {name!r} ({point.value}) cannot be loaded: "
            f"{type(error).__name__}; reinstall or uninstall its package"
        ) from error
