"""Does the work bear out what was declared? Calls inside nodes, completions with work behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tracelode.model.planning import PlanMetric
from tracelode.plan.life import Story
from tracelode.plan.metrics.figure import absent, amount, quantile
from tracelode.plan.metrics.nodes import APPROVED, approved
from tracelode.plan.work import Span, Work

NOTHING = "no tool call is in the record"


def observed_metrics(story: Story, work: Work | None) -> Iterator[PlanMetric]:
    """Declared against observed.

    Args:
        story: one session.
        work: what was observed, None for nothing.

    Returns:
        Metrics of section 7.2, observed, and the use of resources a node.

    Source:
        plan rules, sections 7.1, 7.2 and 7.9.
    """
    if work is None or not work.calls:
        for name in ("work_in_plan", "supported_completion", "tested_completion", "concentration"):
            yield absent(name, "ratio", NOTHING)
        yield absent("granularity", "calls", NOTHING)
        return
    if not story.plan or approved(story):
        reason = APPROVED if story.plan else "no plan node: all work is outside a plan"
        for name in ("work_in_plan", "supported_completion", "tested_completion", "concentration"):
            yield absent(name, "ratio", reason)
        yield absent("granularity", "calls", reason)
        return
    inside = [call for call in work.calls if work.inside(call.place) or _names(story, call.node)]
    yield _share("work_in_plan", len(inside), len(work.calls), tuple(c.id for c in inside), NOTHING)
    yield from _completions(work)
    per = calls_by_node(work)
    total = sum(per.values())
    yield _share("concentration", max(per.values(), default=0), total, (), "no call lies inside a node")
    attempts = [len(work.behind(span)) for span in work.spans if not span.implied]
    yield amount(
        "granularity",
        quantile(attempts, 0.5),
        "calls",
        len(attempts),
        reason="" if attempts else "no attempt with a declared start",
    )


def _names(story: Story, node: str) -> bool:
    """Does a call name a node that is planned? Recorders bind calls to nodes themselves."""
    found = story.nodes.get(node)
    return found is not None and found.rank >= 0


def _share(name: str, top: float, bottom: float, events: tuple[str, ...], why: str) -> PlanMetric:
    return PlanMetric(
        name=name,
        value=top / bottom if bottom else None,
        numerator=top,
        denominator=bottom,
        unit="ratio",
        n=int(bottom),
        reason="" if bottom else why,
        evidence={"observed": int(bottom)} if bottom else {},
        events=events,
    )


def unsupported(work: Work) -> list[Span]:
    """Attempts that ended well with no tool call since their declared start.

    Args:
        work: what was observed.
    """
    return [s for s in work.spans if s.succeeded and not s.implied and not work.behind(s)]


def _completions(work: Work) -> Iterator[PlanMetric]:
    done = [s for s in work.spans if s.succeeded]
    known = [s for s in done if not s.implied]
    why = "nothing was completed" if not done else "no completion has a declared start"
    behind = [work.behind(span) for span in known]
    out = len(done) - len(known)
    note = f"{out} without a declared start left out" if out else ""
    for name, top in (
        ("supported_completion", sum(1 for calls in behind if calls)),
        ("tested_completion", sum(1 for calls in behind if any(c.test for c in calls))),
    ):
        made = _share(name, top, len(known), (), why)
        yield made if not note or made.value is None else _noted(made, note)


def _noted(metric: PlanMetric, note: str) -> PlanMetric:
    import msgspec

    return msgspec.structs.replace(metric, reason=note)


def calls_by_node(work: Work) -> dict[str, float]:
    """Tool calls of each node; nodes in progress at the same time share a call in equal parts.

    Args:
        work: what was observed.

    Source:
        plan rules, E8.
    """
    found: Counter[str] = Counter()
    shares: dict[str, float] = {}
    for call in work.calls:
        names = [call.node] if call.node else [span.node for span in work.inside(call.place)]
        for name in names:
            found[name] += 1
            shares[name] = shares.get(name, 0.0) + 1 / len(names)
    return shares
