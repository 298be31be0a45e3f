"""What does a kept model say of later sessions, and do these still look like those it was fitted on?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tracelode.model.forecast import Kept, Risk, Risks, Start
from tracelode.plan.forecast.models import Boosting, Logistic, Model

FEW = 20
"""Sessions below which nothing is said of drift."""
_FLOOR = 0.5
"""Sessions that an empty group counts for."""


def using(kept: Kept, rows: Sequence[Start | str]) -> Risks:
    """Chances of sessions.

    Args:
        kept: the model.
        rows: the beginning of each session, or why it has none.

    Returns:
        Chances with warnings, and the stability index of each feature: above .25 it lies otherwise than in
        training.

    Raises:
        MissingExtra: boosting without its library.
    """
    model: Model = Logistic(kept.coefficients, kept.intercept) if kept.kind == "logistic" else (
        Boosting.read(kept.trees))  # fmt: skip
    known = [row for row in rows if isinstance(row, Start)]
    found: list[Risk] = []
    for start in known:
        table = np.array([[start.features.get(name, 0.0) for name in kept.features]])
        chance = float(model(table)[0])
        found.append(Risk(session=start.session, chance=chance, warned=chance >= kept.threshold, reason=""))
    drift = {name: stability(kept, name, known) for name in kept.features} if len(known) >= FEW else {}
    return Risks(label=kept.label, at=kept.at, threshold=kept.threshold, rows=tuple(found), drift=drift)


def stability(kept: Kept, name: str, starts: Sequence[Start]) -> float:
    """Population stability index of one feature.

    Args:
        kept: the model, which knows how the feature lay in training.
        name: of the feature.
        starts: n beginnings.

    Returns:
        0 where it lies as in training; .1 is a little, .25 is much.

    Source:
        Siddiqi (2006), Credit Risk Scorecards.
    """
    values = [start.features.get(name, 0.0) for start in starts]
    counts = np.bincount(np.searchsorted(kept.edges[name], values, side="right"),
                         minlength=len(kept.shares[name]))  # fmt: skip
    total = 0.0
    for count, share in zip(counts.tolist(), kept.shares[name], strict=True):
        now = max(count, _FLOOR) / len(values)
        then = max(share, _FLOOR / max(1, kept.sessions))
        total += (now - then) * math.log(now / then)
    return total
