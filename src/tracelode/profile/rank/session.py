"""How much is each operation of one session worth a look, and why?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tracelode.model.numbers import number
from tracelode.model.operation import Operation
from tracelode.model.ranking import Spectrum
from tracelode.profile.rank.features import (
    FEATURE_WORDS,
    PLACE_FEATURES,
    SHAPE_FEATURES,
    Shape,
    features,
    place_features,
    shape,
)
from tracelode.profile.rank.signals import WEIGHTS, WORDS, signals
from tracelode.profile.rank.weights import Weights, log_odds, shipped

UNFITTED = ("corrected", "deviation")
"""Signals that no labelled set shows: they are added to fitted log-odds; of the shape work all are."""
GROUP = 1.0
"""What a group's Ochiai of 1 adds to the log-odds (decision 0019)."""
_WORTH_SAYING = 0.25
_MOST_SAID = 2


class Scores(NamedTuple):
    """What is known of the n operations of one session."""

    shape: Shape
    """Chooses the weights."""
    candidates: list[int]
    """Places of the operations that are ranked."""
    scores: list[float]
    """n log-odds; the group's part is included."""
    reasons: list[tuple[str, ...]]
    """n tuples of sentences, the weightiest first."""


def scored(
    operations: Sequence[Operation],
    spectra: Sequence[Spectrum | None] = (),
    weights: Weights | None = None,
) -> Scores:
    """Score the operations of one session.

    Args:
        operations: the n operations of one session in order, own ones alone.
        spectra: n splits of the operations' groups, None where outcomes do not tell; () for none at all.
        weights: fitted weights; None for the shipped ones.

    Returns:
        Scores that can be compared between sessions of one shape. Pure: nothing but the arguments counts.
        O(n log n) and linear in the texts.

    Source:
        profile rules, ranking and reading.
    """
    kind = shape(operations)
    fitted = (weights or shipped()).shapes[kind]
    placed = set(fitted.weights) <= set(PLACE_FEATURES)
    rows = place_features(len(operations)) if placed else features(operations)
    scores = log_odds(rows, fitted)
    said = _said(rows, fitted.weights)
    own = signals(operations).names
    reasons: list[tuple[str, ...]] = []
    for i, names in enumerate(own):
        counted = names if kind == "work" else [n for n in names if n in UNFITTED]
        scores[i] += sum([WEIGHTS[name] for name in counted])
        told = [_words(name, operations[i]) for name in names]
        split = spectra[i] if spectra else None
        if split is not None and split.ochiai is not None and split.all_passed:
            scores[i] += GROUP * split.ochiai
            if split.failed:
                told.append(spectrum_words(split))
        reasons.append((*told, *said[i]))
    # a person's words are no step of an agent that works alone; where agents talk they may be
    candidates = [i for i, o in enumerate(operations) if kind != "work" or o.actor != "human"]
    return Scores(kind, candidates, scores, reasons)


def _words(name: str, operation: Operation) -> str:
    known = operation.fields.get("error")
    return f"{WORDS[name]}: {known}" if name == "error" and known else WORDS[name]


def spectrum_words(split: Spectrum) -> str:
    """A group's split in plain words.

    Args:
        split: of a group that a failed session has.
    """
    return (
        f"its group is in {split.failed:,} of {split.all_failed:,} failed and {split.passed:,} of "
        f"{number(split.all_passed, 'succeeded session')}"
    )


def _said(rows: Sequence[Sequence[float]], weights: dict[str, float]) -> list[tuple[str, ...]]:
    """The features that speak most for each operation, against the middle of its session."""
    n = len(rows)
    used = [(SHAPE_FEATURES.index(name), name, weight) for name, weight in weights.items()]
    middle = {i: sum([row[i] for row in rows]) / n for i, _, _ in used} if n else {}
    found: list[tuple[str, ...]] = []
    for row in rows:
        parts: dict[str, float] = {}
        for i, name, weight in used:
            words = FEATURE_WORDS[name]
            parts[words] = parts.get(words, 0.0) + (row[i] - middle[i]) * weight
        best = sorted((w for w, part in parts.items() if part >= _WORTH_SAYING), key=lambda w: (-parts[w], w))
        found.append(tuple(best[:_MOST_SAID]))
    return found
