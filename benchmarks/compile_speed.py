"""How long does it take to find and compile all intents of a store, and how much memory does it take?

Run: python benchmarks/compile_speed.py [--work DIR] [--json]. The 1,000 runs and 5,070 calls of
ComplexFuncBench are written as chat JSON Lines, each intent's runs in ten files, and imported once. What is
timed is the rest, in a process of its own: compile() of the whole store through the Workspace, which finds
the intents and compiles each, with processes on two cores; and afterwards how long finding the intents
takes by itself; the middle of three runs. A second row leaves the verification out (no run is left out, no
curve, no changed values). Memory is taken in a further run, since looking at it takes time on the same cores:
the peak over the process and its workers, as the sum of resident memory, in which shared pages count once a
process, and of proportional memory.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from compile_data import complexfuncbench, options
from measure import run_once
from names import show
from workload import Absent, work_folder

from tracelode.model.run import Run

RUNS, FILES, CORES = 1_000, 20, 2
TIMED = 3
"""Runs whose middle time counts."""
BARS = {"seconds": 6.0, "megabytes": 500.0}


def written(runs: list[Run], folder: Path) -> int:
    """Write runs as chat JSON Lines; run n goes into file n modulo FILES.

    Returns:
        Bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[list[str]] = [[] for _ in range(FILES)]
    for number, run in enumerate(runs):
        messages: list[dict[str, Any]] = [{"role": "user", "content": run.request}]
        for call in run.calls:
            asked = {"name": call.name, "arguments": json.dumps(call.arguments)}
            ident = f"c{call.index}"
            messages.append(
                {"role": "assistant", "content": "", "tool_calls": [{"id": ident, "function": asked}]}
            )
            messages.append({"role": "tool", "tool_call_id": ident, "content": json.dumps(call.output)})
        lines[number % FILES].append(json.dumps({"id": f"complexfuncbench-{run.key}", "messages": messages}))
    for number, part in enumerate(lines):
        (folder / f"runs-{number:02}.jsonl").write_text("\n".join(part) + "\n", encoding="utf-8")
    return sum(path.stat().st_size for path in folder.glob("*.jsonl"))


def child(store: str, verified: bool) -> None:
    """Find and compile all intents of a store, and print what it took."""
    import tracelode
    from tracelode.compile import passes

    if not verified:
        passes.PASSES = passes.PASSES[:-1]
    begun = time.perf_counter()
    workspace = tracelode.open(store, make=False)
    done = workspace.compile()
    ended = time.perf_counter()
    found = workspace.intents()
    alone = time.perf_counter() - ended
    print(
        json.dumps(
            {
                "intents": len(found.intents),
                "runs": found.reading.runs,
                "calls": sum(one.calls for one in done),
                "gone": sum(one.reading.gone for one in done),
                "compiled": sum(one.workflow is not None for one in done),
                "seconds": ended - begun,
                "intents_seconds": alone,
            }
        )
    )


def measured(store: Path, verified: bool) -> dict[str, Any]:
    """A process with its workers: timed by itself, and once more while its memory is looked at."""
    words = [sys.executable, str(Path(__file__).resolve()), "--child", str(store), "1" if verified else "0"]
    timed = [run_once(words, dict(os.environ), watch=False) for _ in range(TIMED)]
    told: list[dict[str, Any]] = [json.loads(run.output) for run in timed]
    once = run_once(words, dict(os.environ))
    return {
        "row": "whole" if verified else "without verify",
        **told[0],
        "seconds": median(one["seconds"] for one in told),
        "intents_seconds": median(one["intents_seconds"] for one in told),
        "cpu_seconds": median(run.cpu for run in timed),
        "megabytes": None if once.tree is None else once.tree / 1e6,
        "proportional_megabytes": None if once.shared is None else once.shared / 1e6,
    }


def main() -> int:
    """Read the command line and measure."""
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3] == "1")
        return 0
    parser = options(__doc__)
    parser.add_argument("--work", type=Path, help="folder for the traces and the store; kept")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs, the first so many")
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    import tracelode

    try:
        with work_folder(given.work) as work:
            store = work / f"compile-speed-{given.runs}"
            size = None
            if not store.exists():
                size = written(complexfuncbench(0, given.runs), work / "traces")
                begun = time.perf_counter()
                tracelode.open(store).add(work / "traces")
                print(f"imported {size / 1e6:.0f} MB in {time.perf_counter() - begun:.1f} s", file=sys.stderr)
            rows = [measured(store, True), measured(store, False)]
    except Absent as error:
        print(f"skipped: {error}", file=sys.stderr)
        return 3
    if given.json:
        print(json.dumps({"rows": rows, "bars": BARS}))
        return 0
    print(show(rows))
    print(f"bars: whole in {BARS['seconds']:g} s, {BARS['megabytes']:g} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
