"""Which arguments are passed empty? A text of no letters, null and an empty list say something, too."""

from __future__ import annotations

from tracelode.compile.bind.choose import Ground
from tracelode.compile.bind.observe import Scenes
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Argument


def add_empty(arguments: dict[str, list[Argument]], scenes: Scenes, ground: Ground) -> None:
    """Bind what is empty in runs: always so is a constant; now and then so is nobody's rule, in a write.

    Args:
        arguments: by slot, of what is not empty; added to.
        scenes: all runs.
        ground: runs to learn from, and slots that write.
    """
    empty, taken = _seen(scenes, ground.runs)
    for slot in sorted(empty):
        here = arguments.setdefault(slot, [])
        for path, values in sorted(empty[slot].items()):
            first = next(iter(values.values()))
            same = all(value == first and type(value) is type(first) for value in values.values())
            if len(values) == taken[slot] and same:
                here.append(Argument(path, b.Constant(first), len(values), len(values), "given"))
            elif slot in ground.writes:
                kept = [a for a in here if not _within(a.path, path)]
                here[:] = [*kept, Argument(path=path, binding=b.Free(), runs=taken[slot], proof="none")]
        if not here:
            del arguments[slot]


def _seen(
    scenes: Scenes, runs: frozenset[int]
) -> tuple[dict[str, dict[str, dict[int, Tree]]], dict[str, int]]:
    """Slot to path to run to what was empty there; slot to the number of runs that have it."""
    found: dict[str, dict[str, dict[int, Tree]]] = {}
    taken: dict[str, int] = {}
    for run in sorted(runs):
        for slot, index in scenes.last[run].items():
            taken[slot] = taken.get(slot, 0) + 1
            for path, value in scenes.empty(run, index):
                found.setdefault(slot, {}).setdefault(path, {})[run] = value
    return found, taken


def _within(path: str, head: str) -> bool:
    return path == head or path.startswith((f"{head}.", f"{head}["))
