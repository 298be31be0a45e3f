"""Does every benchmark run, and what does it say? All of them one after the other, small by default.

Run: python benchmarks/all.py [--full] [--json]; --full takes the sizes that the bars are meant for.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from report import options, say
from workload import HERE, work_folder

SMALL = {
    "startup": ["--runs", "5"],
    "sources": ["--runs", "2", "--seconds", "0.1", "--telemetry", "2"],
    "segments": ["--runs", "1", "--resamples", "200"],
    "fold": ["--runs", "2", "--operations", "1000", "--shards", "10", "--rows", "10000"],
    "history": ["--runs", "2", "--mb", "10", "--large-mb", "40", "--large-runs", "1"],
}
"""Options of each script at the sizes of make bench."""
FULL: dict[str, list[str]] = {"startup": [], "sources": [], "segments": [], "fold": [], "history": []}
"""Options at the sizes of the bars: the defaults."""
ABSENT = 3
"""Exit code of a script that lacks what it needs."""


def words(name: str, given: argparse.Namespace, work: Path) -> list[str]:
    """The command of one script."""
    found = [sys.executable, str(HERE / f"{name}.py"), *(FULL if given.full else SMALL)[name]]
    found += ["--work", str(work), "--generator", str(given.generator), "--wait", str(given.wait)]
    found += ["--warm", str(given.warm)]
    if given.runs is not None:
        found += ["--runs", str(given.runs)]
    if given.load_below is not None:
        found += ["--load-below", str(given.load_below)]
    if given.ccusage is not None and name not in ("fold", "sources", "segments"):
        found += ["--ccusage", given.ccusage]
    return [*found, *(flag for flag in ("--json", "--check") if getattr(given, flag[2:]))]


def main() -> int:
    """Run all; 0 unless one fails."""
    parser = options(__doc__.splitlines()[0], runs=None)
    parser.add_argument("--full", action="store_true", help="the sizes that the bars are meant for")
    parser.add_argument("--ccusage", help="path of ccusage, or install: by npm below the work folder")
    given = parser.parse_args()
    reports, worst = [], 0
    with work_folder(given.work) as work:
        for name in SMALL:
            done = subprocess.run(words(name, given, work), stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode == ABSENT:
                say(f"{name}: left out")
                continue
            worst = max(worst, done.returncode)
            if not given.json:
                print(done.stdout, flush=True)
            elif done.stdout:
                reports.append(json.loads(done.stdout))
    if given.json:
        print(json.dumps({"reports": reports}, indent=1))
    return worst


if __name__ == "__main__":
    sys.exit(main())
