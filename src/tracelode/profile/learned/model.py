"""How likely does a segment begin with each turn? Weights made ready to be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from tracelode.errors import ModelError
from tracelode.profile.learned.features import matrix
from tracelode.profile.learned.reading import Reading
from tracelode.profile.learned.trees import Forest
from tracelode.profile.learned.weights import Expert, Weights, shipped_weights

_FAR = 12.0
"""No shift of logits is larger."""


class Scorer:
    """An expert made ready to be asked.

    Args:
        expert: as training left it.
    """

    def __init__(self, expert: Expert) -> None:
        self.expert = expert
        """As training left it."""
        self._forest = Forest(expert.trees)
        self._coefficients = np.array(expert.coefficients)

    def parts(self, table: Any) -> tuple[Any, Any]:
        """Log odds by the linear part and by the trees.

        Args:
            table: n x f features.

        Returns:
            Twice n log odds.
        """
        linear = (table * self._coefficients).sum(1) + self.expert.intercept
        return linear, self._forest.score(table)

    def logits(self, table: Any) -> Any:
        """Log odds of a cut before each turn.

        Args:
            table: n x f features.

        Returns:
            n log odds: the mean of both parts.
        """
        linear, trees = self.parts(table)
        return (linear + trees) / 2


class Model:
    """Probabilities of cuts from weights.

    Args:
        weights: as training left them.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        """As training left them."""
        self._scorers: Mapping[str, Scorer] = {name: Scorer(one) for name, one in weights.experts.items()}

    def chances(
        self, rows: Sequence[Reading], expert: str, shrink: float | None = None, factor: float = 1.0
    ) -> Any:
        """Probabilities of a cut before each turn.

        Args:
            rows: readings of the n turns of one session.
            expert: who is asked.
            shrink: how far the session's mean probability is drawn to that of the labelled sessions, 0..1;
                None for the expert's own share.
            factor: what the odds are then multiplied by, above 0.

        Returns:
            n probabilities; the first is 0.

        Raises:
            ModelError: the weights were trained on other features, or have no such expert.

        Source:
            segmentation rules, section 3, step 5.
        """
        if len(rows) < 2:
            return np.zeros(len(rows))
        names, table = matrix(rows)
        if names != self.weights.features or expert not in self._scorers:
            raise ModelError("the weights of the learned segmenter are of another version; train them again")
        scorer = self._scorers[expert]
        logits = scorer.logits(table)[1:]
        share = scorer.expert.shrink if shrink is None else shrink
        moved = shifted(logits, share, scorer.expert.prior) + np.log(factor)
        return np.concatenate([[0.0], sigmoid(moved)])


def sigmoid(logits: Any) -> Any:
    """Probabilities of log odds.

    Args:
        logits: any shape.

    Returns:
        The same shape, 0..1.
    """
    return 1 / (1 + np.exp(-np.clip(logits, -40, 40)))


def shifted(logits: Any, share: float, prior: float) -> Any:
    """Log odds moved by one constant so that their mean probability is drawn to a prior.

    Args:
        logits: n log odds of one session, n at least 1.
        share: of the prior in the new mean, 0..1.
        prior: a probability.

    Returns:
        n log odds, in the same order of size.
    """
    if share <= 0:
        return logits
    target = (1 - share) * sigmoid(logits).mean() + share * prior
    low, high = -_FAR, _FAR
    for _ in range(25):
        middle = (low + high) / 2
        if sigmoid(logits + middle).mean() < target:
            low = middle
        else:
            high = middle
    return logits + (low + high) / 2


@cache
def shipped() -> Model:
    """The model that comes with the package, read once.

    Returns:
        The model.

    Raises:
        msgspec.DecodeError: the file is damaged.
    """
    return Model(shipped_weights())
