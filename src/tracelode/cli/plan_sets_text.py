"""How do sets of planned sessions look in a terminal? Metrics with intervals, arms, differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tracelode.cli.screen import Screen
from tracelode.cli.table import Column, Flex, Layout, Styled
from tracelode.cli.text import clean, cut, number
from tracelode.model.plan_words import LEVEL, bounds, chance, metric_text, narrowed

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.plan_study import Against, Contrast, Positions, Study
    from tracelode.model.planning import PlanReport, Pooled

SHOWN = 3
"""Reasons shown of a group of metrics."""


def together(report: PlanReport, groups: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Write the metrics of several sessions.

    Args:
        report: two sessions or more.
        groups: titles and names of metrics.
    """
    screen = Screen()
    planned = sum(1 for s in report.sessions if s.tier in ("declared", "human"))
    screen.sentence(
        f"{number(len(report.sessions) - report.subagents, 'session')}"
        + (f", {number(report.subagents, 'sub-agent')}" if report.subagents else "")
        + f"; {planned:,} with a plan; without one, coverage and order are not told"
    )
    screen.sentence(drawn(report))
    by_name = {p.name: p for p in report.pooled}
    for title, names in groups:
        rows = [by_name[name] for name in names if name in by_name and _shown(by_name[name])]
        if not rows:
            continue
        if not any(row.sessions for row in rows):
            screen.sentence("")
            screen.flow(title, ["not applicable to any of these threads"], indent=len(title) + 2)
            continue
        columns = [Column(title, grow=True, least=18), Column("pooled", right=True),
                   Column("95 %", rank=1), Column("mean", right=True, rank=2), Column("95 %", rank=4),
                   Column("n", right=True, rank=3)]  # fmt: skip
        screen.sentence("")
        table = [_row(row) for row in rows]
        if "mean" in Layout(columns, table, screen.width).left_out:
            # what has no sum to pool is told by its mean all the same
            alone = ["" if row.pooled is not None or row.mean is None else "mean " for row in rows]
            table = [[row[0], f"{word}{row[3]}" if word else row[1], *row[2:]]
                     for row, word in zip(table, alone, strict=True)]  # fmt: skip
        screen.table(columns, table)
        _missing(screen, rows)
        narrow(screen, {row.name: (row.pooled_narrow, row.mean_narrow) for row in rows})
    _decided(screen, report)


def _shown(one: Pooled) -> bool:
    return one.sessions > 0 or not one.name.startswith("segment_")


def _decided(screen: Screen, report: PlanReport) -> None:
    """What people decided, before, during and after work."""
    if not report.people:
        return
    screen.sentence("")
    rows: list[list[Cell]] = [
        [Flex(p.decision), f"{p.pre:,}", f"{p.mid:,}", f"{p.post:,}", f"{p.unknown:,}", f"{p.corrective:,}"]
        for p in report.people
    ]
    columns = [Column("decisions of people", grow=True, least=16), Column("pre", right=True),
               Column("mid", right=True), Column("post", right=True),
               Column("not told", right=True, rank=2), Column("corrective", right=True, rank=1)]  # fmt: skip
    screen.table(columns, rows)
    where = Counter({word: sum(getattr(p, word) for p in report.people) for word in ("pre", "mid", "post")})
    if where.total():
        screen.sentence(_reading(where))


def drawn(report: PlanReport) -> str:
    """How intervals were made, or why there are none."""
    count = number(report.clusters, report.cluster)
    lone = report.clusters - (len(report.sessions) - report.subagents) if report.cluster == "session" else 0
    if lone > 0:
        count += f" ({lone:,} known through sub-agents alone)"
    if not report.resamples:
        return f"{count}: fewer than 5 are described only, without intervals"
    return (
        f"intervals: {report.level:.0%} bootstrap over {count}, {report.resamples:,} draws, seed "
        f"{report.seed}; n: with a value / all"
    )


def _reading(where: Counter[str]) -> str:
    if not where["pre"]:
        return "all after work began: agents may lack constraints that people know"
    if not where["mid"] and not where["post"]:
        return "all before work: trust, or people are the bottleneck"
    return "before work it is planning, during work it is correction"


def _row(one: Pooled) -> list[Cell]:
    of = one.sessions + sum(one.missing.values())
    return [one.name, metric_text(one.pooled, one.unit), bounds(one.pooled_interval, one.unit),
            metric_text(one.mean, one.unit), bounds(one.mean_interval, one.unit),
            f"{one.sessions:,}/{of:,}"]  # fmt: skip


def _missing(screen: Screen, rows: Sequence[Pooled]) -> None:
    """Why metrics of a group have no value: the same reason of several metrics once."""
    reasons: dict[str, dict[str, int]] = {}
    for row in rows:
        for reason, count in row.missing.items():
            reasons.setdefault(reason or "not told", {})[row.name] = count
    listed = sorted(reasons.items(), key=lambda item: (-max(item[1].values()), item[0]))
    parts = [f"{max(of.values()):,} x {clean(reason)}" for reason, of in listed[:SHOWN]]
    if len(listed) > SHOWN:
        parts.append(f"and {number(len(listed) - SHOWN, 'other reason')}; see --json")
    if parts:
        screen.flow("without", parts, joint="; ", indent=9)


def narrow(screen: Screen, whys: Mapping[str, tuple[str, str]]) -> None:
    """Write which bounds hold the true figure less often than they say, and why.

    Args:
        screen: where.
        whys: name to the reasons of its bounds, "" for none.
    """
    for why, names in narrowed(whys).items():
        screen.flow("narrow", [why, *names], joint="; ", indent=9)


def against(found: Against) -> None:
    """Write what became of metrics.

    Args:
        found: now minus before.
    """
    screen = Screen()
    screen.sentence(
        f"before: {number(found.sessions[0], 'session')}, {number(found.clusters[0], found.cluster)}; "
        f"now: {number(found.sessions[1], 'session')}, {number(found.clusters[1], found.cluster)}"
    )
    screen.sentence("")
    _contrasts(screen, found.contrasts, "metric")
    if found.positions is not None:
        screen.sentence("")
        _positions(screen, [found.positions])
    screen.sentence("a difference says that the sets differ, not why; * p after Holm below .05")


def _contrasts(
    screen: Screen, rows: Sequence[Contrast], title: str, names: tuple[str, str] = ("before", "now")
) -> None:
    cells: list[list[Cell]] = []
    for row in rows:
        sure = row.adjusted is not None and row.adjusted <= LEVEL
        mark = "*" if sure else ""
        net = Styled(metric_text(row.net, row.unit, signed=True), "bold" if sure else "")
        before, after = metric_text(row.before, row.unit), metric_text(row.after, row.unit)
        cells.append([Flex(row.metric), before, after, net,
                      bounds(row.interval, row.unit, signed=True), chance(row.p), chance(row.adjusted) + mark,
                      _tasks(row)])  # fmt: skip
    columns = [Column(title, grow=True, least=14), Column(names[0], right=True, rank=2),
               Column(names[1], right=True, rank=2), Column("change", right=True), Column("95 %", rank=1),
               Column("p", right=True, rank=4), Column("adj. p", right=True),
               Column("n", right=True, rank=3)]  # fmt: skip
    screen.table(columns, cells)
    few = sorted({row.reason for row in rows if row.reason})
    for reason in few:
        off = [row.metric for row in rows if row.reason == reason]
        screen.flow("", [f"{', '.join(off[:4])}{', ...' if len(off) > 4 else ''}: {reason}"], indent=0)


def _tasks(row: Contrast) -> str:
    return f"{row.clusters[0]:,}" if row.paired else f"{row.clusters[0]:,}+{row.clusters[1]:,}"


def _positions(screen: Screen, rows: Sequence[Positions], names: tuple[str, str] = ("before", "now")) -> None:
    cells: list[list[Cell]] = []
    for row in rows:
        told = "-" if row.divergence is None else f"{row.divergence:.3f}"
        by_chance = "" if row.chance is None else f"{row.chance:.3f}"
        placed = ["/".join(f"{n:,}" for n in side) for side in (row.before, row.after)]
        cells.append([row.family, *placed, told, bounds(row.interval), by_chance, chance(row.adjusted)])
    columns = [Column("people step in", least=7), Column(names[0], right=True), Column(names[1], right=True),
               Column("JSD", right=True), Column("95 %", rank=2), Column("by chance", right=True, rank=1),
               Column("adj. p", right=True)]  # fmt: skip
    screen.table(columns, cells)
    screen.sentence("counts are before/during/after work; JSD in bits is never below 0: read it by chance")


def study(found: Study) -> None:
    """Write a study.

    Args:
        found: the study.
    """
    screen = Screen()
    if found.name:
        screen.flow("study", [clean(found.name)], indent=9)
    for arm in found.arms:
        left = [f"{n:,} left out ({reason})" for reason, n in arm.left_out.items()]
        screen.flow("arm", [clean(arm.name), number(arm.sessions, "run"), *left], joint="; ", indent=9)
    families = Counter(found.tasks.values())
    screen.flow("tasks", [f"{family} {n:,}" for family, n in families.items()], joint="; ", indent=9)
    for problem in found.problems:
        screen.flow(problem.severity, [clean(problem.message)], indent=9)
    if found.groups:
        _arms(screen, found)
    for base, other in dict.fromkeys((c.base, c.other) for c in found.contrasts):
        screen.sentence("")
        screen.sentence(f"{clean(other)} minus {clean(base)}, task by task")
        sides = (cut(clean(base), 9), cut(clean(other), 9))
        for place, family in enumerate(dict.fromkeys(c.family for c in found.contrasts)):
            if place:
                screen.sentence("")
            rows = [c for c in found.contrasts if (c.base, c.other, c.family) == (base, other, family)]
            _contrasts(screen, rows, f"tasks: {family}", sides)
        screen.sentence("")
        _positions(screen, [p for p in found.positions if (p.base, p.other) == (base, other)], sides)
        _power(screen, [c for c in found.contrasts if (c.base, c.other, c.family) == (base, other, "all")])
    if found.groups:
        screen.sentence("")
        for place, line in enumerate(found.guide):
            screen.flow("" if place else "reading", [line], indent=9)
    if not found.sound:
        screen.sentence("the design fails: no differences are told")


def _arms(screen: Screen, found: Study) -> None:
    for family in dict.fromkeys(g.family for g in found.groups):
        rows: list[list[Cell]] = []
        for group in found.groups:
            if group.family != family:
                continue
            of = group.sessions + sum(group.missing.values())
            rows.append([Flex(group.metric), Flex(group.arm), metric_text(group.pooled, group.unit),
                         bounds(group.pooled_interval, group.unit), metric_text(group.mean, group.unit),
                         bounds(group.mean_interval, group.unit), f"{group.sessions:,}/{of:,}"])  # fmt: skip
        columns = [Column(f"tasks: {family}", grow=True, least=13), Column("arm", least=6),
                   Column("pooled", right=True), Column("95 %", rank=1), Column("mean", right=True, rank=2),
                   Column("95 %", rank=4), Column("runs", right=True, rank=3)]  # fmt: skip
        screen.sentence("")
        screen.table(columns, rows)
        narrow(screen, {f"{g.metric} of {g.arm}": (g.pooled_narrow, g.mean_narrow)
                         for g in found.groups if g.family == family})  # fmt: skip


def _power(screen: Screen, rows: Sequence[Contrast]) -> None:
    told = [f"{row.metric} {metric_text(row.detectable, row.unit)}" for row in rows if row.detectable]
    if told:
        screen.flow("power", ["so many tasks would show, 8 times in 10, a difference of", *told],
                    joint="; ", indent=9)  # fmt: skip
    else:
        few = max((row.clusters[0] for row in rows), default=0) < 6
        why = "below 6 pairs no difference whatever reaches .05" if few else "the pairs do not differ at all"
        screen.flow("power", [why], indent=9)
