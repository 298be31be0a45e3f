"""What does it cost to start? Help, version and the help of a command, beside Python itself and ccusage.

Run: python benchmarks/startup.py [--ccusage PATH] [--json]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from measure import Case, Failed, measure, wait_until_quiet
from report import Report, finish, options, say
from workload import Absent, ccusage, environment, tracelode, work_folder

HELP = {"cpu": 0.05}
"""Bar of tracelode --help: seconds."""


def run(given: argparse.Namespace, work: Path) -> Report:
    """Measure everything."""
    peer = ccusage(work, given.ccusage)
    env = environment(work)
    cases = [
        Case("tracelode --help", tracelode("--help"), env),
        Case("tracelode --version", tracelode("--version"), env),
        Case("tracelode top --help", tracelode("top", "--help"), env),
        Case("python -c pass", [sys.executable, "-c", "pass"], env),
    ]
    if peer is not None:
        cases.append(Case("ccusage --help", [peer, "--help"], env))
    load = wait_until_quiet(given.load_below, given.wait)
    report = Report("startup", load=load)
    report.series = found = measure(cases, given.runs, warm=given.warm)
    report.bars(found[0], HELP)
    for other in found[3:]:
        report.beside(found[0], other, ("wall", "cpu"))
    if peer is None:
        report.notes.append("ccusage is not at hand: name it with --ccusage PATH, or --ccusage install")
    if Path(tracelode()[0]).name == "tracelode":
        report.notes.append("started by the installed script")
    return report


def main() -> int:
    """Run it; the exit code."""
    parser = options(__doc__.splitlines()[0], runs=20)
    parser.add_argument("--ccusage", help="path of ccusage, or install: by npm below the work folder")
    given = parser.parse_args()
    try:
        with work_folder(given.work) as work:
            return finish(run(given, work), given)
    except (Absent, Failed) as error:
        say(f"startup: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
