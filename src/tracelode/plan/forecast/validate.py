"""How do chances fare on groups that the model has not seen? Nothing is chosen on what it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from tracelode.model.forecast import Alarms, Bin, Bounds, Start, Validation
from tracelode.plan.forecast.models import fit
from tracelode.statistics.cluster import statistic
from tracelode.statistics.folds import folds
from tracelode.statistics.scores import (
    auroc,
    average_precision,
    brier,
    calibration_error,
    reliability,
    skill,
)

FOLDS = 5
INNER = 4
"""Folds within a training fold, for the threshold of warnings."""
QUARTILE = 0.75
"""Rework above this quantile of the training fold is high."""


class Task(NamedTuple):
    """What is to be foreseen, as numbers."""

    starts: Sequence[Start]
    names: tuple[str, ...]
    """Features."""
    table: Any
    """n x f features."""
    values: Any
    """n numbers: 0 or 1, or shares of rework."""
    shares: bool
    """Do values become flags only with a quantile of the training fold?"""

    def flags(self, inside: Any) -> Any:
        """Which sessions count as positive, as those inside tell.

        Args:
            inside: n flags of the training fold.
        """
        if not self.shares:
            return self.values > 0.5
        return self.values > np.quantile(self.values[inside], QUARTILE)


class _Held(NamedTuple):
    """Chances of every session, each from a model that was fitted without its group."""

    chances: Any
    flags: Any
    base: Any
    """Rate of the training fold."""
    lift: Any
    """Log odds above those of the training fold's rate: what orders sessions of different folds. A fold that
    came out high was predicted by a model that saw few, so raw chances are in the wrong order by chance."""
    identity: Any
    """The same of the rate of the same agent and model."""
    warned: Any
    """At or above the threshold that the training fold chose."""


def task_of(starts: Sequence[Start], values: Sequence[float], shares: bool) -> Task:
    """Starts as numbers.

    Args:
        starts: n beginnings.
        values: what came, 0 or 1, or a share.
        shares: values are shares.
    """
    names = tuple(starts[0].features)
    table = np.array([[start.features[name] for name in names] for start in starts], dtype=float)
    return Task(starts, names, table, np.asarray(values, dtype=float), shares)


def validate(
    task: Task,
    groups: Sequence[str],
    by: str,
    *,
    kind: str = "logistic",
    budget: float = 0.05,
    level: float = 0.95,
    seed: int = 0,
) -> Validation:
    """Try a model on groups that it was not fitted on.

    Args:
        task: what is to be foreseen.
        groups: group of each session.
        by: word for them; random for one group a session.
        kind: of the model.
        budget: false alarms a session that are accepted.
        level: of the intervals.
        seed: of folds and draws.

    Returns:
        Scores with intervals over groups, calibration, and warnings.

    Source:
        plan rules, section 9.3.
    """
    held = _held(task, groups, kind, budget if by != "random" else None, seed)
    chances, flags = held.chances.tolist(), held.flags.tolist()
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    of = np.array([places[group] for group in groups])

    def over(score: Callable[[Any, Any, Any], float | None]) -> Bounds | None:
        found = statistic(
            list(places), lambda row: score(held.lift, held.flags, row[of]), level=level, seed=seed
        )
        return (found.low, found.high) if found is not None else None

    return Validation(
        by=by, groups=len(places), auroc=auroc(held.lift, flags), auroc_interval=over(auroc),
        within=_within(held.lift, held.flags, of), precision=average_precision(held.lift, flags),
        precision_interval=over(average_precision), baseline=auroc(held.identity, flags),
        brier=brier(chances, flags), skill=skill(chances, held.base, flags),
        error=calibration_error(chances, flags),
        bins=tuple(Bin(sessions=b.cases, said=b.said, came=b.came) for b in reliability(chances, flags)),
        alarms=None if by == "random" else _alarms(task, held, budget),
    )  # fmt: skip


def dealt(
    task: Task, groups: Sequence[str], *, kind: str = "logistic", times: int = 199, seed: int = 0
) -> float | None:
    """Could the order be luck? Labels dealt anew to sessions, models fitted anew, again and again.

    Args:
        task: what is to be foreseen.
        groups: group of each session.
        kind: of the model.
        times: deals.
        seed: of folds and deals.

    Returns:
        Share of the deals with an AUROC at least as high, the observed one counted; None where it is unknown.
        Bounds over groups alone are too narrow: they leave out that models could have been fitted otherwise.

    Source:
        Ojala and Garriga (2010), permutation tests for classifiers.
    """
    held = _held(task, groups, kind, None, seed)
    observed = auroc(held.lift, held.flags)
    if observed is None:
        return None
    chance = np.random.default_rng(seed + 2)
    far = known = 1
    for _ in range(times):
        other = task._replace(values=chance.permutation(task.values))
        again = _held(other, groups, kind, None, seed)
        found = auroc(again.lift, again.flags)
        if found is not None:
            known += 1
            far += found >= observed - 1e-12
    return far / known


def _held(task: Task, groups: Sequence[str], kind: str, budget: float | None, seed: int) -> _Held:
    n = len(task.starts)
    fold = np.array(folds(groups, min(FOLDS, len(set(groups))), seed))
    chances, base, identity = np.zeros(n), np.zeros(n), np.zeros(n)
    flags, warned = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    who = np.array([start.who for start in task.starts])
    for place in range(int(fold.max()) + 1):
        test, train = fold == place, fold != place
        marks = task.flags(train)
        chances[test] = fit(kind, task.table[train], marks[train], seed)(task.table[test])
        flags[test], base[test] = marks[test], float(marks[train].mean())
        for name in set(who[test]):
            same = train & (who == name)
            # one case at the overall rate, so that a rare name says little
            rate = (marks[same].sum() + marks[train].mean()) / (same.sum() + 1)
            identity[test & (who == name)] = rate
        if budget is not None:
            inside = [group for group, there in zip(groups, train, strict=True) if there]
            least = threshold(task.table[train], marks[train], inside, kind, budget, seed)
            warned[test] = chances[test] >= least
    return _Held(chances, flags, base, _odds(chances) - _odds(base), _odds(identity) - _odds(base), warned)


def _odds(chances: Any) -> Any:
    held = np.clip(chances, 1e-6, 1 - 1e-6)
    return np.log(held / (1 - held))


def threshold(
    table: Any, flags: Any, groups: Sequence[str], kind: str, budget: float, seed: int = 0
) -> float:
    """The lowest chance to warn from, so that false alarms keep to a budget on groups not fitted on.

    Args:
        table: n x f features.
        flags: what came.
        groups: group of each session.
        kind: of the model.
        budget: false alarms a session that are accepted.
        seed: of the folds.

    Returns:
        The chance; above 1 where no threshold keeps to it.
    """
    fold = np.array(folds(groups, min(INNER, len(set(groups))), seed + 1))
    chances = np.zeros(len(table))
    for place in range(int(fold.max()) + 1):
        test, train = fold == place, fold != place
        if train.any() and test.any():
            chances[test] = fit(kind, table[train], flags[train], seed)(table[test])
    allowed = budget * len(table)
    order = np.argsort(-chances, kind="stable")
    false = np.cumsum(~flags[order])
    found = 1.01
    for at, place in enumerate(order):
        if false[at] > allowed:
            break
        # equal chances are warned of together
        if at + 1 == len(order) or chances[order[at + 1]] < chances[place]:
            found = float(chances[place])
    return found


def _within(chances: Any, flags: Any, of: Any) -> float | None:
    """Share of pairs in order among sessions of one group."""
    total = pairs = 0.0
    for group in np.unique(of):
        inside = of == group
        count = float(flags[inside].sum() * (~flags[inside]).sum())
        if count:
            total += count * (auroc(chances[inside], flags[inside]) or 0.0)
            pairs += count
    return total / pairs if pairs else None


def _alarms(task: Task, held: _Held, budget: float) -> Alarms:
    hits = held.warned & held.flags
    leads = [lead for start, hit in zip(task.starts, hits, strict=True)
             if hit and (lead := _lead(start, task)) is not None]  # fmt: skip
    alarms, came = int(held.warned.sum()), int(held.flags.sum())
    return Alarms(
        budget=budget, alarms=alarms, hits=int(hits.sum()),
        false_rate=(alarms - int(hits.sum())) / len(task.starts),
        precision=int(hits.sum()) / alarms if alarms else None,
        recall=int(hits.sum()) / came if came else None, lead=median(leads) if leads else None,
    )  # fmt: skip


def _lead(start: Start, task: Task) -> int | None:
    """Calls between the warning and what it warns of; a failure is known at the end."""
    if task.shares or not start.correction:
        return start.rest
    return start.corrected if start.corrected is not None else start.rest
