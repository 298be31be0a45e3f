"""What does the first minute cost? Cold import and first screen of a history, then every run after it.

Run: python benchmarks/history.py [--mb 200] [--large-mb 1000] [--ccusage install] [--json]

Cold means an empty workspace; the files lie in the page cache, for the peers too. Beside it, round by
round: ccusage, which adds up tokens and stores nothing, and a loop that only decodes every line.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from measure import Case, Failed, measure, ratio, wait_until_quiet
from report import Figure, Report, finish, options, say
from workload import Absent, call, ccusage, environment, history, program, tracelode, truth, work_folder

COLD = {"wall": 10, "process": 150}
"""Bars of a cold import of 200 MB with the default chain: seconds, megabytes."""
CHOSEN = {"phase": {"wall": 4.5, "process": 150, "tree": 300}, "changepoint": {"wall": 7}}
"""The same in a store that was told to cut by another segmenter."""
AGAIN = {"wall": 0.4}
GROWTH = {"wall": 5.5, "process": 1.3, "tree": 1.3}
"""Bars of 1 GB against 200 MB."""
BIG = 190_000_000
"""Bytes of a history from which the bars hold."""
NAMING = 0.1
"""Milliseconds an operation."""
TOKENS = {
    "input": "input_fresh",
    "output": "output",
    "cache5m": "cache_write_5m",
    "cache1h": "cache_write_1h",
    "cache_read": "cache_read",
}


def emptied(store: Path) -> Callable[[], None]:
    """What makes the next run a cold one."""
    return lambda: shutil.rmtree(store, ignore_errors=True)


def told(store: Path, segmenter: str, env: dict[str, str]) -> Callable[[], None]:
    """What makes the next run a cold one in a store whose segmenter was chosen."""

    def make() -> None:
        emptied(store)()
        call(program("make_store", "choose", store, segmenter), env)

    return make


def cases(work: Path, folder: Path, peer: str | None, size: str) -> tuple[Path, list[Case]]:
    """The store, and the commands that read one history: ours first."""
    store = work / f"store-{size.replace(' ', '')}"
    plain = environment(work, folder)
    shown = "tracelode --store NEW"
    found = [
        Case(f"tracelode, {size} cold", tracelode("--store", str(store)), plain, emptied(store), shown),
    ]
    if peer is not None:
        words = [peer, "claude", "daily", "--offline"]
        found.append(Case(f"ccusage, {size}", words, plain, shown="ccusage claude daily --offline"))
    words = program("read_lines", folder / ".claude" / "projects")
    found.append(Case(f"msgspec loop, {size}", words, plain, shown="read_lines.py: decode every line"))
    return store, found


def agrees(work: Path, folder: Path, store: Path) -> bool:
    """Are the totals of a store those of the generator, to the token?"""
    command = tracelode("--store", str(store), "--no-import", "--json")
    totals = json.loads(call(command, environment(work, folder)))["totals"]
    exact = truth(folder)["total"]
    same = all(totals["tokens"][ours] == exact[theirs] for theirs, ours in TOKENS.items())
    return same and totals["calls"] == exact["messages"]


def size_of(folder: Path) -> str:
    """The size of a history, as the table names it."""
    return f"{truth(folder)['bytes'] / 1e6:.0f} MB"


def verify(report: Report, work: Path, folder: Path, store: Path) -> None:
    """Assert that what was measured is right, and note it."""
    size, files = size_of(folder), truth(folder)["files"]
    if not agrees(work, folder, store):
        raise Failed(f"the totals of {size} are not those of the generator: these figures say nothing")
    report.notes.append(f"{size}: {files} files, tokens and calls equal the generator's truth")


def naming(report: Report, work: Path, store: Path) -> None:
    """Measure the naming of everything in a store."""
    answer = json.loads(call(program("naming", store, 1, "phase"), environment(work)))
    spent = answer["seconds"][0] * 1000 / answer["operations"]
    name = f"naming an operation ({answer['operations']:,} of them)"
    report.figures.append(Figure(name, spent, "ms", NAMING))


def run(given: argparse.Namespace, work: Path) -> Report:
    """Measure everything."""
    peer = ccusage(work, given.ccusage)
    folder = given.history or history(work, given.generator, given.mb)
    large = None
    if given.large_mb:
        large = given.large_history or history(work, given.generator, given.large_mb)
    report = Report("history", load=wait_until_quiet(given.load_below, given.wait))
    if peer is None:
        report.notes.append("ccusage is not at hand: name it with --ccusage PATH, or --ccusage install")
    first(report, given, work, folder, peer)
    if large is not None:
        wait_until_quiet(given.load_below, given.wait)
        grown(report, given, work, (folder, large), peer)
    return report


def first(report: Report, given: argparse.Namespace, work: Path, folder: Path, peer: str | None) -> None:
    """Measure a cold import, then the same command with nothing new, then naming."""
    full = truth(folder)["bytes"] >= BIG
    store, commands = cases(work, folder, peer, size_of(folder))
    say(f"measuring {size_of(folder)}")
    ours, *peers = found = measure(commands, given.runs, warm=given.warm)
    verify(report, work, folder, store)
    report.series.extend(found)
    report.bars(ours, COLD, apply=full)
    for other in peers:
        report.beside(ours, other)
    chosen(report, given, work, folder)
    again = Case("tracelode, nothing new", tracelode("--store", str(store)), environment(work, folder))
    second, *peers = found = measure([again, *commands[1:-1]], given.runs, warm=given.warm)
    report.series.extend(found)
    report.bars(second, AGAIN, apply=full)
    for other in peers:
        report.beside(second, other)
    naming(report, work, store)
    shutil.rmtree(store)


def chosen(report: Report, given: argparse.Namespace, work: Path, folder: Path) -> None:
    """Measure cold imports with other segmenters, in turn."""
    env, size = environment(work, folder), size_of(folder)
    stores = {name: work / f"store-{name}" for name in CHOSEN}
    found = measure(
        [
            Case(
                f"tracelode, {size} cold, {name}",
                tracelode("--store", str(store)),
                env,
                told(store, name, env),
                f"tracelode --store NEW, its segmenter {name}",
            )
            for name, store in stores.items()
        ],
        given.runs,
        warm=given.warm,
    )
    report.series.extend(found)
    for series, (name, store) in zip(found, stores.items(), strict=True):
        verify(report, work, folder, store)
        report.bars(series, CHOSEN[name], apply=truth(folder)["bytes"] >= BIG)
        shutil.rmtree(store)


def grown(
    report: Report, given: argparse.Namespace, work: Path, folders: tuple[Path, Path], peer: str | None
) -> None:
    """Measure a small and a large history in turn: how do time and memory grow?"""
    folder, large = folders
    small_store, small_commands = cases(work, folder, None, size_of(folder))
    store, commands = cases(work, large, peer, size_of(large))
    say(f"measuring {size_of(large)}")
    small, ours, *peers = found = measure([small_commands[0], *commands], given.large_runs, warm=given.warm)
    verify(report, work, large, store)
    report.series.extend(found)
    bytes_small, bytes_large = (truth(f)["bytes"] for f in folders)
    whole = bytes_small >= BIG and bytes_large >= 4.5 * bytes_small
    for what, bar in GROWTH.items():
        name = f"{ours.case.name} / {small.case.name}: {what}"
        report.figures.append(Figure(name, ratio(ours, small, what), "x", bar if whole else None))
    for other in peers:
        report.beside(ours, other)
    for place in (small_store, store):
        shutil.rmtree(place, ignore_errors=True)


def main() -> int:
    """Run it; the exit code."""
    parser = options(__doc__.splitlines()[0], runs=5)
    parser.add_argument("--mb", type=float, default=200, help="megabytes of transcripts (200)")
    parser.add_argument("--large-mb", type=float, default=1000, help="of the larger history; 0 leaves it out")
    parser.add_argument("--large-runs", type=int, default=3, help="runs of the larger history (3)")
    parser.add_argument("--history", type=Path, help="a generated history, instead of generating one")
    parser.add_argument("--large-history", type=Path, help="the larger one")
    parser.add_argument("--ccusage", help="path of ccusage, or install: by npm below the work folder")
    given = parser.parse_args()
    try:
        with work_folder(given.work) as work:
            return finish(run(given, work), given)
    except (Absent, Failed) as error:
        say(f"history: {error}")
        return 3 if isinstance(error, Absent) else 1


if __name__ == "__main__":
    sys.exit(main())
