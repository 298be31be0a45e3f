"""Do plan metrics go with passing, and can failure be foreseen? Terminal-Bench runs with known outcomes.

Run: python benchmarks/plan_outcomes.py [--data DIR] [--json] [--model logistic|boosting]. The runs of
outcomes/terminal-bench-*.jsonl.gz are written as transcripts, imported into a store of their own, and
measured by the same calls that the commands make.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from labelled import rows
from names import show

import tracelode
from tracelode.model.planning import SessionPlan
from tracelode.statistics.cluster import Rate, gap, rate
from tracelode.statistics.paired import signs
from tracelode.statistics.several import holm
from tracelode.workspace import Workspace
from tracelode.workspace.forecasting import forecast

SETS = ("terminal-bench-claude-code", "terminal-bench-kimi-k2.5")
METRICS = ("coverage", "completion", "deviation", "nodes_added", "node_count", "supported_completion",
           "work_in_plan", "observed_rework")  # fmt: skip
_ZERO = datetime(2026, 1, 5, tzinfo=UTC)


def transcript(row: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    """Records of one run, as Claude Code writes them; a call whose text was cut is left without its input."""
    stamp = _ZERO
    above: str | None = None

    def record(kind: str, message: dict[str, Any]) -> dict[str, Any]:
        nonlocal above
        ident = str(uuid5(NAMESPACE_URL, f"{key}/{number}/{kind}"))
        made = {
            "type": kind, "uuid": ident, "parentUuid": above, "sessionId": key, "version": "2.0.30",
            "cwd": "/app", "isSidechain": False, "userType": "external",
            "timestamp": stamp.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "message": message,
        }  # fmt: skip
        above = ident
        return made

    number = -1
    yield record("user", {"role": "user", "content": f"Solve the task {row['task']}"})
    for number, step in enumerate(row["steps"]):
        stamp = _moment(step.get("t"), stamp)
        call = f"toolu_{uuid5(NAMESPACE_URL, f'{key}/{number}').hex[:24]}"
        try:
            given = json.loads(step.get("text") or "{}")
        except ValueError:
            given = {"command": step.get("text", "")} if step.get("tool") == "Bash" else {}
        yield record("assistant", {
            "role": "assistant", "id": f"msg_{call[6:]}", "model": str(row.get("model") or "unknown"),
            "content": [{"type": "tool_use", "id": call, "name": step.get("tool") or "Bash",
                         "input": given if isinstance(given, dict) else {}}],
        })  # fmt: skip
        stamp = _moment(step.get("t_end"), stamp)
        yield record("user", {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": call, "content": str(step.get("obs") or ""),
             "is_error": bool(step.get("error"))}]})  # fmt: skip


def _moment(told: Any, before: datetime) -> datetime:
    """Seconds since the start, or a moment; never before what came before."""
    if isinstance(told, int | float):
        return max(before, _ZERO + timedelta(seconds=told))
    if isinstance(told, str):
        try:
            return max(before, datetime.fromisoformat(told))
        except ValueError:
            return before
    return before


def made(folder: Path, data: Path) -> Workspace:
    """A store of the runs with tasks and outcomes."""
    history = folder / "history" / "projects" / "app"
    history.mkdir(parents=True)
    verdicts = []
    for name in SETS:
        for row in rows(data / "outcomes", name):
            if not isinstance(row.get("steps"), list) or not row["steps"]:
                continue
            key = str(uuid5(NAMESPACE_URL, f"{name}/{row['traj_id']}"))
            with (history / f"{key}.jsonl").open("w") as stream:
                stream.writelines(json.dumps(one) + "\n" for one in transcript(row, key))
            if isinstance(row.get("success"), bool):
                verdicts.append((key, "success" if row["success"] else "failure", row["task"]))
    workspace = tracelode.open(folder / "store", tz="UTC")
    workspace.add(folder / "history")
    with (folder / "outcomes.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("session", "outcome", "task"), *verdicts])
    workspace.judge_from(folder / "outcomes.csv")
    return workspace


def associations(sessions: Sequence[SessionPlan], models: dict[str, str]) -> list[dict[str, Any]]:
    """Passing minus failing, raw and within tasks after the mean of each model is taken away."""
    found = []
    for name in METRICS:
        held = [(s, float(v)) for s in sessions
                if s.nodes and s.outcome and (v := s.metric(name).value) is not None]  # fmt: skip
        by_end = {
            end: [Rate(s.task, v, 1) for s, v in held if s.outcome == end] for end in ("success", "failure")
        }
        if min(map(len, by_end.values())) < 2:
            continue
        means: dict[str, list[float]] = {}
        for s, v in held:
            means.setdefault(models.get(s.session_id, ""), []).append(v)
        centred = [(s, v - sum(m) / len(m)) for s, v in held for m in [means[models.get(s.session_id, "")]]]
        tasks: dict[str, dict[str, list[float]]] = {}
        for s, v in centred:
            tasks.setdefault(s.task, {}).setdefault(s.outcome, []).append(v)
        gaps = [
            (t, _mean(ends["success"]) - _mean(ends["failure"]))
            for t, ends in tasks.items()
            if len(ends) == 2
        ]
        inside = rate([Rate(t, g, 1) for t, g in gaps])
        raw = gap(by_end["failure"], by_end["success"])
        found.append({
            "metric": name, "runs": len(held),
            "passed - failed": _mean([r.top for r in by_end["success"]])
            - _mean([r.top for r in by_end["failure"]]),
            "95 %": _bounds(raw), "tasks": len(gaps), "within tasks": inside.value,
            "95 % ": _bounds(inside.interval), "p": signs([g for _, g in gaps]).p if len(gaps) >= 5 else None,
        })  # fmt: skip
    for row, p in zip(found, holm([row["p"] for row in found]), strict=True):
        row["Holm"] = p
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _bounds(pair: Any) -> str:
    return "" if pair is None else f"[{pair[0]:+.3f}, {pair[1]:+.3f}]"


def foreseen(workspace: Workspace, kind: str) -> list[dict[str, Any]]:
    """The early warning of failure, rework and correction."""
    trials = forecast(workspace.plan_starts(), kind=kind).forecast.trials
    return [
        {
            "label": trial.label, "calls": trial.at, "runs": trial.sessions, "base": trial.base,
            "held back": one.by, "AUROC": one.auroc, "bounds": _bounds(one.auroc_interval),
            "within": one.within, "who alone": one.baseline, "AP": one.precision, "skill": one.skill,
            "ECE": one.error, "gate": "passes" if trial.skill else trial.reason,
        }
        for trial in trials
        for one in (*trial.grouped, *([trial.random] if trial.random else []))
    ]  # fmt: skip


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default, help="folder of the sets")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--model", choices=("logistic", "boosting"), default="logistic")
    given = parser.parse_args()
    absent = [f"outcomes/{name}" for name in SETS if next(rows(given.data / "outcomes", name), None) is None]
    if len(absent) == len(SETS):
        print(json.dumps({"missing": absent}) if given.json else f"missing: {', '.join(absent)}")
        return 3
    with tempfile.TemporaryDirectory() as folder:
        workspace = made(Path(folder), given.data)
        models = {s.key: m for s in workspace.sessions()
                  for m in [_model(workspace, s.key)]}  # fmt: skip
        sessions = [s for s in workspace.plan_metrics(whole=False).sessions if not s.root]
        ends = associations(sessions, models)
        ahead = foreseen(workspace, given.model)
    planned = [s for s in sessions if s.nodes and s.outcome]
    counts = {"runs": len(sessions), "with a plan and an outcome": len(planned),
              "passed": sum(s.outcome == "success" for s in planned),
              "tasks": len({s.task for s in planned})}  # fmt: skip
    if given.json:
        print(json.dumps({"runs": counts, "associations": ends, "forecast": ahead, "missing": absent}))
    else:
        print(", ".join(f"{n} {name}" for name, n in counts.items()))
        print(show(ends), show(ahead), *(f"missing: {name}" for name in absent), sep="\n\n")
    return 3 if absent else 0


def _model(workspace: Workspace, key: str) -> str:
    return next((o.name for o in workspace.operations(key) if o.kind == "model"), "")


if __name__ == "__main__":
    sys.exit(main())
