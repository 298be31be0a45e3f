"""What must who asks give? One input for values that are always the same, and how requests say it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import re2

from tracelode.compile import transforms
from tracelode.compile.bind.observe import Leaf, Scenes, mentioned
from tracelode.compile.mentions import mentions
from tracelode.compile.paths import parsed
from tracelode.model.run import Tree
from tracelode.model.workflow import Input

WORDS = 2
"""Words around a value in a request that an expression is made of."""


@dataclass(frozen=True)
class Given:
    """An input on its way: the leaves it feeds."""

    name: str
    """Final name."""
    leaves: tuple[Leaf, ...]
    """By first use."""
    mention: str = ""
    """date:0 and so on, where it is only mentioned and no argument by itself."""
    also: tuple[str, ...] = ()
    """Stand-ins of mentions that are the same in all runs."""
    optional: bool = False
    """Some runs did without."""


def gather(
    leaves: Iterable[tuple[Leaf, bool]], mentioned_names: Iterable[str], scenes: Scenes
) -> tuple[Given, ...]:
    """Merge leaves that had the same value in all runs into one input, and name them.

    Args:
        leaves: leaves that are given by who asks, and whether some runs did without.
        mentioned_names: stand-ins of mentions that rules refer to.
        scenes: all runs.

    Returns:
        Inputs, by first use; names are unique.
    """
    groups: list[list[tuple[Leaf, bool]]] = []
    for leaf, optional in leaves:
        home = next((g for g in groups if all(_alike(leaf, other) for other, _ in g)), None)
        if home is None:
            groups.append([(leaf, optional)])
        else:
            home.append((leaf, optional))
    taken: set[str] = set()
    found = [
        Given(
            _name(group[0][0].path, group[0][0].slot, taken),
            tuple(leaf for leaf, _ in group),
            optional=all(o for _, o in group),
        )
        for group in groups
    ]
    for stand_in in sorted(set(mentioned_names)):
        place = next((n for n, one in enumerate(found) if _tells(one, stand_in, scenes)), None)
        if place is not None:
            found[place] = replace(found[place], also=(*found[place].also, stand_in))
            continue
        _, kind, number = stand_in.split("\0")
        found.append(Given(_name(kind, kind, taken), (), mention=f"{kind}:{number}"))
    return tuple(found)


def _tells(one: Given, stand_in: str, scenes: Scenes) -> bool:
    """Is an input always the same as something that requests mention?"""
    if one.optional or one.mention:
        return False
    for leaf in one.leaves:
        if len(leaf.seen) == len(scenes.by_run) and all(
            stand_in in scenes.by_run[run].inputs
            and transforms.same(scenes.by_run[run].inputs[stand_in], traced.value)
            for run, traced in leaf.seen.items()
        ):
            return True
    return False


def _alike(leaf: Leaf, other: Leaf) -> bool:
    both = sorted(set(leaf.seen) & set(other.seen))
    if len(both) < 2 or len(both) < min(len(leaf.seen), len(other.seen)):
        return False
    pairs = [(leaf.seen[run].value, other.seen[run].value) for run in both]
    return all(transforms.same(a, z) for a, z in pairs) and len({transforms.text(a) for a, _ in pairs}) >= 2


def _name(path: str, slot: str, taken: set[str]) -> str:
    keys = [k for k in parsed(path) if isinstance(k, str)]
    base = re.sub(r"\W+", "_", keys[-1] if keys else "value").strip("_") or "value"
    step = re.sub(r"\W+", "_", slot).strip("_")
    tries = [base, f"{step}_{base}"]
    name = next((t for t in tries if t not in taken), None)
    number = 2
    while name is None or name in taken:
        name = f"{base}_{number}"
        number += 1
    taken.add(name)
    return name


def inputs_of(given: Iterable[Given], scenes: Scenes) -> tuple[Input, ...]:
    """The inputs of a workflow.

    Args:
        given: gathered.
        scenes: all runs.

    Returns:
        With types, descriptions and what was learned of how requests say them.
    """
    requests = {place: run.request for place, run in enumerate(scenes.work.runs)}
    found = []
    for one in given:
        if one.mention:
            kind, number = one.mention.split(":")
            values = {
                run: scene.inputs[mentioned(kind, int(number))]
                for run, scene in enumerate(scenes.by_run)
                if mentioned(kind, int(number)) in scene.inputs
            }
            where = f"{kind} number {int(number) + 1} of the request"
            found.append(
                Input(name=one.name, type=_type(values.values()), description=where, mention=one.mention)
            )
            continue
        values = {run: t.value for leaf in one.leaves for run, t in leaf.seen.items()}
        where = ", ".join(f"{leaf.path} of {leaf.slot}" for leaf in one.leaves[:4])
        found.append(
            Input(
                name=one.name,
                type=_type(values.values()),
                description=where,
                required=not one.optional,
                mention=_mention(values, requests),
                patterns=_patterns(values, requests),
            )
        )
    return tuple(found)


def _type(values: Iterable[Tree]) -> str:
    kinds = {_kind(v) for v in values}
    if len(kinds) == 1:
        return kinds.pop()
    return "number" if kinds == {"integer", "number"} else "string"


def _kind(value: Tree) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if isinstance(value, int) else "number"
    if isinstance(value, list):
        return "list"
    text = transforms.text(value)
    if re.match(r"\d{4}-\d{2}-\d{2}\Z", text):
        return "date"
    return "time" if re.match(r"\d{2}:\d{2}\Z", text) else "string"


def _mention(values: Mapping[int, Tree], requests: Mapping[int, str]) -> str:
    """The place among the mentions of one kind that had the value in all runs."""
    places: list[set[str]] = []
    for run, value in values.items():
        count: dict[str, int] = {}
        here: set[str] = set()
        for mention in mentions(requests[run]):
            number = count.get(mention.kind, 0)
            count[mention.kind] = number + 1
            if transforms.same(mention.value, value):
                here.add(f"{mention.kind}:{number}")
        places.append(here)
    shared = set.intersection(*places) if len(places) >= 3 else set()
    return min(shared, default="")


def _patterns(values: Mapping[int, Tree], requests: Mapping[int, str]) -> tuple[str, ...]:
    """Expressions that find the value in two requests or more, and a wrong one in none."""
    tried: dict[str, None] = {}
    for run in sorted(values):
        text = transforms.text(values[run])
        at = requests[run].lower().find(text.lower()) if len(text) >= 2 else -1
        if at >= 0:
            tried[_around(requests[run], at, at + len(text))] = None
    good: list[tuple[int, str]] = []
    for pattern in tried:
        right = wrong = 0
        for run, value in values.items():
            match = re2.search(pattern, requests[run])
            if match is not None:
                right += transforms.same(match[1], value)
                wrong += not transforms.same(match[1], value)
        if right >= 2 and not wrong:
            good.append((-right, pattern))
    return tuple(pattern for _, pattern in sorted(good)[:3])


def _around(request: str, start: int, stop: int) -> str:
    before = re.findall(r"\S+", request[:start])[-WORDS:]
    after = re.findall(r"[^\w\s]|\w+", request[stop : stop + 40])[:1]
    left = r"\s+".join(re.escape(w) for w in before) + r"\s+" if before else r"\A\s*"
    right = rf"\s*{re.escape(after[0])}" if after else r"\s*\z"
    return rf"(?i){left}(.{{1,80}}?){right}"
