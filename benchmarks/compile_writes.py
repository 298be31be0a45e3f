"""Does a compiled workflow ever make a wrong write? Replay on recorded runs, execution on BFCL's classes.

Run: python benchmarks/compile_writes.py [--data DIR] [--tasks 200] [--part both] [--check] [--json].
Replay: see writes_replay.py; tau-bench airline and AgentDojo, default and loose settings. Execution: see
writes_execute.py and writes_families.py. The bar is no wrong write anywhere; to escalate or to refuse is
right.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from bfcl_world import install
from compile_data import agentdojo, options, tau_bench
from workload import Absent
from writes_execute import executed
from writes_replay import SETTINGS, replayed, tau_gold

COLUMNS = ("runs", "right", "wrong", "escalated", "handed over", "missing input", "wrong writes")


def measure(given: Any) -> dict[str, Any]:
    """All figures."""
    report: dict[str, Any] = {}
    if given.part in ("both", "replay"):
        sets = {
            "tau-bench airline": (tau_bench(given.data), tau_gold(given.data)),
            "AgentDojo": (agentdojo(given.data), {}),
        }
        report["replay"] = {
            f"{name}, {how}": replayed(runs, setting, gold)
            for name, (runs, gold) in sets.items()
            for how, setting in SETTINGS.items()
        }
    if given.part in ("both", "execution"):
        install()
        report["execution"] = executed(given.data, given.tasks)
    return report


def wrong(report: dict[str, Any]) -> int:
    """Wrong writes, and runs that ended wrongly, of all parts."""
    found: int = sum(
        part.get("wrong", 0)
        for row in report.get("replay", {}).values()
        for part in (row["left_out"], row["failed"])
    )
    cases = report.get("execution", {}).get("cases", {}).values()
    return found + sum(int(max(case.get("wrong", 0), case.get("wrong writes", 0))) for case in cases)


def main() -> int:
    """Print the tables.

    Returns:
        0; 4 where --check is given and there is a wrong write; 3 where something is not at hand.
    """
    parser = options(__doc__)
    parser.add_argument("--tasks", type=int, default=200, help="how many of BFCL's base tasks")
    parser.add_argument("--part", choices=("both", "replay", "execution"), default="both")
    parser.add_argument("--check", action="store_true", help="exit 4 where a write is wrong")
    given = parser.parse_args()
    try:
        report = measure(given)
    except Absent as absent:
        print(absent, file=sys.stderr)
        return 3
    count = wrong(report)
    if given.json:
        print(json.dumps({**report, "wrong": count}, indent=2))
    else:
        _shown(report)
        print(f"wrong writes: {count}")
    return 4 if given.check and count else 0


def _shown(report: dict[str, Any]) -> None:
    for name, row in report.get("replay", {}).items():
        print(f"{name}: {row['in_intents']} of {row['runs']} runs in intents; {_said(row['verdicts'])}")
        before = row["wrong_before_refusal"]
        print(f"  refusals: {_said(row['refusals'])}; wrong in folds before refusal: {before}")
        print(f"  left out: {_said(row['left_out'])}")
        print(f"  failed:   {_said(row['failed'])}")
    found = report.get("execution")
    if not found:
        return
    print(f"BFCL: {found['families']} families, {found['names']} names; left out: {_said(found['left_out'])}")
    for way, counts in found["verdicts"].items():
        print(f"  {way}: {_said(counts)}; refusals: {_said(found['refusals'].get(way, {}))}")
    print(f"{'members, case':<28}" + "".join(f"{c:>14}" for c in COLUMNS))
    for name, case in found["cases"].items():
        print(f"{name:<28}" + "".join(f"{case.get(c, 0):>14}" for c in COLUMNS))
    for line in found["worst"][:40]:
        print(f"  wrong, {line}")


def _said(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


if __name__ == "__main__":
    raise SystemExit(main())
