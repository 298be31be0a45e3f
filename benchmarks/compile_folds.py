"""How much of a run would a workflow learned from the other runs have done, and rightly? Leave one run out.

Run: python benchmarks/compile_folds.py [--intents 0-49] [--data DIR] [--json]. The traces of ComplexFuncBench
are downloaded once. Folds are over runs of groups of five or more with the same sequence of tools. A call is
bound where the workflow makes it without asking anybody; one whose input the request of the left-out run does
not tell is escalated, and counts as neither bound nor right. Beside it: learned from 1, 2, 3 or 5 runs only,
and one run replayed as it is with values of the request put in.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

import compile_data
from workload import Absent

from tracelode.compile import transforms
from tracelode.compile.align import align
from tracelode.compile.assemble import assemble
from tracelode.compile.bind import bind
from tracelode.compile.denoise import denoise
from tracelode.compile.effects import effects
from tracelode.compile.evidence import evidence
from tracelode.compile.gate import gate
from tracelode.compile.verify import verify
from tracelode.compile.work import Options, Work
from tracelode.model.intent import Intent
from tracelode.model.run import Run
from tracelode.model.verification import CurvePoint, Fold

FEWEST, DRAWS = 5, 2000
STEPS = (gate, denoise, align, evidence, effects, bind, assemble, verify)
BARS = {"bound": 0.83, "exact": 0.98, "whole": 0.45, "wrong writes": 0}


def groups(runs: Sequence[Run]) -> Iterable[tuple[int, tuple[Run, ...]]]:
    """Runs of one intent with one sequence of tools, five or more."""
    for first in range(0, len(runs), compile_data.PER_INTENT):
        by_tools: dict[tuple[str, ...], list[Run]] = {}
        for run in runs[first : first + compile_data.PER_INTENT]:
            by_tools.setdefault(tuple(call.name for call in run.calls), []).append(run)
        for same in by_tools.values():
            if len(same) >= FEWEST:
                yield first // compile_data.PER_INTENT, tuple(same)


def compiled(number: int, runs: tuple[Run, ...], options: Options) -> Work:
    """One group through all passes."""
    work = Work(
        Intent(id=f"i_{number:08x}", name="task", runs=tuple(r.key for r in runs)), runs, options=options
    )
    for step in STEPS:
        work = step(work)
    return work


def shares(folds: Sequence[Fold]) -> dict[str, float]:
    """The figures of some folds."""
    calls = sum(len(f.calls) for f in folds)
    bound = sum(f.bound for f in folds)
    return {
        "bound": bound / calls,
        "exact": sum(f.right for f in folds) / bound if bound else 0.0,
        "whole": sum(f.whole for f in folds) / len(folds),
        "whole right": sum(f.whole and f.right == len(f.calls) for f in folds) / len(folds),
        "escalated": sum(c.end == "escalated" for f in folds for c in f.calls) / calls,
        "wrong": sum(c.end == "wrong" for f in folds for c in f.calls) / calls,
        "wrong writes": sum(f.wrong_writes for f in folds),
    }


def interval(by_group: Sequence[Sequence[Fold]], name: str) -> tuple[float, float]:
    """95 % interval of a share, groups drawn with replacement."""
    chance = random.Random(7)
    drawn = sorted(
        shares([f for g in chance.choices(by_group, k=len(by_group)) for f in g])[name] for _ in range(DRAWS)
    )
    return drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS)]


def verbatim(works: Sequence[Work]) -> dict[str, float]:
    """One other run replayed as it is, with values of the request put in: what replaying tools do."""
    calls = right = whole = folds = 0
    for work in works:
        for place, run in enumerate(work.runs):
            other = work.runs[(place + 1) % len(work.runs)]
            told = {(t.call, t.path): t for t in work.traced[place]}
            same = 0
            for traced in other.calls:
                mine = [t for t in work.traced[place] if t.call == traced.index]
                old = {
                    t.path: t.value
                    for t in work.traced[(place + 1) % len(work.runs)]
                    if t.call == traced.index
                }
                same += len(old) == len(mine) and all(
                    t.path in old
                    and (told[t.call, t.path].prompt is not None or transforms.same(old[t.path], t.value))
                    for t in mine
                )
            calls, right, folds = calls + len(run.calls), right + same, folds + 1
            whole += same == len(run.calls)
    return {"bound": 1.0, "exact": right / calls, "whole": 1.0, "whole right": whole / folds}


def summed(points: Iterable[CurvePoint]) -> dict[int, Counter[str]]:
    """Learning curves of all groups, by number of runs."""
    found: dict[int, Counter[str]] = {}
    for p in points:
        found.setdefault(p.runs, Counter()).update(
            calls=p.calls,
            bound=p.bound,
            right=p.right,
            whole=p.whole,
            whole_right=p.whole_right,
            folds=p.folds,
        )
    return found


def table(works: Sequence[Work]) -> list[tuple[str, dict[str, float]]]:
    """All rows."""
    by_group = [w.verification.folds for w in works]
    rows = [("all other runs", shares([f for g in by_group for f in g]))]
    for count, c in sorted(summed(p for w in works for p in w.verification.curve).items()):
        if count <= FEWEST:
            rows.append(
                (
                    f"{count} run{'s' if count > 1 else ''}",
                    {
                        "bound": c["bound"] / c["calls"],
                        "exact": c["right"] / c["bound"] if c["bound"] else 0.0,
                        "whole": c["whole"] / c["folds"],
                        "whole right": c["whole_right"] / c["folds"],
                    },
                )
            )
    rows.append(("one run as it is", verbatim(works)))
    return rows


def main() -> int:
    """Print the table.

    Returns:
        0; 1 where --check is given and a bar is missed; 3 where the traces are not there.
    """
    parser = compile_data.options(__doc__)
    parser.add_argument(
        "--rule", choices=("default", "paper"), default="default", help="rule of the evidence"
    )
    parser.add_argument("--check", action="store_true", help="exit 1 where a bar is missed")
    given = parser.parse_args()
    try:
        runs = compile_data.complexfuncbench(*compile_data.records(given))
    except Absent as error:
        print(error, file=sys.stderr)
        return 3
    runs = [replace_outcome(run) for run in runs]
    works = [compiled(n, same, Options(rule=given.rule)) for n, same in groups(runs)]
    rows = table(works)
    by_group = [w.verification.folds for w in works]
    intervals = {name: interval(by_group, name) for name in ("bound", "exact", "whole")}
    if given.json:
        print(json.dumps({"rows": dict(rows), "intervals": intervals, "groups": len(works)}))
    else:
        names = ("bound", "exact", "whole", "whole right", "escalated", "wrong", "wrong writes")
        print(f"{len(works)} groups, {sum(len(g) for g in by_group)} folds, intents {given.intents}")
        print(f"{'learned from':20}" + "".join(f"{n:>13}" for n in names))
        for label, figures in rows:
            print(
                f"{label:20}" + "".join(f"{figures[n]:13.3f}" if n in figures else f"{'':13}" for n in names)
            )
        for name, (low, high) in intervals.items():
            print(f"95 % interval of {name}: {low:.3f} to {high:.3f} (groups drawn)")
    missed = [n for n, bar in BARS.items() if (rows[0][1][n] > bar if bar == 0 else rows[0][1][n] < bar)]
    if missed:
        print(f"below the bar: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed and given.check else 0


def replace_outcome(run: Run) -> Run:
    """The traces of this set are reference solutions: they succeeded."""
    import msgspec

    return msgspec.structs.replace(run, outcome="success")


if __name__ == "__main__":
    raise SystemExit(main())
