"""Which few readable weights tell flagged rows from others? A ridge logistic fit by Newton's method."""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = 12
"""Newton steps: with a ridge it has settled long before."""


def ridge(table: Any, flags: Any, penalty: float) -> tuple[Any, float]:
    """Ridge logistic regression on standardised columns.

    Args:
        table: n x f features.
        flags: n flags.
        penalty: weight of the squared coefficients; the constant is free. Columns have variance 1.

    Returns:
        Coefficients of the plain columns, 0 for one without variance, and the constant.

    Source:
        Hoerl and Kennard (1970); le Cessie and van Houwelingen (1992).
    """
    mean, scale = table.mean(0), table.std(0)
    scale = np.where(scale > 1e-9, scale, np.inf)
    rows = np.column_stack([(table - mean) / scale, np.ones(len(table))])
    weights = np.full(rows.shape[1], penalty)
    weights[-1] = 0
    found = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (chance - flags) + weights * found
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + np.diag(weights + 1e-9)
        found = found - np.linalg.solve(curve, slope)
    plain = found[:-1] / scale
    return plain, float(found[-1] - (plain * mean).sum())
