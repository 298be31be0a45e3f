"""How well does the learned segmenter cut sessions of tasks and frameworks it never saw?

Run: python benchmarks/segments_learned.py [--data DIR] [--json] [--shuffles N] [--without PREFIX...]
[--variant NAME...] [--write]
The folder holds segmentation/codetrace.*.jsonl.gz and plan-silver.*.jsonl.gz. Needs lightgbm,
which nothing else does. --write trains on every session of DIR and replaces the shipped weights.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from report import ROOT, machine, options, say
from segments_controls import scored
from segments_data import Dataset, load
from segments_fit import EXPERTS, Example, examples, save
from segments_folds import Variant, by_framework, by_task, kept, protocol
from segments_table import ALL, Method, Settings, between, lifted, missed, rows, show

from tracelode import registry
from tracelode.profile.score.assess import Sample, b3_f1, boundary_f1, lift
from tracelode.profile.score.partition import leaves
from tracelode.profile.score.tally import Tally
from tracelode.statistics.bootstrap import resamples

DATA = ROOT.parent / "shared" / "data"
BASE = "changepoint, equal names apart"
"""What the learned segmenter must beat: cuts without labels."""
BARS = {
    ("codetrace", "out of fold, nested"): (0.745, 0.45),
    ("plan-silver", "out of fold, nested"): (0.76, 0.50),
}
"""Least B3 and boundary F1 by set and row."""
VARIANTS = (
    Variant("out of fold, nested", nested=True),
    Variant("out of fold"),
    Variant("out of fold, equal names together", merged=True),
    Variant("out of fold, rate as it is", shrink=0.0),
    Variant("out of fold, rate shrunk", shrink=0.5),
    Variant("out of fold, linear part alone", trees=0.0),
    Variant("out of fold, trees alone", trees=1.0),
    Variant("out of fold, one expert for both sets", joint=True),
    Variant("framework held out", by_framework=True),
    Variant("framework held out, rate as it is", by_framework=True, shrink=0.0),
    Variant("framework held out, one expert for both sets", by_framework=True, joint=True),
)
"""Rows of the table; the second is what ships."""


class Scored(NamedTuple):
    """What one variant scored on a set."""

    tallies: list[Tally]
    """Mean over shuffles, one per session."""
    calibration: dict[str, Any]
    """Of its probabilities."""


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables; 3 where a set is missing."""
    parser = options((__doc__ or "").partition("\n")[0], runs=0)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the sets")
    parser.add_argument("--shuffles", type=int, default=5, help="divisions into folds (5)")
    parser.add_argument("--resamples", type=int, default=2_000, help="of the sessions (2000)")
    parser.add_argument("--without", nargs="+", default=[], metavar="PREFIX", help="leave features out")
    parser.add_argument("--variant", nargs="+", default=[], metavar="NAME", help="these rows alone")
    parser.add_argument("--write", action="store_true", help="train on everything and replace the weights")
    given = parser.parse_args(words)
    sets, unread = load(given.data)
    if {dataset.name for dataset in sets} != set(EXPERTS):
        say("\n".join(unread))
        return 3
    names, all_examples = kept(*examples(sets), given.without)
    if given.write:
        say(save(names, all_examples))
        return 0
    settings = Settings((), 0, 0, given.resamples, 0)
    answer: dict[str, Any] = {"benchmark": "segments_learned", "date": time.strftime("%Y-%m-%d")}
    answer |= {"machine": machine(), "rows": [], "over_base": [], "calibration": {}}
    for dataset in sets:
        score = _scores(dataset, all_examples, given)
        frameworks = sorted({session.framework for session in dataset.sessions})
        for framework in (ALL, *(frameworks if len(frameworks) > 1 else ())):
            methods = {name: Method(one.tallies, True) for name, one in score.items()}
            base = _base(dataset)
            answer["rows"] += rows(dataset, framework, {**methods, BASE: Method(base)}, settings)
            answer["over_base"] += over(dataset, framework, score, base, given.resamples)
        answer["calibration"][dataset.name] = {name: one.calibration for name, one in score.items()}
    print(json.dumps(answer, indent=1) if given.json else _text(answer))
    below = missed(answer["rows"], BARS) if given.check else []
    if below:
        say("\n".join(below))
    return 1 if below else 0


def _scores(dataset: Dataset, given: list[Example], chosen: Any) -> dict[str, Scored]:
    """Every variant on one set."""
    found: dict[str, Scored] = {}
    made: dict[Any, Any] = {}
    for variant in VARIANTS:
        if chosen.variant and variant.name not in chosen.variant:
            continue
        divide: Callable[..., Any] = by_framework if variant.by_framework else by_task
        if variant.by_framework and len({s.framework for s in dataset.sessions}) == 1:
            continue
        found[variant.name] = Scored(*protocol(given, dataset, variant, divide, chosen.shuffles, made))
        say(f"{dataset.name}: {variant.name}")
    return found


def _base(dataset: Dataset) -> list[Tally]:
    segmenter = registry.load("segmenters", "changepoint")
    found = []
    for session in dataset.sessions:
        labels = leaves(segmenter.segment(session.whole), len(session.whole), merge=False)
        found.append([labels[place] for place in session.places])
    return scored(dataset.sessions, found)


def over(
    dataset: Dataset, framework: str, score: dict[str, Scored], base: list[Tally], times: int
) -> list[dict[str, Any]]:
    """Paired lifts over the segmenter without labels."""
    places = [i for i, s in enumerate(dataset.sessions) if framework in (ALL, s.framework)]
    drawn = resamples(len(places), times, 0)
    other = Sample([base[i] for i in places], drawn)
    found = []
    for name, one in score.items():
        own = Sample([one.tallies[i] for i in places], drawn)
        found.append(
            {
                "set": dataset.name,
                "framework": framework,
                "method": name,
                "b3": lifted(lift(own, other, b3_f1, seed=0)),
                "boundary": lifted(lift(own, other, boundary_f1, seed=0)),
            }
        )
    return found


def _text(answer: dict[str, Any]) -> str:
    lines = [show(answer["rows"]), "", f"over {BASE}, paired: B3, then cuts"]
    for row in answer["over_base"]:
        both = [between(row[k]["value"], row[k]["interval"], sign=True) for k in ("b3", "boundary")]
        lines.append(f"{row['set']}  {row['framework']}  {row['method']}:  {both[0]}  {both[1]}")
    for name, found in answer["calibration"].items():
        for variant, one in found.items():
            bins = ", ".join(f"{p:.2f} > {y:.2f} ({n})" for p, y, n in one["bins"])
            lines.append(f"{name}  {variant}: calibration error {one['error']:.3f}; {bins}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
