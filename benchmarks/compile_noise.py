"""How well does the compiler tell noise from what a task needs? Noise planted in clean runs, and found again.

Into each run of ComplexFuncBench calls are planted at a rate (.6 for each call): retries (the call before
itself, failed or empty, in half of the cases with up to a third of its keys changed), redundant calls (the
same again later), and explorations (a look of another run at any place: half of them with a tool that the run
calls itself).
"""

from __future__ import annotations

import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from compile_data import complexfuncbench, options, records
from workload import Absent

from tracelode.compile.denoise import denoise
from tracelode.compile.effects import Knowledge
from tracelode.compile.work import Declared, Work
from tracelode.model.intent import Intent
from tracelode.model.run import Call, Run, Tree

KINDS = ("retry", "redundant", "exploratory")
BARS = {"retry": 0.98, "redundant": 0.98, "exploratory": 0.85}
"""F1 that each kind must reach."""
RATE = 0.6
PER_INTENT = 10
OWN = "exploratory, own tool"
"""Planted explorations with a tool that the run needs itself: the hard ones; counted twice."""
_ERRORS: tuple[tuple[str, Tree], ...] = (
    ("timeout", "Error: request timed out"),
    ("error", {"error": "internal server error"}),
    ("", []),
    ("", {}),
    ("", ""),
)


class Planted(NamedTuple):
    """What one call of a noisy run is."""

    kind: str
    """essential, or one of KINDS."""
    original: int
    """Index of the call in the clean run that it is, repeats or tries; -1 for an exploration."""


def inject(
    runs: Sequence[Run], rate: float = RATE, seed: int = 0
) -> tuple[list[Run], list[tuple[Planted, ...]]]:
    """Plant noise into runs.

    Args:
        runs: clean ones; explorations are looks of other runs among them.
        rate: probability with which a call brings one planted call, of a kind chosen evenly.
        seed: of the choice.

    Returns:
        (runs with the same keys and calls numbered anew, per run and call what it is).
    """
    chance = random.Random(seed)
    known = Knowledge(runs)
    donors = [(run.key, call) for run in runs for call in run.calls if not known.of(call).writes]
    by_tool: dict[str, list[tuple[str, Call]]] = {}
    for donor in donors:
        by_tool.setdefault(donor[1].name, []).append(donor)
    noisy, truth = [], []
    for run in runs:
        calls: list[tuple[Call, Planted]] = [(c, Planted("essential", c.index)) for c in run.calls]
        for call in run.calls:
            if chance.random() < rate:
                kind = chance.choice(KINDS)
                _plant(kind, call, calls, run, donors, by_tool, chance)
        noisy.append(_numbered(run, calls))
        truth.append(tuple(what for _, what in calls))
    return noisy, truth


def _plant(
    kind: str,
    call: Call,
    calls: list[tuple[Call, Planted]],
    run: Run,
    donors: Sequence[tuple[str, Call]],
    by_tool: dict[str, list[tuple[str, Call]]],
    chance: random.Random,
) -> None:
    at = next(n for n, (_, what) in enumerate(calls) if what == Planted("essential", call.index))
    if kind == "retry":
        error, output = chance.choice(_ERRORS)
        arguments = _changed(call.arguments, chance) if chance.random() < 0.5 else call.arguments
        tried = msgspec.structs.replace(call, output=output, error=error, arguments=arguments)
        calls.insert(at, (tried, Planted("retry", call.index)))
    elif kind == "redundant":
        place = chance.randint(at + 1, len(calls))
        calls.insert(place, (call, Planted("redundant", call.index)))
    else:
        own = by_tool.get(chance.choice(run.calls).name, donors)
        among = own if chance.random() < 0.5 else donors
        known = {(c.name, _text(c.arguments)) for c, _ in calls}
        for _ in range(20):
            key, donor = chance.choice(among)
            if key != run.key and (donor.name, _text(donor.arguments)) not in known:
                calls.insert(chance.randint(0, len(calls)), (donor, Planted("exploratory", -1)))
                break


def _changed(arguments: Tree, chance: random.Random) -> Tree:
    """Arguments of which up to a third of the keys are left out or spelt wrongly."""
    if not isinstance(arguments, dict) or not arguments:
        return arguments
    changed = copy.deepcopy(arguments)
    for key in chance.sample(sorted(changed), chance.randint(1, -(-len(changed) // 3))):
        if isinstance(changed[key], str) and chance.random() < 0.5:
            changed[key] = changed[key][:-1] + "?"
        else:
            del changed[key]
    return changed


def _numbered(run: Run, calls: Iterable[tuple[Call, Planted]]) -> Run:
    made = [
        msgspec.structs.replace(call, index=n, group=-1, operation=f"{run.key}#{n}")
        for n, (call, _) in enumerate(calls)
    ]
    kinds = [what for _, what in calls]
    at = {what.original: n for n, what in enumerate(kinds) if what.kind == "essential"}
    turns = tuple(
        turn if turn.before == 0 else msgspec.structs.replace(turn, before=at.get(turn.before, len(made)))
        for turn in run.turns
    )
    return msgspec.structs.replace(run, calls=tuple(made), turns=turns)


def _text(tree: Tree) -> str:
    return json.dumps(tree, sort_keys=True)


def works(runs: Sequence[Run]) -> list[Work]:
    """Runs of the set, ten of an intent, as works."""
    specs = {spec.name: spec for run in runs for spec in run.tools}
    found = []
    for start in range(0, len(runs), PER_INTENT):
        some = tuple(runs[start : start + PER_INTENT])
        intent = Intent(id=f"i_{start:08d}", name="intent", runs=tuple(run.key for run in some))
        found.append(Work(intent=intent, runs=some, declared=Declared(tools=specs)))
    return found


def measure(runs: Sequence[Run], rate: float, seed: int) -> Counter[tuple[str, str]]:
    """(what a call is, what it is taken for) to calls."""
    noisy, truth = inject(runs, rate, seed)
    table: Counter[tuple[str, str]] = Counter()
    start = 0
    for work in works(noisy):
        for run, labels in zip(work.runs, denoise(work).labels, strict=True):
            needed = {
                c.name for c, what in zip(run.calls, truth[start], strict=True) if what.kind not in KINDS
            }
            for call, label, planted in zip(run.calls, labels, truth[start], strict=True):
                taken = label.kind if label.kind in KINDS else "essential"
                table[planted.kind, taken] += 1
                if planted.kind == "exploratory" and call.name in needed:
                    table[OWN, taken] += 1
            start += 1
    return table


def scores(table: Counter[tuple[str, str]]) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of each kind."""
    found = {}
    for kind in (*KINDS, "essential"):
        hit = table[kind, kind]
        taken = sum(n for (what, label), n in table.items() if label == kind and what != OWN)
        there = sum(n for (what, _), n in table.items() if what == kind)
        precision = hit / taken if taken else 0.0
        recall = hit / there if there else 0.0
        both = precision + recall
        f1 = 2 * precision * recall / both if both else 0.0
        found[kind] = {"precision": precision, "recall": recall, "f1": f1, "calls": float(there)}
    return found


def main() -> int:
    """Print the table; 4 where a bar is missed."""
    parser = options(__doc__)
    parser.add_argument("--rate", type=float, default=RATE, help="planted calls for each call")
    parser.add_argument("--seeds", type=int, default=3, help="how often everything is planted anew")
    given = parser.parse_args()
    try:
        runs = complexfuncbench(*records(given))
    except Absent as absent:
        print(absent, file=sys.stderr)
        return 3
    table: Counter[tuple[str, str]] = Counter()
    for seed in range(given.seeds):
        table += measure(runs, given.rate, seed)
    found = scores(table)
    clean = measure(runs, 0.0, 0)
    lost = sum(n for (_, label), n in clean.items() if label != "essential") / max(1, clean.total())
    missed = [kind for kind, bar in BARS.items() if found[kind]["f1"] < bar]
    if given.json:
        counts = {f"{what} as {label}": n for (what, label), n in sorted(table.items())}
        report: dict[str, Any] = {
            "scores": found,
            "counts": counts,
            "clean_runs_lost": lost,
            "missed": missed,
        }
        print(json.dumps(report, indent=2))
    else:
        print(f"{len(runs)} runs, rate {given.rate}, {given.seeds} seeds")
        print(f"{'kind':<12}{'calls':>8}{'P':>8}{'R':>8}{'F1':>8}{'bar':>6}")
        for kind, row in found.items():
            bar = f"{BARS[kind]:.2f}" if kind in BARS else ""
            print(
                f"{kind:<12}{row['calls']:>8.0f}{row['precision']:>8.3f}{row['recall']:>8.3f}{row['f1']:>8.3f}{bar:>6}"
            )
        for (what, label), n in sorted(table.items()):
            if what not in (label, OWN):
                print(f"{what} taken for {label}: {n}")
        own = table[OWN, "exploratory"], sum(n for (what, _), n in table.items() if what == OWN)
        print(f"explorations with a tool that the run needs itself: {own[0]} of {own[1]} found")
        print(f"of clean runs, calls taken for noise: {lost:.4f}")
    return 4 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
