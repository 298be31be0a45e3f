"""How is a study of planning read? Its design first, then what differs, what cannot be told, every figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tracelode.model.numbers import number
from tracelode.model.plan_study import FAMILIES, Contrast, Group, Positions, Problem, Study
from tracelode.model.plan_words import LEVEL, bounds, chance, metric_text, narrowed
from tracelode.pages.parts import (
    Cell,
    Interval,
    Intervals,
    Page,
    Part,
    Row,
    Section,
    Table,
    Tiles,
    Tone,
    Words,
)

FEWEST = 6
"""Pairs below which no difference whatever reaches LEVEL: 2 / 2 ** 5 is above it."""
_WHOLE = "all"
_WORDS = ("a fixed procedure", "open exploration", "business knowledge")
_KINDS = dict(zip(FAMILIES, _WORDS, strict=True))
_CHECKED = (
    "Checked before anything is compared: two families of tasks or more, five tasks of each, a run of every "
    "task in every arm, no session in two arms; runs of each task and their seeds as planned."
)
_TESTED = (
    "p over all tasks is adjusted by Holm, for all metrics, places and arms together; within families by "
    "Benjamini-Hochberg, to see where to look."
)
_CANNOT = (
    "Cannot tell: not shown to differ, which is not shown to be alike. Would show: a difference that so many "
    "tasks, spread as these, show 8 times in 10."
)


def page(study: Study) -> Page:
    """A study on one page.

    Args:
        study: as analysed; without figures where its design fails.
    """
    found = [Section("", tuple(_summary(study))), Section("Design", tuple(_design(study)))]
    found += [
        Section(f"{other} minus {base}", tuple(_pair(study, base, other))) for base, other in _pairs(study)
    ]
    if study.groups:
        found.append(Section("Every arm", tuple(_arms(study.groups))))
    found.append(Section("What is left out", tuple(_left_out(study))))
    if study.groups:
        found.append(Section("How to read it", tuple(Words(f"{_begun(line)}.") for line in study.guide)))
    return Page(
        title=study.name or "A study of planning",
        lead=f"{number(len(study.arms), 'arm')}, the base first; {number(len(study.tasks), 'task')}.",
        marks=(f"definitions version {study.metrics_version}", f"seed {study.seed}"),
        sections=tuple(found),
    )


def _begun(line: str) -> str:
    """A line as a sentence begins; the letter p stays what it is."""
    return line if line.startswith("p ") else line[:1].upper() + line[1:]


def _pairs(study: Study) -> list[tuple[str, str]]:
    return list(dict.fromkeys((c.base, c.other) for c in study.contrasts))


def _families(rows: Sequence[Contrast] | Sequence[Group]) -> list[str]:
    return list(dict.fromkeys(row.family for row in rows))


def _title(family: str) -> Words:
    words = "All tasks" if family == _WHOLE else f"Tasks of the family {family} ({_KINDS[family]})"
    return Words(words, "title")


def _summary(study: Study) -> Iterator[Part]:
    tiles = [(f"{arm.sessions:,}", f"runs of {arm.name}") for arm in study.arms]
    counts = Counter(study.tasks.values())
    tiles += [(f"{n:,}", f"tasks of {_KINDS[family]}") for family, n in counts.items()]
    yield Tiles(tuple(tiles))
    for base, other in _pairs(study):
        yield Words(_finding(study, base, other))


def _finding(study: Study, base: str, other: str) -> str:
    """What all tasks together say, in a sentence; what cannot be told is in it."""
    said: dict[str, list[str]] = {}
    rows = [c for c in study.contrasts if (c.base, c.other, c.family) == (base, other, _WHOLE)]
    # what differs first
    for row in sorted(rows, key=lambda row: _verdict(row)[1] == "soft"):
        said.setdefault(_verdict(row)[0], []).append(row.metric)
    parts = [f"{word}: {', '.join(metrics)}" for word, metrics in said.items()]
    return f"{other} against {base}, all tasks: {'; '.join(parts)}."


def _design(study: Study) -> Iterator[Part]:
    if not study.sound:
        then = " Figures of the arms stand below as they are." if study.groups else ""
        yield Words(f"The design fails: no difference is told.{then}", "note")
    elif study.problems:
        yield Words("The design holds, with warnings.", "note")
    else:
        yield Words("The design holds.")
    if study.problems:
        rows = tuple((_severity(problem), problem.message) for problem in study.problems)
        yield Table(heads=("what", "why"), rows=rows, few=True)
    yield Words(_CHECKED, "soft")


def _severity(problem: Problem) -> Cell:
    return Cell(problem.severity, "bad" if problem.severity == "error" else "warn")


def _pair(study: Study, base: str, other: str) -> Iterator[Part]:
    rows = [c for c in study.contrasts if (c.base, c.other) == (base, other)]
    for family in _families(rows):
        inside = [row for row in rows if row.family == family]
        yield _title(family)
        if family == _WHOLE:
            yield from _drawn(inside)
        yield _contrasts(inside, base, other)
    yield Words(f"{_CANNOT} {_TESTED}", "soft")
    places = [p for p in study.positions if (p.base, p.other) == (base, other)]
    if places:
        yield Words("Where people step in", "title")
        yield _positions(places, base, other)


def _drawn(rows: Sequence[Contrast]) -> Iterator[Part]:
    """Differences with their bounds, one axis for each unit."""
    for unit in dict.fromkeys(row.unit for row in rows):
        marks = [mark for row in rows if row.unit == unit for mark in _mark(row)]
        if marks:
            yield Intervals(rows=tuple(marks))


def _mark(row: Contrast) -> Iterator[Interval]:
    if row.net is not None and row.interval is not None:
        net = metric_text(row.net, row.unit, signed=True)
        text = f"{net} {bounds(row.interval, row.unit, signed=True)}"
        yield Interval(row.metric, row.net, *row.interval, text, _verdict(row)[1])


def _verdict(row: Contrast) -> tuple[str, Tone]:
    """What a row says, and the colour of it."""
    if row.adjusted is None or row.net is None:
        return f"not tested ({row.reason})" if row.reason else "not tested", "soft"
    if row.adjusted <= LEVEL:
        return (f"more in {row.other}", "more") if row.net > 0 else (f"less in {row.other}", "less")
    if row.paired and row.clusters[0] < FEWEST:
        return f"cannot tell (below {FEWEST} pairs no difference reaches .05)", "soft"
    if row.net == 0 and row.detectable == 0:
        return "alike in every task", "soft"
    return "cannot tell", "soft"


def _contrasts(rows: Sequence[Contrast], base: str, other: str) -> Table:
    lines: list[Row] = []
    for row in rows:
        word, tone = _verdict(row)
        tasks = f"{row.clusters[0]:,}" if row.paired else f"{row.clusters[0]:,} and {row.clusters[1]:,}"
        lines.append(
            (
                row.metric,
                Cell(word, tone),
                _figure(row.net, row.unit, signed=True),
                bounds(row.interval, row.unit, signed=True) or Cell("none", "soft"),
                chance(row.adjusted),
                chance(row.p),
                _figure(row.before, row.unit),
                _figure(row.after, row.unit),
                _figure(row.detectable, row.unit) if row.detectable else Cell("-", "soft"),
                tasks,
            )
        )
    heads = ("metric", "what it says", ">change", ">95%", ">adjusted p", ">p", f">{base}", f">{other}",
             ">would show", ">tasks")  # fmt: skip
    loose = [row.metric for row in rows if not row.paired and row.net is not None]
    note = f"Not task by task, the arms share too few: {', '.join(loose)}." if loose else ""
    return Table(heads=heads, rows=tuple(lines), note=note)


def _figure(value: float | None, unit: str, *, signed: bool = False) -> str | None:
    return None if value is None else metric_text(value, unit, signed=signed)


def _positions(rows: Sequence[Positions], base: str, other: str) -> Table:
    lines: list[Row] = []
    for row in rows:
        sides = (" / ".join(f"{n:,}" for n in side) for side in (row.before, row.after))
        lines.append(
            (
                "all tasks" if row.family == _WHOLE else row.family,
                _apart(row),
                *sides,
                _figure(row.divergence, ""),
                bounds(row.interval) or Cell("none", "soft"),
                _figure(row.chance, ""),
                chance(row.adjusted),
            )
        )
    heads = ("tasks", "what it says", f">{base}", f">{other}", ">divergence", ">95%", ">by chance",
             ">adjusted p")  # fmt: skip
    note = (
        "Counts are before / during / after work. The divergence (Jensen-Shannon, bits) is never below 0: "
        "read it against what dealt tasks give by chance."
    )
    return Table(heads=heads, rows=tuple(lines), note=note)


def _apart(row: Positions) -> Cell:
    if row.divergence is None:
        return Cell("not tested (nobody steps in in an arm)", "soft")
    if row.adjusted is None:
        return Cell("not tested (too few tasks)", "soft")
    return Cell("at other moments") if row.adjusted <= LEVEL else Cell("cannot tell", "soft")


def _arms(groups: Sequence[Group]) -> Iterator[Part]:
    for family in _families(groups):
        here = [group for group in groups if group.family == family]
        yield _title(family)
        yield Table(
            heads=("metric", "arm", ">pooled", ">95%", ">mean of runs", ">95%", ">runs"),
            rows=tuple(map(_group, here)),
        )
        whys = {f"{one.metric} of {one.arm}": (one.pooled_narrow, one.mean_narrow) for one in here}
        for why, names in narrowed(whys).items():
            yield Words(f"Bounds too narrow ({why}): {', '.join(names)}.", "note")
    yield Words("Pooled: sums over all runs. Bounds by resampling tasks; none below 5 tasks.", "soft")


def _group(group: Group) -> Row:
    nothing = Cell("none", "soft")
    of = group.sessions + sum(group.missing.values())
    return (
        group.metric,
        group.arm,
        _figure(group.pooled, group.unit),
        bounds(group.pooled_interval, group.unit) or nothing,
        _figure(group.mean, group.unit),
        bounds(group.mean_interval, group.unit) or nothing,
        f"{group.sessions:,} of {of:,}",
    )


def _left_out(study: Study) -> Iterator[Part]:
    arms = [(arm.name, f"{n:,}", reason) for arm in study.arms for reason, n in arm.left_out.items()]
    if arms:
        yield Table(heads=("arm", ">runs left out", "why"), rows=tuple(arms), few=True)
    else:
        yield Words("Every run that the arms name counts.")
    lacking: dict[tuple[str, str], list[str]] = {}
    for group in study.groups:
        if group.family == _WHOLE:
            for reason, n in group.missing.items():
                runs = f"{n:,} of {group.sessions + sum(group.missing.values()):,} of {group.arm}"
                lacking.setdefault((group.metric, reason or "not told"), []).append(runs)
    if lacking:
        rows = tuple((metric, ", ".join(runs), why) for (metric, why), runs in lacking.items())
        yield Table(heads=("metric", "runs without a value", "why"), rows=rows, few=True)
    elif study.groups:
        yield Words("Every metric has a value in every run.")
