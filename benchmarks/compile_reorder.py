"""Is the order that hard edges prove enough? BFCL's tasks, executed again in random orders along these edges.

Each of the 200 base tasks is executed in the order of its gold calls. Those that come out the same twice are
executed in 20 random orders that respect the hard edges; an order breaks where an output or the final state
differs. Effects are known (a) by declared hints and the words in tool names alone, (b) with state differences
observed as well; value edges alone are the comparison. A call depends on another where its output changes
when the other, which changes a state, is left out: how many such pairs the edges order is shown too.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from bfcl_world import Outcome, deterministic, execute, install, recorded, tasks
from compile_data import options
from workload import Absent

from tracelode.compile.effects import effects
from tracelode.compile.evidence import evidence
from tracelode.compile.work import Alignment, Slot, Variant, Work
from tracelode.model.intent import Intent
from tracelode.model.run import Run

ORDERS = 20
FREE = 0.25
"""Share of pairs that must stay free with state differences."""
MODES = ("values alone", "words", "words and state")


def work_of(run: Run, others: Sequence[Run]) -> Work:
    """One run as an intent of its own, each call a slot."""
    counts: Counter[str] = Counter()
    slots = []
    for call in run.calls:
        counts[call.name] += 1
        slots.append(Slot(f"{call.name}#{counts[call.name]}", call.name, call.server))
    names = tuple(slot.name for slot in slots)
    alignment = Alignment(tuple(slots), (names,), (Variant(frozenset(names), (0,)),))
    intent = Intent(id="i_00000000", name=run.key, runs=(run.key,))
    return Work(intent=intent, runs=(run,), alignment=alignment, others=tuple(others))


def pairs(work: Work, kinds: Collection[str]) -> set[tuple[int, int]]:
    """(earlier, later) calls that hard edges of some kinds order."""
    assert work.alignment is not None
    place = {name: n for n, name in enumerate(work.alignment.of[0])}
    return {(place[e.before], place[e.after]) for e in work.edges if e.kind in kinds}


def closed(count: int, ordered: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Pairs that are ordered through others as well."""
    after: list[set[int]] = [set() for _ in range(count)]
    for n in range(count - 1, -1, -1):
        for one, other in ordered:
            if one == n:
                after[n] |= {other} | after[other]
    return {(n, m) for n in range(count) for m in after[n]}


def shuffled(count: int, ordered: set[tuple[int, int]], chance: random.Random) -> list[int]:
    """A random order of calls that respects the pairs."""
    before: dict[int, set[int]] = {n: set() for n in range(count)}
    for one, other in ordered:
        before[other].add(one)
    order: list[int] = []
    while len(order) < count:
        done = set(order)
        order.append(chance.choice([n for n in range(count) if n not in done and before[n] <= done]))
    return order


def breaks(row: dict[str, Any], run: Run, truth: Outcome, ordered: set[tuple[int, int]], seed: str) -> int:
    """Orders of ORDERS that come out differently."""
    chance = random.Random(seed)
    found = 0
    for _ in range(ORDERS):
        outcome = execute(row, run, shuffled(len(run.calls), ordered, chance))
        found += outcome.outputs != truth.outputs or outcome.state != truth.state
    return found


def dependencies(row: dict[str, Any], run: Run, truth: Outcome) -> set[tuple[int, int]]:
    """(earlier, later) calls where the later output changes when the earlier call is left out."""
    count = len(run.calls)
    found = set()
    for one in sorted(truth.changed):
        outputs = execute(row, run, [n for n in range(count) if n != one]).outputs
        found.update((one, n) for n in range(one + 1, count) if outputs[n] != truth.outputs[n])
    return found


def measure(given: Any) -> dict[str, Any]:
    """The report of all modes."""
    install()
    skipped: dict[str, list[str]] = {}
    kept: list[tuple[dict[str, Any], Run, Outcome]] = []
    for row, run in tasks(given.data)[: given.tasks]:
        outcome, why = deterministic(row, run)
        if outcome is None or len(run.calls) < 2:
            skipped.setdefault(why or "a single call", []).append(run.key)
        else:
            kept.append((row, run, outcome))
    report: dict[str, Any] = {"tasks": len(kept), "calls": sum(len(r.calls) for _, r, _ in kept)}
    report["skipped"] = skipped
    report["changing_calls"] = sum(len(outcome.changed) for _, _, outcome in kept)
    truth = [dependencies(row, run, outcome) for row, run, outcome in kept]
    report["dependencies"] = sum(map(len, truth))
    for mode in MODES:
        runs = [recorded(run, outcome, mode == "words and state") for _, run, outcome in kept]
        report[mode] = _mode(mode, kept, runs, truth)
    return report


def _mode(
    mode: str,
    kept: Sequence[tuple[dict[str, Any], Run, Outcome]],
    runs: Sequence[Run],
    truth: Sequence[set[tuple[int, int]]],
) -> dict[str, Any]:
    kinds = ("data_hard",) if mode == MODES[0] else ("data_hard", "effect_hard", "control_hard")
    broken = samples = every = direct = through = found = 0
    worst: list[str] = []
    for (row, run, outcome), told, needed in zip(kept, runs, truth, strict=True):
        work = effects(evidence(work_of(told, [r for r in runs if r is not told])))
        ordered = pairs(replace(work), kinds)
        count = len(run.calls)
        every += count * (count - 1) // 2
        direct += len(ordered)
        whole = closed(count, ordered)
        through += len(whole)
        found += len(needed & whole)
        bad = breaks(row, run, outcome, ordered, f"{run.key} {mode}")
        samples += bad
        if bad:
            broken += 1
            worst.append(f"{run.key}: {bad}")
    return {
        "tasks_broken": broken,
        "orders_broken": samples,
        "orders": ORDERS * len(kept),
        "pairs": every,
        "free": 1 - direct / every if every else 0.0,
        "free_through_others": 1 - through / every if every else 0.0,
        "dependencies_ordered": found,
        "broken": worst[:20],
    }


def main() -> int:
    """Print the table; 4 where a bar is missed."""
    parser = options(__doc__)
    parser.add_argument("--tasks", type=int, default=200, help="how many of the base tasks")
    given = parser.parse_args()
    try:
        report = measure(given)
    except Absent as absent:
        print(absent, file=sys.stderr)
        return 3
    missed = [mode for mode in MODES[1:] if report[mode]["orders_broken"]]
    if report[MODES[2]]["free"] < FREE:
        missed.append("share of pairs left free")
    if given.json:
        print(json.dumps({**report, "missed": missed}, indent=2))
        return 4 if missed else 0
    print(
        f"{report['tasks']} tasks, {report['calls']} calls, {report['changing_calls']} change a state, "
        f"{report['dependencies']} pairs depend"
    )
    for why, names in report["skipped"].items():
        print(f"left out, {why}: {len(names)}")
    heads = f"{'tasks broken':>14}{'orders broken':>16}{'pairs free':>12}{'closed':>8}{'ordered':>9}"
    print(f"{'hard edges':<18}{heads}")
    for mode in MODES:
        row = report[mode]
        orders = f"{row['orders_broken']} of {row['orders']}"
        print(
            f"{mode:<18}{row['tasks_broken']:>14}{orders:>16}{row['free']:>12.3f}"
            f"{row['free_through_others']:>8.3f}{row['dependencies_ordered']:>9}"
        )
    return 4 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
