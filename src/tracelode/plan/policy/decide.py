"""Who should decide? What a review is worth and costs; what cannot be undone is never automatic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracelode.model.plan_policy import Advice, Rule, Seen
from tracelode.signals.effects import irreversible
from tracelode.statistics.beta import posterior

SURE = 0.95
"""One-sided level of each bound."""
HUMAN = 30.0
"""Seconds of a review where none is measured."""
REWORK = 600.0
"""Seconds of a mistake where none is measured."""


def decide(rows: Iterable[Seen], human: float = HUMAN, rework: float = REWORK) -> list[Rule]:
    """What is proposed for calls of each kind.

    Args:
        rows: what became of them.
        human: seconds that a review costs.
        rework: seconds that a mistake costs.

    Returns:
        One rule each. Automatic only where the upper bound of the chance that a review is of use, times the
        cost of a mistake, is below the cost of a review, and nothing seen may be beyond undoing; required
        where the lower bound is above it.

    Source:
        plan rules, section 11.2; docs/decisions/0031-plan-statistics.md.
    """
    return [_rule(row, human, rework) for row in rows]


def _rule(row: Seen, human: float, rework: float) -> Rule:
    bad = row.useful + row.harmed
    good = row.approved + row.auto - row.harmed
    low, high = posterior(bad, good, 1 - SURE), posterior(bad, good, SURE)
    fixed = irreversible(row.effect)
    advice: Advice = "ask"
    cost = f"{human:g} s against {rework:g} s"
    if low * rework > human:
        advice, why = "require", f"a review is of use in {low:.0%} at least: {cost}"
    elif fixed:
        why = f"{row.effect.replace('_', ' ')}: may be beyond undoing"
    elif high * rework < human:
        advice, why = "auto", f"a review is of use in {high:.1%} at most: {cost}"
    else:
        why = f"a review is of use in {low:.0%} to {high:.0%}: not known well enough"
    return Rule(seen=row, advice=advice, low=low, high=high, irreversible=fixed, why=why)


def strictest(rules: Sequence[Rule]) -> dict[str, Advice]:
    """Tool to the strictest advice over kinds of nodes: a permission cannot see the node.

    Args:
        rules: of all kinds.
    """
    order: dict[Advice, int] = {"auto": 0, "ask": 1, "require": 2}
    found: dict[str, Advice] = {}
    for rule in rules:
        old = found.get(rule.seen.tool, "auto")
        found[rule.seen.tool] = max(old, rule.advice, key=order.__getitem__)
    return found
