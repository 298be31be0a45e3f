"""Which source of an argument leaf is proven, which is only suspected, and why? By one run, or by many."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tracelode.compile.evidence.crossed import (
    ASKED,
    DISTINCT,
    FEWEST,
    Candidate,
    Crossed,
    Fare,
    Group,
    Rule,
    fare,
    rule_of,
)
from tracelode.compile.work import Source, Traced, Work
from tracelode.model.evidence import Suspicion
from tracelode.model.run import Run

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_COARSE = frozenset({"date", "time", "datetime", "round"})
"""Changes that leave less of a value than it was: a date of a moment is equal by chance within one trip."""
_PLAIN = re.compile(r"[a-z]+(?: [a-z]+)?\Z")


class Verdict(NamedTuple):
    """What is said of one argument leaf."""

    kind: str
    """hard, suspected or none."""
    basis: str
    """single_run, cross_run or ""."""
    source: Source | None
    """Producer that counts."""
    alternatives: tuple[Source, ...] = ()
    """Further ones; of a hard verdict by many runs, those that are as proven."""
    reasons: tuple[Suspicion, ...] = ()
    """Why it is only suspected."""
    numbers: tuple[Candidate, Fare, Group] | None = None
    """How the source fares over the runs."""
    constant: int = 0
    """Different values in the runs, where there is more than one run."""


@dataclass(frozen=True)
class _Standing:
    """A group over some runs."""

    group: Group
    fares: Mapping[Rule, tuple[Candidate, Fare]]
    promoted: Mapping[Rule, tuple[Candidate, Fare]]
    distinct: int
    requests: int
    members: int


def verdicts(work: Work, found: Crossed, runs: frozenset[int]) -> dict[tuple[int, int], Verdict]:
    """Judge every argument leaf of some runs by these runs alone.

    Args:
        work: after trace.
        found: counts over all runs.
        runs: places of the runs that count.

    Returns:
        (run, place among its leaves) to verdict.
    """
    standings: dict[tuple[int, int], list[_Standing]] = {}
    for group in found.groups:
        standing = _standing(work, found, group, runs)
        for place in group.places:
            if place[0] in runs:
                standings.setdefault(place, []).append(standing)
    return {
        (run, place): _verdict(
            work, run, traced, _ranked(found, run, place, traced), standings.get((run, place), [])
        )
        for run in sorted(runs)
        for place, traced in enumerate(work.traced[run])
    }


def _standing(work: Work, found: Crossed, group: Group, runs: frozenset[int]) -> _Standing:
    here = [place for place in group.places if place[0] in runs]
    fares: dict[Rule, tuple[Candidate, Fare]] = {}
    promoted: dict[Rule, tuple[Candidate, Fare]] = {}
    for candidate in group.candidates:
        if not any(group.places[n][0] in runs for n in candidate.hit):
            continue
        one = fare(work, found, group, candidate, runs)
        fares[candidate.rule] = candidate, one
        if work.options.rule != "paper" and _holds(work, candidate, one):
            promoted[candidate.rule] = candidate, one
    return _Standing(
        group,
        fares,
        promoted,
        len({found.values[run][place] for run, place in here}),
        len({work.runs[run].request for run, _ in here}),
        len({run for run, _ in here}),
    )


def _holds(work: Work, candidate: Candidate, one: Fare) -> bool:
    return (
        one.runs >= FEWEST
        and one.hits >= FEWEST
        and one.distinct >= DISTINCT
        and one.asked < ASKED
        and one.support >= work.options.support - 1e-9
        and bool(candidate.others)
        and one.lift >= work.options.lift - 1e-9
    )


_Ruled = tuple[Source, Rule | None]


def _ranked(found: Crossed, run: int, place: int, traced: Traced) -> tuple[_Ruled, ...]:
    """The sources of a leaf, the best first, with their rules."""
    ranked = found.ranked.get((run, place))
    if ranked is None:
        sources = sorted((*traced.sources, *traced.derived), key=lambda s: _rank(s, traced))
        slots = found.slots[run]
        ranked = found.ranked[run, place] = tuple((source, rule_of(source, slots)) for source in sources)
    return ranked


def _verdict(
    work: Work, run: int, traced: Traced, ruled: Sequence[_Ruled], standings: Sequence[_Standing]
) -> Verdict:
    narrow = standings[0] if standings else None
    distinct = narrow.distinct if narrow is not None and narrow.members > 1 else 0
    if not ruled:
        return Verdict("none", "", None, constant=distinct)
    fixed = narrow is not None and narrow.members > 1 and narrow.requests > 1 and narrow.distinct == 1
    for standing in standings:
        # what fares equally well stays in the order of ranks
        known = standing.promoted
        proven = [(*known[rule], source) for source, rule in ruled if rule is not None and rule in known]
        if proven and not fixed:
            proven.sort(key=lambda one: -one[1].support)
            candidate, one, source = proven[0]
            return Verdict(
                "hard",
                "cross_run",
                source,
                tuple(other for _, _, other in proven[1:]),
                (),
                (candidate, one, standing.group),
                distinct,
            )
    plain = [one for one in ruled if one[0].level != "L5"]
    ranked = [source for source, _ in plain]
    if not ranked:
        return Verdict("none", "", None, constant=distinct)
    reasons = _reasons(work.runs[run], traced, ranked)
    numbers = _numbers(plain[0][1], narrow)
    if fixed and (reasons or not _named(traced.gpath, ranked[0].gpath)):
        return Verdict("none", "", ranked[0], tuple(ranked[1:]), reasons, numbers, distinct)
    if not reasons:
        return Verdict("hard", "single_run", ranked[0], tuple(ranked[1:]), (), numbers, distinct)
    reasons = (*reasons, *_over_runs(work, numbers))
    return Verdict("suspected", "single_run", ranked[0], tuple(ranked[1:]), reasons, numbers, distinct)


def _numbers(rule: Rule | None, standing: _Standing | None) -> tuple[Candidate, Fare, Group] | None:
    if standing is None or rule is None or rule not in standing.fares or standing.members < 2:
        return None
    return *standing.fares[rule], standing.group


def _reasons(run: Run, traced: Traced, ranked: Sequence[Source]) -> tuple[Suspicion, ...]:
    """Why one run alone does not prove it."""
    found: list[Suspicion] = []
    if traced.enum or traced.default:
        found.append("enum")
    elif not traced.information or _COARSE.intersection(t.name for t in ranked[0].transforms):
        found.append("low_information")
    if traced.prompt is not None or traced.system or 0 <= traced.earlier < ranked[0].call:
        found.append("in_prompt")
    if len({source.call for source in ranked}) > 1:
        found.append("multi_producer")
    if ranked[0].level in ("L4", "L5"):
        found.append("single_run")
    if ranked[0].span is not None and isinstance(traced.value, str) and _PLAIN.match(traced.value):
        found.append("text_ambiguous")
    if run.calls[ranked[0].call].error:
        found.append("after_error")
    return tuple(found)


def _over_runs(work: Work, numbers: tuple[Candidate, Fare, Group] | None) -> tuple[Suspicion, ...]:
    """Why many runs do not prove it either."""
    if numbers is None or work.options.rule == "paper":
        return ()
    _, one, _ = numbers
    if one.runs < FEWEST:
        return ("single_run",)
    if one.support < work.options.support:
        return ("below_support",)
    return ("no_lift",) if one.lift < work.options.lift else ()


def _rank(source: Source, traced: Traced) -> tuple[str, float, int, int, str]:
    """The order of sources that explain a leaf equally often: level, names alike, then the latest call."""
    return source.level, -alike(traced.gpath, source.gpath), -source.call, len(source.gpath), source.gpath


@lru_cache(maxsize=65536)
def alike(arg: str, path: str) -> float:
    """How much do the last names of two paths have in common?

    Args:
        arg: argument path.
        path: output path.

    Returns:
        0 to 1.
    """
    mine, other = _parts(arg), _parts(path)
    return len(mine & other) / len(mine | other) if mine and other else 0.0


def _named(arg: str, path: str) -> bool:
    """Does an output name its leaf as the argument is named: id for from_id, search_type for searchType?"""
    mine, other = _parts(arg), _parts(path)
    return bool(other) and other <= mine


@lru_cache(maxsize=65536)
def _parts(path: str) -> frozenset[str]:
    last = path.replace("[*]", "").rpartition(".")[2]
    return frozenset(part.lower() for part in _PART.findall(last))
