"""How well does a trainer cut sessions it did not see, and is that better than cutting blindly?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tracelode import registry
from tracelode.model.ports import Segmenter
from tracelode.model.training import Bounds, Lift, TrialRow
from tracelode.profile.learned.decoding import FINE, Taste, decode
from tracelode.profile.score.assess import (
    SIZES,
    Sample,
    assess,
    b3_f1,
    best_window,
    boundary_f1,
    window_tallies,
)
from tracelode.profile.score.bootstrap import difference
from tracelode.profile.score.partition import from_cuts, leaves
from tracelode.profile.score.tally import Tally, average, tally, total
from tracelode.profile.train.examples import Chances, Example, Trainer
from tracelode.profile.train.labelled import Labelled
from tracelode.statistics.bootstrap import TIMES, Interval, resamples
from tracelode.statistics.folds import folds

FOLDS, SHUFFLES = 5, 3
"""Folds by task, and how often they are drawn."""
LEAST_SESSIONS, LEAST_TASKS, LEAST_CUTS = 10, 5, 30
"""Fewer say nothing that an interval could hold."""
BESIDE = ("changepoint", "recurrence")
"""Segmenters without labels, shown for comparison."""


class Trial(NamedTuple):
    """Figures of a trainer."""

    rows: tuple[TrialRow, ...]
    """The trainer, the best windows, others."""
    b3: Lift
    """Over the window that is best by B3."""
    boundary: Lift
    """Over the window that is best by boundary F1."""

    @property
    def better(self) -> bool:
        """Is it better than either window by more than chance?"""
        return all(lift.interval is not None and lift.interval[0] > 0 for lift in (self.b3, self.boundary))


def lacking(sessions: Sequence[Labelled]) -> str:
    """What too few labels lack.

    Args:
        sessions: labelled sessions.

    Returns:
        One phrase, "" where there are enough.
    """
    tasks = len({session.task for session in sessions})
    cuts = sum(session.cuts for session in sessions)
    if len(sessions) < LEAST_SESSIONS or tasks < LEAST_TASKS or cuts < LEAST_CUTS:
        return (
            f"it takes {LEAST_SESSIONS} labelled sessions of {LEAST_TASKS} groups with {LEAST_CUTS} cuts; "
            f"there are {len(sessions):,} of {tasks:,} with {cuts:,}"
        )
    return ""


def out_of_fold(
    trainer: Trainer, given: Sequence[Example], shuffles: int = SHUFFLES, taste: Taste = FINE
) -> list[Tally]:
    """What a trainer scores on sessions of tasks it did not see.

    Args:
        trainer: who learns.
        given: s examples.
        shuffles: how often they are divided.
        taste: what the decoder prefers.

    Returns:
        s tallies, each the mean over the divisions.

    Source:
        evaluation protocol: folds by task, out-of-fold figures only.
    """
    held: list[list[Tally]] = [[] for _ in given]
    tasks = [one.session.task for one in given]
    for seed in range(shuffles):
        place = folds(tasks, FOLDS, seed)
        for fold in range(FOLDS):
            rest = [one for one, number in zip(given, place, strict=True) if number != fold]
            test = [i for i, number in enumerate(place) if number == fold]
            if not rest or not test:
                continue
            chances = trainer.fit(rest, seed)
            for i in test:
                held[i].append(scored(given[i], chances, taste))
    return [average(rows) for rows in held]


def scored(example: Example, chances: Chances, taste: Taste = FINE) -> Tally:
    """The tally of one session under probabilities of cuts.

    Args:
        example: the session.
        chances: gives the probabilities.
        taste: what the decoder prefers.
    """
    truth = example.session.truth
    cuts = {example.first[turn] for turn in decode(chances(example.given), taste)} - {0}
    return tally(from_cuts(cuts, len(truth)), truth)


def cut_by(segmenter: Segmenter, sessions: Sequence[Labelled]) -> list[Tally]:
    """What a segmenter that needs no training scores; every segment is a group.

    Args:
        segmenter: what cuts.
        sessions: labelled sessions.
    """
    found = []
    for session in sessions:
        labels = leaves(segmenter.segment(session.operations), len(session.operations), merge=False)
        found.append(tally([labels[place] for place in session.places], session.truth))
    return found


def trial(trainer: Trainer, given: Sequence[Example], times: int = TIMES) -> Trial:
    """Score a trainer out of fold, beside the best fixed windows and what needs no labels.

    Args:
        trainer: who learns.
        given: examples that are enough by lacking().
        times: resamples of the sessions.

    Returns:
        The figures. The windows are chosen with the truth in sight, in their favour.

    Source:
        evaluation protocol, segmentation.
    """
    sessions = [one.session for one in given]
    drawn = resamples(len(given), times)
    own = Sample(out_of_fold(trainer, given), drawn)
    truths = [session.truth for session in sessions]
    rows = [_row(f"{trainer.name}, out of fold", own)]
    lifts = []
    measures: tuple[tuple[str, Callable[[Tally], float | None]], ...] = (
        ("B3", b3_f1),
        ("cut F1", boundary_f1),
    )
    for said, figure in measures:
        size = best_window(truths, figure, SIZES)
        blind = Sample(window_tallies(truths, size), drawn)
        rows.append(_row(f"window of {size}, best {said}", blind))
        one, other = figure(total(own.tallies)), figure(total(blind.tallies))
        gap = None if one is None or other is None else one - other
        lifts.append(Lift(value=gap, interval=_bounds(difference(own.again, blind.again, figure))))
    for name in BESIDE:
        found = cut_by(registry.load("segmenters", name), sessions)
        rows.append(_row(name, Sample(found, drawn)))
    if trainer.name == "learned":
        rows += _shipped(sessions, drawn)
    return Trial(tuple(rows), *lifts)


def _shipped(sessions: Sequence[Labelled], drawn: Sequence[Sequence[float]]) -> list[TrialRow]:
    """The shipped weights, where they saw none of the sessions."""
    from tracelode.profile.learned.weights import digest, shipped_weights

    known = set(shipped_weights().trained)
    if any(digest(session.key) in known for session in sessions):
        return []
    tallies = cut_by(registry.load("segmenters", "learned"), sessions)
    return [_row("learned, as shipped", Sample(tallies, drawn))]


def _row(method: str, sample: Sample, note: str = "") -> TrialRow:
    found = assess(sample)
    return TrialRow(
        method=method,
        b3=found.figures.b3.f1,
        b3_interval=_bounds(found.b3),
        boundary=found.figures.exact.f1,
        boundary_interval=_bounds(found.exact),
        cuts=total(sample.tallies).predicted,
        note=note,
    )


def _bounds(interval: Interval | None) -> Bounds | None:
    return None if interval is None else (interval.low, interval.high)


def trainer_of(name: str) -> Any:
    """The trainer of a segmenter.

    Args:
        name: bayes or learned.

    Raises:
        KeyError: no such trainer.
        MissingExtra: the library that it needs is not installed.
    """
    if name == "bayes":
        from tracelode.profile.train.pairs import BayesTrainer

        return BayesTrainer()
    if name == "learned":
        from tracelode.profile.train.forest import LearnedTrainer

        return LearnedTrainer()
    raise KeyError(name)
