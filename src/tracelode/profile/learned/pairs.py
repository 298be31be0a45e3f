"""How likely does a segment begin between two turns, by what is known of such pairs? Naive Bayes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from tracelode.profile.learned.model import sigmoid
from tracelode.profile.learned.reading import CLASS_NAMES, CUES, Reading

Fact = tuple[str, str]
"""What is looked at, and what was found there; both are closed words."""

SMOOTHING = 0.5
"""Pairs that each value of a fact is given beforehand."""
RUN = 4
"""Longer runs of one class are told as this long."""
_ROUNDS = 30
_CALM = 1e-3


SCHEME = "1"
"""Changes when facts() tells other facts: counts of the ones before say nothing of them."""


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What training leaves behind: counts of closed facts, no text of a trace."""

    version: str
    """Changes with every training."""
    scheme: str
    """SCHEME of the facts that were counted."""
    cuts: int
    """Pairs that a segment begins between."""
    rest: int
    """The others."""
    facts: dict[str, dict[str, tuple[int, int]]]
    """By what is looked at and what was found: how often at cuts, and how often at others."""
    slope: float
    """What the summed log odds are multiplied by: facts that say the same are counted twice."""
    intercept: float
    """What is then added."""


def facts(rows: Sequence[Reading]) -> list[list[Fact]]:
    """What is known of the pairs of neighbours in a session.

    Args:
        rows: readings of n turns.

    Returns:
        n - 1 lists of facts; the names of a list differ.

    Source:
        segmentation rules: supervised naive Bayes on adjacent pairs.
    """
    found = []
    seen: set[str] = set()
    run = 1
    kinds = [CLASS_NAMES[row.kind] for row in rows]
    for place in range(1, len(rows)):
        one, other = rows[place - 1], rows[place]
        run = run + 1 if place > 1 and kinds[place - 2] == kinds[place - 1] else 1
        seen |= one.paths
        ahead = kinds[place + 1] if place + 1 < len(rows) else "end"
        behind = kinds[place - 2] if place > 1 else "start"
        row: list[Fact] = [
            ("pair", f"{kinds[place - 1]} {kinds[place]}"),
            ("before", f"{behind} {kinds[place - 1]}"),
            ("after", f"{kinds[place]} {ahead}"),
            ("run", str(min(run, RUN))),
            ("same", _words(one.frame == other.frame, one.kind == other.kind)),
            ("file", _words(bool(other.file), bool(other.file) and one.file == other.file)),
            ("paths", _overlap(one.paths, other.paths)),
            ("new paths", _words(bool(other.paths), bool(other.paths - seen))),
            ("asked", _overlap(set(one.asked), set(other.asked))),
            ("failed", _words(one.failed, other.failed)),
            ("said", f"{_words(one.spoken > 0, other.spoken > 0)} {min(other.spoken.bit_length(), 9)}"),
        ]
        if other.said:
            said = set(other.said)
            row += [(f"cue {name}", _words(not words.isdisjoint(said))) for name, words in CUES.items()]
        found.append(row)
    return found


def _words(*flags: bool) -> str:
    return " ".join("yes" if flag else "no" for flag in flags)


def _overlap(one: Iterable[str], other: Iterable[str]) -> str:
    left, right = set(one), set(other)
    if not left or not right:
        return "unknown"
    both = len(left & right)
    if not both:
        return "none"
    return "most" if 2 * both >= len(left | right) else "some"


def count(given: Iterable[tuple[Sequence[Fact], bool]]) -> Counts:
    """Count facts of labelled pairs.

    Args:
        given: facts of each pair, and whether a segment begins there.

    Returns:
        The counts, with log odds as they are (slope 1, intercept that of the prior).
    """
    ends: Counter[bool] = Counter()
    table: dict[str, dict[str, list[int]]] = {}
    for row, cut in given:
        ends[cut] += 1
        for name, value in row:
            table.setdefault(name, {}).setdefault(value, [0, 0])[not cut] += 1
    kept = {
        name: {value: (pair[0], pair[1]) for value, pair in sorted(values.items())}
        for name, values in sorted(table.items())
    }
    prior = math.log((ends[True] + 1) / (ends[False] + 1))
    return Counts(
        version="", scheme=SCHEME, cuts=ends[True], rest=ends[False], facts=kept, slope=1.0, intercept=prior
    )


class PairModel:
    """Log odds of cuts from counts.

    Args:
        counts: as training left them.
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        """As training left them."""
        share = (counts.cuts + 1) / (counts.cuts + counts.rest + 2)
        self._odds = {name: dict(_odds(values, share)) for name, values in counts.facts.items()}

    def weigh(self, row: Sequence[Fact]) -> float:
        """What the facts of one pair say, summed.

        Args:
            row: its facts; what no labelled pair had says nothing.

        Returns:
            Log of the odds ratio.
        """
        return math.fsum(self._odds[name].get(value, 0.0) for name, value in row if name in self._odds)

    def chances(self, rows: Sequence[Sequence[Fact]], factor: float = 1.0) -> Any:
        """Probabilities of a cut before each turn.

        Args:
            rows: facts of the n - 1 pairs of a session.
            factor: what the odds are multiplied by, above 0.

        Returns:
            n probabilities; the first is 0.
        """
        weights = np.array([self.weigh(row) for row in rows])
        logits = self.counts.slope * weights + self.counts.intercept + math.log(factor)
        return np.concatenate([[0.0], sigmoid(logits)])


def _odds(values: dict[str, tuple[int, int]], share: float) -> Iterator[tuple[str, float]]:
    """Log odds ratio of each value of a fact; the smoothing is spread by the share of cuts."""
    known = len(values) + 1  # one for what was never seen
    give = SMOOTHING * share * known, SMOOTHING * (1 - share) * known
    whole = [sum(pair[side] for pair in values.values()) + give[side] * known for side in (0, 1)]
    for value, pair in values.items():
        one, other = (math.log((pair[side] + give[side]) / whole[side]) for side in (0, 1))
        yield value, one - other


def calibrate(weights: Sequence[float], cuts: Sequence[bool]) -> tuple[float, float]:
    """The line from log odds that are too sure to those that hold.

    Args:
        weights: what weigh() said of pairs that were not counted.
        cuts: whether a segment begins there.

    Returns:
        Slope and intercept, by Newton's method; the slope is never below 0.

    Source:
        Platt (1999).
    """
    rows = np.column_stack([np.asarray(weights, float), np.ones(len(weights))])
    truth = np.asarray(cuts, float)
    found = np.array([0.5, 0.0])
    for _ in range(_ROUNDS):
        chance = sigmoid(rows @ found)
        slope = rows.T @ (chance - truth) + _CALM * found
        curve = (rows.T * (chance * (1 - chance))) @ rows + _CALM * np.eye(2)
        found = found - np.linalg.solve(curve, slope)
    return max(0.0, float(found[0])), float(found[1])
