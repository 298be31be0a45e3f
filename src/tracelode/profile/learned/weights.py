"""What did training leave behind? The shipped weights: two experts, and who asks which. No numpy here."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

WEIGHTS = Path(__file__).with_name("weights.json")
"""The shipped weights."""
PEOPLE, AGENT = "people", "agent"
"""Experts: whose cuts they learned."""
AGENT_TOOLS = frozenset({"Bash", "Read", "Edit", "Write", "Grep", "Glob", "BashOutput"})
"""Tools of the one agent whose own cuts were learned; any other agent is cut as people do."""


class Tree(NamedTuple):
    """A tree by its splits; a row goes to the right where its value is larger than the threshold."""

    features: list[int]
    """Column of each of k splits."""
    thresholds: list[float]
    """Threshold of each split."""
    masks: list[int]
    """For each split the leaves left over, as bits, when a row goes to the right there."""
    values: list[float]
    """What each of k + 1 leaves adds, from left to right."""


class Expert(msgspec.Struct, frozen=True, kw_only=True):
    """What training on one kind of labels leaves behind."""

    prior: float
    """Mean probability of a cut in the labelled sessions."""
    shrink: float
    """How far a session's own mean is drawn to it, 0..1."""
    coefficients: list[float]
    """f weights of the linear part."""
    intercept: float
    """Constant of the linear part."""
    trees: list[Tree]
    """The other part; the logit is the mean of both."""


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """What training leaves behind."""

    version: str
    """Changes with every training."""
    features: list[str]
    """Names of the f columns, in order."""
    experts: dict[str, Expert]
    """By name: PEOPLE and AGENT."""
    trained: list[str]
    """digest() of the key of each session they were trained on."""


def digest(key: str) -> str:
    """What stands for a session in the list of those trained on.

    Args:
        key: session key.

    Returns:
        8 hex digits.
    """
    return blake2b(key.encode("utf-8", "replace")).hexdigest()[:8]


def expert_of(tools: Iterable[str]) -> str:
    """The expert for a session.

    Args:
        tools: names of the tools it calls, as the source writes them.

    Returns:
        AGENT where one of them is of AGENT_TOOLS, else PEOPLE.
    """
    return PEOPLE if AGENT_TOOLS.isdisjoint(tools) else AGENT


@cache
def shipped_weights() -> Weights:
    """The weights that come with the package, read once.

    Returns:
        The weights.

    Raises:
        msgspec.DecodeError: the file is damaged.
    """
    return msgspec.json.decode(WEIGHTS.read_bytes(), type=Weights)
