"""What do plans cost? Metrics, check and export of a generated history, beside its import.

Run: python benchmarks/plan_speed.py [--mb 400] [--json] [--check]

The history is imported first, which is measured too but is not what this is about: the bars are of what
comes beyond it. Two of three of its sessions keep no list, as with real ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from measure import Case, Failed, measure, wait_until_quiet
from report import Figure, Report, finish, options, say
from workload import Absent, call, environment, history, tracelode, work_folder

METRICS = {"wall": 15, "process": 300}
"""Bars of `plan metrics` of 400 MB: seconds, megabytes."""
BIG = 390_000_000
"""Bytes of a history from which the bars hold."""


def size(folder: Path) -> int:
    """Bytes of the transcripts."""
    return sum(path.stat().st_size for path in (folder / ".claude" / "projects").rglob("*.jsonl"))


def run(given: argparse.Namespace, work: Path) -> Report:
    """Measure everything."""
    folder = history(work, given.generator, given.mb)
    env, store = environment(work, folder), work / "store-plan"
    told = ("--store", str(store))
    call(tracelode("import", str(folder / ".claude" / "projects"), *told), env)
    cases = [
        Case("plan metrics", tracelode("plan", "metrics", *told), env),
        Case("plan check", tracelode("plan", "check", "--fail-on", "error", *told), env),
        Case("plan export", tracelode("plan", "export", "-o", str(work / "events.jsonl"), *told), env),
        Case("top --stack plan.node", tracelode("top", "--stack", "plan.node", *told), env),
    ]
    load = wait_until_quiet(given.load_below, given.wait)
    report = Report("plan_speed", load=load)
    report.series = found = measure(cases, given.runs, warm=given.warm)
    report.bars(found[0], METRICS, apply=size(folder) >= BIG)
    answer = json.loads(call(tracelode("plan", "metrics", "--json", *told), env))
    tiers = [one["tier"] for one in answer["sessions"]]
    report.figures += [
        Figure("threads", len(tiers), "threads"),
        Figure("of them with a list", tiers.count("declared"), "threads"),
        Figure("nodes", sum(len(one["nodes"]) for one in answer["sessions"]), "nodes"),
        Figure("transcripts", size(folder) / 1e6, "MB"),
    ]
    return report


def main() -> int:
    """Run it; the exit code."""
    parser = options(__doc__.splitlines()[0], runs=5)
    parser.add_argument("--mb", type=float, default=400, help="megabytes of transcripts")
    given = parser.parse_args()
    try:
        with work_folder(given.work) as work:
            return finish(run(given, work), given)
    except (Absent, Failed) as error:
        say(f"plan_speed: {error}")
        return 3 if isinstance(error, Absent) else 1


if __name__ == "__main__":
    sys.exit(main())
