"""How did one session, or several, plan and work? Every metric with its proof, in two readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import Bar, NodeRow, SessionPlan
from tracelode.plan.life import Story
from tracelode.plan.metrics.durations import duration_metrics
from tracelode.plan.metrics.nodes import depth, node_metrics
from tracelode.plan.metrics.observed import calls_by_node, observed_metrics
from tracelode.plan.metrics.order import order_metrics
from tracelode.plan.metrics.people import interventions, people_metrics
from tracelode.plan.metrics.pieces import Piece, piece_bars, piece_metrics, piece_rows
from tracelode.plan.metrics.rework import rework_metrics
from tracelode.plan.metrics.rollbacks import Found
from tracelode.plan.metrics.weights import weight_of
from tracelode.plan.work import Work, work_of_story

_GOAL = 200
_TEXT = 120


def measure(
    events: Sequence[PlanEvent],
    work: Work | None = None,
    *,
    chained: bool | None = None,
    notes: Iterable[str] = (),
    segments: Sequence[Piece] = (),
) -> SessionPlan:
    """Everything that the events of one session tell.

    Args:
        events: n events of one session, in order.
        work: what was observed beside them; None: what the events themselves tell.
        chained: take parents as what must be finished first; None: where they form a chain.
        notes: what its reader should know.
        segments: its stretches, which take the place of nodes where nothing was planned.

    Returns:
        The session's metrics, nodes, interventions and rollbacks.

    Source:
        plan rules, section 7.
    """
    story = Story(events, chained)
    seen = work if work is not None else work_of_story(story)
    people = interventions(story, seen)
    back = Found(story, seen)
    figures = (
        *node_metrics(story),
        *observed_metrics(story, seen),
        *order_metrics(story),
        *people_metrics(story, people),
        *duration_metrics(story, seen.waits if seen else None),
        *back.metrics(),
        *rework_metrics(seen, bool(story.plan)),
        *piece_metrics(segments, seen, bool(story.plan)),
    )
    bare = () if story.plan else segments
    moments = [e.timestamp for e in story.events if e.timestamp is not None]
    goal = next((e for e in story.events if e.event_type == "plan" and story.nodes[e.node_id].goal), None)
    return SessionPlan(
        session_id=story.session,
        task_type=_text(goal, "task_type")[:40],
        goal=_text(goal, "description")[:_GOAL],
        tier=_tier(story) if not bare else "inferred",
        started=min(moments, default=None),
        ended=max(moments, default=None),
        counts={
            name: story.types.get(name, 0) for name in ("plan", "execute", "review", "revise", "complete")
        },
        actors=dict(sorted(Counter(e.actor for e in story.events).items())),
        metrics=figures,
        nodes=tuple(_rows(story, seen) if not bare else piece_rows(bare, seen)),
        interventions=tuple(people),
        rollbacks=tuple(back.rows),
        bars=tuple(_bars(story) if not bare else piece_bars(bare)),
        weight=weight_of(story.events),
        notes=tuple(notes),
        task=next((e.task_id for e in story.events if e.task_id), "") or _text(goal, "task")[:_TEXT],
        outcome=_outcome(story),
        seed=str(goal.payload["seed"])[:40] if goal is not None and "seed" in goal.payload else "",
    )


def _outcome(story: Story) -> str:
    """How the session ended, as its own last event of the goal says; the agent's word, where nobody else has
    one."""
    ends = [e for e in story.events if e.event_type == "complete" and story.nodes[e.node_id].goal]
    return {"succeeded": "success", "failed": "failure"}.get(ends[-1].status, "") if ends else ""


def _text(event: PlanEvent | None, key: str) -> str:
    value = event.payload.get(key) if event is not None else None
    return value if isinstance(value, str) else ""


def _tier(story: Story) -> Literal["declared", "human", "inferred", "none"]:
    told = Counter(node.planned.evidence for node in story.plan if node.planned is not None)
    if not told:
        return "none"
    if told["declared"] or told["observed"]:
        return "declared"
    return "human" if told["human"] else "inferred"


def _rows(story: Story, work: Work | None) -> Iterable[NodeRow]:
    calls = calls_by_node(work) if work is not None else {}
    people = Counter(e.node_id for e in story.events if e.actor == "human")
    turns, tokens = _spent(work)
    for node in story.plan:
        spans = [t.span for t in node.tries if t.span is not None]
        yield NodeRow(
            id=node.id,
            text=node.text[:_TEXT],
            rank=node.rank,
            epoch=node.epoch,
            initial=node.initial,
            status="removed" if node.removed else node.state,
            attempts=len(node.tries),
            time=sum(spans) if spans else None,
            calls=None if work is None else round(calls.get(node.id, 0)),
            turns=None if turns is None else turns[node.id],
            tokens=None if tokens is None else round(tokens.get(node.id, 0)),
            human=people[node.id],
            depth=depth(story, node),
        )


def _spent(work: Work | None) -> tuple[Counter[str] | None, dict[str, float] | None]:
    """Turns and tokens of each node."""
    if work is None or not work.turns:
        return None, None
    turns = Counter(span.node for place in work.turns for span in work.inside(place))
    if not work.tokens_known:
        return turns, None
    tokens: dict[str, float] = {}
    for call in work.calls:
        spans = work.inside(call.place)
        for span in spans:
            tokens[span.node] = tokens.get(span.node, 0.0) + call.tokens / len(spans)
    return turns, tokens


def _bars(story: Story) -> Iterable[Bar]:
    for one in story.tries:
        end = one.end
        word: str = "running" if end is None else end.status
        if end is not None and end.event_type == "revise":
            word = {"remove": "removed"}.get(str(end.payload.get("op")), "paused")
        ended = end.timestamp if end is not None else None
        yield Bar(one.node.id, one.start.timestamp, ended, word, one.implied)
