"""How long does a node take? Closed attempts, with everything that is left out counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import PlanMetric
from tracelode.plan.life import Story, Try
from tracelode.plan.metrics.figure import absent, amount, quantile

Span = tuple[int, int]
"""Half-open, in microseconds."""


def duration_metrics(story: Story, waits: Sequence[Span] | None = None) -> Iterator[PlanMetric]:
    """Durations of nodes and attempts, strict and literal.

    Args:
        story: one session.
        waits: when a question or a permission waited for a person, None where that is not recorded.

    Returns:
        Metrics of section 7.5. Attempts that are implied, open, without a moment or of negative length are
        left out and counted.

    Source:
        plan rules, section 7.5.
    """
    closed = [t for t in story.tries if t.span is not None]
    out = _left_out(story.tries)
    reason = "; ".join(f"{n} {word} left out" for word, n in out.items() if n)
    yield _literal(story, closed, reason)
    if not closed:
        for name in (
            "node_duration",
            "node_duration_median",
            "node_duration_p90",
            "attempt_duration",
            "wall_time",
            "human_wait",
        ):
            yield absent(name, "seconds", reason or "no attempt is closed")
        return
    pause = _joined(waits or ())
    spent = {id(t): (t.span or 0) - _overlap(_span(t), pause) for t in closed}
    nodes: dict[str, int] = {}
    for one in closed:
        nodes[one.node.id] = nodes.get(one.node.id, 0) + spent[id(one)]
    total = sum(nodes.values())
    basis = [t.end for t in closed if t.end is not None]
    seconds = [value / 1e6 for value in nodes.values()]
    yield _mean("node_duration", total, len(nodes), basis, reason)
    yield amount("node_duration_median", quantile(seconds, 0.5), "seconds", len(nodes), reason=reason)
    yield amount("node_duration_p90", quantile(seconds, 0.9), "seconds", len(nodes), reason=reason)
    yield _mean("attempt_duration", total, len(closed), basis, reason)
    wall = sum(stop - start for start, stop in _joined([_span(t) for t in closed]))
    yield amount("wall_time", wall / 1e6, "seconds", len(closed), reason=reason)
    if waits is None:
        yield absent("human_wait", "seconds", "waits for people are not in the record")
        return
    waited = sum((t.span or 0) - spent[id(t)] for t in closed)
    yield amount(
        "human_wait",
        waited / 1e6,
        "seconds",
        len(pause),
        reason="subtracted from the durations" if waited else "",
    )


def _mean(name: str, total: int, n: int, basis: Sequence[PlanEvent], reason: str) -> PlanMetric:
    parts = (total / 1e6, n)
    return amount(name, total / n / 1e6, "seconds", n, reason=reason, basis=basis, parts=parts)


def _literal(story: Story, closed: Sequence[Try], reason: str) -> PlanMetric:
    """Total execution time over executed nodes, as the article words it."""
    executed = {story.events[p].node_id for p in story.executes}
    if not executed or not closed:
        return absent("node_duration_seed", "seconds", reason or "no node was executed")
    total = sum(t.span or 0 for t in closed)
    return amount(
        "node_duration_seed",
        total / len(executed) / 1e6,
        "seconds",
        len(executed),
        reason=reason,
        parts=(total / 1e6, len(executed)),
    )


def _left_out(tries: Sequence[Try]) -> dict[str, int]:
    words = ("implied", "unclosed", "without a moment", "of two clocks that differ", "of negative length")
    found = dict.fromkeys(words, 0)
    for one in tries:
        if one.implied:
            found["implied"] += 1
        elif one.end is None:
            found["unclosed"] += 1
        elif one.start.timestamp is None or one.end.timestamp is None:
            found["without a moment"] += 1
        elif one.apart:
            found["of two clocks that differ"] += 1
        elif one.span is None:
            found["of negative length"] += 1
    return found


def _span(one: Try) -> Span:
    start = one.start.timestamp or 0
    return start, start + (one.span or 0)


def _joined(spans: Sequence[Span]) -> list[Span]:
    """The union of intervals, apart and in order."""
    found: list[Span] = []
    for start, stop in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], stop))
        elif stop > start:
            found.append((start, stop))
    return found


def _overlap(span: Span, joined: Sequence[Span]) -> int:
    return sum(max(0, min(span[1], stop) - max(span[0], start)) for start, stop in joined)
