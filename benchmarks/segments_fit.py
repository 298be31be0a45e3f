"""How are the weights of the learned segmenter made? One expert from each labelled set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from segments_data import Dataset, Session

from tracelode.profile.learned.features import matrix, readings
from tracelode.profile.learned.weights import AGENT, PEOPLE, WEIGHTS, Expert, Weights, digest
from tracelode.profile.train import forest
from tracelode.profile.train.examples import firsts
from tracelode.profile.train.forest import versioned

EXPERTS = {"codetrace": PEOPLE, "plan-silver": AGENT}
"""Who learns from which set."""
SHRINKS = {PEOPLE: 0.5, AGENT: 0.0}
"""People's labels serve any agent, and the rate of cuts of one never seen is not known."""


class Example(NamedTuple):
    """A session made ready for training."""

    session: Session
    """Where it is from."""
    dataset: str
    """Name of its set."""
    first: list[int]
    """The first labelled operation of each of n turns."""
    table: Any
    """n x f features."""
    cuts: Any
    """n flags: the truth cuts before the turn."""


def examples(sets: Iterable[Dataset]) -> tuple[list[str], list[Example]]:
    """Sessions as training sees them.

    Args:
        sets: labelled sets.

    Returns:
        Names of the features, and one example a session; cuts inside a turn are left out.
    """
    names: list[str] = []
    found = []
    for dataset in sets:
        for session in dataset.sessions:
            rows = readings(session.whole)
            names, table = matrix(rows)
            first = firsts([row.start for row in rows], session.places)
            truth = session.truth
            cuts = np.array([0, *(truth[i] != truth[i - 1] for i in first[1:])])
            found.append(Example(session, dataset.name, first, table, cuts))
    return names, found


def fit(given: Sequence[Example], shrink: float, seed: int = 0) -> Expert:
    """Train an expert on examples.

    Args:
        given: sessions with labels of one kind.
        shrink: how far the expert will draw a session's rate of cuts to theirs.
        seed: of the samples the trees are grown on.

    Returns:
        The expert; the same for the same arguments.
    """
    return forest.fit([one.table for one in given], [one.cuts for one in given], shrink, seed)


def save(names: Sequence[str], given: Sequence[Example]) -> str:
    """Train on everything and replace the shipped weights; what was written."""
    experts = {
        expert: fit([one for one in given if one.dataset == dataset], SHRINKS[expert])
        for dataset, expert in EXPERTS.items()
    }
    trained = sorted(digest(one.session.key) for one in given)
    made = versioned(Weights(version="", features=list(names), experts=experts, trained=trained))
    # a line for each field and tree, so that a change can be read
    text = msgspec.json.encode(made).decode().replace('],"', '],\n"').replace("]],[[", "]],\n[[")
    WEIGHTS.write_text(text + "\n", encoding="utf-8")
    return f"{WEIGHTS.name}: version {made.version}, {len(trained)} sessions, {len(text)} bytes"
