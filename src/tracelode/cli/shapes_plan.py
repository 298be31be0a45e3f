"""Which JSON do plan check, metrics and timeline answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.cli.text import iso

if TYPE_CHECKING:
    from tracelode.model.planning import PlanCheck, PlanMetric, PlanReport, SessionPlan


def check(found: PlanCheck) -> dict[str, Any]:
    """What plan check answers."""
    answer: dict[str, Any] = msgspec.to_builtins(found)
    answer["counts"] = {
        word: sum(1 for f in found.findings if f.severity == word) for word in ("error", "warning", "info")
    }
    return answer


def metric(item: PlanMetric) -> dict[str, Any]:
    """A figure with what it is made of."""
    answer: dict[str, Any] = msgspec.to_builtins(item)
    answer["applicable"] = item.value is not None
    return answer


def session(one: SessionPlan, name: str | None = None) -> dict[str, Any]:
    """One session."""
    answer: dict[str, Any] = msgspec.to_builtins(one)
    answer["started"], answer["ended"] = iso(one.started), iso(one.ended)
    answer["metrics"] = {m.name: metric(m) for m in one.metrics if name in (None, m.name)}
    for row in answer["interventions"]:
        row["timestamp"] = iso(row["timestamp"])
        row["delay_us"] = row.pop("delay")
    for row in answer["rollbacks"]:
        row["timestamp"] = iso(row["timestamp"])
        row["cost_us"], row["delay_us"] = row.pop("cost"), row.pop("delay")
    for row in answer["nodes"]:
        row["time_us"] = row.pop("time")
    answer["bars"] = bars(one)
    return answer


def bars(one: SessionPlan) -> list[dict[str, Any]]:
    """Attempts."""
    return [
        {"node": b.node, "started": iso(b.started), "ended": iso(b.ended), "end": b.end, "implied": b.implied}
        for b in one.bars
    ]


def report(found: PlanReport, name: str | None = None) -> dict[str, Any]:
    """What plan metrics answers."""
    return {
        "metrics_version": found.metrics_version,
        "unusable": found.unusable,
        "subagents": found.subagents,
        "cluster": found.cluster,
        "clusters": found.clusters,
        "level": found.level,
        "resamples": found.resamples,
        "seed": found.seed,
        "sessions": [session(one, name) for one in found.sessions],
        "people": msgspec.to_builtins(found.people),
        "pooled": [msgspec.to_builtins(p) for p in found.pooled if name in (None, p.name)],
    }


def timeline(one: SessionPlan) -> dict[str, Any]:
    """What plan timeline answers of a session."""
    whole = session(one)
    keys = ("session_id", "goal", "started", "ended", "nodes", "bars", "interventions", "rollbacks")
    return {key: whole[key] for key in keys}
