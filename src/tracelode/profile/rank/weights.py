"""How likely is a step of a session the one that went wrong? Small logistic weights for each shape."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import isfinite

import msgspec

from tracelode.errors import ModelError
from tracelode.profile.rank.features import SHAPE_FEATURES, SHAPES


class Fitted(msgspec.Struct, frozen=True):
    """Logistic weights of one shape."""

    bias: float
    """Log-odds where every feature is 0."""
    weights: dict[str, float]
    """Feature to what one unit of it adds; features that are not named add nothing."""
    sessions: int
    """Labelled sessions they were fitted on."""
    data: str
    """The labelled set."""
    licence: str
    """Its licence."""


class Weights(msgspec.Struct, frozen=True):
    """The shipped weights."""

    version: str
    """Changes when scores change."""
    ridge: float
    """Strength of the ridge penalty."""
    shapes: dict[str, Fitted]
    """Shape to its weights."""


@cache
def shipped() -> Weights:
    """The weights of this version, read once.

    Returns:
        What MODEL_CARD.md describes.
    """
    return decoded((files("tracelode.profile.rank") / "weights.json").read_bytes())


def decoded(data: bytes) -> Weights:
    """Weights from JSON.

    Args:
        data: as benchmarks/localisation.py --write writes them.

    Raises:
        ModelError: not of that form, or a shape or feature that is unknown.
    """
    try:
        found = msgspec.json.decode(data, type=Weights)
    except msgspec.DecodeError as error:
        raise ModelError("the weights of the ranking are not of their form") from error
    for name, fitted in found.shapes.items():
        if name not in SHAPES or not set(fitted.weights) <= set(SHAPE_FEATURES):
            raise ModelError("the weights of the ranking name a shape or feature that there is not")
        if not all(map(isfinite, (fitted.bias, *fitted.weights.values()))):
            raise ModelError("the weights of the ranking hold a number that is none")
    return found


def log_odds(rows: Sequence[Sequence[float]], fitted: Fitted) -> list[float]:
    """Log-odds of each step.

    Args:
        rows: n rows of values of SHAPE_FEATURES.
        fitted: weights of the session's shape.

    Returns:
        n numbers.
    """
    used = [(SHAPE_FEATURES.index(name), weight) for name, weight in fitted.weights.items()]
    return [fitted.bias + sum([row[i] * weight for i, weight in used]) for row in rows]
