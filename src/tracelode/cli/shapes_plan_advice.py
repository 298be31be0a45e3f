"""Which JSON do plan policy and plan bench answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.model.planning import METRICS_VERSION

if TYPE_CHECKING:
    from tracelode.model.plan_bench import BenchScore
    from tracelode.model.plan_policy import Policy
    from tracelode.workspace.advising import Made


def policy(found: Policy) -> dict[str, Any]:
    """What plan policy answers."""
    answer: dict[str, Any] = {"metrics_version": METRICS_VERSION, **msgspec.to_builtins(found)}
    return answer


def made(found: Made, path: str) -> dict[str, Any]:
    """What plan bench answers when it makes one."""
    answer: dict[str, Any] = {"metrics_version": METRICS_VERSION, **msgspec.to_builtins(found)}
    return {"output": path if found.items else None, **answer}


def score(found: BenchScore) -> dict[str, Any]:
    """What plan bench --score answers."""
    answer: dict[str, Any] = {"metrics_version": METRICS_VERSION, **msgspec.to_builtins(found)}
    return answer
