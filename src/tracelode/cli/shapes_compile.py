"""Which JSON do intents, compile, explain, verify and run answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.cli import shapes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracelode.model.compiled import Checked, Compiled, Found, Metric, Reading
    from tracelode.model.execution import Outcome
    from tracelode.model.intent import Intent
    from tracelode.model.verification import Verification
    from tracelode.model.workflow import Refusal


def intent(item: Intent, outcomes: tuple[int, int, int] | None = None) -> dict[str, Any]:
    """One intent."""
    answer: dict[str, Any] = {
        "id": item.id,
        "name": item.name,
        "runs": list(item.runs),
        "tools": dict(item.tools),
        "writes": list(item.writes),
        "silhouette": item.silhouette,
        "provisional": item.provisional,
        "near": [{"run": n.run, "similarity": n.similarity, "intent": n.intent or None} for n in item.near],
    }
    if outcomes is not None:
        good, bad, unknown = outcomes
        answer["outcomes"] = {"succeeded": good, "failed": bad, "unknown": unknown}
    return answer


def reading(item: Reading) -> dict[str, Any]:
    """What was read."""
    return {
        "sessions": item.sessions,
        "effects": item.effects,
        "empty": item.empty,
        "runs": item.runs,
        "calls": item.calls,
        "gone": item.gone,
        "outputs_too_large": item.large,
        "sources_gone": dict(item.sources),
        "declarations_skipped": [
            {"path": p, "line": n or None, "reason": why} for p, n, why in item.troubles
        ],
    }


def found(item: Found) -> dict[str, Any]:
    """What intents answers."""
    return {
        "intents": [intent(one, item.outcomes[one.id]) for one in item.intents],
        "alone": item.alone,
        "forks": item.forks,
        "reading": reading(item.reading),
    }


def metric(item: Metric) -> dict[str, Any]:
    """A figure with what it is made of; money a second time as dollars."""
    answer: dict[str, Any] = {
        "value": item.value,
        "numerator": item.numerator,
        "denominator": item.denominator,
        "unit": item.unit,
        "n": item.n,
        "reason": item.reason,
    }
    if item.unit.startswith("picodollars") and isinstance(item.value, int):
        answer |= {"value_string": str(item.value), "dollars": shapes.money(item.value)["cost"]}
    return answer


def refusals(items: Iterable[Refusal]) -> list[dict[str, Any]]:
    """What was refused."""
    return [
        {
            "code": r.code,
            "message": r.message,
            "lifts": r.lifts,
            "step": r.slot or None,
            "argument": r.arg or None,
        }
        for r in items
    ]


def verification(item: Verification) -> dict[str, Any]:
    """What leaving runs out showed."""
    return {
        "folds": [
            {"run": f.run, "end": f.end, "calls": [msgspec.to_builtins(c) for c in f.calls]}
            for f in item.folds
        ],
        "curve": [msgspec.to_builtins(point) for point in item.curve],
        "problems": list(item.problems),
        "mutations": item.mutations,
        "leaks": list(item.leaks),
        "spent_us": item.spent_us,
    }


def compiled(item: Compiled) -> dict[str, Any]:
    """One verdict."""
    workflow = item.workflow
    return {
        "verdict": "refused" if workflow is None else "partial" if workflow.partial else "compiled",
        "intent": intent(item.intent),
        "workflow": None if workflow is None else msgspec.to_builtins(workflow),
        "refusals": refusals(item.verdict.refusals),
        "edges": [msgspec.to_builtins(edge) for edge in item.edges],
        "runs": list(item.sessions),
        "failed": item.failed,
        "aside": item.aside,
        "forks": item.forks,
        "copies": item.copies,
        "calls": item.calls,
        "dropped": dict(item.dropped),
        "left_out": [msgspec.to_builtins(left) for left in item.left],
        "metrics": {name: metric(one) for name, one in item.metrics.items()},
        "verification": verification(item.verification),
        "orders": {"tried": item.orders, "broken": item.broken},
        "not_made": dict(item.unmade),
        "reading": reading(item.reading),
    }


def checked(item: Checked) -> dict[str, Any]:
    """What verify answers."""
    return {
        "workflow": item.workflow.id,
        "holds": item.holds,
        "problems": list(item.problems),
        "same": item.same,
        "differs": list(item.differs),
        "reason": item.reason or None,
        "compiled": None if item.compiled is None else compiled(item.compiled),
    }


def outcome(item: Outcome) -> dict[str, Any]:
    """What run answers."""
    answer: dict[str, Any] = msgspec.to_builtins(item)
    return answer
