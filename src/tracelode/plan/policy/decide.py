"""Who should decide? What a review is worth and costs; what cannot be undone is never automatic."""

from __future__ import annotations

from collections.abc import Iterable

from tracelode.model.plan_policy import Advice, Rule, Seen
from tracelode.signals.effects import irreversible, strongest
from tracelode.statistics.beta import posterior

SURE = 0.95
"""One-sided level of each bound."""
HUMAN = 30.0
"""Seconds of a review where none is measured."""
REWORK = 600.0
"""Seconds of a mistake where none is measured."""
LEAST = 3
"""Reviews of use from which one is required: one denial says what one person did not want once."""


def decide(rows: Iterable[Seen], human: float = HUMAN, rework: float = REWORK) -> list[Rule]:
    """What is proposed for calls of each kind.

    Args:
        rows: what became of them.
        human: seconds that a review costs.
        rework: seconds that a mistake costs.

    Returns:
        One rule each. Automatic only where the upper bound of the chance that a review is of use, times the
        cost of a mistake, is below the cost of a review, and nothing seen may be beyond undoing; required
        where the lower bound is above it, and reviews were of use three times or more. A command of a shell
        is known by its first words only, and so never automatic here.

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
    if bad >= LEAST and low * rework > human:
        advice, why = "require", f"a review is of use in {low:.0%} at least: {cost}"
    elif fixed:
        why = f"{row.effect.replace('_', ' ')}: may be beyond undoing"
    elif high * rework < human and "(" in row.tool:
        why = "what else begins so was not seen: whole commands alone may be let run"
    elif high * rework < human:
        advice, why = "auto", f"a review is of use in {high:.1%} at most: {cost}"
    else:
        why = f"a review is of use in {low:.0%} to {high:.0%}: not known well enough"
    return Rule(seen=row, advice=advice, low=low, high=high, irreversible=fixed, why=why)


def by_tool(rows: Iterable[Seen]) -> list[Seen]:
    """Rows of one tool as one: a permission cannot see the step.

    Args:
        rows: of all kinds of steps.

    Returns:
        One row a tool, with the strongest of its effects.
    """
    found: dict[str, Seen] = {}
    for row in rows:
        old = found.get(row.tool)
        found[row.tool] = row if old is None else Seen(
            node="", tool=row.tool, effect=strongest((old.effect, row.effect)), calls=old.calls + row.calls,
            approved=old.approved + row.approved, useful=old.useful + row.useful, auto=old.auto + row.auto,
            harmed=old.harmed + row.harmed, sessions=max(old.sessions, row.sessions),
            agents=tuple(sorted({*old.agents, *row.agents})),
        )  # fmt: skip
    return list(found.values())
