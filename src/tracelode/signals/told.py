"""Which operations tell of the same thing twice? A call as a span and as a log, a total and its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Protocol

import msgspec

_TOOLS = frozenset({"tool", "subagent", "plan"})
_RANK = {"": 0, "log": 1, "message": 2}
"""A span is believed before a log record, a log record before a message that mentions the call."""
AGAIN = 60_000_000
"""Records with one id of the provider's that lie farther apart, in microseconds, are two things."""
NEAR = 2_000_000
"""A log record and the end of the span it tells of lie at most so many microseconds apart."""


class Recorded(Protocol):
    """What is asked of an operation, whatever holds it."""

    @property
    def id(self) -> str:
        """Id."""

    @property
    def parent(self) -> str | None:
        """Id of the operation around it."""

    @property
    def kind(self) -> str:
        """What sort."""

    @property
    def name(self) -> str:
        """Tool name, model id or closed word."""

    @property
    def started(self) -> int | None:
        """UTC microseconds."""

    @property
    def ended(self) -> int | None:
        """UTC microseconds."""

    @property
    def fields(self) -> Mapping[str, str]:
        """Fields: told_by and native are read."""

    @property
    def measures(self) -> Mapping[str, int]:
        """Measures."""


class Repeats(msgspec.Struct, frozen=True):
    """What has to go so that everything counts once."""

    twins: dict[str, str] = {}
    """Ids of operations that another operation tells better, and its id."""
    totals: frozenset[str] = frozenset()
    """Ids of totals whose parts are told as well."""
    wrappers: frozenset[str] = frozenset()
    """Ids of spans around or beside the span that counts for a call: their tokens are those of the other."""


def repeats(operations: Iterable[Recorded]) -> Repeats:
    """Find what is told twice.

    Args:
        operations: of one session, or of a family; only those with a field trace or told_by can repeat.

    Returns:
        Ids by what is wrong with them. O(n log n).

    Source:
        formats: acceptance cases C2 (only the innermost calls count) and C3 (one source per measure, a span
        before a log).
    """
    known = [o for o in operations if "trace" in o.fields or "told_by" in o.fields]
    twins = {**_inside(known), **_by_native(known), **_prompts(known)}
    twins |= _by_figures([o for o in known if o.id not in twins])
    left = [o for o in known if o.id not in twins]
    again = _again(left)
    totals, wrappers = _nested([o for o in left if o.id not in again])
    return Repeats(twins, frozenset(totals), frozenset(wrappers | again))


def _group(operation: Recorded) -> str:
    return "tool" if operation.kind in _TOOLS else operation.kind


def _rank(operation: Recorded) -> int:
    return _RANK.get(operation.fields.get("told_by", ""), 0)


def _by_native(operations: Iterable[Recorded]) -> dict[str, str]:
    """Copies with the same id of the provider's, worse told than another one."""
    groups: dict[tuple[str, str], list[Recorded]] = {}
    for o in operations:
        native = o.fields.get("native")
        if native and o.fields.get("told_by") != "total":
            groups.setdefault((_group(o), native), []).append(o)
    lost: dict[str, str] = {}
    for found in groups.values():
        if len(found) > 1:
            best = min(found, key=lambda o: (_rank(o), o.id))
            lost.update((o.id, best.id) for o in found if _rank(o) > _rank(best) and _close(o, best))
    return lost


def _prompts(operations: Iterable[Recorded]) -> dict[str, str]:
    """Prompts of one trace that calls repeat: the first stays."""
    first: dict[str, Recorded] = {}
    found = [o for o in operations if o.kind == "prompt" and o.fields.get("told_by") == "message"]
    lost: dict[str, str] = {}
    for o in sorted(found, key=lambda o: (o.started is None, o.started or 0, o.id)):
        kept = first.setdefault(o.fields.get("trace", ""), o)
        if kept is not o:
            lost[o.id] = kept.id
    return lost


def _close(one: Recorded, other: Recorded) -> bool:
    """Are two records near enough in time to be of one thing? Some gateways use ids again."""
    here, there = _moment(one), _moment(other)
    return here is None or there is None or abs(here - there) <= AGAIN


def _again(operations: Iterable[Recorded]) -> set[str]:
    """Spans of a call that another span with the same id, figures and time tells too."""
    groups: dict[tuple[object, ...], list[Recorded]] = {}
    for o in operations:
        native = o.fields.get("native")
        if native and o.kind == "model" and not o.fields.get("told_by") and _tokens(o):
            groups.setdefault((native, *_figures(o)), []).append(o)
    lost: set[str] = set()
    for found in groups.values():
        found.sort(key=lambda o: (o.started or 0, o.id))
        for one, other in pairwise(found):
            # the later one lies inside, or was written by the lower layer
            if one.ended is not None and other.started is not None and other.started <= one.ended:
                lost.add(one.id)
    return lost


def _inside(operations: Iterable[Recorded]) -> dict[str, str]:
    """Calls told by a log record that was written inside the span of a call."""
    known = list(operations)
    spans = {o.id: o for o in known if o.kind == "model" and not _rank(o) and _tokens(o)}
    return {
        o.id: o.parent
        for o in known
        if o.kind == "model" and _rank(o) == 1 and o.parent in spans and _alike(o, spans[o.parent])
    }


def _alike(one: Recorded, other: Recorded) -> bool:
    """May two records be of the same call, as far as their ids tell?"""
    ids = {one.fields.get("native"), other.fields.get("native")} - {None}
    return len(ids) < 2


def _by_figures(operations: Iterable[Recorded]) -> dict[str, str]:
    """Log records that tell what a span at the same moment tells, one to one."""
    spans: dict[tuple[object, ...], list[Recorded]] = {}
    logs: list[tuple[int, Recorded]] = []
    for o in operations:
        moment = _moment(o)
        if moment is None or o.kind not in (*_TOOLS, "model", "prompt"):
            continue
        rank = _rank(o)
        if rank == 1:
            logs.append((moment, o))
        elif not rank and o.fields.get("told_by") != "total":
            spans.setdefault(_figures(o), []).append(o)
    lost: dict[str, str] = {}
    used: set[str] = set()
    for found in spans.values():
        found.sort(key=lambda o: _moment(o) or 0)
    first: dict[tuple[object, ...], int] = {}
    for moment, log in sorted(logs, key=lambda pair: (pair[0], pair[1].id)):
        key = _figures(log)
        near = spans.get(key, [])
        at = first.get(key, 0)
        while at < len(near) and (_moment(near[at]) or 0) < moment - NEAR:
            at += 1
        first[key] = at
        for span in near[at:]:
            if (_moment(span) or 0) > moment + NEAR:
                break
            if span.id not in used and _alike(log, span):
                used.add(span.id)
                lost[log.id] = span.id
                break
    return lost


def _moment(operation: Recorded) -> int | None:
    return operation.ended if operation.ended is not None else operation.started


def _figures(operation: Recorded) -> tuple[object, ...]:
    """What two records of the same thing have in common."""
    if operation.kind == "model":
        return "model", operation.name, *_tokens(operation)
    return _group(operation), operation.name


def _tokens(operation: Recorded) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((k, v) for k, v in operation.measures.items() if k.startswith("tokens.")))


def _nested(operations: Iterable[Recorded]) -> tuple[set[str], set[str]]:
    """Totals and calls with calls inside them."""
    known = {o.id: o for o in operations}
    calls = [o for o in known.values() if o.kind == "model" and _tokens(o)]
    inside: dict[str, int] = {}
    around: set[str] = set()
    for call in calls:
        at, same = call.parent, "told_by" not in call.fields
        # two are as good as many: what lies around a node that has two was told of them already
        while at is not None and (inside.get(at, 0) < 2 or (same and at not in around)):
            inside[at] = min(2, inside.get(at, 0) + 1)
            above = known.get(at)
            # a call in a tool that a call started is another call, not the same once more
            same = same and (above is None or above.kind not in _TOOLS)
            if same:
                around.add(at)
            at = above.parent if above is not None else None
    totals: set[str] = set()
    wrappers: set[str] = set()
    for call in calls:
        if call.fields.get("told_by") == "total":
            if call.parent is not None and inside.get(call.parent, 0) > 1:
                totals.add(call.id)
        elif call.id in around:
            wrappers.add(call.id)
    return totals, wrappers
