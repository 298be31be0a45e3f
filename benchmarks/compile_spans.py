"""Where do arguments that nobody said come from when tools answer in prose? AgentDojo's ground-truth runs.

Run: python benchmarks/compile_spans.py [--data DIR] [--tasks 0-47] [--json]. Recall: of the argument leaves
that the request does not tell, the share whose source is found in an earlier output, by level. Precision
needs a reader: --sample FILE writes 100 seeded findings with the texts around them as TSV; the reader fills
the column verdict with right, wrong or unclear. `cut -f1-8 FILE` leaves the texts out: that is what
benchmarks/judged keeps. --judged FILE prints the precision with its interval; unclear counts as wrong.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

from compile_data import agentdojo, options
from names import show
from workload import Absent

from tracelode.compile import transforms
from tracelode.compile.evidence import evidence
from tracelode.compile.paths import get
from tracelode.compile.work import Traced, Work
from tracelode.model.evidence import Evidence
from tracelode.model.intent import Intent
from tracelode.model.run import Run

RECALL, PRECISION = 0.75, 0.85
"""Bars: recall, and the lower end of the interval of precision."""
SAMPLE = 100
JUDGED = Path(__file__).resolve().parent / "judged" / "spans.tsv"
KEYS = ("task", "call", "arg", "producer", "path", "level", "kind")
SHOWN = ("tool", "value", "producer_tool", "told", "request")
VERDICTS = ("right", "wrong", "unclear")
AROUND = 60
"""Characters around a piece that a reader sees."""


class Finding(NamedTuple):
    """One argument leaf that the request does not tell."""

    run: Run
    traced: Traced
    evidence: Evidence

    @property
    def key(self) -> tuple[str, ...]:
        """What names it in a file of verdicts."""
        e = self.evidence
        assert e.producer is not None
        return (
            e.run, str(e.call), e.arg, str(e.producer.call), e.producer.path, e.level or "", e.verdict,
        )  # fmt: skip


def findings(runs: Sequence[Run]) -> tuple[list[Finding], int]:
    """The argument leaves that no request tells, and the count of all; each task is an intent of its own."""
    found, count = [], 0
    for run in runs:
        work = evidence(Work(intent=Intent(id="i_00000000", name="", runs=(run.key,)), runs=(run,)))
        pairs = zip(work.traced[0], work.evidence, strict=True)
        found += [Finding(run, t, e) for t, e in pairs if t.prompt is None]
        count += len(work.traced[0])
    return found, count


def wilson(right: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """95 % interval of a share.

    Args:
        right: successes.
        count: trials.
        z: quantile.

    Source:
        Wilson (1927).
    """
    if not count:
        return 0.0, 1.0
    share, square = right / count, z * z
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = z / (1 + square / count) * sqrt(share * (1 - share) / count + square / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def sample(found: Sequence[Finding], seed: int) -> list[Finding]:
    """Seeded findings for a reader."""
    sourced = sorted((f for f in found if f.evidence.producer is not None), key=lambda f: f.key)
    return sorted(random.Random(seed).sample(sourced, min(SAMPLE, len(sourced))), key=lambda f: f.key)


def write(path: Path, rows: Sequence[Finding]) -> None:
    """The findings with what a reader needs to judge them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, delimiter="\t", lineterminator="\n")
        out.writerow([*KEYS, "verdict", *SHOWN])
        for row in rows:
            producer = row.evidence.producer
            assert producer is not None
            made = row.run.calls[producer.call]
            value = transforms.text(row.traced.value)
            told = _told(transforms.text(get(made.output, producer.path)), producer.span)
            shown = (row.evidence.tool, value, made.name, told, row.run.request)
            out.writerow([*row.key, "", *(" ".join(text.split()) for text in shown)])


def _told(text: str, span: tuple[int, int] | None) -> str:
    if span is None:
        return text[: 4 * AROUND]
    start, stop = span
    return f"{text[max(0, start - AROUND) : start]}[[{text[start:stop]}]]{text[stop : stop + AROUND]}"


def judged(path: Path, found: Sequence[Finding]) -> dict[str, Any]:
    """Precision of the findings by a file of verdicts.

    Args:
        path: TSV with KEYS and verdict.
        found: what is found now; verdicts on other findings are stale and counted apart.

    Raises:
        Absent: the file cannot be used.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_MINIMAL))
    if not rows or any(name not in rows[0] for name in (*KEYS, "verdict")):
        raise Absent(f"{path.name} has not the columns {', '.join(KEYS)}, verdict")
    if any(row["verdict"] not in VERDICTS for row in rows):
        raise Absent(f"{path.name}: a verdict is none of {', '.join(VERDICTS)}")
    # the kind of a verdict and its level may change while the finding stays the same
    known = {f.key[:5] for f in found if f.evidence.producer is not None}
    fresh = [row for row in rows if tuple(row[name] for name in KEYS[:5]) in known]
    right = sum(row["verdict"] == "right" for row in fresh)
    low, high = wilson(right, len(fresh))
    return {
        "judged": len(fresh),
        "right": right,
        "precision": right / len(fresh) if fresh else 0.0,
        "low": low,
        "high": high,
        "stale": len(rows) - len(fresh),
    }


def table(found: Sequence[Finding], all_leaves: int) -> list[dict[str, Any]]:
    """Counts by level."""
    levels = Counter(f.evidence.level or "no source" for f in found)
    hard = Counter(f.evidence.level or "no source" for f in found if f.evidence.verdict == "hard")
    rows = [
        {"level": level, "leaves": levels[level], "proven": hard[level], "share": levels[level] / len(found)}
        for level in sorted(levels)
    ]
    sourced = len(found) - levels["no source"]
    exact = sum(levels[level] for level in ("L0", "L1", "L2"))
    total = {"leaves": sourced, "proven": sum(hard.values()), "share": sourced / len(found)}
    rows.append({"level": "whole leaves only", "leaves": exact, "proven": None, "share": exact / len(found)})
    rows.append({"level": "recall", **total})
    rows.append({"level": "not told by the request", "leaves": len(found), "proven": None, "share": None})
    rows.append({"level": "all argument leaves", "leaves": all_leaves, "proven": None, "share": None})
    return rows


def main() -> int:
    """Print the table; 1 where a bar is missed, 3 where something is missing."""
    parser = options(__doc__)
    parser.add_argument("--tasks", default="0-47", help="tasks in file order, first-last")
    parser.add_argument("--seed", type=int, default=7, help="seed of the sample")
    parser.add_argument("--sample", type=Path, metavar="FILE", help="write findings for a reader")
    parser.add_argument("--judged", type=Path, metavar="FILE", default=JUDGED, help="verdicts of a reader")
    given = parser.parse_args()
    first, _, last = given.tasks.partition("-")
    try:
        runs = agentdojo(given.data)[int(first) : int(last or first) + 1]
        found, count = findings(runs)
        precision = judged(given.judged, found) if given.judged.exists() else None
    except Absent as absent:
        print(f"compile_spans: {absent}", file=sys.stderr)
        return 3
    if given.sample:
        write(given.sample, sample(found, given.seed))
    rows = table(found, count)
    recall = next(row["share"] for row in rows if row["level"] == "recall")
    missed = [f"recall {recall:.3f} < {RECALL}"] if recall < RECALL else []
    if precision is not None and precision["low"] < PRECISION:
        missed.append(f"lower end of precision {precision['low']:.3f} < {PRECISION}")
    if given.json:
        report = {"tasks": given.tasks, "rows": rows, "precision": precision, "missed": missed}
        print(json.dumps(report, indent=1))
    else:
        print(show(rows))
        print(
            show([precision]) if precision else f"no verdicts at {given.judged.name}: precision is not known"
        )
        print("\n".join(missed) or "every bar that was measured is reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
