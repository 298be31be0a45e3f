"""How are the weights of the learned segmenter made? Labelled turns, boosted trees and a linear part."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
import numpy as np
from segments_data import Dataset, Session

from tracelode.profile.learned.features import matrix, readings
from tracelode.profile.learned.model import AGENT, PEOPLE, WEIGHTS, Expert, Weights, digest
from tracelode.profile.learned.trees import Tree

TREES, LEAVES, RATE = 150, 7, 0.04
"""Trees, leaves of each, and how much each may say."""
EXPERTS = {"codetrace": PEOPLE, "plan-silver": AGENT}
"""Who learns from which set."""
SHRINKS = {PEOPLE: 0.5, AGENT: 0.0}
"""People's labels serve any agent, and the rate of cuts of one never seen is not known."""
RIDGE = 50.0
"""Weight of the squared coefficients in the linear part; columns have variance 1."""
SETTINGS: dict[str, Any] = {
    "objective": "binary", "learning_rate": RATE, "num_leaves": LEAVES, "min_child_samples": 20,
    "subsample": 0.8, "subsample_freq": 1, "feature_fraction": 0.3, "reg_lambda": 5, "verbose": -1,
    "num_threads": 1, "deterministic": True, "force_row_wise": True,
}  # fmt: skip
"""Of the training library."""


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


def firsts(starts: Sequence[int], places: Sequence[int]) -> list[int]:
    """The first labelled operation at or after each start."""
    found, at = [], 0
    for start in starts:
        while places[at] < start:
            at += 1
        found.append(at)
    return found


def folds(tasks: Sequence[str], k: int, seed: int) -> list[int]:
    """A fold for each session; those of one task share it, and folds are about equally large."""
    sizes = Counter(tasks)
    order = sorted(sizes)
    random.Random(seed).shuffle(order)
    order.sort(key=lambda task: -sizes[task])
    room = [0] * k
    chosen = {}
    for task in order:
        chosen[task] = room.index(min(room))
        room[chosen[task]] += sizes[task]
    return [chosen[task] for task in tasks]


def fit(given: Sequence[Example], shrink: float, seed: int = 0) -> Expert:
    """Train an expert on examples.

    Args:
        given: sessions with labels of one kind.
        shrink: how far the expert will draw a session's rate of cuts to theirs.
        seed: of the samples the trees are grown on.

    Returns:
        The expert; the same for the same arguments.
    """
    table = np.vstack([one.table[1:] for one in given])
    cuts = np.concatenate([one.cuts[1:] for one in given])
    coefficients, intercept = linear(table, cuts)
    return Expert(
        prior=short(cuts.mean()), shrink=shrink, coefficients=[short(x) for x in coefficients],
        intercept=short(intercept), trees=grown(table, cuts, seed),
    )  # fmt: skip


def save(names: Sequence[str], given: Sequence[Example]) -> str:
    """Train on everything and replace the shipped weights; what was written."""
    experts = {
        expert: fit([one for one in given if one.dataset == dataset], SHRINKS[expert])
        for dataset, expert in EXPERTS.items()
    }
    trained = sorted(digest(one.session.key) for one in given)
    made = Weights(version="", features=list(names), experts=experts, trained=trained)
    version = blake2b(msgspec.json.encode(made)).hexdigest()[:8]
    made = msgspec.structs.replace(made, version=version)
    # a line for each field and tree, so that a change can be read
    text = msgspec.json.encode(made).decode().replace('],"', '],\n"').replace("]],[[", "]],\n[[")
    WEIGHTS.write_text(text + "\n", encoding="utf-8")
    return f"{WEIGHTS.name}: version {version}, {len(trained)} sessions, {len(text)} bytes"


def short(value: float, digits: int = 5) -> float:
    """A number with few digits."""
    return float(f"{value:.{digits}g}")


def linear(table: Any, cuts: Any) -> tuple[Any, float]:
    """Ridge logistic regression on standardised columns, by Newton's method.

    Args:
        table: n x f features.
        cuts: n flags.

    Returns:
        Coefficients of the plain columns, and the constant.
    """
    mean, scale = table.mean(0), table.std(0)
    scale = np.where(scale > 1e-9, scale, np.inf)
    rows = np.column_stack([(table - mean) / scale, np.ones(len(table))])
    ridge = np.full(rows.shape[1], RIDGE)
    ridge[-1] = 0
    found = np.zeros(rows.shape[1])
    for _ in range(12):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (chance - cuts) + ridge * found
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + np.diag(ridge + 1e-9)
        found = found - np.linalg.solve(curve, slope)
    plain = found[:-1] / scale
    return plain, float(found[-1] - (plain * mean).sum())


def grown(table: Any, cuts: Any, seed: int) -> list[Tree]:
    """Boosted trees of the training library, as our own."""
    import lightgbm

    data = lightgbm.Dataset(table, cuts)
    booster = lightgbm.train({**SETTINGS, "seed": seed}, data, TREES)
    return [tree(one["tree_structure"]) for one in booster.dump_model()["tree_info"]]


def tree(root: dict[str, Any]) -> Tree:
    """A tree of the training library as ours; leaves are numbered from left to right."""
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
