"""Where do people step in? Their events by decision, position and node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import Intervention, PeopleRow, PlanMetric, SessionPlan
from tracelode.plan.life import Story
from tracelode.plan.metrics.figure import absent, amount, ratio
from tracelode.plan.work import Work
from tracelode.signals.plan.lines import is_goal

Position = Literal["pre", "mid", "post", "unknown"]

_CORRECTIVE = frozenset({"request_changes", "reject", "deny_tool", "interrupt"})
_PLANNING = frozenset({"approve", "approve_in_new_session", "answer", "constraint"})
_TEXT = 200
_HOUR = 3_600_000_000


def interventions(story: Story, work: Work | None = None) -> list[Intervention]:
    """The events of people.

    Args:
        story: one session.
        work: what was observed, None for nothing.

    Returns:
        One each, in order. A review without a decision that leaves its node updated asked for a change: a
        constraint where it came before work began.

    Source:
        plan rules, section 7.4.
    """
    found = []
    for place, event in enumerate(story.events):
        if event.actor != "human":
            continue
        position = _position(story, place, work)
        decision, declared = _decision(story, event, position)
        corrective = decision in _CORRECTIVE or (decision == "prompt" and position == "mid")
        text = event.payload.get("reason") or event.payload.get("description")
        found.append(
            Intervention(
                event_id=event.event_id,
                timestamp=event.timestamp,
                event_type=event.event_type,
                node_id=event.node_id,
                status=event.status,
                decision=decision,
                declared=declared,
                position=position,
                corrective=corrective,
                delay=_delay(story, place, event) if corrective else None,
                text=text[:_TEXT] if isinstance(text, str) else "",
            )
        )
    return found


def _position(story: Story, place: int, work: Work | None) -> Position:
    if story.skew:
        return "unknown"
    _, first, last = story.window(place)
    if first < len(story.events):
        return "pre" if place < first else "post" if place > last else "mid"
    # nothing is declared to have begun: the tool calls say when work did
    calls = [c.at for c in work.calls if c.at is not None] if work is not None else []
    at = story.events[place].timestamp
    if not calls or at is None:
        return "unknown"
    return "pre" if at < min(calls) else "post" if at > max(calls) else "mid"


def _decision(story: Story, event: PlanEvent, position: str) -> tuple[str, bool]:
    given = event.payload.get("decision")
    if isinstance(given, str) and given:
        return given, True
    if is_goal(event) or (event.event_type == "plan" and story.nodes[event.node_id].goal):
        return "goal", event.payload.get("op") == "goal"
    if event.event_type in ("review", "revise") and event.status == "updated":
        return ("constraint" if position == "pre" else "request_changes"), False
    if event.event_type == "review":
        return {"failed": "reject", "succeeded": "approve", "planned": "approve"}.get(
            event.status, "note"
        ), False
    return {"plan": "constraint", "revise": "constraint"}.get(event.event_type, "note"), False


def _delay(story: Story, place: int, event: PlanEvent) -> int | None:
    """Microseconds from the last end on the corrected node."""
    ends = [
        t.end
        for t in story.nodes[event.node_id].tries
        if t.end is not None and t.stopped is not None and t.stopped < place
    ]
    if not ends or ends[-1].timestamp is None or event.timestamp is None:
        return None
    delay = event.timestamp - ends[-1].timestamp
    return delay if delay >= 0 else None


def people_metrics(story: Story, found: Sequence[Intervention]) -> Iterator[PlanMetric]:
    """How often, where and how late people stepped in.

    Args:
        story: one session.
        found: its interventions.

    Returns:
        Metrics of section 7.4.
    """
    human = [e for e in story.events if e.actor == "human"]
    goals = {e.event_id for e in story.events if e.event_type == "plan" and story.nodes[e.node_id].goal}
    rest = [e for e in story.events if e.event_id not in goals]
    yield ratio("human_rate_seed", human, story.events, why="no event")
    own = [e for e in human if e.event_id not in goals]
    yield ratio("human_rate", own, rest, why="no event but the goal")
    by_id = {e.event_id: e for e in own}
    unplaced = {i.event_id for i in found if i.position == "unknown"}
    placed = [e for e in own if e.event_id not in unplaced]
    for name, position in (("human_pre", "pre"), ("human_mid", "mid"), ("human_post", "post")):
        inside = [by_id[i.event_id] for i in found if i.position == position and i.event_id in by_id]
        yield ratio(name, inside, placed, why="nobody stepped in, or nothing says when work began")
    corrective = [by_id[i.event_id] for i in found if i.corrective and i.event_id in by_id]
    yield ratio("corrective", corrective, own, why="nobody stepped in")
    before = [
        by_id[i.event_id]
        for i in found
        if i.decision in _PLANNING and i.position == "pre" and i.event_id in by_id
    ]
    yield ratio("planning", before, own, why="nobody stepped in")
    yield ratio(
        "human_per_attempt",
        own,
        [t.start for t in story.tries],
        why="no execute event starts a node",
        unit="events",
    )
    yield _hourly(story, own)
    delays = [i.delay for i in found if i.delay is not None]
    if delays:
        total = sum(delays)
        yield amount(
            "detection_delay",
            total / len(delays) / 1e6,
            "seconds",
            len(delays),
            parts=(total / 1e6, len(delays)),
            basis=[by_id[i.event_id] for i in found if i.delay is not None and i.event_id in by_id],
        )
    else:
        yield absent("detection_delay", "seconds", "no correction of a node that had ended")


def together(sessions: Iterable[SessionPlan]) -> tuple[PeopleRow, ...]:
    """What people decided and when, over sessions.

    Args:
        sessions: measured sessions.

    Returns:
        A row a decision, the most frequent first; goals are left out.
    """
    counts: Counter[tuple[str, str]] = Counter()
    corrective: Counter[str] = Counter()
    for one in sessions:
        for person in one.interventions:
            if person.decision != "goal":
                counts[person.decision, person.position] += 1
                corrective[person.decision] += person.corrective
    totals: Counter[str] = Counter()
    for (decision, _), n in counts.items():
        totals[decision] += n
    return tuple(
        PeopleRow(
            decision=decision,
            pre=counts[decision, "pre"],
            mid=counts[decision, "mid"],
            post=counts[decision, "post"],
            unknown=counts[decision, "unknown"],
            corrective=corrective[decision],
        )
        for decision in sorted(totals, key=lambda name: (-totals[name], name))
    )


def _hourly(story: Story, own: Sequence[PlanEvent]) -> PlanMetric:
    moments = [e.timestamp for e in story.events if e.timestamp is not None]
    span = max(moments) - min(moments) if moments else 0
    if not span:
        return absent("human_per_hour", "events", "the events span no time")
    return amount(
        "human_per_hour",
        len(own) * _HOUR / span,
        "events",
        len(own),
        basis=own,
        parts=(len(own), span / _HOUR),
    )
