"""What must who asks give? One input for values that are always the same, and how requests say it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

import re2

from tracelode.compile import transforms
from tracelode.compile.bind.observe import Leaf, Scenes, mentioned
from tracelode.compile.masked import masked
from tracelode.compile.mentions import mentions
from tracelode.compile.paths import leaves, parsed
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
    bases = Counter(_base(group[0][0].path) for group in groups)
    goes = _goes(scenes)
    found = [
        Given(
            _name(group[0][0], taken, goes if bases[_base(group[0][0].path)] > 1 else {}),
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
        found.append(Given(_free((kind,), kind, taken), (), mention=f"{kind}:{number}"))
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


def _word(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")


def _base(path: str) -> str:
    keys = [k for k in parsed(path) if isinstance(k, str)]
    return _word(keys[-1] if keys else "") or "value"


def _goes(scenes: Scenes) -> dict[str, str]:
    """Slot to what its output is for: the words that the arguments it is copied into have in common."""
    fed: dict[str, set[str]] = {}
    for edge in scenes.work.edges:
        if edge.kind == "data_hard":
            fed.setdefault(edge.before, set()).add(_base(edge.arg))
    return {
        slot: "_".join(_shared([name.split("_") for name in sorted(names)])) for slot, names in fed.items()
    }


def _shared(names: Sequence[Sequence[str]]) -> list[str]:
    """The words that all names begin with."""
    return [words[0] for words in takewhile(lambda words: len(set(words)) == 1, zip(*names, strict=False))]


def _name(leaf: Leaf, taken: set[str], goes: Mapping[str, str]) -> str:
    """Of two cities the one that becomes the origin is origin_city; else the step tells them apart."""
    base, purpose = _base(leaf.path), goes.get(leaf.slot, "")
    tries = [f"{purpose}_{base}"] if purpose else []
    return _free((*tries, base, f"{_word(leaf.slot)}_{base}"), base, taken)


def _free(tries: Sequence[str], base: str, taken: set[str]) -> str:
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
                Input(
                    name=one.name,
                    type=_type(values.values()),
                    description=where,
                    mention=one.mention,
                    mentions=_count(kind, requests.values()),
                    order=_order(one.mention, values, requests),
                )
            )
            continue
        values = {run: t.value for leaf in one.leaves for run, t in leaf.seen.items()}
        where = ", ".join(f"{leaf.path} of {leaf.slot}" for leaf in one.leaves[:4])
        # where a mark stands in a request, another one has the value itself
        clear = {run: value for run, value in values.items() if not masked(value)}
        mention = _mention(values, requests) if len(clear) == len(values) else ""
        found.append(
            Input(
                name=one.name,
                type=_type(values.values()),
                description=where,
                required=not one.optional,
                mention=mention,
                mentions=_count(mention.partition(":")[0], requests.values()) if mention else 0,
                order=_order(mention, values, requests),
                words=max((len(transforms.text(value).split()) for value in values.values()), default=0),
                patterns=_patterns(clear, requests),
                masked=len(clear) < len(values),
                multiline=any(len(text.splitlines()) > 1 for text in _texts(values.values())),
                blank="" in values.values(),
            )
        )
    return tuple(found)


def _texts(values: Iterable[Tree]) -> Iterator[str]:
    return (leaf for value in values for _, leaf in leaves(value) if isinstance(leaf, str))


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
            if transforms.same(mention.value, value) or (
                mention.other and transforms.same(mention.other, value)
            ):
                here.add(f"{mention.kind}:{number}")
        places.append(here)
    varied = len({transforms.text(value) for value in values.values()}) >= 2
    shared = set.intersection(*places) if len(places) >= 3 and varied else set()
    return min(shared, default="")


def _order(place: str, values: Mapping[int, Tree], requests: Mapping[int, str]) -> str:
    """Does the day or the month of 02/03/2027 come first? What all requests prove, "" for nothing."""
    kind, _, number = place.partition(":")
    proven: set[str] = set()
    for run, value in values.items() if kind == "date" else ():
        there = [m for m in mentions(requests[run]) if m.kind == kind]
        for mention in there[int(number) : int(number) + 1]:
            parts = requests[run][mention.start : mention.stop].split("/")
            if mention.other:
                proven.add("month first" if transforms.same(mention.value, value) else "day first")
            elif len(parts) == 3 and parts[0] != parts[1]:
                proven.add("day first" if int(parts[0]) > 12 else "month first")
    return proven.pop() if len(proven) == 1 else ""


def _count(kind: str, requests: Iterable[str]) -> int:
    """How many of a kind every request mentions, 0 where they do not agree."""
    counts = {sum(m.kind == kind for m in mentions(request)) for request in requests}
    return counts.pop() if len(counts) == 1 else 0


def _patterns(values: Mapping[int, Tree], requests: Mapping[int, str]) -> tuple[str, ...]:
    """Expressions that find the value in two requests or more, and a wrong one in none."""
    tried: dict[str, None] = {}
    signs = _signs(transforms.text(value) for value in values.values())
    for run in sorted(values):
        text = transforms.text(values[run])
        at = requests[run].lower().find(text.lower()) if len(text) >= 2 else -1
        if at >= 0:
            tried[_around(requests[run], at, at + len(text), signs)] = None
    good: list[tuple[int, str]] = []
    for pattern in tried:
        right: list[str] = []
        wrong = 0
        for run, value in values.items():
            here = pieces(pattern, requests[run])
            # every match is looked at: the first one alone may not be there another time
            wrong += sum(not _reads(requests[run][start:stop], value) for start, stop in here)
            right += [transforms.text(value)] if here else []
        # what never varied says nothing of where it stands
        if len(set(right)) >= 2 and not wrong:
            good.append((-len(right), pattern))
    return tuple(pattern for _, pattern in sorted(good)[:3])


@lru_cache(maxsize=4096)  # the same requests are read again for every run that is left out
def pieces(pattern: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where the piece that an expression looks for lies, in each of its matches.

    Args:
        pattern: with one group.
        text: a request.

    Returns:
        (start, stop); a match may hide another one that begins inside of it.
    """
    at, rule, spans = 0, re2.compile(pattern), []
    while (match := rule.search(text, at)) is not None:
        spans.append(match.span(1))
        at = match.start() + 1
    return tuple(spans)


def _reads(piece: str, value: Tree) -> bool:
    """Is a piece of a request the value, letter for letter where it is a text?"""
    return piece == value if isinstance(value, str) else transforms.same(piece, value)


def _signs(texts: Iterable[str]) -> str:
    """A class of the signs that values are made of: word signs, and of others those that were seen."""
    seen = sorted({" " if sign.isspace() else sign for text in texts for sign in text if not _plain(sign)})
    return r"[\w" + "".join(re.escape(sign) for sign in seen) + "]"


def _plain(sign: str) -> bool:
    return sign == "_" or (sign.isascii() and sign.isalnum())


def _around(request: str, start: int, stop: int, signs: str) -> str:
    """The words before a value and what follows it, whole words: "unfollow Jo" is not found by "follow"."""
    near = re.search(rf"(?:\S+\s+){{0,{WORDS}}}\S*\Z", request[:start])
    before = near[0] if near else ""
    left = r"(?:\A|\s)" + r"\s+".join(re.escape(part) for part in re.split(r"\s+", before))
    after = re.match(r"(\s*)([^\w\s]|\w+)", request[stop : stop + 40])
    if after is None:
        return rf"(?i){left}({signs}{{1,80}}?)\s*\z"
    gap = r"\s+" if after[1] else ""
    end = re.escape(after[2]) + (r"\b" if after[2][-1].isalnum() else "")
    return rf"(?i){left}({signs}{{1,80}}?){gap}{end}"
