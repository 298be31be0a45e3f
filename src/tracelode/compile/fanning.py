"""Which calls do the same for each element of a list? They are one step that is done for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from tracelode.compile.paths import general, leaves
from tracelode.compile.telling import Told
from tracelode.compile.work import Label
from tracelode.model.run import Tree

MANY = 3
"""Calls from which a group is one step even where every run has as many of them."""
_BETWEEN = re.compile(
    r"[\s\"'“”‘’]*(?:,|;|\band\b|&|\n|,\s*and\b|\bor\b)[\s\"'“”‘’]*(?:and\s+)?[\"'“”‘’]?\Z", re.I
)


def fans(told: Sequence[Told], labels: Sequence[list[Label]]) -> None:
    """Label groups of calls that take the elements of one list.

    Args:
        told: per run, what its calls tell.
        labels: per run and call; essential ones may become fan_out, the first of a group leading nowhere and
            the others to it.

    Source:
        compiler rules, S3: two calls or more of one tool whose varying arguments are elements of one list. In
        runs that all have as many, and fewer than three, the calls stay steps of their own: that tells more.
    """
    groups = [_groups(one, mine) for one, mine in zip(told, labels, strict=True)]
    taken = [
        {tool: _taken(one, calls) for tool, calls in group.items()}
        for one, group in zip(told, groups, strict=True)
    ]
    sizes: dict[tuple[str, str], set[int]] = {}
    for mine in taken:
        for tool, calls in mine.items():
            sizes.setdefault(tool, set()).add(max(1, len(calls)))
    for found, label in zip(taken, labels, strict=True):
        for tool, calls in found.items():
            if len(calls) >= MANY or (len(calls) > 1 and len(sizes[tool]) > 1):
                for n in calls:
                    of = -1 if n == calls[0] else calls[0]
                    label[n] = Label("fan_out", of, "one call for each element")


def _groups(told: Told, labels: Sequence[Label]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for call in told.run.calls:
        if labels[call.index].kind == "essential":
            found.setdefault((call.server, call.name), []).append(call.index)
    return found


def _taken(told: Told, calls: Sequence[int]) -> list[int]:
    """The largest group of calls whose arguments differ along one list; others may stand among them."""
    if len(calls) < 2:
        return []
    rows = {n: dict(leaves(told.run.calls[n].arguments)) for n in calls}
    shape = Counter(frozenset(row) for row in rows.values()).most_common(1)[0][0]
    same = [n for n in calls if frozenset(rows[n]) == shape]
    varying = [key for key in shape if len({_text(rows[n][key]) for n in same}) > 1]
    if len(same) < 2 or not varying:
        return []
    best: list[int] = []
    for producer in range(max(same) - 1, -1, -1):
        if not isinstance(told.run.calls[producer].output, dict | list):
            continue
        places = _places(told, producer, {_text(rows[n][key]) for n in same for key in varying})
        for key in varying:
            elements: dict[str, dict[str, int]] = {}
            for n in same:
                for path, at in sorted(places.get(_text(rows[n][key]), ())) if n > producer else ():
                    elements.setdefault(path, {}).setdefault(at, n)
            for path, of_list in sorted(elements.items()):
                group = sorted(set(of_list.values()))
                if len(group) > max(1, len(best)) and 2 * len(group) > len(same):
                    where = {n: at for at, n in of_list.items()}
                    if all(_along(rows, group, other, places, path, where) for other in varying):
                        best = group
    if not best and len(varying) == 1 and _listed(told, [str(rows[n][varying[0]]) for n in same], min(same)):
        return same
    return best


def _along(
    rows: Mapping[int, Mapping[Any, Tree]],
    group: Sequence[int],
    key: Any,
    places: Mapping[str, set[tuple[str, str]]],
    path: str,
    where: Mapping[int, str],
) -> bool:
    """Is an argument the same in all calls of a group, or told by the element that each of them takes?"""
    texts = {n: _text(rows[n][key]) for n in group}
    same = len(set(texts.values())) == 1
    return same or all((path, where[n]) in places.get(text, ()) for n, text in texts.items())


def _places(told: Told, producer: int, wanted: set[str]) -> dict[str, set[tuple[str, str]]]:
    """Value to (list, element) in an output: the innermost lists that hold it."""
    wanted = {text for text in wanted if told.tells(producer, text)}
    found: dict[str, set[tuple[str, str]]] = {}
    for keys, value in leaves(told.run.calls[producer].output) if wanted else ():
        text = _text(value)
        if text in wanted:
            place = next((i for i in range(len(keys) - 1, -1, -1) if isinstance(keys[i], int)), None)
            if place is not None:
                at = ".".join(map(str, keys[: place + 1]))
                found.setdefault(text, set()).add((general(keys[: place + 1]), at))
    return found


def _listed(told: Told, values: Sequence[str], call: int) -> bool:
    """Does a request enumerate the values, in any order, with nothing but commas and "and" between?"""
    said = "\n".join(t.text for t in told.run.turns if t.role == "user" and t.before <= call).lower()
    spans = sorted((said.find(value.lower()), len(value)) for value in values)
    if spans[0][0] < 0 or len(set(spans)) < len(spans):
        return False
    return all(
        _BETWEEN.match(said[at + size : following]) is not None
        for (at, size), (following, _) in pairwise(spans)
    )


def _text(value: Tree) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
