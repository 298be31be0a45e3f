"""How does every source of an argument fare over the runs? Counted once, asked for any subset of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tracelode.compile import transforms
from tracelode.compile.evidence.arithmetic import results
from tracelode.compile.evidence.search import Memory, Pieces, explained
from tracelode.compile.evidence.wanted import needles
from tracelode.compile.paths import get, leaves
from tracelode.compile.transforms import Shared
from tracelode.compile.work import Source, Traced, Work
from tracelode.model.run import Tree

FEWEST = 3
"""Runs that a path must explain."""
DISTINCT = 2
"""Different values among them."""
ASKED = 0.5
"""Share of runs whose request tells the value, from which no path is promoted."""
MOST = 40
"""Sources of one argument that are compared over the runs: those that explain most."""
OPERANDS = 40
"""The same of arithmetic."""
ELEMENTS = 2000
"""Leaves at one generalised path of one output that are compared."""


class Rule(NamedTuple):
    """A source as it is compared over runs."""

    slot: str
    """Producer."""
    gpath: str
    """Generalised path in its output."""
    prefix: str = ""
    """Fixed text before it."""
    suffix: str = ""
    """Fixed text after it."""
    op: str = ""
    """Operation of level L5, "" for none."""
    amount: int = 0
    """Its constant."""
    also: tuple[str, str] | None = None
    """Slot and path of its second operand."""


@dataclass(frozen=True)
class Candidate:
    """A source of one argument, over its observations."""

    rule: Rule
    has: frozenset[int]
    """Observations whose run has the producer before."""
    hit: frozenset[int]
    """Observations that it explains."""
    others: tuple[frozenset[int], ...]
    """Per observation: runs whose outputs would explain it as well, () where that was not asked."""
    runs: frozenset[int]
    """Runs that have the producer."""


@dataclass(frozen=True)
class Group:
    """The observations of one argument of one slot."""

    slot: str
    """Consumer."""
    path: str
    """Argument path: concrete, or generalised where lists differ in length."""
    places: tuple[tuple[int, int], ...]
    """(run, place among its leaves)."""
    candidates: tuple[Candidate, ...]
    """By what they explain."""


@dataclass(frozen=True)
class Crossed:
    """All arguments of an intent."""

    slots: tuple[tuple[str, ...], ...]
    """Per run, per call: slot."""
    groups: tuple[Group, ...]
    """By slot and path."""
    values: tuple[tuple[object, ...], ...]
    """Per run, per leaf: what equal values have in common."""
    ranked: dict[tuple[int, int], tuple[tuple[Source, Rule | None], ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """(run, place among its leaves) to its sources by rank, with their rules; any runs may ask."""


@dataclass(frozen=True)
class Fare:
    """How a candidate fares in some runs."""

    runs: int
    """Runs that have both calls and whose request does not tell the value."""
    support: float
    """Share of observations that it explains."""
    shuffled: float
    """The same against outputs of other runs."""
    hits: int
    """Observations that it explains."""
    distinct: int
    """Different values among them."""
    asked: float
    """Share of observations whose value the request tells."""

    @property
    def lift(self) -> float:
        """What being of the same run adds."""
        return self.support - self.shuffled


def slots_of(work: Work) -> tuple[tuple[str, ...], ...]:
    """The slot of every call.

    Args:
        work: with or without alignment.

    Returns:
        Per run, per call: its slot; without an alignment tool#k, the k-th use of the tool in the run.
    """
    if work.alignment is not None:
        return work.alignment.of
    found = []
    for run in work.runs:
        count: dict[str, int] = {}
        names = []
        for call in run.calls:
            count[call.name] = count.get(call.name, 0) + 1
            names.append(f"{call.name}#{count[call.name]}")
        found.append(tuple(names))
    return tuple(found)


def crossed(work: Work) -> Crossed:
    """Compare the sources of all arguments over the runs.

    Args:
        work: after trace.

    Returns:
        Counts for each argument and source; the same for any order of the runs but for places.
    """
    slots = slots_of(work)
    by_path: dict[tuple[str, str], list[tuple[int, int]]] = {}
    by_gpath: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for run, traced in enumerate(work.traced):
        for place, t in enumerate(traced):
            slot = slots[run][t.call]
            if slot:
                by_path.setdefault((slot, t.path), []).append((run, place))
                by_gpath.setdefault((slot, t.gpath), []).append((run, place))
    compare = _Compare(work, slots)
    concrete = [compare.group(*key, places) for key, places in sorted(by_path.items())]
    # a list argument of many lengths shows its rule over all places only
    wide = [
        compare.group(*key, places)
        for key, places in sorted(by_gpath.items())
        if "[*]" in key[1] and len({work.traced[r][p].path for r, p in places}) > 1
    ]
    values = tuple(
        tuple((transforms.canonical(t.value) or (("", t.value),))[-1] for t in traced)
        for traced in work.traced
    )
    return Crossed(slots, (*concrete, *wide), values)


@dataclass
class _Compare:
    work: Work
    slots: tuple[tuple[str, ...], ...]
    memory: Memory = field(default_factory=Memory)
    offers: dict[tuple[int, str, str], tuple[frozenset[Shared], Pieces]] = field(default_factory=dict)
    results: dict[tuple[int, Rule], tuple[Tree, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.first: list[dict[str, int]] = []
        for run, names in zip(self.work.runs, self.slots, strict=True):
            first: dict[str, int] = {}
            for call in run.calls:
                if names[call.index] and not call.missing:
                    first.setdefault(names[call.index], call.index)
            self.first.append(first)

    def group(self, slot: str, path: str, places: list[tuple[int, int]]) -> Group:
        hits: dict[Rule, set[int]] = {}
        for n, (run, place) in enumerate(places):
            traced = self.work.traced[run][place]
            for source in (*traced.sources, *traced.derived):
                rule = rule_of(source, self.slots[run])
                if rule is not None:
                    hits.setdefault(rule, set()).add(n)
        ranked = sorted(hits.items(), key=lambda item: (-len(item[1]), _words(item[0])))[:MOST]
        found = tuple(self._candidate(rule, hit, places) for rule, hit in ranked)
        return Group(slot, path, tuple(places), found)

    def _candidate(self, rule: Rule, hit: set[int], places: Sequence[tuple[int, int]]) -> Candidate:
        runs = frozenset(n for n, first in enumerate(self.first) if rule.slot in first)
        has = frozenset(
            n
            for n, (run, place) in enumerate(places)
            if self.first[run].get(rule.slot, 2**31) < self.work.traced[run][place].call
        )
        others: tuple[frozenset[int], ...] = ()
        if len({places[n][0] for n in hit}) >= FEWEST:
            others = tuple(
                self._others(rule, self.work.traced[run][place], run, runs) for run, place in places
            )
        return Candidate(rule, has | frozenset(hit), frozenset(hit), others, runs)

    def _others(self, rule: Rule, traced: Traced, own: int, runs: Iterable[int]) -> frozenset[int]:
        value = traced.value
        if rule.op:
            return self._reckoned(rule, value, own, runs)
        if rule.prefix or rule.suffix:
            inner = inside(value, rule)
            if inner is None:
                return frozenset()
            value = inner
        keys, texts = transforms.wants(value), needles(value)
        found = set()
        for run in runs:
            if run == own:
                continue
            offered, pieces = self._offered(run, rule)
            if not offered.isdisjoint(keys) or any(next(pieces.find(t, 1), None) for t in texts):
                found.add(run)
        return frozenset(found)

    def _reckoned(self, rule: Rule, value: Tree, own: int, runs: Iterable[int]) -> frozenset[int]:
        found = set()
        for run in runs:
            if run == own:
                continue
            at = (run, rule)
            if at not in self.results:
                first = self._at(run, rule.slot, rule.gpath, whole=rule.op == "count")
                second = None if rule.also is None else self._at(run, *rule.also)
                self.results[at] = tuple(results(rule.op, rule.amount, first, second))
            if any(explained(made, value) for made in self.results[at]):
                found.add(run)
        return frozenset(found)

    def _at(self, run: int, slot: str, gpath: str, whole: bool = False) -> list[Tree]:
        calls = [c for c in self.work.runs[run].calls if self.slots[run][c.index] == slot]
        if whole:
            return next((v for v in (_value(c.output, gpath) for c in calls) if isinstance(v, list)), [])
        return [leaf for call in calls for leaf in _leaves(call.output, gpath)][:OPERANDS]

    def _offered(self, run: int, rule: Rule) -> tuple[frozenset[Shared], Pieces]:
        at = (run, rule.slot, rule.gpath)
        if at not in self.offers:
            keys: set[Shared] = set()
            texts = []
            for call in self.work.runs[run].calls:
                if self.slots[run][call.index] != rule.slot:
                    continue
                for leaf in _leaves(call.output, rule.gpath):
                    if isinstance(leaf, str):
                        keys.update(self.memory.keys(leaf))
                        texts.append(leaf)
                    else:
                        keys.update(transforms.keys(leaf))
            self.offers[at] = frozenset(keys), Pieces(texts)
        return self.offers[at]


def _value(output: Tree, path: str) -> Tree:
    try:
        return get(output, path)
    except LookupError:
        return None


def _leaves(output: Tree, gpath: str) -> list[Tree]:
    try:
        found = get(output, gpath)
    except LookupError:
        return []
    return [leaf for _, leaf in leaves(found)][:ELEMENTS]


def _words(rule: Rule) -> tuple[object, ...]:
    return rule.slot, rule.gpath, rule.prefix, rule.suffix, rule.op, rule.amount, rule.also or ("", "")


def rule_of(source: Source, slots: Sequence[str]) -> Rule | None:
    """The rule that a source is a case of.

    Args:
        source: found in one run.
        slots: of the calls of that run.

    Returns:
        None where the producer is no step of the workflow.
    """
    slot = slots[source.call]
    if source.level != "L5":
        return Rule(slot, source.gpath, source.prefix, source.suffix) if slot else None
    also = None if source.also is None else (slots[source.also.call], source.also.gpath)
    change = source.transforms[0]
    if not slot or also == ("", source.also.gpath if source.also is not None else ""):
        return None
    return Rule(slot, source.gpath, op=change.name, amount=int(change.with_ or 0), also=also)


def inside(value: Tree, rule: Rule) -> str | None:
    """What a template has between its fixed texts.

    Args:
        value: what was passed.
        rule: with prefix and suffix.

    Returns:
        None where the value is not of that form.
    """
    if not isinstance(value, str) or len(value) <= len(rule.prefix) + len(rule.suffix):
        return None
    if not (value.startswith(rule.prefix) and value.endswith(rule.suffix)):
        return None
    return value[len(rule.prefix) : len(value) - len(rule.suffix)]


def fare(work: Work, found: Crossed, group: Group, candidate: Candidate, runs: frozenset[int]) -> Fare:
    """How a candidate fares in some runs.

    Args:
        work: after trace.
        found: all counts.
        group: argument.
        candidate: source.
        runs: places of the runs that count.

    Returns:
        Numbers over the observations of these runs; one whose value the request tells as well is no support.
    """
    here = [n for n in sorted(candidate.has) if group.places[n][0] in runs]
    free = [n for n in here if _traced(work, group, n).prompt is None]
    hits = [n for n in free if n in candidate.hit]
    pool = candidate.runs & runs
    chances = [
        len(candidate.others[n] & pool) / apart
        for n in free
        if candidate.others and (apart := len(pool) - (group.places[n][0] in pool))
    ]
    return Fare(
        runs=len({group.places[n][0] for n in free}),
        support=len(hits) / len(free) if free else 0.0,
        shuffled=sum(chances) / len(chances) if chances else 0.0,
        hits=len(hits),
        distinct=len({found.values[group.places[n][0]][group.places[n][1]] for n in hits}),
        asked=1 - len(free) / len(here) if here else 0.0,
    )


def _traced(work: Work, group: Group, n: int) -> Traced:
    run, place = group.places[n]
    return work.traced[run][place]
