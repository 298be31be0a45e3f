"""How well do segmenters cut sessions into stages, and how much better than cutting blindly?

Run: python benchmarks/segments.py [--data DIR] [--json] [--method NAME...]; DIR holds the labelled sets as
segmentation/codetrace.*.jsonl.gz and plan-silver.*.jsonl.gz. Nothing is trained on DIR here.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from report import ROOT, machine, options, say
from segments_controls import DRAWS
from segments_data import load
from segments_table import Settings, compared, missed, notes, show, table

from tracelode.errors import TracelodeError, UsageError

BARS = {("codetrace", "changepoint"): (0.71, 0.34)}
"""Least B3 and boundary F1 by set and method; what was trained on these sets has its bars out of fold."""
DATA = ROOT.parent / "shared" / "data"
RESTS = (
    "groups are maximal runs of equal full path; equal names apart: every segment is a group",
    "95 % intervals by bootstrap over sessions, paired where two methods are compared",
    "the best windows of 1..12 are chosen on the sessions they are scored on, one by B3, one by boundary F1; "
    "B3 is compared with the one, cuts with the other",
    f"random cuts and shuffled lengths: the mean of {DRAWS} draws",
    "op/s: cutting and naming what is already enriched, CPU time",
)


def main(words: Sequence[str] | None = None) -> int:
    """Print the table; 3 where no set is there, 2 where a method is not known."""
    parser = options((__doc__ or "").partition("\n")[0], runs=3)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the sets")
    parser.add_argument("--method", nargs="+", default=[], metavar="NAME", help="show these rows alone")
    parser.add_argument("--resamples", type=int, default=2_000, help="of the sessions (2000)")
    parser.add_argument("--seed", type=int, default=0, help="of resamples, exchanges and random cuts (0)")
    given = parser.parse_args(words)
    sets, unread = load(given.data)
    if not sets:
        say("\n".join(unread))
        return 3
    settings = Settings(tuple(given.method), given.runs, given.warm, given.resamples, given.seed)
    try:
        rows, published = table(sets, settings)
    except TracelodeError as error:
        say(f"{type(error).__name__}: {error}")
        return 2 if isinstance(error, UsageError) else 1
    said = [*RESTS, *notes(sets, rows), *unread]
    if given.json:
        print(json.dumps(answer(rows, published, said, settings), indent=1))
        return 1 if given.check and missed(rows, BARS) else 0
    print(show(rows))
    if published:
        print(f"\n{compared(published)}")
    for note in said:
        print(f"note: {note}")
    below = missed(rows, BARS) if given.check else []
    if below:
        say("\n".join(below))
    return 1 if below else 0


def answer(
    rows: Sequence[dict[str, Any]],
    published: Sequence[dict[str, Any]],
    said: Sequence[str],
    settings: Settings,
) -> dict[str, Any]:
    """Everything as one JSON object."""
    return {
        "benchmark": "segments",
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "resamples": settings.times,
        "seed": settings.seed,
        "rows": rows,
        "published": published,
        "notes": said,
    }


if __name__ == "__main__":
    sys.exit(main())
