"""How was the goal taken apart, and how much of the plan was done? Node counts and coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import PlanMetric
from tracelode.plan.life import Node, Story
from tracelode.plan.metrics.figure import absent, amount, ratio

NO_PLAN = "no plan node: coverage and order say nothing here"
SKEW = "the clocks of its writers differ by more than 2 s: what came first is not known"
APPROVED = "an approved document: nothing says which of its steps was worked on"


def node_metrics(story: Story) -> Iterator[PlanMetric]:
    """Node counts and coverage, strict and literal.

    Args:
        story: one session.

    Returns:
        Metrics of sections 7.1 and 7.2.

    Source:
        plan rules, sections 7.1 and 7.2.
    """
    yield from _counts(story)
    yield from _coverage(story)


def _made(nodes: list[Node]) -> list[PlanEvent]:
    return [node.planned for node in nodes if node.planned is not None]


def _counts(story: Story) -> Iterator[PlanMetric]:
    plan = story.plan
    initial = [node for node in plan if node.initial]
    added = [node for node in plan if not node.initial]
    removed = [node for node in plan if node.removed]
    plans = [e for e in story.events if e.event_type == "plan"]
    literal = {e.node_id: e for e in reversed(plans)}
    if not plan or not all(e.node_id for e in plans):
        reason = story.lost() or (NO_PLAN if plans else "no plan event: nothing says what was planned")
        for name in (
            "node_count_seed",
            "node_count",
            "nodes_initial",
            "nodes_added",
            "nodes_removed",
            "plan_depth",
            "branching",
        ):
            yield absent(name, "levels" if name == "plan_depth" else "nodes", reason)
        return
    yield amount("node_count_seed", len(literal), "nodes", len(plans), basis=literal.values())
    yield amount("node_count", len(plan), "nodes", len(plan), basis=_made(plan))
    for name, some in (("nodes_initial", initial), ("nodes_added", added)):
        if story.skew:
            yield absent(name, "nodes", SKEW)
        else:
            yield amount(name, len(some), "nodes", len(plan), basis=_made(some))
    yield amount("nodes_removed", len(removed), "nodes", len(plan), basis=_made(removed))
    yield amount("plan_depth", max(depth(story, n) for n in plan) + 1, "levels", len(plan))
    yield _branching(story)


def _branching(story: Story) -> PlanMetric:
    if story.chained and story.chain:
        return absent("branching", "nodes", "parents tell the order here, not the hierarchy (PT031)")
    children = Counter(node.parent or "" for node in story.plan)
    parts = (len(story.plan), len(children))
    return amount("branching", parts[0] / parts[1], "nodes", parts[1], parts=parts)


def depth(story: Story, node: Node) -> int:
    """Levels above a node, goals and what is not in the session left out; 0 in a chain of precedence."""
    if story.chained:
        return 0
    found, seen = 0, {node.id}
    above = story.nodes.get(node.parent or "")
    while above is not None and not above.goal and above.id not in seen:
        found += 1
        seen.add(above.id)
        above = story.nodes.get(above.parent or "")
    return found


def _coverage(story: Story) -> Iterator[PlanMetric]:
    plan = story.plan
    why = NO_PLAN if not plan else APPROVED if approved(story) else story.lost()
    if why:
        for name in ("coverage_seed", "coverage", "completion", "coverage_initial"):
            yield absent(name, "ratio", why)
        return
    literal_plan = {e.node_id for e in story.events if e.event_type == "plan"}
    literal_done = {story.events[p].node_id for p in story.executes}
    basis = [story.events[p] for p in story.executes]
    yield ratio(
        "coverage_seed", len(literal_plan & literal_done), len(literal_plan), why=NO_PLAN, basis=basis
    )
    reached = [node for node in plan if node.executes]
    done = [node for node in plan if succeeded(story, node) is not None]
    initial = [node for node in plan if node.initial]
    yield ratio("coverage", len(reached), len(plan), why=NO_PLAN, basis=_first_starts(reached))
    ends = [story.events[place] for node in done if (place := succeeded(story, node)) is not None]
    yield ratio("completion", len(done), len(plan), why=NO_PLAN, basis=ends)
    if story.skew:
        yield absent("coverage_initial", "ratio", SKEW)
        return
    yield ratio(
        "coverage_initial",
        sum(1 for n in initial if n.executes),
        len(initial),
        why=NO_PLAN,
        basis=_first_starts([n for n in initial if n.executes]),
    )


def approved(story: Story) -> bool:
    """Is the plan a document that a person approved, of which no step was said to be worked on?"""
    told = {node.planned.evidence for node in story.plan if node.planned is not None}
    return told == {"human"} and not story.executes and not story.chained


def _first_starts(nodes: list[Node]) -> list[PlanEvent]:
    return [node.tries[0].start for node in nodes if node.tries]


def succeeded(story: Story, node: Node) -> int | None:
    """Place of the first event that says a node succeeded.

    Args:
        story: its session.
        node: a node.

    Returns:
        None where nothing says so.
    """
    return next(
        (
            p
            for p in node.events
            if story.events[p].event_type == "execute" and story.events[p].status == "succeeded"
        ),
        None,
    )
