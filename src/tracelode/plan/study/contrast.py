"""How do two sets of sessions differ, metric by metric? Paired by task where they share tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from tracelode.model.plan_study import Contrast, Group, Positions, Unit
from tracelode.statistics.cluster import CLUSTERS, Rate, gap, rate, shuffles
from tracelode.statistics.divergence import apart
from tracelode.statistics.paired import hodges_lehmann, signs, wilcoxon
from tracelode.statistics.power import detectable
from tracelode.statistics.several import benjamini_hochberg, holm

ALL = "all"
"""Word for tasks of every family."""
FEW = f"fewer than {CLUSTERS} clusters: descriptive only"


def group(units: Sequence[Unit], metric: str, family: str, arm: str, seed: int = 0) -> Group:
    """One metric of one set.

    Args:
        units: sessions of the set.
        metric: its name.
        family: word for its tasks.
        arm: word for the set.
        seed: of the draws.

    Returns:
        Pooled and mean with their intervals.
    """
    known = [u for u in units if _value(u, metric) is not None]
    ratio, mean = rate(_ratio(known, metric), seed=seed), rate(_means(known, metric), seed=seed)
    return Group(
        family=family, arm=arm, metric=metric,
        unit=next((u.units[metric] for u in units if metric in u.units), ""),
        pooled=ratio.value, pooled_interval=ratio.interval, mean=mean.value, mean_interval=mean.interval,
        sessions=len(known), clusters=mean.clusters, missing=_missing(units, metric),
        pooled_narrow=ratio.narrow, mean_narrow=mean.narrow,
    )  # fmt: skip


def contrast(
    base: Sequence[Unit],
    other: Sequence[Unit],
    metric: str,
    *,
    family: str = ALL,
    names: tuple[str, str] = ("base", "other"),
    seed: int = 0,
) -> Contrast:
    """One metric of two sets.

    Args:
        base: sessions of one set.
        other: sessions of the other.
        metric: its name.
        family: word for their tasks.
        names: words for the sets.
        seed: of draws and flips.

    Returns:
        other minus base. Where at least half of the clusters are in both sets, task by task; else ratios of
        sums, tested by dealing clusters. Below 5 clusters nothing but the figures.

    Source:
        plan rules, section 9.1; docs/decisions/0031-plan-statistics.md.
    """
    sides = [[u for u in side if _value(u, metric) is not None] for side in (base, other)]
    unit = next((u.units[metric] for u in (*base, *other) if metric in u.units), "")
    tasks = [_by_task(side, metric) for side in sides]
    shared = sorted({*tasks[0]} & {*tasks[1]})
    common: dict[str, object] = {
        "family": family, "base": names[0], "other": names[1], "metric": metric, "unit": unit,
    }  # fmt: skip
    if shared and 2 * len(shared) >= len({*tasks[0]} | {*tasks[1]}):
        return msgspec.convert({**common, **_paired(tasks, shared, seed)}, Contrast)
    return msgspec.convert({**common, **_dealt(sides, metric, seed)}, Contrast)


def _paired(tasks: Sequence[dict[str, float]], shared: Sequence[str], seed: int) -> dict[str, object]:
    gaps = [tasks[1][task] - tasks[0][task] for task in shared]
    n = len(shared)
    few = n < CLUSTERS
    test = None if few else signs(gaps, seed)
    shift = hodges_lehmann(gaps)
    return {
        "paired": True, "clusters": (n, n),
        "before": sum(tasks[0][t] for t in shared) / n, "after": sum(tasks[1][t] for t in shared) / n,
        "interval": rate([Rate(t, g, 1) for t, g in zip(shared, gaps, strict=True)], seed=seed).interval,
        "shift": shift.value if shift else None, "p": test.p if test else None,
        "exact": bool(test and test.exact), "wilcoxon": None if few else wilcoxon(gaps),
        "adjusted": None, "detectable": detectable(gaps), "reason": FEW if few else "",
    }  # fmt: skip


def _dealt(sides: Sequence[Sequence[Unit]], metric: str, seed: int) -> dict[str, object]:
    parts = [_ratio(side, metric) or _means(side, metric) for side in sides]
    if bool(_ratio(sides[0], metric)) != bool(_ratio(sides[1], metric)):
        parts = [_means(side, metric) for side in sides]
    values = [rate(side, times=1, seed=seed) for side in parts]
    # a cluster in both sets is drawn and dealt as two: the sets share too few to pair them
    marked = [[r._replace(cluster=(place, r.cluster)) for r in side] for place, side in enumerate(parts)]
    flags = [place == 1 for place, side in enumerate(marked) for _ in side]
    p = shuffles([r for side in marked for r in side], flags, seed=seed) if all(parts) else None
    return {
        "paired": False, "clusters": tuple(v.clusters for v in values), "before": values[0].value,
        "after": values[1].value, "interval": gap(parts[0], parts[1], seed=seed), "shift": None, "p": p,
        "exact": False, "wilcoxon": None, "adjusted": None, "detectable": None,
        "reason": "" if p is not None else FEW if all(parts) else "a set has no value",
    }  # fmt: skip


def positions(
    base: Sequence[Unit],
    other: Sequence[Unit],
    *,
    family: str = ALL,
    names: tuple[str, str] = ("base", "other"),
    seed: int = 0,
) -> Positions:
    """Where people step in, in two sets.

    Args:
        base: sessions of one set.
        other: sessions of the other.
        family: word for their tasks.
        names: words for the sets.
        seed: of draws and deals.

    Returns:
        Counts, and how far apart their distributions lie.
    """
    counts = [_places(side) for side in (base, other)]
    found = apart(counts[0], counts[1], seed=seed)
    before, after = ([round(sum(row[i] for row in side.values())) for i in range(3)] for side in counts)
    return Positions(
        family=family, base=names[0], other=names[1],
        before=(before[0], before[1], before[2]), after=(after[0], after[1], after[2]),
        divergence=found.value if found else None, interval=found.interval if found else None,
        chance=found.chance if found else None, p=found.p if found else None,
    )  # fmt: skip


def adjust(
    contrasts: Iterable[Contrast], places: Iterable[Positions]
) -> tuple[tuple[Contrast, ...], tuple[Positions, ...]]:
    """Adjust p values for how many there are.

    Args:
        contrasts: of one report.
        places: of the same report.

    Returns:
        The same; over all tasks by Holm, within families, which are looked at to see more, by
        Benjamini-Hochberg.
    """
    rows: list[Contrast | Positions] = [*contrasts, *places]
    for whole, method in ((True, holm), (False, benjamini_hochberg)):
        at = [i for i, row in enumerate(rows) if (row.family == ALL) == whole]
        for i, p in zip(at, method([rows[i].p for i in at]), strict=True):
            rows[i] = msgspec.structs.replace(rows[i], adjusted=p)
    return (
        tuple(row for row in rows if isinstance(row, Contrast)),
        tuple(row for row in rows if isinstance(row, Positions)),
    )


def _value(unit: Unit, metric: str) -> float | None:
    return unit.figures[metric][0] if metric in unit.figures else None


def _ratio(units: Sequence[Unit], metric: str) -> list[Rate]:
    """Numerators and denominators; none where a session's value has none."""
    rows = [(u.cluster, u.figures[metric]) for u in units]
    parts = [Rate(cluster, f[1], f[2]) for cluster, f in rows if f[1] is not None and f[2]]
    return parts if len(parts) == len(rows) else []


def _means(units: Sequence[Unit], metric: str) -> list[Rate]:
    return [Rate(u.cluster, float(u.figures[metric][0] or 0), 1) for u in units]


def _by_task(units: Sequence[Unit], metric: str) -> dict[str, float]:
    held: dict[str, list[float]] = {}
    for unit in units:
        held.setdefault(unit.cluster, []).append(float(unit.figures[metric][0] or 0))
    return {task: sum(values) / len(values) for task, values in held.items()}


def _places(units: Sequence[Unit]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for unit in units:
        row = found.setdefault(unit.cluster, [0.0, 0.0, 0.0])
        for i, count in enumerate(unit.positions):
            row[i] += count
    return found


def _missing(units: Sequence[Unit], metric: str) -> dict[str, int]:
    return dict(
        Counter(
            u.figures[metric][3] if metric in u.figures else "it was not measured"
            for u in units
            if _value(u, metric) is None
        )
    )
