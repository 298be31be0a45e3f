"""What is off in one session's events? Each check looks at the events and tells the places it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from tracelode.model.plan import STATUSES, PlanEvent
from tracelode.model.planning import Severity
from tracelode.plan.checks.references import references
from tracelode.plan.checks.times import times
from tracelode.plan.life import LOST, UNBOUND, Node, Story
from tracelode.plan.metrics.nodes import approved
from tracelode.plan.metrics.observed import unsupported
from tracelode.plan.work import Work


class Hit(NamedTuple):
    """What a check found."""

    code: str
    """Code of the finding."""
    message: str
    """What is off; no text of the trace."""
    events: tuple[PlanEvent, ...]
    """Where, in order."""
    of: int
    """How many could have it, 0 where that says nothing."""
    severity: Severity | None = None
    """Where it is another than the code's."""
    number: int = 0
    """How many, where it is of the whole session and no event says it."""


def hits(story: Story, written: Sequence[PlanEvent], work: Work | None) -> Iterator[Hit]:
    """Everything that is off in one session.

    Args:
        story: its events in order.
        written: the same events as they were written.
        work: what was observed, None for nothing.

    Returns:
        Hits in the order of codes within each group.

    Source:
        plan rules, section 8.
    """
    for check in _CHECKS:
        for hit in check(story):
            if hit.events or hit.number:
                yield hit
    for code, message, events, of in (*references(story), *times(written)):
        yield Hit(code, message, events, of)
    yield from _observed(story, work)


def _types(story: Story) -> Iterator[Hit]:
    types = {str(name) for name, count in story.types.items() if count}
    if "plan" not in types:
        yield Hit("PT001", "no plan event in the session", tuple(story.events[:1]), len(story.events))
    for name in STATUSES:
        if name not in types and name != "plan":
            yield Hit("PT002", f"no {name} event in the session", (), 0, number=1)
    failed = any(e.status == "failed" for e in story.events)
    if not failed and story.executes:
        yield Hit("PT062", "no event says failed", (), 0, number=1)


def _first(story: Story) -> Iterator[Hit]:
    """Does work begin before its plan?"""
    plans = [p for p, e in enumerate(story.events) if e.event_type == "plan" and not _goal(story, e)]
    early: list[PlanEvent] = []
    if story.executes and plans and story.executes[0] < plans[0]:
        early.append(story.events[story.executes[0]])
    epochs = sorted({n.epoch for n in story.plan})
    for epoch in epochs[1:]:
        nodes = [n for n in story.plan if n.epoch == epoch]
        made = min(n.place for n in nodes if n.planned is not None)
        begun = [t.place for n in nodes for t in n.tries if t.place < made]
        early += [story.events[p] for p in begun[:1]]
    yield Hit("PT011", "work begins before its plan", tuple(early), len(epochs) or 1)


def _goal(story: Story, event: PlanEvent) -> bool:
    return story.nodes[event.node_id].goal


def _nodes(story: Story) -> Iterator[Hit]:
    executes = [story.events[p] for p in story.executes]
    # an event without a node is told where its line is read
    lost = [
        e
        for e in executes
        if e.node_id and (story.nodes[e.node_id].planned is None and not story.nodes[e.node_id].goal)
    ]
    unbound = [e for e in executes if e.node_id == UNBOUND]
    yield Hit("PT050", "an execute event was recorded outside every node", tuple(unbound), len(executes))
    # a node of a list that another thread owns is planned there
    lost = [e for e in lost if e.node_id != UNBOUND and ":" not in e.node_id]
    if story.types["plan"]:
        share = len(lost) / len(executes) if executes else 0
        bound = "; the binding of work to nodes is lost" if share > LOST else ""
        yield Hit(
            "PT051",
            f"an execute event names a node that no plan event made{bound}",
            tuple(lost),
            len(executes),
        )


def _cycle(story: Story) -> Iterator[Hit]:
    odd = [story.events[place] for place, _ in story.odd]
    words = sorted({word for _, word in story.odd})
    yield Hit("PT060", f"a node's life cycle is broken: {'; '.join(words)}", tuple(odd), len(story.executes))
    complete = any(e.event_type == "complete" for e in story.events)
    left = [n.tries[-1].start for n in story.nodes.values() if n.state == "running" and n.tries]
    if complete:
        yield Hit("PT061", "a node still runs when the session is complete", tuple(left), len(story.tries))


def changes_of(story: Story) -> list[PlanEvent]:
    """Events that change a plan: status updated, or a revise event.

    Args:
        story: one session.

    Returns:
        A review that says what it decided changes nothing by itself: the change comes with what follows. A
        removed node has no after.
    """
    return [
        e
        for e in story.events
        if (e.status == "updated" or e.event_type == "revise")
        and "decision" not in e.payload
        and e.payload.get("op") not in ("remove", "pause", "reopen", "goal", "plan_proposed", "backtrack")
    ]


def has_difference(event: PlanEvent) -> bool:
    """Does a change say what was before and after?"""
    diff = event.payload.get("diff")
    return isinstance(diff, dict) and "before" in diff and "after" in diff


def _changes(story: Story) -> Iterator[Hit]:
    changes = changes_of(story)
    bare = [e for e in changes if not has_difference(e)]
    yield Hit(
        "PT080", "a change of the plan does not say what was before and after", tuple(bare), len(changes)
    )


def results_of(story: Story) -> list[PlanEvent]:
    """Execute events that tell an end."""
    return [e for p in story.executes if (e := story.events[p]).status in ("succeeded", "failed")]


def _results(story: Story) -> Iterator[Hit]:
    ends = results_of(story)
    bare = [e for e in ends if not (e.payload.get("tool") and e.payload.get("result_summary"))]
    yield Hit("PT090", "a result names no tool or has no summary", tuple(bare), len(ends))
    told = {e.event_id for e in bare}
    blind = [
        e
        for p in story.executes
        if (e := story.events[p]).payload.get("tool")
        and "input_summary" not in e.payload
        and e.event_id not in told
    ]
    yield Hit("PT090", "a tool call has no input_summary", tuple(blind), len(ends))


def _lists(story: Story) -> Iterator[Hit]:
    replaced = [e for e in story.events if e.payload.get("reason") == "list_replaced"]
    yield Hit("PT120", "a plan list was replaced by another one", tuple(replaced), len(story.events))
    fuzzy = [e for e in story.events if "score" in e.payload and e.payload.get("op") == "rename"]
    yield Hit("PT120", "a node was found again by a similar wording", tuple(fuzzy), len(story.events))
    handed = [
        e
        for e in story.events
        if e.payload.get("decision") == "approve_in_new_session"
        or (e.payload.get("decision") in ("approve", "reject") and e.evidence == "inferred")
    ]
    yield Hit(
        "PT130", "an answer to a plan is concluded from what came later", tuple(handed), len(story.events)
    )


_CHECKS: tuple[Callable[[Story], Iterable[Hit]], ...] = (
    _types,
    _first,
    _nodes,
    _cycle,
    _changes,
    _results,
    _lists,
)


def _observed(story: Story, work: Work | None) -> Iterator[Hit]:
    if work is None or not work.calls or not story.plan or approved(story):
        return
    outside = work.outside
    if outside * 2 > len(work.calls):
        words = "more than half of the tool calls lie outside every node"
        yield Hit("PT052", words, (), len(work.calls), number=outside)
    bare = {(s.node, s.start) for s in unsupported(work)}
    names = {node for node, _ in bare}
    ends = [_last_end(story.nodes[n]) for n in sorted(names) if n in story.nodes]
    events = tuple(e for e in ends if e is not None)
    if events:
        done = sum(1 for s in work.spans if s.succeeded)
        yield Hit("PT110", "a completion with no tool call behind it", events, done)


def _last_end(node: Node) -> PlanEvent | None:
    return next((t.end for t in reversed(node.tries) if t.end is not None), None)
