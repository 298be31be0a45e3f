"""Which reading tool showed, after a write, that it had happened?"""

from __future__ import annotations

from collections.abc import Iterator

from tracelode.compile.paths import leaves
from tracelode.compile.readings import canonical
from tracelode.compile.work import Work
from tracelode.model.run import Call, Tree
from tracelode.signals.effects import tool_class


def getter(work: Work, slot: str) -> str:
    """The tool that shows whether a write happened.

    Args:
        work: after align and effects.
        slot: the write.

    Returns:
        A reading tool that was called after the write in some run, with arguments that the write has under
        the same names, and whose output then had all else that was written, in every run in which it was
        called so; "" where no run shows one. The first by name among several.
    """
    alignment = work.alignment
    assert alignment is not None
    fits: dict[str, bool] = {}
    for place, run in enumerate(work.runs):
        for index in alignment.calls(place, slot):
            for name, shown in _looks(run.calls[index], run.calls[index + 1 :]):
                fits[name] = shown and fits.get(name, True)
    return min((name for name, shown in fits.items() if shown), default="")


def _looks(write: Call, after: tuple[Call, ...]) -> Iterator[tuple[str, bool]]:
    """Reads that ask for what was written, and whether their output had it."""
    if not isinstance(write.arguments, dict):
        return
    for call in after:
        asked = call.arguments
        if call.name == write.name or call.missing or call.error or not isinstance(asked, dict) or not asked:
            continue
        if not all(key in write.arguments and write.arguments[key] == value for key, value in asked.items()):
            continue
        if tool_class(call.name) != "read":
            continue
        rest = {key: value for key, value in write.arguments.items() if key not in asked}
        yield call.name, bool(rest) and _inside(rest, call.output)


def _inside(written: Tree, output: Tree) -> bool:
    there = {key for _, leaf in leaves(output) if _plain(leaf) for key in canonical(leaf)}
    return all(not _plain(leaf) or not there.isdisjoint(canonical(leaf)) for _, leaf in leaves(written))


def _plain(leaf: Tree) -> bool:
    return not isinstance(leaf, (dict, list)) and leaf is not None
