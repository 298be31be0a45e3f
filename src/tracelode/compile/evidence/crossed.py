"""How does every source of an argument fare over the runs of an intent? Counted once, asked for any subset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tracelode.compile import transforms
from tracelode.compile.evidence.search import Memory, Pieces
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
ELEMENTS = 2000
"""Leaves at one generalised path of one output that are compared."""


@dataclass(frozen=True)
class Rule:
    """A source as it is compared over runs."""

    slot: str
    """Producer."""
    gpath: str
    """Generalised path in its output."""
    prefix: str = ""
    """Fixed text before it."""
    suffix: str = ""
    """Fixed text after it."""


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
        tuple((transforms.canonical(t.value) or (("", t.value),))[-1] for t in traced) for traced in work.traced
    )
    return Crossed(slots, (*concrete, *wide), values)


@dataclass
class _Compare:
    work: Work
    slots: tuple[tuple[str, ...], ...]
    memory: Memory = field(default_factory=Memory)
    offers: dict[tuple[int, str, str], tuple[frozenset[Shared], Pieces]] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)

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
            for source in self.work.traced[run][place].sources:
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
            others = tuple(self._others(rule, self.work.traced[run][place], run, runs) for run, place in places)
        return Candidate(rule, has | frozenset(hit), frozenset(hit), others, runs)

    def _others(self, rule: Rule, traced: Traced, own: int, runs: Iterable[int]) -> frozenset[int]:
        value = traced.value
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
                        texts.append((None, leaf))
                    else:
                        keys.update(transforms.keys(leaf))
            self.offers[at] = frozenset(keys), Pieces(texts)
        return self.offers[at]


def _leaves(output: Tree, gpath: str) -> list[Tree]:
    try:
        found = get(output, gpath)
    except LookupError:
        return []
    return [leaf for _, leaf in leaves(found)][:ELEMENTS]


def _words(rule: Rule) -> tuple[str, str, str, str]:
    return rule.slot, rule.gpath, rule.prefix, rule.suffix


def rule_of(source: Source, slots: Sequence[str]) -> Rule | None:
    """The rule that a source is a case of.

    Args:
        source: found in one run.
        slots: of the calls of that run.

    Returns:
        None where the producer is no step of the workflow.
    """
    slot = slots[source.call]
    return Rule(slot, source.gpath, source.prefix, source.suffix) if slot else None


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
        Numbers over the observations of these runs; where the request tells the value too, a run is no support.
    """
    here = [n for n in sorted(candidate.has) if group.places[n][0] in runs]
    free = [n for n in here if _traced(work, group, n).prompt is None]
    hits = [n for n in free if n in candidate.hit]
    pool = candidate.runs & runs
    chances = [
        len(candidate.others[n] & pool) / len(pool - {group.places[n][0]})
        for n in free
        if candidate.others and pool - {group.places[n][0]}
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


def permuted(group: Group, candidate: Candidate, free: Sequence[int], times: int = 999) -> float | None:
    """Permutation p of a support: how often are as many explained when outputs are dealt to the runs anew?

    Args:
        group: argument.
        candidate: source.
        free: observations that count.
        times: permutations, by a fixed seed.

    Returns:
        None for fewer than three runs, or where other runs were not compared.
    """
    import numpy as np

    order = sorted({group.places[n][0] for n in free})
    if len(order) < FEWEST or not candidate.others:
        return None
    column = {run: n for n, run in enumerate(order)}
    table = np.zeros((len(order), len(order)), dtype=np.int32)
    for n in free:
        own = group.places[n][0]
        for run in candidate.others[n]:
            if run in column:
                table[column[own], column[run]] += 1
        table[column[own], column[own]] += n in candidate.hit
    dealt = _dealt(len(order), times)
    sums = table[np.arange(len(order)), dealt].sum(axis=1)
    return float((1 + int((sums >= int(np.trace(table))).sum())) / (times + 1))


_DEALT: dict[tuple[int, int], object] = {}


def _dealt(count: int, times: int):  # type: ignore[no-untyped-def]
    import numpy as np

    if (count, times) not in _DEALT:
        chance = np.random.default_rng(count)
        _DEALT[count, times] = np.array([chance.permutation(count) for _ in range(times)])
    return _DEALT[count, times]
