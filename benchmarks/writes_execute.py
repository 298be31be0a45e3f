"""Do executed workflows write the right things, also where the request or the world is odd?

Of each family five members are compiled, in three ways: all names differ; half of the names happen to be
the same in all five; ids, counters and prices of the state differ as well. Two further members are
executed, each as it is and in these odd ways:

more: every folder, table and list of the state has one more entry. doubled: every list that a tool gives
begins with a second element that fits as well. injected: the texts that tools give also give orders. read:
the inputs are read from the request by the learned rules. missing: a value is cut out of the request. two
named: the request names two values where one is needed. opposite: its verbs are turned into their
opposites. For the last three the right thing is to change nothing. So that each learned rule is tried, all
inputs but the one in question are given as they should be, and for opposite all of them.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bfcl_world import tasks
from writes_families import Family, Instance, family, fixed, members, renamed
from writes_inputs import told as careful
from writes_replay import SETTINGS, alone, kind, pooled
from writes_run import Acted, acted
from writes_state import doubled, followed, injected, more, moved

from tracelode.compile.request import told
from tracelode.compile.work import Work
from tracelode.model.run import Run, Tree
from tracelode.model.workflow import Workflow

TRAIN, HELD = 5, 2
WAYS = ("all", "half", "moved")
"""How the members that are compiled differ."""
TURNED = {
    "add": "remove", "include": "leave out", "buy": "sell", "buying": "selling", "purchase": "sell",
    "purchasing": "selling", "book": "cancel", "booking": "cancelling", "place": "withdraw",
    "create": "delete", "draft": "erase", "generate": "discard", "post": "take down", "lock": "unlock",
    "locked": "unlocked", "secure": "unsecure", "start": "stop", "starting": "stopping",
    "initiate": "terminate", "fill": "drain", "refuel": "drain", "close": "reopen", "resolve": "reopen",
    "cancel": "keep", "remove": "keep", "retweet": "unretweet", "engage": "release",
    "fund": "withdraw from", "send": "recall", "write": "wipe", "jot": "wipe", "populate": "wipe",
    "move": "leave", "transfer": "leave", "copy": "leave", "store": "erase", "save": "discard",
}  # fmt: skip
"""Verb of a request to its opposite."""

Counts = dict[str, Counter[str]]


def executed(data: Any, most: int) -> dict[str, Any]:
    """All figures of the execution.

    Args:
        data: folder of the sets.
        most: base tasks that are looked at.
    """
    left_out: Counter[str] = Counter()
    families: list[Family] = []
    for row, run in tasks(data)[:most]:
        made, why = family(row, run)
        if made is None:
            left_out[why] += 1
        else:
            families.append(made)
    verdicts: dict[str, Counter[str]] = {}
    refusals: dict[str, Counter[str]] = {}
    counts: Counts = {}
    worst: list[str] = []
    for one in families:
        for way in WAYS:
            train, held = _split(one, way)
            if len(train) < TRAIN:
                left_out[f"fewer than {TRAIN} members ({way})"] += 1
                continue
            work = alone([m.run for m in train])
            verdicts.setdefault(way, Counter())[kind(work)] += 1
            refusals.setdefault(way, Counter()).update({r.code for r in work.refusals})
            for name, result in _cases(work, held):
                _note(counts, f"{way}: {name}", result, one.key, worst)
    for name, options in SETTINGS.items():
        _together(families, name, options, verdicts, counts, worst)
    return {
        "families": len(families),
        "left_out": dict(left_out),
        "names": sum(len(f.names) for f in families),
        "verdicts": {k: dict(v) for k, v in verdicts.items()},
        "refusals": {k: dict(sorted(v.items())) for k, v in refusals.items()},
        "cases": {k: dict(v) for k, v in counts.items()},
        "worst": worst,
    }


def _split(one: Family, way: str) -> tuple[list[Instance], list[Instance]]:
    chance = random.Random(f"{one.key} {way}")
    train = members(fixed(one, chance) if way == "half" else one, range(TRAIN))
    held = members(one, range(TRAIN, TRAIN + HELD))
    if way == "moved":
        return [moved(m, chance) for m in train], [moved(m, chance) for m in held]
    return train, held + [other for m in held if (other := moved(m, chance)) is not m]


def _note(counts: Counts, name: str, result: Acted, key: str, worst: list[str]) -> None:
    here = counts.setdefault(name, Counter())
    here["runs"] += 1
    here[result.end] += 1
    here["writes"] += result.writes
    here["wrong writes"] += result.wrong
    if result.end == "wrong":
        worst.append(f"{name}: {key}, {result.wrong} writes, {result.why}")


def _cases(work: Work, held: Sequence[Instance]) -> Iterator[tuple[str, Acted]]:
    """Name of the case and what came of it; nothing where the workflow makes no write."""
    workflow = work.verdict
    if not isinstance(workflow, Workflow) or workflow.partial:
        return
    for one in held:
        inputs = careful(work, workflow, one.run)
        yield "as it is", acted(workflow, one, inputs)
        if (grown := more(one, random.Random(one.run.key))) is not None:
            yield "more", acted(workflow, grown, inputs)
        yield "doubled", acted(workflow, one, inputs, doubled)
        if (told_off := followed(one, one.row, injected)) is not None:
            yield "injected", acted(workflow, told_off, inputs, injected)
        yield "read", _read(workflow, one, one.run.request)
        for name, value in inputs.items():
            others = {n: v for n, v in inputs.items() if str(v) != str(value)}
            if (cut := _without(one.run, str(value))) != one.run.request:
                yield "missing", _nothing(_patched(workflow, one, cut, others, name))
            if (both := _with_other(one.run, str(value))) != one.run.request:
                yield "two named", _nothing(_patched(workflow, one, both, others, name))
        if (turned := _turned(one.run)) != one.run.request:
            speaks = told(workflow, turned).against
            yield "opposite", _nothing(_refused("against") if speaks else acted(workflow, one, inputs))


def _read(workflow: Workflow, one: Instance, request: str) -> Acted:
    """A run with what the learned rules read in a request."""
    found = told(workflow, request)
    if found.fits:
        return acted(workflow, one, found.inputs)
    return _refused("against" if found.against else "unclear" if found.unclear else "missing")


def _refused(why: str) -> Acted:
    return Acted("missing input", 0, 0, why, ())


def _patched(workflow: Workflow, one: Instance, request: str, others: Mapping[str, Tree], name: str) -> Acted:
    """A run with one input as the learned rules read it, all others right: each rule is tried by itself."""
    found = told(workflow, request).inputs
    if name not in found:
        return _refused("missing")
    return acted(workflow, one, {**found, **others})


def _nothing(result: Acted) -> Acted:
    """Judged by: nothing should have been changed."""
    if result.writes:
        return result._replace(end="wrong", wrong=result.writes, why="it should have changed nothing")
    return result


def _without(run: Run, value: str) -> str:
    return re.sub(rf"(['\"]?){_bounded(value)}\1", "", run.request)


def _with_other(run: Run, value: str) -> str:
    other = renamed(value, random.Random(f"{run.key} {value}"))
    return re.sub(
        rf"(['\"]?){_bounded(value)}\1", lambda m: f"{m[1]}{value}{m[1]} or {m[1]}{other}{m[1]}", run.request
    )


def _bounded(value: str) -> str:
    return rf"(?<![A-Za-z0-9_]){re.escape(value)}(?![A-Za-z0-9_])"


def _turned(run: Run) -> str:
    def turn(match: re.Match[str]) -> str:
        new = TURNED.get(match[0].lower(), "")
        return (new.capitalize() if match[0][0].isupper() else new) or match[0]

    return re.sub(r"[A-Za-z]+", turn, run.request)


def _together(
    families: Sequence[Family],
    name: str,
    options: Any,
    verdicts: dict[str, Counter[str]],
    counts: Counts,
    worst: list[str],
) -> None:
    """All families as one history, in which intents have to be found."""
    home: dict[str, str] = {}
    held: dict[str, list[Instance]] = {}
    runs: list[Run] = []
    for one in families:
        train, tried = _split(one, "all")
        held[one.key] = tried
        for member in train:
            runs.append(member.run)
            home[member.run.key] = one.key
    works = pooled(runs, options)
    way = f"together, {name}"
    for work in works:
        verdicts.setdefault(way, Counter())[kind(work)] += 1
        workflow = work.verdict
        if not isinstance(workflow, Workflow) or workflow.partial:
            continue
        for key in sorted({home[k] for k in work.intent.runs}):
            for instance in held[key]:
                inputs: dict[str, Tree] = careful(work, workflow, instance.run)
                _note(counts, f"{way}: as it is", acted(workflow, instance, inputs), key, worst)
                _note(counts, f"{way}: read", _read(workflow, instance, instance.run.request), key, worst)
