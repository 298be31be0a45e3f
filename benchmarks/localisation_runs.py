"""Which orders of steps are compared on a set with labelled faults? Ours out of fold, controls, a judge."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from localisation_data import SHAPES, Case, Faults
from logistic import fit

from tracelode.model.operation import Operation
from tracelode.model.ranking import Spectrum
from tracelode.profile.guide import Choice, choose, grouped, reader, worth_of
from tracelode.profile.label import label
from tracelode.profile.rank.controls import lexicographic, ordinal, places, reading_tokens, trivial
from tracelode.profile.rank.features import PLACE_FEATURES, SHAPE_FEATURES, features
from tracelode.profile.rank.session import scored
from tracelode.profile.rank.spectrum import spectrum
from tracelode.profile.rank.weights import Fitted, Weights, shipped
from tracelode.profile.segment.phase import PhaseSegmenter

RIDGE = 33.0
FOLDS = 10
OURS = "ours"
"""The rank as it is shipped, its weights fitted on other folds."""
DIRECT, BOTH = "noisy judge", "noisy judge + ours"
Orders = list[list[float]]
"""Scores of the steps of each labelled session."""


class Reading(NamedTuple):
    """What guided reading opens of a set, and the order that is left."""

    order: Orders
    """Scores of the reader."""
    opened: list[float]
    """Share of each session's source that is opened."""


def fitted(name: str, cases: Sequence[Case]) -> Fitted:
    """Weights of the shape that a set is an example of.

    Args:
        name: the set.
        cases: sessions to fit on; those without a fault, or of nothing but faults, teach nothing.
    """
    used = [c for c in cases if c.faults and len(c.faults) < len(c.operations)]
    names = PLACE_FEATURES if name in SILENT else SHAPE_FEATURES
    rows = [[row[: len(names)] for row in features(c.operations)] for c in used]
    bias, weights = fit(rows, [c.faults for c in used], RIDGE)
    named = {n: round(w, 5) for n, w in zip(names, weights, strict=True) if abs(w) >= 5e-6}
    return Fitted(round(bias, 5), named, len(used), name, LICENCES[name])


SILENT = frozenset({"codetracebench-labels"})
"""Sets that tell no texts: what is fitted on them is the place alone."""
LICENCES = {
    "trail": "MIT",
    "who-and-when": "MIT",
    "hintbench": "Apache-2.0",
    "codetracebench-labels": "MIT",
}


def folds(cases: Sequence[Case], seed: int) -> list[int]:
    """The fold of each session; those of one group share it."""
    groups = sorted({c.group for c in cases})
    random.Random(seed).shuffle(groups)
    fold = {group: i % FOLDS for i, group in enumerate(groups)}
    return [fold[c.group] for c in cases]


def spectra(cases: Sequence[Case], key: Callable[[Operation], tuple[str, ...]]) -> list[list[Spectrum]]:
    """The split of each operation's group over the sessions of a set, by how they ended."""
    failed, passed = ([c for c in cases if c.failed is way] for way in (True, False))
    counts = [Counter(k for c in part for k in {key(o) for o in c.operations}) for part in (failed, passed)]
    return [
        [spectrum(counts[0][key(o)], counts[1][key(o)], len(failed), len(passed)) for o in c.operations]
        for c in cases
    ]


def semantic(operation: Operation) -> tuple[str, ...]:
    """What an operation does: its verb and error class, its kind where it has none."""
    return operation.fields.get("verb") or operation.kind, operation.fields.get("error", "")


def raw(operation: Operation) -> tuple[str, ...]:
    """The name alone."""
    return (operation.name,)


def out_of_fold(data: Faults, groups: Sequence[Sequence[Spectrum]] | None, seed: int) -> Orders:
    """Our scores, each session's by weights that no session of its group was part of."""
    cases = data.labelled
    fold = folds(cases, seed)
    found: Orders = [[] for _ in cases]
    for held in range(FOLDS):
        if held not in fold:
            continue
        own = fitted(data.name, [c for c, f in zip(cases, fold, strict=True) if f != held])
        weights = Weights("fold", RIDGE, {**shipped().shapes, SHAPES[data.name]: own})
        for i, case in enumerate(cases):
            if fold[i] == held:
                found[i] = scored(case.operations, groups[i] if groups else (), weights).scores
    return found


def noisy_judge(cases: Sequence[Case], seed: int) -> Orders:
    """A diagnostic for the harness's own test: the truth, blurred and rounded to four grades."""
    chance = random.Random(seed)
    return [
        [float(round(3 * min(1, max(0, (0.45 if i in c.faults else 0.25) + chance.gauss(0, 0.2))))) for i in
         range(len(c.operations))] for c in cases
    ]  # fmt: skip


def both(direct: Orders, ours: Orders) -> Orders:
    """The judge's order, its ties broken by ours."""
    return [
        ordinal(lexicographic(dict(enumerate(one)), other)) for one, other in zip(direct, ours, strict=True)
    ]


def orders(data: Faults, seed: int) -> dict[str, Orders]:
    """Every order of a set, by name."""
    cases = data.labelled
    found: dict[str, Orders] = {}
    for case in cases:
        for name, scores in trivial(case.operations).items():
            found.setdefault(name, []).append(scores)
    kept = [i for i, c in enumerate(data.cases) if c.faults]
    told = len({c.failed for c in data.cases if c.failed is not None}) == 2
    splits = {
        name: [spectra(data.cases, key)[i] for i in kept]
        for name, key in (("semantic", semantic), ("raw", raw))
    }
    alone = out_of_fold(data, None, seed)
    if any(c.failed for c in data.cases):
        for name, split in splits.items():
            found[f"{name} groups alone"] = [[s.ochiai or 0.0 for s in row] for row in split]
    if told:
        found["ours, no groups"] = alone
        found["ours, raw groups"] = out_of_fold(data, splits["raw"], seed)
    found[OURS] = out_of_fold(data, splits["semantic"], seed) if told else alone
    judge = noisy_judge(cases, seed)
    found[DIRECT], found[BOTH] = judge, both(judge, found[OURS])
    return found


def guided(cases: Sequence[Case], ours: Orders, share: float, most: int, named: bool) -> Reading:
    """What a reader of a few groups still finds.

    Args:
        cases: labelled sessions.
        ours: our scores of their steps.
        share: part of each session's source that may be opened.
        most: groups opened at most.
        named: group by stage and tool; False: by tool alone.
    """
    found = Reading([], [])
    for case, scores in zip(cases, ours, strict=True):
        steps = case.operations
        stages = _stages(steps) if named else [""] * len(steps)
        place = places(scores)
        tokens = [reading_tokens(o) for o in steps]
        keys = [(stage, o.name) for stage, o in zip(stages, steps, strict=True)]
        groups = [sorted(members, key=lambda i: place[i]) for members in grouped(keys).values()]
        choices = [Choice(tuple(worth_of(place[i]) for i in g), tuple(tokens[i] for i in g)) for g in groups]
        chosen = choose(choices, most, max(1, int(share * sum(tokens))))
        opened: Collection[int] = [i for c in chosen for i in groups[c.group][: c.depth]]
        found.order.append(reader(scores, opened))
        found.opened.append(sum(tokens[i] for i in opened) / sum(tokens))
    return found


def _stages(steps: Sequence[Operation]) -> list[str]:
    cut = label(list(steps), PhaseSegmenter())[0]
    deepest = max(segment.level for segment in cut.segments)
    return [s.name for s in cut.segments if s.level == deepest for _ in range(s.start, s.stop)]
