"""Did work follow the plan? Displaced, unplanned and repeated starts, alignment and precedence."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import PlanMetric
from tracelode.plan.life import Node, Story, Try
from tracelode.plan.metrics.figure import absent, amount, ratio
from tracelode.plan.metrics.nodes import NO_PLAN, SKEW, succeeded

NO_STARTS = "no execute event starts a node"


def order_metrics(story: Story) -> Iterator[PlanMetric]:
    """Deviation from the plan, strict and literal.

    Args:
        story: one session.

    Returns:
        Metrics of section 7.3.

    Source:
        plan rules, section 7.3.
    """
    yield absent("deviation_seed", "ratio", SKEW) if story.skew else _literal(story)
    why = NO_PLAN if not story.plan else SKEW if story.skew else story.lost()
    if why:
        for name in (
            "deviation",
            "displaced",
            "unplanned",
            "repeated",
            "deviation_explained",
            "order_only",
            "kendall_distance",
            "alignment_fitness",
        ):
            yield absent(name, "ratio", why)
        return
    firsts, repeats, unplanned = _sorted(story)
    moved = displaced(firsts)
    violations, pairs, violating = precedence(story)
    outside = violating if story.depends() else moved
    off = [*outside, *unplanned, *repeats]
    off.sort(key=lambda t: t.place)
    starts = [t.start for t in story.tries]
    yield ratio("deviation", [t.start for t in off], starts, why=NO_STARTS)
    for name, tries in (("displaced", moved), ("unplanned", unplanned), ("repeated", repeats)):
        yield ratio(name, [t.start for t in tries], starts, why=NO_STARTS)
    explained = [t.start for t in off if _explained(story, t)]
    yield ratio("deviation_explained", explained, [t.start for t in off], why="no start deviates")
    ordered = len(starts) - len(unplanned) - len(repeats)
    yield ratio("order_only", len(moved), ordered, why=NO_STARTS, basis=[t.start for t in moved])
    yield from _distances(story, firsts)
    if story.depends() or story.chained:
        yield ratio(
            "precedence_violations",
            violations,
            pairs,
            why="no two nodes that depend were started",
            basis=[t.start for t in violating],
        )


def _literal(story: Story) -> PlanMetric:
    """The article's simplification: a node is worked on before its parent is finished."""
    if not story.chained:
        reason = "parents tell the hierarchy here, not what must be finished first (PT031 does not hold)"
        return absent("deviation_seed", "ratio", reason)
    inverted: list[PlanEvent] = []
    for place in story.executes:
        event = story.events[place]
        parent = story.nodes.get(story.nodes[event.node_id].parent or "")
        if parent is None or parent.goal:
            continue
        finished = succeeded(story, parent)
        if finished is None or finished > place:
            inverted.append(event)
    executes = [story.events[p] for p in story.executes]
    return ratio("deviation_seed", inverted, executes, why="no execute event")


def _sorted(story: Story) -> tuple[list[Try], list[Try], list[Try]]:
    """First starts of initial nodes, repeated starts, and first starts of others."""
    firsts: list[Try] = []
    repeats: list[Try] = []
    unplanned: list[Try] = []
    for one in story.tries:
        if one is not one.node.tries[0]:
            repeats.append(one)
        elif one.node.initial and one.node.rank >= 0:
            firsts.append(one)
        else:
            unplanned.append(one)
    return firsts, repeats, unplanned


def displaced(firsts: Sequence[Try]) -> list[Try]:
    """First starts outside a longest run of starts in plan order.

    Args:
        firsts: first starts of initial nodes, in order.

    Returns:
        Those outside, in order. O(n log n).
    """
    kept = set(longest([one.node.rank for one in firsts], strict=False))
    return [one for place, one in enumerate(firsts) if place not in kept]


def longest(values: Sequence[int], *, strict: bool) -> list[int]:
    """Places of a longest increasing subsequence.

    Args:
        values: n numbers.
        strict: equal numbers do not follow each other.

    Returns:
        Places in order; of several longest ones always the same. O(n log n).

    Example:
        >>> longest([1, 0, 0, 3], strict=True), longest([1, 0, 0, 3], strict=False)
        ([2, 3], [1, 2, 3])
    """
    find = bisect_left if strict else bisect_right
    tails: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for place, value in enumerate(values):
        at = find(tails, value)
        before.append(places[at - 1] if at else -1)
        if at == len(tails):
            tails.append(value)
            places.append(place)
        else:
            tails[at], places[at] = value, place
    found: list[int] = []
    place = places[-1] if places else -1
    while place >= 0:
        found.append(place)
        place = before[place]
    return found[::-1]


def inversions(values: Sequence[int]) -> int:
    """Pairs in which the earlier number is the larger one, in O(n log n) comparisons.

    Args:
        values: n numbers.

    Example:
        >>> inversions([1, 0, 3])
        1
    """
    seen: list[int] = []
    found = 0
    for value in values:
        at = bisect_right(seen, value)
        found += len(seen) - at
        seen.insert(at, value)
    return found


def _distances(story: Story, firsts: Sequence[Try]) -> Iterator[PlanMetric]:
    ranks = [one.node.rank for one in firsts]
    pairs = len(ranks) * (len(ranks) - 1) // 2
    few = "fewer than two planned nodes were started"
    starts = [one.start for one in firsts]
    yield ratio("kendall_distance", inversions(ranks), pairs, why=few, basis=starts)
    model = [node for node in story.plan if node.initial]
    log = [one.node.rank for one in story.tries if one.node.initial and one.node.rank >= 0]
    common = len(longest(log, strict=True))
    size = len(story.tries) + len(model)
    cost = size - 2 * common
    if not story.tries:
        yield absent("alignment_fitness", "ratio", NO_STARTS)
        return
    yield amount("alignment_cost", cost, "moves", size)
    yield amount("alignment_fitness", 1 - cost / size, "ratio", size, parts=(size - cost, size))
    yield amount("log_moves", len(story.tries) - common, "moves", len(story.tries))
    yield amount("model_moves", len(model) - common, "moves", len(model))


def precedence(story: Story) -> tuple[int, int, list[Try]]:
    """Nodes that were started before what they depend on had succeeded.

    Args:
        story: one session.

    Returns:
        (violations: pairs of a node and what it should have waited for, pairs of which both were started,
        first starts of initial nodes that did not wait).
    """
    begun = sum(story.bit(node.id) for node in story.nodes.values() if node.tries)
    steps: list[tuple[int, int, Node]] = []
    for node in story.nodes.values():
        done = succeeded(story, node)
        if done is not None:
            steps.append((done, 0, node))
        if node.tries and node.rank >= 0:
            steps.append((node.tries[0].place, 1, node))
    steps.sort(key=lambda s: s[:2])
    finished = violations = pairs = 0
    violating: list[Try] = []
    for _, starts, node in steps:
        if not starts:
            finished |= story.bit(node.id)
            continue
        waited = story.ancestors(node) & begun
        early = waited & ~finished
        pairs += waited.bit_count()
        violations += early.bit_count()
        if early and node.initial:
            violating.append(node.tries[0])
    return violations, pairs, violating


def _explained(story: Story, one: Try) -> bool:
    """Does a review, a change or a failure lie between the plan, or the earlier start, and the start?"""
    node = one.node
    earlier = [t.place for t in node.tries if t.place < one.place]
    since = earlier[-1] if earlier else node.place
    return story.turning(node, since, one.place) is not None
