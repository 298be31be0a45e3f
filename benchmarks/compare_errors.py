"""How often does compare err? Differences where there are none, stated power, gates at the margin.

Run: python benchmarks/compare_errors.py [--data DIR] [--json] [--runs N]. With DIR the runs of
outcomes/terminal-bench-claude-code.*.jsonl.gz are dealt to two sets within their tasks: nothing can differ.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from labelled import rows
from names import show

from tracelode.profile.compare.gate import gate
from tracelode.profile.compare.paired import Outcome, compare
from tracelode.statistics.power import detectable
from tracelode.statistics.signs import flip_signs

RUNS = 1_000
LEVEL = 0.05
TIMES = 2_000
"""Flips of each run where they are drawn."""


def real(folder: Path) -> list[tuple[str, int, bool]]:
    """(task, steps, success) of the runs of tasks with two runs or more."""
    held: dict[str, list[tuple[str, int, bool]]] = {}
    for row in rows(folder / "outcomes", "terminal-bench-claude-code"):
        if isinstance(row.get("steps"), list) and row["steps"]:
            held.setdefault(row["task"], []).append((row["task"], len(row["steps"]), bool(row["success"])))
    return [run for runs in held.values() if len(runs) > 1 for run in runs]


def dealt(
    runs: Sequence[tuple[str, int, bool]], chance: random.Random
) -> tuple[list[Outcome], list[Outcome]]:
    """The runs of each task dealt to two sets, at least one to each."""
    by_task: dict[str, list[tuple[str, int, bool]]] = {}
    for run in runs:
        by_task.setdefault(run[0], []).append(run)
    sides: tuple[list[Outcome], list[Outcome]] = ([], [])
    for held in by_task.values():
        places = [0, 1, *(chance.randrange(2) for _ in held[2:])]
        chance.shuffle(places)
        for number, (place, (task, steps, good)) in enumerate(zip(places, held, strict=True)):
            sides[place].append(Outcome(f"{task}{number}", task, steps, good))
    return sides


def made(n: int, each: int, chance: random.Random) -> list[tuple[str, int, bool]]:
    """Runs of n tasks whose sizes differ by orders of magnitude, as token counts do."""
    found = []
    for task in range(n):
        middle = chance.gauss(10, 1)
        found += [(str(task), round(math.exp(chance.gauss(middle, 0.5))), True) for _ in range(each)]
    return found


def false_alarms(name: str, runs: int, seed: int, source: Any) -> dict[str, Any]:
    """How often p is below the level, and intervals miss 0, where nothing differs."""
    alarms = missed = tasks = 0
    for i in range(runs):
        chance = random.Random(seed * 1_000_003 + i)
        found = compare(*dealt(source(chance), chance), measure="operations", times=TIMES, seed=i)
        alarms += found.p <= LEVEL
        assert found.interval is not None
        missed += not found.interval[0] <= 0 <= found.interval[1]
        tasks = found.tasks
    return {
        "what": f"nothing differs: {name}", "tasks": tasks, "runs": runs, "rate": alarms / runs,
        "nominal": LEVEL, "interval misses 0": missed / runs,
    }  # fmt: skip


def power(name: str, n: int, runs: int, seed: int, spread: Any) -> dict[str, Any]:
    """How often the difference that is called detectable is detected."""
    chance = random.Random(seed)
    typical = [detectable([spread(chance) for _ in range(n)]) or 0.0 for _ in range(400)]
    effect = math.sqrt(sum(value * value for value in typical) / len(typical))
    found = 0
    for i in range(runs):
        gaps = [round(1e6 * (spread(chance) + effect)) for _ in range(n)]
        found += flip_signs(gaps, TIMES, i).p <= LEVEL
    return {"what": f"stated power: {name}", "tasks": n, "runs": runs, "rate": found / runs, "nominal": 0.8}


def gates(n: int, each: int, base: float, margin: float, loss: float, runs: int, seed: int) -> dict[str, Any]:
    """How often the gate passes under a loss."""
    chance = random.Random(seed)
    passed = 0
    for _ in range(runs):
        sides = [
            {str(task): [chance.random() < share for _ in range(each)] for task in range(n)}
            for share in (base, base - loss)
        ]
        passed += gate(sides[0], sides[1], margin).passed
    what = f"gate at {margin:.2f}, success {base:.2f} to {base - loss:.2f}, {each} runs a side"
    nominal = 0.05 if loss >= margin else None
    return {"what": what, "tasks": n, "runs": runs, "rate": passed / runs, "nominal": nominal}


def measure(data: Path, runs: int, seed: int) -> Iterator[dict[str, Any]]:
    """A row per question."""
    held = real(data)
    if held:
        yield false_alarms("steps of terminal-bench runs", runs, seed, lambda _: held)
    yield false_alarms("10 tasks, 1 run a side", runs, seed, lambda c: made(10, 2, c))
    yield false_alarms("40 tasks, 1 to 3 runs a side", runs, seed, lambda c: made(40, 4, c))
    for n in (8, 12, 23, 60):
        yield power("normal differences", n, runs, seed, lambda c: c.gauss(0, 1))
    for n in (12, 23, 60):
        yield power("skewed differences", n, runs, seed, lambda c: c.expovariate(1) - 1)
    for n, each, base, margin in (
        (23, 1, 0.9, 0.1),
        (23, 3, 0.9, 0.1),
        (60, 1, 0.8, 0.1),
        (100, 1, 0.95, 0.05),
    ):
        yield gates(n, each, base, margin, margin, runs, seed)
    for n, each, base, margin in ((23, 3, 0.95, 0.1), (60, 1, 0.95, 0.1), (100, 3, 0.95, 0.05)):
        yield gates(n, each, base, margin, 0.0, runs, seed)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default, help="folder of the sets")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"repetitions of each row ({RUNS})")
    parser.add_argument("--seed", type=int, default=7, help="seed")
    options = parser.parse_args()
    table = list(measure(options.data, options.runs, options.seed))
    missing = [] if real(options.data) else ["outcomes/terminal-bench-claude-code"]
    if options.json:
        print(json.dumps({"rows": table, "missing": missing}, indent=2))
    else:
        print(show(table))
        for name in missing:
            print(f"missing: {name}; the other rows are of made-up runs")
    return 3 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
