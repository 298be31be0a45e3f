"""What does a question to the store cost? A pprof file of 27,765 operations, a fold of five million.

Run: python benchmarks/fold.py [--operations 27765] [--shards 100] [--rows 50000] [--json]

The first store is an imported history, cut behind the given number of own operations, in the shards the
import made. The second is written by rule through the store's own writer (programs/make_store.py).
Beside both, round by round: DuckDB alone, GROUP BY over the same Parquet files.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

from measure import Case, Failed, Series, measure, wait_until_quiet
from report import Figure, Report, finish, options, say
from workload import Absent, call, environment, history, program, tracelode, work_folder

PPROF = {"cpu": 0.6, "process": 130}
"""Bars at 27,765 operations: seconds, megabytes."""
SEGMENTS = {"cpu": 15, "process": 300}
"""Bars of the default chain at 27,765 operations."""
FOLD = {"cpu": 2.5, "process": 400}
"""Bars at five million operations."""
OPERATIONS, ROWS, STACKS = 27_765, 5_000_000, 250_000
PER_MB = 105
"""Fewer operations than a megabyte of generated transcripts holds."""
FRAMES = "intent,stage,focus,tool"


def imported(work: Path, given: argparse.Namespace) -> Path:
    """A store with exactly so many own operations."""
    target = work / f"store-{given.operations}"
    if target.exists():
        return target
    size = max(2.0, round(given.operations / PER_MB + 2))
    folder = given.history or history(work, given.generator, size, 11)
    whole = work / "store-whole"
    shutil.rmtree(whole, ignore_errors=True)
    env = environment(work)
    call(tracelode("import", str(folder / ".claude" / "projects"), "--store", str(whole), "--json"), env)
    call(program("make_store", "cut", whole, target, given.operations), env)
    shutil.rmtree(whole)
    return target


def pprof(report: Report, work: Path, given: argparse.Namespace) -> None:
    """Measure an export and check what was written."""
    store, env = imported(work, given), environment(work)
    target = work / "profile.pb.gz"
    files = tracelode("export", "-o", str(target), "--store", str(store))
    count = f"{given.operations:,} operations"
    measures = "cost,tokens_output,time_model,time_tool,operations"
    cases = [
        Case(f"tracelode, {count} to pprof", files, env, shown="tracelode export -o profile.pb.gz"),
        Case(f"DuckDB alone, {count}", program("fold_bare", store, "intent,stage,tool", measures), env),
    ]
    found = measure(cases, given.runs, warm=given.warm)
    report.series.extend(found)
    report.bars(found[0], PPROF, apply=given.operations >= OPERATIONS)
    report.beside(found[0], found[1], ("wall", "cpu", "process"))
    summed = total(target, "operations")
    if summed != given.operations:
        raise Failed(f"the profile sums to {summed} operations, the store holds {given.operations}")
    report.notes.append(f"the profile's operations sum to {summed:,}")
    target.unlink()


def total(path: Path, measure: str) -> int:
    """Sum of one value type over the samples of a pprof file, read by the generated pprof messages."""
    from tracelode.exports import profile_pb2

    profile = profile_pb2.Profile.FromString(gzip.decompress(path.read_bytes()))
    names = [profile.string_table[kind.type] for kind in profile.sample_type]
    at = names.index(measure)
    return sum(sample.value[at] for sample in profile.sample)


def segments(report: Report, work: Path, given: argparse.Namespace) -> None:
    """Measure cutting and naming all of a store anew, from its start to its end, by each segmenter."""
    store, env = imported(work, given), environment(work)
    count = f"{given.operations:,} operations"
    cases = [
        Case(f"segments and names of {count}, {name}", program("naming", store, 1, name), env)
        for name in ("chain", "learned", "changepoint", "phase")
    ]
    found = measure(cases, given.runs, warm=given.warm)
    report.series.extend(found)
    report.bars(found[0], SEGMENTS, apply=given.operations >= OPERATIONS)


def fold(report: Report, work: Path, given: argparse.Namespace) -> None:
    """Measure a fold over a store made by rule, and check its sum."""
    store, env = work / f"store-{given.shards}x{given.rows}", environment(work)
    noted = store / "made.json"
    if not noted.exists():
        shutil.rmtree(store, ignore_errors=True)
        say(f"writing {given.shards} shards of {given.rows:,} operations")
        noted.write_bytes(call(program("make_store", "rows", store, given.shards, given.rows), env))
    made = json.loads(noted.read_text(encoding="utf-8"))
    count = f"{made['operations']:,} operations"
    ours = Case(f"tracelode, fold {count}", program("fold_store", store), env, shown="fold_store.py")
    bare = Case(f"DuckDB alone, {count}", program("fold_bare", store, FRAMES, "cost"), env)
    found = measure([ours, bare], given.runs, warm=given.warm)
    report.series.extend(found)
    whole = made["operations"] >= ROWS
    report.bars(found[0], FOLD, apply=whole)
    answer = check(found, made["cost"])
    report.figures.append(Figure("stacks of the fold", answer, "stacks", STACKS if whole else None))
    report.beside(found[0], found[1], ("wall", "cpu", "process"))


def check(found: list[Series], cost: int) -> int:
    """Assert that ours and the engine's sums are the store's; the number of stacks."""
    ours, bare = (json.loads(series.runs[-1].output) for series in found)
    if not ours["cost"] == bare["first"] == cost:
        raise Failed("the sums of the folds are not that of the store: these figures say nothing")
    return int(ours["stacks"])


def main() -> int:
    """Run it; the exit code."""
    parser = options(__doc__.splitlines()[0], runs=5)
    parser.add_argument("--operations", type=int, default=OPERATIONS, help=f"of the profile ({OPERATIONS})")
    parser.add_argument("--shards", type=int, default=100, help="shards to fold (100); 0 leaves it out")
    parser.add_argument("--rows", type=int, default=50_000, help="operations in a shard (50000)")
    parser.add_argument("--history", type=Path, help="a generated history, instead of generating one")
    given = parser.parse_args()
    try:
        with work_folder(given.work) as work:
            return finish(run(given, work), given)
    except (Failed, subprocess.CalledProcessError) as error:
        say(f"fold: {error}")
        return 1


def run(given: argparse.Namespace, work: Path) -> Report:
    """Measure both parts; the first is left out where no history can be made."""
    report = Report("fold")
    try:
        if given.operations:
            imported(work, given)
    except Absent as error:
        report.notes.append(f"left out: the pprof file ({error})")
        given.operations = 0
    report.load = wait_until_quiet(given.load_below, given.wait)
    if given.operations:
        pprof(report, work, given)
        segments(report, work, given)
    if given.shards:
        fold(report, work, given)
    return report


if __name__ == "__main__":
    sys.exit(main())
