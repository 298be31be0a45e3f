"""Which chances do features give? Readable weights, or small boosted trees of a library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from tracelode.errors import MissingExtra, UsageError
from tracelode.statistics.logistic import ridge

PENALTY = 10.0
"""Weight of the squared coefficients; columns have variance 1."""
SETTINGS: dict[str, Any] = {
    "objective": "binary", "learning_rate": 0.05, "num_leaves": 4, "min_child_samples": 10,
    "reg_lambda": 5, "feature_fraction": 0.5, "verbose": -1, "num_threads": 1, "deterministic": True,
    "force_row_wise": True,
}  # fmt: skip
TREES = 60
KINDS = ("logistic", "boosting")


class Model(Protocol):
    """Gives chances."""

    def __call__(self, table: Any) -> Any:
        """Chances of n rows of features."""
        ...


class Logistic:
    """A ridge logistic model."""

    def __init__(self, coefficients: Sequence[float], intercept: float) -> None:
        self.coefficients, self.intercept = np.asarray(coefficients, dtype=float), intercept

    def __call__(self, table: Any) -> Any:
        return 1 / (1 + np.exp(-np.clip(table @ self.coefficients + self.intercept, -30, 30)))


class Boosting:
    """Boosted trees.

    Raises:
        MissingExtra: lightgbm is not installed.
    """

    def __init__(self, booster: Any) -> None:
        self.booster = booster

    @classmethod
    def read(cls, text: str) -> Boosting:
        """A model as its library wrote it."""
        return cls(library().Booster(model_str=text))

    def __call__(self, table: Any) -> Any:
        return self.booster.predict(table)


def library() -> Any:
    """The library of boosted trees.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtra("lightgbm", "train") from error
    return lightgbm


def fit(kind: str, table: Any, flags: Any, seed: int = 0) -> Model:
    """Fit a model.

    Args:
        kind: logistic or boosting.
        table: n x f features.
        flags: n flags; where all are alike, the model says their rate with one case of each kind added.
        seed: of the trees.

    Raises:
        MissingExtra: boosting without its library.
        UsageError: another kind.
    """
    if kind not in KINDS:
        raise UsageError(f"a model is {' or '.join(KINDS)}")
    came = float(np.sum(flags))
    if came in (0.0, float(len(flags))):
        rate = (came + 1) / (len(flags) + 2)
        return Logistic([0.0] * table.shape[1], float(np.log(rate / (1 - rate))))
    if kind == "boosting":
        made = library()
        data = made.Dataset(table, np.asarray(flags, dtype=float))
        return Boosting(made.train({**SETTINGS, "seed": seed}, data, TREES))
    coefficients, intercept = ridge(table, np.asarray(flags, dtype=float), PENALTY)
    return Logistic(coefficients, intercept)
