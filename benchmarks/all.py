"""Does every benchmark run, and what does it say? All of them one after the other, small by default.

Run: python benchmarks/all.py [--full] [--json] [--only NAME ...] [--write [FILE]]; --full takes the sizes
that the bars are meant for and more scripts, --write puts their figures into docs/speed.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from page import PAGE, put
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
FULL: dict[str, list[str]] = {
    "startup": [], "viewer": [], "recorder": [], "sources": [], "segments": [], "fold": [], "plan_speed": [],
    "history": [],
}  # fmt: skip
"""Options at the sizes of the bars: the defaults. The quick ones first."""
OWN = ("recorder",)
"""Scripts that make what they need, and take none of the options for data and runs."""
ABSENT = 3
"""Exit code of a script that lacks what it needs."""


def words(name: str, given: argparse.Namespace, work: Path) -> list[str]:
    """The command of one script."""
    found = [sys.executable, str(HERE / f"{name}.py"), *(FULL if given.full else SMALL)[name]]
    ends = ["--check"] * given.check + ["--json"] * (given.json or given.write is not None)
    if given.load_below is not None:
        ends += ["--load-below", str(given.load_below), "--wait", str(given.wait)]
    if name in OWN:
        return [*found, *ends]
    found += ["--work", str(work), "--generator", str(given.generator)]
    found += ["--warm", str(given.warm)]
    if given.runs is not None:
        found += ["--runs", str(given.runs)]
    if given.ccusage is not None and name in ("startup", "history"):
        found += ["--ccusage", given.ccusage]
    return [*found, *ends]


def main() -> int:
    """Run all; 0 unless one fails."""
    parser = options(__doc__.splitlines()[0], runs=None)
    parser.add_argument("--full", action="store_true", help="the sizes that the bars are meant for")
    parser.add_argument("--ccusage", help="path of ccusage, or install: by npm below the work folder")
    parser.add_argument(
        "--only", nargs="+", choices=[*FULL], default=[], metavar="NAME", help="these scripts"
    )
    parser.add_argument(
        "--write", nargs="?", type=Path, const=PAGE, metavar="FILE", help="into a page (docs/speed.md)"
    )
    given = parser.parse_args()
    if given.write is not None and not given.full:
        parser.error("--write goes with --full: bars say nothing at other sizes")
    names = [name for name in (FULL if given.full else SMALL) if name in (given.only or FULL)]
    reports, worst = [], 0
    with work_folder(given.work) as work:
        for name in names:
            done = subprocess.run(words(name, given, work), stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode == ABSENT:
                say(f"{name}: left out")
                continue
            worst = max(worst, done.returncode)
            if done.stdout and (given.json or given.write is not None):
                reports.append(json.loads(done.stdout))
                # at once: what was measured stays if a later script fails; quality is no speed
                if given.write is not None and "figures" in reports[-1]:
                    say(f"{name}: wrote {', '.join(put(given.write, reports[-1:]))} to {given.write}")
            elif not given.json:
                print(done.stdout, flush=True)
    if given.json:
        print(json.dumps({"reports": reports}, indent=1))
    return worst


if __name__ == "__main__":
    sys.exit(main())
