"""Which few weights tell rare steps from others? A ridge logistic fit, every session worth the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

STEPS = 60
"""Newton steps at most."""


def fit(
    rows: Sequence[Sequence[Sequence[float]]], hits: Sequence[Collection[int]], ridge: float
) -> tuple[float, list[float]]:
    """Fit logistic weights.

    Args:
        rows: s sessions of n_s rows of m features.
        hits: places of the positive rows of each session, at least one; positive and negative rows of a
            session weigh 1 each in sum.
        ridge: penalty on the squared weights of standardised features, the bias left out; more is smoother.

    Returns:
        (bias, m weights on the features as they are); 0 for a feature without variance.
    """
    x = np.concatenate([np.asarray(block, dtype=float) for block in rows])
    y = np.concatenate(
        [[float(i in found) for i in range(len(block))] for block, found in zip(rows, hits, strict=True)]
    )
    share = np.concatenate([_shares(len(block), found) for block, found in zip(rows, hits, strict=True)])
    share *= len(share) / share.sum()
    middle, spread = x.mean(axis=0), x.std(axis=0)
    used = spread > 1e-9
    z = np.ones((len(x), 1 + int(used.sum())))
    z[:, 1:] = (x[:, used] - middle[used]) / spread[used]
    found = _newton(z, y, share, ridge)
    weights = np.zeros(x.shape[1])
    weights[used] = found[1:] / spread[used]
    return float(found[0] - weights @ middle), [float(w) for w in weights]


def _shares(n: int, hits: Collection[int]) -> Any:
    good, bad = max(1, len(hits)), max(1, n - len(hits))
    return np.asarray([1 / good if i in hits else 1 / bad for i in range(n)])


def _newton(z: Any, y: Any, share: Any, ridge: float) -> Any:
    penalty = np.full(z.shape[1], ridge)
    penalty[0] = 1e-9
    weights = np.zeros(z.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(z @ weights)))
        slope = z.T @ (share * (chance - y)) + penalty * weights
        curve = (z * (share * chance * (1 - chance))[:, None]).T @ z + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if float(np.abs(step).max()) < 1e-9:
            break
    return weights
