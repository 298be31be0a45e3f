"""What do boosted trees say of rows of numbers? Plain numpy; no training library is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tracelode.profile.learned.weights import Tree

LEAVES = 8
"""Leaves of a tree at the most: their set is one byte."""
_BLOCK = 1_024


class Forest:
    """Trees made ready to be asked all at once.

    Args:
        trees: t trees of at most LEAVES leaves each.

    Source:
        Lucchese et al. (2015), QuickScorer: a row's leaf is the first one that no split took away.
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        splits = max((len(tree.features) for tree in trees), default=0)
        shape = (splits, len(trees))
        self._features = np.zeros(shape, np.int64)
        self._thresholds = np.full(shape, np.inf)
        self._masks = np.full(shape, 255, np.uint8)
        self._values = np.zeros((len(trees), LEAVES))
        for t, tree in enumerate(trees):
            k = len(tree.features)
            self._features[:k, t], self._thresholds[:k, t] = tree.features, tree.thresholds
            self._masks[:k, t], self._values[t, : k + 1] = tree.masks, tree.values

    def score(self, rows: Any) -> Any:
        """What the trees add up to.

        Args:
            rows: n x f numbers, none of them NaN.

        Returns:
            n sums.
        """
        trees = np.arange(len(self._values))
        found = np.zeros(len(rows))
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            left = np.full((len(block), len(trees)), 255, np.uint8)
            for features, thresholds, masks in zip(
                self._features, self._thresholds, self._masks, strict=True
            ):
                left &= np.where(block[:, features] > thresholds, masks, np.uint8(255))
            found[start : start + _BLOCK] = self._values[trees, _FIRST[left]].sum(1)
        return found


_FIRST = np.array([0, *((bits & -bits).bit_length() - 1 for bits in range(1, 256))], np.int64)
"""Lowest bit of a byte."""
