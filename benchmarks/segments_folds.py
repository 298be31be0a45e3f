"""Who is trained on what, and scored on what? Folds by task, frameworks held out, settings chosen inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from segments_data import Dataset
from segments_fit import EXPERTS, SHRINKS, Example, fit

from tracelode.profile.learned.decoding import FINE, Taste, decode
from tracelode.profile.learned.model import Scorer, shifted, sigmoid
from tracelode.profile.learned.weights import Weights
from tracelode.profile.score.partition import from_cuts, leaves
from tracelode.profile.score.tally import Tally, average, figures, tally, total
from tracelode.profile.segment.learned import LearnedSegmenter
from tracelode.statistics.folds import folds

OUTER, INNER = 5, 3
"""Folds, and folds of the training part on which the decoder is chosen."""
TASTES = [Taste(*row) for row in product((0.6, 0.65, 0.8), (2.0, 4.0, 8.0), (0.25, 0.3, 0.35))]
"""Decoders to choose from."""

Division = list[tuple[list[int], list[int]]]
"""Rows of places to train on and places to score."""


class Variant(NamedTuple):
    """One way to train and decode."""

    name: str
    """What the table calls it."""
    nested: bool = False
    """Is the decoder chosen on folds of the training part?"""
    shrink: float | None = None
    """How far the rate of cuts is drawn to that of the training part; None for as far as it ships."""
    trees: float = 0.5
    """Share of the trees in the logit; the linear part has the rest."""
    joint: bool = False
    """Is one expert trained on both sets?"""
    by_framework: bool = False
    """Is a framework held out instead of tasks?"""
    merged: bool = False
    """Are neighbours of equal path one group?"""


class Guess(NamedTuple):
    """What is said of a session by a model that never saw its task."""

    example: Example
    """The session."""
    linear: Any
    """n log odds by the linear part."""
    trees: Any
    """n log odds by the trees."""
    prior: float
    """Mean probability of a cut in the training part."""
    taste: Taste
    """The decoder."""


def kept(names: list[str], given: list[Example], without: Sequence[str]) -> tuple[list[str], list[Example]]:
    """Examples without the features whose names begin with one of some words."""
    held = [i for i, name in enumerate(names) if not name.startswith(tuple(without))]
    return [names[i] for i in held], [one._replace(table=one.table[:, held]) for one in given]


def by_task(given: Sequence[Example], seed: int, k: int = OUTER) -> Division:
    """Folds in which no task is on both sides."""
    place = folds([one.session.task for one in given], k, seed)
    numbers = range(len(given))
    return [([i for i in numbers if place[i] != f], [i for i in numbers if place[i] == f]) for f in range(k)]


def by_framework(given: Sequence[Example], seed: int) -> Division:
    """Each framework of the human-labelled set held out, and its tasks with it."""
    found = []
    for framework in sorted({one.session.framework for one in given if one.dataset == "codetrace"}):
        test = [i for i, one in enumerate(given) if one.session.framework == framework]
        tasks = {given[i].session.task for i in test}
        train = [
            i
            for i, one in enumerate(given)
            if one.session.framework != framework and one.session.task not in tasks
        ]
        found.append((train, test))
    return found


def guesses(given: Sequence[Example], division: Division, variant: Variant, seed: int) -> list[Guess]:
    """What experts say of the sessions they were not trained on."""
    found = []
    for train, test in division:
        if not test:
            continue
        part = [given[i] for i in train]
        expert = fit(part, 0.0, seed)
        scorer = Scorer(expert)
        taste = chosen(part, variant, seed) if variant.nested else FINE
        for i in test:
            linear, trees = scorer.parts(given[i].table)
            found.append(Guess(given[i], linear, trees, expert.prior, taste))
    return found


def chosen(part: Sequence[Example], variant: Variant, seed: int) -> Taste:
    """The decoder that does best on folds of the training part: sum of B3 and boundary F1."""
    inner = guesses(part, by_task(part, seed + 1, INNER), variant._replace(nested=False), seed)

    def worth(taste: Taste) -> float:
        sums = figures(total([score(one._replace(taste=taste), variant) for one in inner]))
        return (sums.b3.f1 or 0.0) + (sums.exact.f1 or 0.0)

    return max(TASTES, key=worth)


def chances(guess: Guess, variant: Variant) -> Any:
    """n probabilities of cuts; the first is 0."""
    found = (1 - variant.trees) * guess.linear + variant.trees * guess.trees
    shrink = SHRINKS[EXPERTS[guess.example.dataset]] if variant.shrink is None else variant.shrink
    moved = shifted(found[1:], shrink, guess.prior) if len(found) > 1 else found[1:]
    return np.array([0.0, *sigmoid(moved)])


class Told:
    """A model that gives the probabilities it was told."""

    def __init__(self, chances: Any) -> None:
        self.weights = Weights(version="told", features=[], experts={}, trained=[])
        self._chances = chances

    def chances(self, *_: Any) -> Any:
        """n probabilities."""
        return self._chances


def score(guess: Guess, variant: Variant) -> Tally:
    """The tally of a session."""
    example, truth = guess.example, guess.example.session.truth
    if variant.merged:
        session, told = example.session, LearnedSegmenter(model=Told(chances(guess, variant)))
        labels = leaves(told.segment(session.whole), len(session.whole))
        return tally([labels[place] for place in session.places], truth)
    cuts = decode(chances(guess, variant), guess.taste)
    return tally(from_cuts([example.first[turn] for turn in cuts], len(truth)), truth)


def protocol(
    given: Sequence[Example],
    dataset: Dataset,
    variant: Variant,
    divide: Callable[..., Division],
    shuffles: int,
    made: dict[Any, list[Guess]],
) -> tuple[list[Tally], dict[str, Any]]:
    """Score a variant on a set.

    Args:
        given: the examples of all sets.
        dataset: the set that is scored.
        variant: how.
        divide: into folds, by the examples and a seed.
        shuffles: how often.
        made: guesses of variants before it, by how they were trained; new ones are added.

    Returns:
        Mean tallies over the shuffles, one per session of the set; and how well its probabilities hold.
    """
    pool = [one for one in given if variant.joint or one.dataset == dataset.name]
    tallies: dict[str, list[Tally]] = {}
    said, cuts = [], []
    for seed in range(shuffles):
        # what differs in decoding alone is trained once
        key = (dataset.name, variant.joint, variant.by_framework, variant.nested, seed)
        if key not in made:
            made[key] = guesses(pool, divide(pool, seed), variant, seed)
        for guess in made[key]:
            if guess.example.dataset == dataset.name:
                tallies.setdefault(guess.example.session.key, []).append(score(guess, variant))
                said.append(chances(guess, variant)[1:])
                cuts.append(guess.example.cuts[1:])
    means = [average(tallies[session.key]) for session in dataset.sessions]
    return means, calibration(np.concatenate(said), np.concatenate(cuts))


def calibration(said: Any, cuts: Any) -> dict[str, Any]:
    """How far probabilities are from how often a cut is there.

    Args:
        said: n probabilities.
        cuts: n flags.

    Returns:
        error: mean absolute difference over ten bins, by their size; bins: mean probability, share of cuts
        and number of turns of each.
    """
    place = np.minimum((said * 10).astype(int), 9)
    bins = [
        (float(said[place == b].mean()), float(cuts[place == b].mean()), int((place == b).sum()))
        for b in range(10)
        if (place == b).any()
    ]
    return {"error": sum(abs(p - y) * n for p, y, n in bins) / len(said), "bins": bins}
