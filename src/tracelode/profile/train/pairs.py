"""How does naive Bayes learn from labelled sessions? Counts, and a line that makes its odds hold."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from tracelode.profile.learned.pairs import Counts, Fact, PairModel, calibrate, count, facts
from tracelode.profile.learned.reading import Reading
from tracelode.profile.train.examples import Chances, Example
from tracelode.statistics.folds import folds

_INNER = 4
"""Folds of the training part on which the line is found."""


class BayesTrainer:
    """Trains the segmenter bayes; numpy is all it needs."""

    name = "bayes"

    def prepare(self, rows: Sequence[Reading]) -> list[list[Fact]]:
        """Facts of the pairs of neighbours.

        Args:
            rows: readings of n turns.
        """
        return facts(rows)

    def fit(self, given: Sequence[Example], seed: int = 0) -> Chances:
        """Count, and calibrate on folds of the same examples.

        Args:
            given: examples that prepare() made ready.
            seed: of the folds.
        """
        return PairModel(self._counts(given, seed)).chances

    def keep(self, given: Sequence[Example]) -> tuple[bytes, str]:
        """Learn from examples.

        Args:
            given: examples that prepare() made ready.

        Returns:
            JSON of the counts, and their digest.
        """
        made = self._counts(given, 0)
        version = blake2b(msgspec.json.encode(made)).hexdigest()[:8]
        return msgspec.json.encode(msgspec.structs.replace(made, version=version)), version

    def _counts(self, given: Sequence[Example], seed: int) -> Counts:
        place = folds([one.session.task for one in given], _INNER, seed + 1)
        weights: list[float] = []
        cuts: list[bool] = []
        for fold in range(_INNER):
            held = [one for one, number in zip(given, place, strict=True) if number == fold]
            rest = [one for one, number in zip(given, place, strict=True) if number != fold]
            if not held or not rest:
                continue
            model = PairModel(_counted(rest))
            for one in held:
                weights += [model.weigh(row) for row in one.given]
                cuts += map(bool, one.cuts[1:])
        made = _counted(given)
        if not weights:
            return made
        slope, intercept = (float(f"{value:.6g}") for value in calibrate(weights, cuts))
        return msgspec.structs.replace(made, slope=slope, intercept=intercept)


def _counted(given: Sequence[Example]) -> Counts:
    return count((row, bool(cut)) for one in given for row, cut in zip(one.given, one.cuts[1:], strict=True))
