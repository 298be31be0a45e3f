"""Does what differs between failed and succeeded runs hold on other tasks? Held-out pairs told apart."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tracelode.errors import QueryError

RIDGE = 3.0
"""Penalty on the squared weights of standardised features."""
RUNS = 10
"""Runs of compared tasks that must have a frame before its share is a feature; both were chosen on the
development half of the outcome sets, see benchmarks/README.md."""
_STEPS = 25


class Trial(NamedTuple):
    """One run of a task with both ends."""

    task: str
    """What it was given."""
    failed: bool
    """How it ended."""
    frames: Mapping[str, int]
    """Operations by frame."""
    errors: int
    """Operations that failed."""


class Concordance(NamedTuple):
    """How many pairs of a failed and a succeeded run of one task a score puts in order."""

    value: float | None
    """Share of pairs in which the failed run scores higher, equal scores count half; None without a pair."""
    pairs: int
    """Pairs."""
    by_task: dict[str, tuple[float, int]]
    """Task to (pairs in order, pairs)."""


def features(trials: Sequence[Trial], runs: int = RUNS) -> list[list[float]]:
    """What the score looks at.

    Args:
        trials: n runs.
        runs: how many of them must have a frame.

    Returns:
        n rows: log of the number of operations, share of them that failed, and the share of each frame that
        enough runs have.
    """
    spread = Counter(frame for trial in trials for frame, n in trial.frames.items() if n)
    names = sorted(frame for frame, n in spread.items() if n >= runs)
    found = []
    for trial in trials:
        n = max(1, sum(trial.frames.values()))
        shares = [trial.frames.get(frame, 0) / n for frame in names]
        found.append([math.log(n), trial.errors / n, *shares])
    return found


def told_apart(rows: Sequence[Sequence[float]], trials: Sequence[Trial], ridge: float = RIDGE) -> list[float]:
    """Scores of runs, each by weights learned on the other tasks alone.

    Args:
        rows: n rows of m features.
        trials: their n runs.
        ridge: penalty on squared weights.

    Returns:
        n scores, higher for what looks like a failed run; 0 where the other tasks have no pair.

    Source:
        Bradley and Terry (1952): logistic fit of the differences of pairs, every task weighs one.
    """
    import numpy as np

    x = np.asarray(rows, float)
    spread = x.std(axis=0)
    x = (x - x.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    gaps, weights, owners = _gaps(x, trials)
    scores = np.zeros(len(trials))
    places: dict[str, list[int]] = {}
    for i, trial in enumerate(trials):
        places.setdefault(trial.task, []).append(i)
    for task, held in places.items():
        others = owners != task
        if others.any():
            scores[held] = x[held] @ _fit(gaps[others], weights[others], ridge)
    return [float(score) for score in scores]


def _gaps(x: Any, trials: Sequence[Trial]) -> tuple[Any, Any, Any]:
    """Differences of features, weight and task of each pair."""
    import numpy as np

    gaps, weights, owners = [], [], []
    for task, (failed, succeeded) in _ends(trials).items():
        for i in failed:
            for j in succeeded:
                gaps.append(x[i] - x[j])
                weights.append(1 / (len(failed) * len(succeeded)))
                owners.append(task)
    if not gaps:
        raise QueryError("no pairs: no task has runs that failed and runs that succeeded")
    return np.array(gaps), np.array(weights), np.array(owners, dtype=object)


def _ends(trials: Sequence[Trial]) -> dict[str, tuple[list[int], list[int]]]:
    found: dict[str, tuple[list[int], list[int]]] = {}
    for i, trial in enumerate(trials):
        found.setdefault(trial.task, ([], []))[0 if trial.failed else 1].append(i)
    return {task: ends for task, ends in found.items() if ends[0] and ends[1]}


def _fit(gaps: Any, weights: Any, ridge: float) -> Any:
    """Newton's method on the penalised likelihood."""
    import numpy as np

    found = np.zeros(gaps.shape[1])
    penalty = ridge * np.eye(len(found))
    for _ in range(_STEPS):
        miss = 1 / (1 + np.exp(np.clip(gaps @ found, -30, 30)))
        slope = gaps.T @ (weights * miss) - ridge * found
        curve = (gaps * (weights * miss * (1 - miss))[:, None]).T @ gaps + penalty
        step = np.linalg.solve(curve, slope)
        found = found + step
        if float(np.abs(step).max()) < 1e-8:
            break
    return found


def concordance(scores: Sequence[float], trials: Sequence[Trial]) -> Concordance:
    """How many pairs of one task a score puts in order.

    Args:
        scores: n numbers, higher for failed.
        trials: their n runs.

    Returns:
        The share, pooled over pairs.

    Example:
        >>> runs = [Trial("a", True, {}, 0), Trial("a", False, {}, 0)]
        >>> concordance([2.0, 1.0], runs).value
        1.0
    """
    by_task: dict[str, tuple[float, int]] = {}
    for task, (failed, succeeded) in _ends(trials).items():
        won = sum((scores[i] > scores[j]) + (scores[i] == scores[j]) / 2 for i in failed for j in succeeded)
        by_task[task] = (won, len(failed) * len(succeeded))
    pairs = sum(n for _, n in by_task.values())
    value = sum(won for won, _ in by_task.values()) / pairs if pairs else None
    return Concordance(value, pairs, by_task)


def dealt(trials: Sequence[Trial], chance: random.Random) -> list[Trial]:
    """The same runs with the ends of each task dealt anew: the null of every figure here.

    Args:
        trials: n runs.
        chance: source of the order.

    Returns:
        n runs; each task keeps its number of failures.
    """
    ends: dict[str, list[bool]] = {}
    for trial in trials:
        ends.setdefault(trial.task, []).append(trial.failed)
    for held in ends.values():
        chance.shuffle(held)
    return [trial._replace(failed=ends[trial.task].pop()) for trial in trials]
