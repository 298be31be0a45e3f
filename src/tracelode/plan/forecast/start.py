"""What does the beginning of a session show, and what came after it? Nothing of the rest is in the first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from tracelode.errors import UsageError
from tracelode.model.forecast import Start
from tracelode.model.operation import Operation
from tracelode.model.plan import Plan, PlanEvent
from tracelode.model.planning import SessionPlan
from tracelode.plan.life import Story
from tracelode.plan.metrics import measure
from tracelode.plan.metrics.rework import rework
from tracelode.plan.work import Work, work_of_operations, work_of_story
from tracelode.signals.effects import EFFECTS, effect
from tracelode.signals.plan.events import plans
from tracelode.signals.plan.lanes import Lane

MARGIN = 5
"""Calls that must come after a beginning: what ends with it cannot be foreseen."""
CORRECTIVE = frozenset({"interrupt", "deny_tool", "request_changes"})
"""Decisions of people that count as a correction."""
DONE = frozenset({"tool", "subagent", "gui"})
_FAILED = frozenset({"error", "nonzero"})
_TIME = re.compile(r"(\d+)([smh])")
_SECONDS = {"s": 1, "m": 60, "h": 3600}


class Moment(NamedTuple):
    """Where a beginning ends."""

    name: str
    """As it was asked for."""
    calls: int
    """Tool calls, 0 where it goes by time."""
    time: int
    """Microseconds from the start, 0 where it goes by calls."""


class Facts(NamedTuple):
    """What is known of a session from outside."""

    session: str
    task: str = ""
    project: str = ""
    agent: str = ""
    outcome: str = ""


class _Did(NamedTuple):
    """One tool call of a beginning."""

    effect: str
    failed: bool
    denied: bool


def moment(word: str) -> Moment:
    """A moment, as "10" (calls) or "5m".

    Args:
        word: what the user wrote.

    Raises:
        UsageError: it is neither.
    """
    if word.isdigit() and 0 < int(word) <= 10_000:
        return Moment(word, int(word), 0)
    match = _TIME.fullmatch(word)
    if match and int(match[1]):
        return Moment(word, 0, int(match[1]) * _SECONDS[match[2]] * 1_000_000)
    raise UsageError("a moment is a number of tool calls or a time, as 5,10,20,40 or 10m")


def of_operations(
    operations: Sequence[Operation], facts: Facts, moments: Sequence[Moment], whole: Plan | None = None
) -> dict[str, Start | str]:
    """Beginnings of a stored session.

    Args:
        operations: its own ones, in order.
        facts: what is known of it.
        moments: where beginnings end.
        whole: its plan, None to derive it.

    Returns:
        Name of the moment to the beginning, or to why there is none.

    Source:
        plan rules, section 9.3.
    """
    own = [o for o in operations if not o.inherited]
    places = [i for i, o in enumerate(own) if o.kind in DONE]
    plan = whole or _plan(facts.session, own)
    work = work_of_operations(own, plan)
    lost = rework(work)
    found: dict[str, Start | str] = {}
    for one in moments:
        stop = _cut(own, places, one)
        if isinstance(stop, str):
            found[one.name] = stop
            continue
        seen = sum(place < stop for place in places)
        if len(places) - seen < MARGIN:
            found[one.name] = f"fewer than {MARGIN} calls after it"
            continue
        begun = _known(own[:stop], one)
        early = _plan(facts.session, begun)
        early_work = work_of_operations(begun, early)
        models = Counter(o.name for o in begun if o.kind == "model")
        did = [_of_operation(o) for o in begun if o.kind in DONE]
        told = {event.event_id for event in early.events}
        later = [e for e in plan.events if e.event_id not in told and e.payload.get("decision") in CORRECTIVE]
        rest = [own[i] for i in places if i >= stop]
        when = next((e.timestamp for e in later if e.timestamp is not None), None)
        gone = rework(early_work)
        found[one.name] = Start(
            session=facts.session, task=facts.task, project=facts.project,
            who=f"{facts.agent} {models.most_common(1)[0][0] if models else ''}".strip(),
            features=_features(early.events, early_work, did, _elapsed(begun)), calls=seen,
            rest=len(places) - seen, failure=_failure(facts.outcome), correction=bool(later),
            corrected=None if when is None else sum(o.started is not None and o.started < when for o in rest),
            rework=_share(lost.again - gone.again, lost.added - gone.added),
        )  # fmt: skip
    return found


def of_events(events: Sequence[PlanEvent], facts: Facts, moments: Sequence[Moment]) -> dict[str, Start | str]:
    """Beginnings of a session of plan events.

    Args:
        events: of one session, in order.
        facts: what is known of it.
        moments: where beginnings end.

    Returns:
        Name of the moment to the beginning, or to why there is none. A tool call is an execute event that
        names a tool; where none does, every execute event counts.
    """
    work = work_of_story(Story(events))
    places = [c.place for c in work.calls] if work is not None else [
        i for i, e in enumerate(events) if e.event_type == "execute"]  # fmt: skip
    lost = rework(work) if work is not None else None
    first = next((e.timestamp for e in events if e.timestamp is not None), None)
    found: dict[str, Start | str] = {}
    for one in moments:
        if one.calls:
            stop = places[one.calls - 1] + 1 if len(places) >= one.calls else None
        else:
            stop = None if first is None else next(
                (i for i, e in enumerate(events)
                 if e.timestamp is not None and e.timestamp > first + one.time), None)  # fmt: skip
        if stop is None:
            found[one.name] = "shorter than that"
            continue
        seen = sum(place < stop for place in places)
        if len(places) - seen < MARGIN:
            found[one.name] = f"fewer than {MARGIN} calls after it"
            continue
        begun = list(events[:stop])
        early_work = work_of_story(Story(begun))
        did = [_of_event(begun[place]) for place in places if place < stop]
        later = [i for i in range(stop, len(events)) if events[i].payload.get("decision") in CORRECTIVE]
        gone = rework(early_work) if early_work is not None else None
        last = next((e.timestamp for e in reversed(begun) if e.timestamp is not None), None)
        elapsed = None if first is None or last is None else last - first
        found[one.name] = Start(
            session=facts.session, task=facts.task, project=facts.project, who=facts.agent,
            features=_features(begun, early_work, did, elapsed), calls=seen, rest=len(places) - seen,
            failure=_failure(facts.outcome), correction=bool(later),
            corrected=sum(stop <= p < later[0] for p in places) if later else None,
            rework=None if lost is None else _share(
                lost.again - (gone.again if gone else 0), lost.added - (gone.added if gone else 0)),
        )  # fmt: skip
    return found


def _plan(session: str, operations: Sequence[Operation]) -> Plan:
    made = plans([Lane(session, operations, session)])
    return made[0] if made else Plan(session=session, nodes=(), events=(), epochs=0)


def _cut(own: Sequence[Operation], places: Sequence[int], one: Moment) -> int | str:
    """Place behind the last operation of a beginning, or why there is none."""
    if one.calls:
        return places[one.calls - 1] + 1 if len(places) >= one.calls else "shorter than that"
    first = next((o.started for o in own if o.started is not None), None)
    if first is None:
        return "it has no moments"
    late = (i for i, o in enumerate(own) if o.started is not None and o.started > first + one.time)
    return next(late, "shorter than that")


def _known(begun: Sequence[Operation], one: Moment) -> list[Operation]:
    """What was known at the end of a beginning: what had not ended then has no result yet."""
    if not begun:
        return []
    first = next((o.started for o in begun if o.started is not None), None)
    now = begun[-1].ended if one.calls else None if first is None else first + one.time
    if now is None:
        return list(begun)
    return [
        msgspec.structs.replace(o, status="running", ended=None, output="")
        if o.ended is not None and o.ended > now else o
        for o in begun
    ]  # fmt: skip


def _of_operation(o: Operation) -> _Did:
    tool = o.fields.get("tool") or o.name
    kind = effect(tool, o.fields.get("command") or "")
    return _Did(kind, o.status in _FAILED, o.status in ("denied", "interrupted"))


def _of_event(event: PlanEvent) -> _Did:
    tool, told = event.payload.get("tool"), event.payload.get("input_summary")
    kind = effect(tool, told if isinstance(told, str) else "") if isinstance(tool, str) else "none"
    return _Did(kind, event.status == "failed", False)


def _elapsed(begun: Sequence[Operation]) -> int | None:
    moments = [at for o in begun for at in (o.started, o.ended) if at is not None]
    return max(moments) - min(moments) if moments else None


def _failure(outcome: str) -> bool | None:
    return {"failure": True, "success": False}.get(outcome)


def _share(part: int, whole: int) -> float | None:
    return max(0, part) / whole if whole > 0 else None


def _features(
    events: Sequence[PlanEvent], work: Work | None, did: Sequence[_Did], elapsed: int | None
) -> dict[str, float]:
    """Numbers of a beginning; the metrics are those of plan metrics, measured on it alone."""
    plan: SessionPlan | None = measure(events, work) if events else None
    n = max(1, len(did))
    ops = Counter(str(e.payload.get("op")) for e in events if e.event_type in ("plan", "revise"))
    decisions = Counter(str(e.payload.get("decision")) for e in events if e.actor == "human")

    def of(name: str) -> float:
        value = plan.metric(name).value if plan is not None else None
        return 0.0 if value is None else float(value)

    ended = [e for e in events if e.event_type == "execute" and e.status == "succeeded"]
    found = {
        "has plan": float(plan is not None and bool(plan.nodes)),
        "plan nodes": math.log1p(of("node_count")),
        "plan written": math.log1p(len({e.timestamp for e in events if e.event_type in ("plan", "revise")})),
        "nodes added": math.log1p(of("nodes_added")),
        "nodes renamed": math.log1p(ops["rename"]),
        "nodes removed": math.log1p(of("nodes_removed")),
        "completions": math.log1p(len(ended)),
        "unsupported completions": 1 - of("supported_completion") if ended else 0.0,
        "work outside the plan": 1 - of("work_in_plan") if plan is not None and plan.nodes else 0.0,
        "failed calls": sum(d.failed for d in did) / n,
        "denied calls": math.log1p(sum(d.denied for d in did)),
        "prompts of people": math.log1p(decisions["prompt"]),
        "corrections": math.log1p(sum(decisions[word] for word in CORRECTIVE)),
        "handed over": float(any(e.payload.get("handoff") for e in events)),
        "elapsed": math.log1p(max(0, elapsed or 0) / 1e6),
    }
    kinds = Counter(d.effect for d in did)
    return found | {f"{kind} calls": kinds[kind] / n for kind in EFFECTS if kind != "none"}
