"""How often is a guard learned where there is no reason, and how often where there is one?

Real outputs, planted branches. At the end of the runs of each intent of ComplexFuncBench a step is planted
that only some runs take: by lot (every guard is false), or by a reason (a flag, an amount or an empty list
is put into the first output and decides). Each rule is asked for a guard: two runs on each side and no
error, as they stand; and with the chance rule of the compiler, for a step that reads and for one that
writes.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
from compile_data import PER_INTENT, complexfuncbench, options, records
from workload import Absent

from tracelode.compile.align import align
from tracelode.compile.control import chance, guards
from tracelode.compile.work import Work
from tracelode.model.binding import producers
from tracelode.model.intent import Intent
from tracelode.model.run import Call, Run, Tree
from tracelode.model.workflow import Effect

RULES = {"no error": (1.0, "read"), "read": (chance.READ, "read"), "write": (chance.WRITE, "append")}
"""Rule to (largest share, effect of the planted step)."""
REASONS = ("lot", "flag", "amount", "empty list")
SLACK = 0.03
"""Above the rule's own share, for the chance of the draws themselves."""


def planted(runs: Sequence[Run], took: Sequence[bool], reason: str, lot: random.Random) -> tuple[Run, ...]:
    """Runs with a last step in some of them, and the reason for it in the first output of all."""
    found = []
    for run, taken in zip(runs, took, strict=True):
        calls = list(run.calls)
        value: Tree = {
            "flag": taken,
            "amount": lot.randrange(500) + 500 * taken,
            "empty list": [1] * (not taken),
        }
        if reason != "lot" and isinstance(value, dict):
            told = calls[0].output
            output = {**(told if isinstance(told, dict) else {"rows": told}), "reason": value[reason]}
            calls[0] = msgspec.structs.replace(calls[0], output=output)
        if taken:
            calls.append(
                Call(index=len(calls), name="planted_step", arguments={"note": run.key}, output="ok")
            )
        found.append(msgspec.structs.replace(run, calls=tuple(calls)))
    return tuple(found)


def asked(work: Work, rule: str) -> str:
    """What a rule says of the planted step: nothing, a guard by its reason, or by something else."""
    most, effect = RULES[rule]
    known = {
        slot.name: Effect("read", "configured") for slot in (work.alignment.slots if work.alignment else ())
    }
    known["planted_step#1"] = Effect(effect, "configured")  # type: ignore[arg-type]
    kept = guards.READ, guards.WRITE
    guards.READ, guards.WRITE = (most, most) if rule == "no error" else kept  # type: ignore[misc]
    try:
        guard = guards.learned(replace(work, effects=known)).guards.get("planted_step#1")
    finally:
        guards.READ, guards.WRITE = kept  # type: ignore[misc]
    if guard is None:
        return "none"
    paths = {getattr(test.left, "path", "") for test in guard.tests for _ in producers(test.left)}
    return "reason" if paths == {"reason"} else "other"


def measure(runs: Sequence[Run], size: int, reason: str, draws: int, seed: int) -> dict[str, Counter[str]]:
    """Per rule: how often it said what, over intents and draws of the runs that take the step."""
    lot = random.Random(f"{seed} {size} {reason}")
    found: dict[str, Counter[str]] = {rule: Counter() for rule in RULES}
    for start in range(0, len(runs), PER_INTENT):
        for _ in range(draws):
            some = sorted(lot.sample(list(runs[start : start + PER_INTENT]), size), key=lambda run: run.key)
            count = lot.randint(2, size - 2)
            took = [n < count for n in range(size)]
            lot.shuffle(took)
            made = planted(some, took, reason, lot)
            intent = Intent(id="i_00000000", name="planted", runs=tuple(run.key for run in made))
            work = align(Work(intent=intent, runs=made))
            for rule, said in found.items():
                said[asked(work, rule)] += 1
    return found


def main() -> int:
    """Print the table; 4 where false guards are more than a rule allows."""
    parser = options(__doc__)
    parser.add_argument("--draws", type=int, default=2, help="draws for each intent, size and reason")
    parser.add_argument("--seed", type=int, default=0, help="of the draws")
    given = parser.parse_args()
    try:
        runs = complexfuncbench(*records(given))
    except Absent as absent:
        print(absent, file=sys.stderr)
        return 3
    rows: list[dict[str, Any]] = []
    for size in (5, 7, 10):
        for reason in REASONS:
            for rule, said in measure(runs, size, reason, given.draws, given.seed).items():
                shares = {f"share_{what}": said[what] / said.total() for what in ("reason", "other", "none")}
                rows.append({"runs": size, "reason": reason, "rule": rule, **shares, "draws": said.total()})
    missed = [
        row
        for row in rows
        if row["reason"] == "lot"
        and row["rule"] != "no error"
        and row["share_other"] > RULES[row["rule"]][0] + SLACK
    ]
    if given.json:
        print(json.dumps({"rows": rows, "missed": missed}, indent=2))
        return 4 if missed else 0
    print(f"{'runs':>5}  {'taken by':<12}{'rule':<10}{'right':>8}{'false':>8}{'none':>8}{'draws':>7}")
    for row in rows:
        shown = "".join(f"{row[f'share_{what}']:>8.3f}" for what in ("reason", "other", "none"))
        print(f"{row['runs']:>5}  {row['reason']:<12}{row['rule']:<10}{shown}{row['draws']:>7}")
    return 4 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
