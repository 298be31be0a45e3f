"""How are weights of the learned segmenter made? Labelled turns, boosted trees and a linear part."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import msgspec
import numpy as np

from tracelode.errors import MissingExtra
from tracelode.profile.learned.features import matrix
from tracelode.profile.learned.model import Scorer, sigmoid
from tracelode.profile.learned.own import OWN
from tracelode.profile.learned.reading import Reading
from tracelode.profile.learned.weights import Expert, Tree, Weights, digest
from tracelode.profile.train.examples import Chances, Example
from tracelode.statistics.logistic import ridge

TREES, LEAVES, RATE = 150, 7, 0.04
"""Trees, leaves of each, and how much each may say."""
RIDGE = 50.0
"""Weight of the squared coefficients in the linear part; columns have variance 1."""
SETTINGS: dict[str, Any] = {
    "objective": "binary", "learning_rate": RATE, "num_leaves": LEAVES, "min_child_samples": 20,
    "subsample": 0.8, "subsample_freq": 1, "feature_fraction": 0.3, "reg_lambda": 5, "verbose": -1,
    "num_threads": 1, "deterministic": True, "force_row_wise": True,
}  # fmt: skip
"""Of the training library."""


class LearnedTrainer:
    """Trains an expert of the learned segmenter on labels of one's own.

    Raises:
        MissingExtra: lightgbm is not installed.
    """

    name = "learned"

    def __init__(self) -> None:
        _library()
        self._names: list[str] = []

    def prepare(self, rows: Sequence[Reading]) -> Any:
        """Features of the turns.

        Args:
            rows: readings of n turns, at least one.
        """
        self._names, table = matrix(rows)
        return table

    def fit(self, given: Sequence[Example], seed: int = 0) -> Chances:
        """Train an expert.

        Args:
            given: examples that prepare() made ready.
            seed: of the samples the trees are grown on.
        """
        scorer = Scorer(fit([one.given for one in given], [one.cuts for one in given], 0.0, seed))
        return lambda table: np.concatenate([[0.0], sigmoid(scorer.logits(table)[1:])])

    def keep(self, given: Sequence[Example]) -> tuple[bytes, str]:
        """Train an expert.

        Args:
            given: examples that prepare() made ready.

        Returns:
            JSON of weights with one expert, OWN, and their digest.
        """
        expert = fit([one.given for one in given], [one.cuts for one in given], 0.0)
        trained = sorted({digest(one.session.key) for one in given})
        made = versioned(Weights(version="", features=self._names, experts={OWN: expert}, trained=trained))
        return msgspec.json.encode(made), made.version


def versioned(weights: Weights) -> Weights:
    """Weights with the digest of their content as version."""
    version = blake2b(msgspec.json.encode(weights)).hexdigest()[:8]
    return msgspec.structs.replace(weights, version=version)


def fit(tables: Sequence[Any], flags: Sequence[Any], shrink: float, seed: int = 0) -> Expert:
    """Train an expert.

    Args:
        tables: n x f features of the turns of each session.
        flags: n flags of each: a segment begins with the turn; the first is not looked at.
        shrink: how far the expert will draw a session's rate of cuts to theirs.
        seed: of the samples the trees are grown on.

    Returns:
        The expert; the same for the same arguments.

    Raises:
        MissingExtra: lightgbm is not installed.

    Source:
        segmentation rules, section 3, step 4.
    """
    table = np.vstack([one[1:] for one in tables])
    cuts = np.concatenate([np.asarray(one[1:]) for one in flags])
    coefficients, intercept = ridge(table, cuts, RIDGE)
    return Expert(
        prior=short(cuts.mean()), shrink=shrink, coefficients=[short(x) for x in coefficients],
        intercept=short(intercept), trees=grown(table, cuts, seed),
    )  # fmt: skip


def short(value: float, digits: int = 5) -> float:
    """A number with few digits."""
    return float(f"{value:.{digits}g}")


def _library() -> Any:
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtra("lightgbm", "train") from error
    return lightgbm


def grown(table: Any, cuts: Any, seed: int) -> list[Tree]:
    """Boosted trees of the training library, as our own.

    Args:
        table: n x f features.
        cuts: n flags.
        seed: of the samples.

    Raises:
        MissingExtra: lightgbm is not installed.
    """
    lightgbm = _library()
    data = lightgbm.Dataset(table, cuts)
    booster = lightgbm.train({**SETTINGS, "seed": seed}, data, TREES)
    return [tree(one["tree_structure"]) for one in booster.dump_model()["tree_info"]]


def tree(root: dict[str, Any]) -> Tree:
    """A tree of the training library as ours; leaves are numbered from left to right.

    Args:
        root: its top node.
    """
    made = Tree([], [], [], [])

    def walk(node: dict[str, Any]) -> int:
        if "leaf_value" in node:
            made.values.append(short(node["leaf_value"]))
            return 1 << (len(made.values) - 1)
        place = len(made.features)
        made.features.append(node["split_feature"])
        made.thresholds.append(short(node["threshold"], 7))
        made.masks.append(0)
        left = walk(node["left_child"])
        made.masks[place] = 255 & ~left
        return left | walk(node["right_child"])

    walk(root)
    return made
