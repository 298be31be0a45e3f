"""Does a forecast hold on these sessions? Every label at every moment, and the gate that it has to pass."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from tracelode.model.forecast import LABELS, Forecast, Kept, Label, Start, Trial, Validation
from tracelode.model.planning import METRICS_VERSION
from tracelode.plan.forecast.models import Boosting, Logistic, fit
from tracelode.plan.forecast.validate import FOLDS, Task, dealt, task_of, threshold, validate

LEAST = 10
"""Sessions of either kind that a trial needs."""
MOMENTS = ("5", "10", "20", "40")
"""Beginnings that are tried where nothing is asked."""
FORMAT = "tracelode-forecast-1"
BINS = 5
"""Groups of a feature for its drift."""


def forecast(
    starts: Mapping[str, Sequence[Start | str]],
    *,
    labels: Sequence[Label] = LABELS,
    kind: str = "logistic",
    budget: float = 0.05,
    seed: int = 0,
) -> Forecast:
    """Try to foresee labels from beginnings.

    Args:
        starts: moment to the beginning of each session, or to why it has none.
        labels: what is to be foreseen.
        kind: logistic or boosting.
        budget: false alarms a session that are accepted.
        seed: of folds and draws.

    Returns:
        A trial for each label and moment; those that pass the gate say so.

    Raises:
        MissingExtra: boosting without its library.

    Source:
        plan rules, section 9.3; docs/decisions/0031-plan-statistics.md.
    """
    level = 1 - 0.05 / max(1, len(labels) * len(starts))
    trials = [
        trial(rows, label, at, kind=kind, budget=budget, level=level, seed=seed)
        for label in labels
        for at, rows in starts.items()
    ]
    return Forecast(sessions=max((len(rows) for rows in starts.values()), default=0), trials=tuple(trials))


def trial(
    rows: Sequence[Start | str],
    label: Label,
    at: str,
    *,
    kind: str = "logistic",
    budget: float = 0.05,
    level: float = 0.95,
    seed: int = 0,
) -> Trial:
    """Try to foresee one label at one moment.

    Args:
        rows: the beginning of each session, or why it has none.
        label: what is to be foreseen.
        at: the moment, as it was asked for.
        kind: logistic or boosting.
        budget: false alarms a session that are accepted.
        level: of the intervals that the gate looks at.
        seed: of folds and draws.

    Returns:
        The trial. A model passes where, held back by task and by project as far as these are known, the
        bounds of AUROC lie above .5, those of average precision above the base rate, skill above 0, and
        labels dealt anew do not do as well.
    """
    out = Counter(row for row in rows if isinstance(row, str))
    kept = [(row, value) for row in rows if isinstance(row, Start)
            if (value := _value(row, label)) is not None]  # fmt: skip
    unknown = sum(isinstance(row, Start) for row in rows) - len(kept)
    if unknown:
        out[_UNKNOWN[label]] += unknown
    shares = label == "rework"
    common: dict[str, Any] = {
        "label": label, "at": at, "model": kind, "sessions": len(kept), "excluded": dict(out), "level": level,
    }  # fmt: skip
    if not kept:
        return Trial(**common, positives=0, base=None, grouped=(), random=None, skill=False,
                     reason="no session counts")  # fmt: skip
    task = task_of([row for row, _ in kept], [value for _, value in kept], shares)
    marks = task.flags(np.ones(len(kept), dtype=bool))
    positives = int(marks.sum())
    common |= {"positives": positives, "base": positives / len(kept)}
    if min(positives, len(kept) - positives) < LEAST:
        return Trial(**common, grouped=(), random=None, skill=False,
                     reason=f"fewer than {LEAST} sessions of either kind")  # fmt: skip
    how: dict[str, Any] = {"kind": kind, "budget": budget, "level": level, "seed": seed}
    grouped = tuple(validate(task, groups, by, **how) for by, groups in _groupings(task).items())
    alone = [str(i) for i in range(len(kept))]
    reason = judge(grouped, positives / len(kept))
    if not reason:
        # the dear test is asked of what the cheap ones let pass
        times = math.ceil(2 / (1 - level)) - 1
        dealt_by = {by: dealt(task, groups, kind=kind, times=times, seed=seed)
                    for by, groups in _groupings(task).items()}  # fmt: skip
        grouped = tuple(msgspec.structs.replace(one, p=dealt_by[one.by]) for one in grouped)
        reason = lucky(grouped, 1 - level)
    return Trial(
        **common, grouped=grouped, random=validate(task, alone, "random", **how), skill=not reason,
        reason=reason, weights={} if reason else _weights(task, kind, seed),
    )  # fmt: skip


def judge(grouped: Sequence[Validation], base: float) -> str:
    """Why a model does not pass the gate.

    Args:
        grouped: how it fared, by each grouping.
        base: share that came.

    Returns:
        The reason, "" where it passes.
    """
    if not grouped:
        return f"sessions tell fewer than {FOLDS} tasks or projects: nothing can be held back"
    for one in grouped:
        if one.auroc is None or one.auroc_interval is None or one.precision_interval is None:
            return f"by {one.by}: it cannot be told"
        if one.auroc_interval[0] <= 0.5:
            return f"by {one.by}: AUROC may be .5"
        if one.precision_interval[0] <= base:
            return f"by {one.by}: average precision may be the base rate"
        if one.skill is None or one.skill <= 0:
            return f"by {one.by}: chances are no better than the base rate"
    return ""


def lucky(grouped: Sequence[Validation], alpha: float) -> str:
    """Why what passed the bounds may be luck all the same.

    Args:
        grouped: how it fared, with the share of deals that do as well.
        alpha: share that is accepted.

    Returns:
        The reason, "" where it is not.
    """
    for one in grouped:
        if one.p is None or one.p > alpha:
            return f"by {one.by}: labels dealt anew do as well"
    return ""


def keep(rows: Sequence[Start | str], found: Trial, *, budget: float = 0.05, seed: int = 0) -> Kept:
    """Fit a model that passed on all sessions.

    Args:
        rows: the beginning of each session, or why it has none.
        found: its trial.
        budget: false alarms a session that are accepted.
        seed: of folds and trees.

    Returns:
        The model with its threshold, and how features lay in training.
    """
    kept = [(row, value) for row in rows if isinstance(row, Start)
            if (value := _value(row, found.label)) is not None]  # fmt: skip
    task = task_of([row for row, _ in kept], [value for _, value in kept], found.label == "rework")
    marks = task.flags(np.ones(len(kept), dtype=bool))
    model = fit(found.model, task.table, marks, seed)
    groups = next(iter(_groupings(task).values()))
    edges: dict[str, tuple[float, ...]] = {}
    shares: dict[str, tuple[float, ...]] = {}
    for place, name in enumerate(task.names):
        column = task.table[:, place]
        bounds = np.unique(np.quantile(column, np.linspace(0, 1, BINS + 1)[1:-1]))
        edges[name] = tuple(float(x) for x in bounds)
        shares[name] = tuple(float(x) for x in _shares(column, bounds))
    logistic = isinstance(model, Logistic)
    return Kept(
        format=FORMAT, metrics_version=METRICS_VERSION, label=found.label, at=found.at, kind=found.model,
        features=task.names,
        coefficients=tuple(float(x) for x in model.coefficients) if isinstance(model, Logistic) else (),
        intercept=model.intercept if isinstance(model, Logistic) else 0.0,
        trees="" if logistic or not isinstance(model, Boosting) else model.booster.model_to_string(),
        threshold=threshold(task.table, marks, groups, found.model, budget, seed),
        base=float(marks.mean()), sessions=len(kept), edges=edges, shares=shares, grouped=found.grouped,
    )  # fmt: skip


def _shares(column: Any, edges: Any) -> Any:
    counts = np.bincount(np.searchsorted(edges, column, side="right"), minlength=len(edges) + 1)
    return counts / max(1, len(column))


_UNKNOWN = {"failure": "nobody said how it ended", "rework": "no line was written after it", "correction": ""}


def _value(row: Start, label: Label) -> float | None:
    if label == "failure":
        return None if row.failure is None else float(row.failure)
    return row.rework if label == "rework" else float(row.correction)


def _groupings(task: Task) -> dict[str, list[str]]:
    """By what sessions can be held back: what all of them tell, in enough different words."""
    found = {}
    for by in ("task", "project"):
        words = [getattr(start, by) for start in task.starts]
        if all(words) and len(set(words)) >= FOLDS:
            found[by] = words
    return found


def _weights(task: Task, kind: str, seed: int) -> dict[str, float]:
    """Change of log odds by one standard deviation of each feature, the largest first."""
    model = fit(kind, task.table, task.flags(np.ones(len(task.starts), dtype=bool)), seed)
    if not isinstance(model, Logistic):
        return {}
    sizes = model.coefficients * task.table.std(0)
    rows: Iterable[tuple[str, float]] = zip(task.names, sizes.tolist(), strict=True)
    return dict(sorted(rows, key=lambda row: -abs(row[1])))


def decode(data: bytes) -> Kept:
    """A model from its file.

    Raises:
        ValueError: it is none.
    """
    try:
        made = msgspec.json.decode(data, type=Kept)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError("not a forecast model") from error
    if made.metrics_version != METRICS_VERSION:
        raise ValueError(f"a model of metrics of version {made.metrics_version}, not {METRICS_VERSION}")
    sizes = {len(made.features), len(made.coefficients)} if made.kind == "logistic" else {1}
    if made.format != FORMAT or len(sizes) != 1 or not made.features:
        raise ValueError("not a forecast model of this version")
    return made
