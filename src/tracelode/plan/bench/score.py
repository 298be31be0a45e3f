"""How good are a planner's plans, told from them alone? Steps missed, too many or few, and their order."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import msgspec

from tracelode.errors import SourceError
from tracelode.files import Records, bounded, why
from tracelode.model.plan_bench import FORMAT, BenchHead, BenchItem, BenchScore, BenchStep, Score
from tracelode.plan.metrics.order import longest
from tracelode.plan.study.units import same_version
from tracelode.signals.listdiff import THRESHOLD, normal, similarity
from tracelode.statistics.cluster import Rate, rate

BAND = (0.5, 2.0)
"""Steps of a plan over executed ones that count as fit."""
METRICS = ("recall", "precision", "in_band", "order", "fitness")
MOST = 500
"""Steps of a plan that are looked at."""


class _Plan(msgspec.Struct):
    id: str
    steps: list[str | BenchStep]


class Plans(NamedTuple):
    """A planner's plans."""

    steps: dict[str, list[str]]
    """Item id to the wordings of its steps."""


def read_bench(path: Path) -> tuple[BenchHead, list[BenchItem]]:
    """Read a benchmark, and see that it is as it was made.

    Args:
        path: the file.

    Raises:
        SourceError: it cannot be read, is none, or was changed.
        QueryError: it was made with metrics of another version.
    """
    try:
        data = bounded(path)
    except OSError as error:
        raise SourceError(f"cannot be read: {why(error)}", path=str(path)) from error
    first, _, rest = data.partition(b"\n")
    try:
        head = msgspec.json.decode(first, type=BenchHead)
        assert head.format == FORMAT
    except (msgspec.DecodeError, UnicodeDecodeError, AssertionError):
        raise SourceError(
            "no benchmark of plans; make one with: tracelode plan bench -o FILE", path=str(path), line=1
        ) from None
    same_version(head.metrics_version, str(path))
    if sha256(rest).hexdigest() != head.sha256:
        raise SourceError(
            "the benchmark was changed since it was made: its scores are not comparable", path=str(path)
        )
    decoder = msgspec.json.Decoder(BenchItem)
    return head, [decoder.decode(line) for line in rest.splitlines() if line]


def read_plans(path: Path) -> Plans:
    """Read a planner's plans: one JSON object a line, with id and steps.

    Args:
        path: the file; a step is a text, or an object with text.

    Raises:
        SourceError: it cannot be read, or a line is no plan.
    """
    decoder = msgspec.json.Decoder(_Plan)
    found: dict[str, list[str]] = {}
    records = Records(path)
    try:
        for line in records:
            try:
                plan = decoder.decode(line.data)
            except (msgspec.DecodeError, UnicodeDecodeError):
                raise SourceError(
                    'no plan; a line is {"id": ..., "steps": ["...", ...]}', path=str(path), line=line.number
                ) from None
            if plan.id in found:
                raise SourceError("an item has a second plan", path=str(path), line=line.number)
            found[plan.id] = [s if isinstance(s, str) else s.text for s in plan.steps][:MOST]
    except OSError as error:
        raise SourceError(f"cannot be read: {why(error)}", path=str(path)) from error
    return Plans(found)


def score(items: Sequence[BenchItem], plans: Plans) -> BenchScore:
    """Score a planner.

    Args:
        items: of the benchmark.
        plans: its plans; an item without one has missed every step.

    Returns:
        Means with bounds over repositories, beside the same of the plans as they stood when work began.

    Source:
        plan rules, section 11.3.
    """
    own = {item.id: one(plans.steps.get(item.id, []), item) for item in items}
    recorded = {item.id: one([step.text for step in item.initial], item) for item in items}
    splits = sorted({item.split for item in items})
    scores = {"all": _scores(items, own, recorded)}
    if len(splits) > 1:
        scores |= {s: _scores([i for i in items if i.split == s], own, recorded) for s in splits}
    known = {item.id for item in items}
    return BenchScore(
        items=len(items), answered=sum(item.id in plans.steps for item in items),
        unknown=sum(ident not in known for ident in plans.steps),
        repositories=len({item.repository or item.id for item in items}), scores=scores, band=BAND,
    )  # fmt: skip


def one(steps: Sequence[str], item: BenchItem) -> dict[str, float | None]:
    """The figures of one plan.

    Args:
        steps: its wordings, in order.
        item: what it is for.

    Returns:
        recall: executed steps that it has. precision: its steps that were executed. in_band: 1 where it has
        half to twice as many steps as were executed. order: longest run of matched steps in the executed
        order, of those matched; None below 2. fitness: 1 - moves in only one of both / all moves.
    """
    wanted = [step.text for step in item.executed]
    pairs = match(steps, wanted)
    ranks = [pairs[place] for place in sorted(pairs)]
    common = len(longest(ranks, strict=True))
    size = len(steps) + len(wanted)
    ratio = len(steps) / len(wanted)
    return {
        "recall": len(pairs) / len(wanted),
        "precision": len(pairs) / len(steps) if steps else None,
        "in_band": float(BAND[0] <= ratio <= BAND[1]),
        "order": common / len(ranks) if len(ranks) > 1 else None,
        "fitness": 2 * common / size,
    }  # fmt: skip


def match(steps: Sequence[str], wanted: Sequence[str]) -> dict[int, int]:
    """Which steps are the same, told by their wordings.

    Args:
        steps: of a plan.
        wanted: those that were executed.

    Returns:
        Place in the plan to place among the executed ones: equal wordings first, then the most alike.

    Source:
        plan rules, E4 to E6.
    """
    rows = []
    for i, text in enumerate(steps):
        for j, other in enumerate(wanted):
            same = normal(text) == normal(other)
            alike = 2.0 if same else similarity(text, other)
            if alike >= THRESHOLD:
                rows.append((-alike, abs(i - j), i, j))
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, i, j in sorted(rows):
        if i not in found and j not in taken:
            found[i] = j
            taken.add(j)
    return found


def _scores(
    items: Sequence[BenchItem],
    own: Mapping[str, Mapping[str, float | None]],
    recorded: Mapping[str, Mapping[str, float | None]],
) -> tuple[Score, ...]:
    found = []
    for metric in METRICS:
        rates = [Rate(item.repository or item.id, value, 1) for item in items
                 if (value := own[item.id][metric]) is not None]  # fmt: skip
        gaps = [Rate(item.repository or item.id, a - b, 1) for item in items
                if (a := own[item.id][metric]) is not None
                and (b := recorded[item.id][metric]) is not None]  # fmt: skip
        before = [v for item in items if (v := recorded[item.id][metric]) is not None]
        told, gap = rate(_ranked(rates)), rate(_ranked(gaps))
        found.append(Score(
            metric=metric, value=told.value, interval=told.interval,
            recorded=fmean(before) if before else None, gap=gap.value, gap_interval=gap.interval,
            items=len(rates), narrow=told.narrow,
        ))  # fmt: skip
    return tuple(found)


def _ranked(rates: Sequence[Rate]) -> list[Rate]:
    """The same with repositories by what they hold: pseudonyms differ from store to store, bounds may not."""
    held: dict[Hashable, list[Rate]] = {}
    for one in rates:
        held.setdefault(one.cluster, []).append(one)
    rows = sorted(sorted((one.top, one.bottom) for one in mine) for mine in held.values())
    return [Rate(n, top, bottom) for n, row in enumerate(rows) for top, bottom in row]
