"""What does the executor add to a step? Its journal and checks beside a bare asyncio loop, and DBOS.

Run: python benchmarks/compile_executor.py [--steps N] [--runs N] [--json] [--check]

A workflow of steps, each bound to the output of the one before it, on a toolbox whose calls cost nothing:
what is left between two calls is the executor. The bare loop makes the same calls, in the same order, and
remembers nothing.
Reads are noted once; a write is noted twice, the first time synced to the disk before it is made: what the
executor itself adds to a write is told by a journal in memory (/dev/shm, where there is one), and the rest is
the disk. The bar is held by reads and by these writes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import shutil
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from tracelode.compile.execute.embedded import EmbeddedEngine
from tracelode.model import binding as b
from tracelode.model.execution import Budget, Policy
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.workflow import Argument, Check, Effect, Step, Workflow

BAR = 0.3
"""Milliseconds that a step with its journal may cost more than in a bare loop, in the middle."""
MEMORY = Path("/dev/shm")
IN_MEMORY = "embedded, writes, no disk"
POLICY = Policy(writes="proven", budget=Budget(calls=10**9))


class Nothing:
    """A toolbox whose calls cost nothing, and that notes when it is called."""

    def __init__(self) -> None:
        self.at: list[float] = []

    async def describe(self) -> list[ToolSpec]:
        """Its one tool."""
        parameters = {"properties": {"id": {"type": "integer"}}, "required": ["id"]}
        return [ToolSpec(name="next", parameters=parameters)]

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        """One more than what it is given."""
        self.at.append(time.perf_counter())
        return {"id": arguments["id"] + 1, "status": "ok", "rows": [{"name": "a"}, {"name": "b"}]}

    async def close(self) -> None:
        """Nothing."""


def workflow(steps: int, writes: bool) -> Workflow:
    """A chain of so many steps."""
    effect = Effect("append" if writes else "read", "configured", family="one")
    found = []
    for n in range(steps):
        source: b.Binding = b.Copy(f"next#{n - 1}", "id") if n else b.Constant(0)
        found.append(
            Step(
                slot=f"next#{n}",
                tool="next",
                effect=effect,
                order=n,
                after=(f"next#{n - 1}",) if n else (),
                arguments=(Argument("id", source, proof="hard"),),
                checks=(Check("no_error", ""), Check("type", "", "object"), Check("required", "id")),
            )
        )
    return Workflow(
        id="wf_00000000000b", name="bench", intent="i", trust="proven", runs=9, steps=tuple(found)
    )


async def bare(steps: int) -> tuple[list[float], float]:
    """The same calls without an executor: (milliseconds from call to call, of the whole a step)."""
    box, last = Nothing(), 0
    began = time.perf_counter()
    for _ in range(steps):
        answer = await asyncio.ensure_future(box.call("next", {"id": last}, ""))
        last = answer["id"]
    return _gaps(box), (time.perf_counter() - began) * 1_000 / steps


async def run(engine: Any, work: Workflow, place: str, name: str) -> tuple[list[float], float]:
    """One run: (milliseconds from call to call, of the whole with its opening and closing a step)."""
    box = Nothing()
    began = time.perf_counter()
    outcome = await engine.start(work, box, {}, place=place, run=name, policy=POLICY)
    spent = time.perf_counter() - began
    last = work.steps[-1].slot
    if outcome.status != "done" or outcome.outputs[last]["id"] != len(work.steps):
        raise SystemExit("compile_executor: a run gave a wrong answer; there is no figure")
    return _gaps(box), spent * 1_000 / len(work.steps)


def _gaps(box: Nothing) -> list[float]:
    return [(late - early) * 1_000 for early, late in pairwise(box.at)]


def measure(steps: int, runs: int, folder: Path) -> dict[str, tuple[list[float], list[float]]]:
    """Of each case: milliseconds from call to call of all runs, and of whole runs a step."""
    reads, writes = workflow(steps, False), workflow(steps, True)
    few = workflow(min(steps, 50), False)
    engines: dict[str, tuple[Any, Workflow, str]] = {
        "embedded, reads": (EmbeddedEngine(), reads, str(folder / "reads.db")),
        "embedded, writes": (EmbeddedEngine(), writes, str(folder / "writes.db")),
    }
    if MEMORY.is_dir():
        memory = folder / "memory"
        memory.symlink_to(tempfile.mkdtemp(prefix="bench-", dir=MEMORY))
        engines[IN_MEMORY] = (EmbeddedEngine(), writes, str(memory / "writes.db"))
    try:
        import dbos  # noqa: F401

        from tracelode.compile.execute.dbos_ import DbosEngine

        logging.disable(logging.CRITICAL)
        engines["DBOS on SQLite, reads"] = (DbosEngine(), few, f"sqlite:///{folder / 'dbos.db'}")
    except ImportError:
        print("DBOS is not installed: its row is left out", file=sys.stderr)
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in ("bare loop", *engines)}
    for turn in range(runs + 1):  # the first round warms up
        spent = {"bare loop": asyncio.run(bare(steps))}
        for name, (engine, work, place) in engines.items():
            spent[name] = asyncio.run(run(engine, work, place, f"run-{turn}"))
        for name, (gaps, whole) in spent.items():
            if turn:
                found[name][0].extend(gaps)
                found[name][1].append(whole)
    return found


def main() -> int:
    """Run it; 1 where --check is given and the bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=500, help="steps of the workflow; DBOS gets 50 at most")
    parser.add_argument(
        "--runs", type=int, default=9, help="runs of each case, after one that does not count"
    )
    parser.add_argument("--work", type=Path, help="folder of the journals; a temporary one otherwise")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit 1 when the bar is missed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=given.work) as folder:
        try:
            found = measure(given.steps, given.runs, Path(folder))
        finally:
            shutil.rmtree((Path(folder) / "memory").resolve(), ignore_errors=True)
    rows = [
        {
            "case": name,
            "step": statistics.median(gaps),
            "step_95": statistics.quantiles(gaps, n=20)[-1],
            "whole": statistics.median(whole),
        }
        for name, (gaps, whole) in found.items()
    ]
    plain = statistics.median(found["bare loop"][0])
    held = [name for name in ("embedded, reads", IN_MEMORY) if name in found]
    over = {name: statistics.median(found[name][0]) - plain for name in held}
    load = os.getloadavg()[0]
    if given.json:
        told = {"schema_version": 1, "rows": rows, "overhead_ms": over, "bar_ms": BAR, "load": load}
        print(json.dumps(told))
    else:
        print(f"{'milliseconds':24} {'a step':>8} {'95 %':>8} {'whole run a step':>17}")
        for row in rows:
            print(f"{row['case']:24} {row['step']:8.4f} {row['step_95']:8.4f} {row['whole']:17.4f}")
        for name, more in over.items():
            print(f"overhead of a step with its journal, {name}: {more:.4f} ms (bar {BAR} ms)")
        print(f"load {load:.1f}")
    return int(given.check and max(over.values()) > BAR)


if __name__ == "__main__":
    sys.exit(main())
