"""How well do loops find what people call repetition? Pairs of adjacent actions, our score beside controls.

Run: python benchmarks/looping.py --data DIR [--json]. DIR holds naming/thought-action-result. Nothing that is
shipped is trained: the fitted rows are out of fold by task, beside the score that needs no fitting.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher
from math import log1p
from pathlib import Path
from typing import Any, NamedTuple

from actions_data import Labelled, load
from logistic import fit
from names import show
from paired import resampled

from tracelode.model.operation import Operation
from tracelode.profile.loops import score
from tracelode.profile.score.ranking import average_precision
from tracelode.signals.likeness import likeness
from tracelode.signals.repeats import NEAR, action_text, failed, repeats

OURS, BAR = "ours", "Jaccard with the previous action"
REPETITION = "Repetition"
FOLDS, RIDGE = 10, 3.0
FEATURES = (
    "likeness", "likeness to the 4th", "same tool", "equal input", "likeness of results", "both failed",
    "times seen", "same tool in a row",
)  # fmt: skip


class Pair(NamedTuple):
    """Two adjacent actions."""

    task: str
    """Pairs of one task are drawn together."""
    run: int
    """Number of the run."""
    place: int
    """Place of the later one."""
    repeats: bool
    """Whether people call it a repetition."""


def pairs(runs: Sequence[Labelled]) -> list[Pair]:
    """The aligned pairs of all runs."""
    return [
        Pair(run.task, number, i + 1, label == REPETITION)
        for number, run in enumerate(runs)
        for i, label in enumerate(run.relations or ())
    ]


def words(operation: Operation) -> set[str]:
    """Words of an action's tool and input."""
    return set(re.findall(r"\w+", f"{operation.arguments}".lower()))


def jaccard(one: Operation, other: Operation) -> float:
    """Shared words of two actions."""
    a, b = words(one), words(other)
    return len(a & b) / len(a | b) if a | b else 1.0


def edit(one: Operation, other: Operation) -> float:
    """Matching characters of two inputs."""
    first, second = one.arguments[:600], other.arguments[:600]
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def row(operations: Sequence[Operation], i: int) -> list[float]:
    """Values of FEATURES for the action at a place."""
    before, here = operations[i - 1], operations[i]
    alike = score(before, here)
    streak = 0
    while streak < i and operations[i - 1 - streak].name == here.name:
        streak += 1
    return [
        alike,
        alike**4,
        float(before.name == here.name),
        float(action_text(before) == action_text(here)),
        likeness(before.output, here.output),
        float(failed(before) and failed(here)),
        log1p(sum(action_text(o) == action_text(here) and o.name == here.name for o in operations[:i])),
        log1p(streak),
    ]


def out_of_fold(runs: Sequence[Labelled], items: Sequence[Pair], seed: int) -> list[float]:
    """Log-odds of a small fitted combination, each pair's by weights that its task was no part of."""
    tasks = sorted({pair.task for pair in items})
    random.Random(seed).shuffle(tasks)
    fold = {task: i % FOLDS for i, task in enumerate(tasks)}
    rows = [row(runs[pair.run].operations, pair.place) for pair in items]
    found = [0.0] * len(items)
    for held in range(FOLDS):
        own = [i for i, pair in enumerate(items) if fold[pair.task] != held]
        hits = {at for at, i in enumerate(own) if items[i].repeats}
        if not hits:
            continue
        bias, weights = fit([[rows[i] for i in own]], [hits], RIDGE)
        for i, pair in enumerate(items):
            if fold[pair.task] == held:
                found[i] = bias + sum(w * v for w, v in zip(weights, rows[i], strict=True))
    return found


def scores(runs: Sequence[Labelled], items: Sequence[Pair], seed: int) -> dict[str, list[float]]:
    """Every score of the pairs, by name."""
    adjacent = [(runs[p.run].operations[p.place - 1], runs[p.run].operations[p.place]) for p in items]
    marked = [{r.place: r for r in repeats(run.operations)} for run in runs]
    found: dict[str, list[float]] = {
        "random": [0.0] * len(items),
        "same tool": [float(a.name == b.name) for a, b in adjacent],
        "equal input": [float(a.name == b.name and a.arguments == b.arguments) for a, b in adjacent],
        BAR: [jaccard(a, b) for a, b in adjacent],
        "edit similarity": [edit(a, b) for a, b in adjacent],
        "likeness of results": [likeness(a.output, b.output) for a, b in adjacent],
        "repeats as marked": [
            float(p.place in marked[p.run] and marked[p.run][p.place].of == p.place - 1) for p in items
        ],
        "fitted, out of fold": out_of_fold(runs, items, seed),
        OURS: [score(a, b) for a, b in adjacent],
    }
    return found


def measure(runs: Sequence[Labelled], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every row of the table."""
    items = pairs(runs)
    if not any(pair.repeats for pair in items):
        return []
    made = scores(runs, items, options.seed)
    hits = {i for i, pair in enumerate(items) if pair.repeats}
    table: list[dict[str, Any]] = []
    for name, values in made.items():
        line: dict[str, Any] = {"score": name, "pairs": len(items), "AP": average_precision(values, hits)}
        if name != OURS:
            low, high = gain(items, made[OURS], values, options)
            line |= {
                "ours - it": average(items, made[OURS]) - average(items, values),
                "low": low,
                "high": high,
            }
        table.append(line)
    table[-1]["precision at NEAR"] = _precision(items, made[OURS])
    return table


def average(items: Sequence[Pair], values: Sequence[float]) -> float:
    """Average precision of a score, 0 without a repetition."""
    return average_precision(values, {i for i, pair in enumerate(items) if pair.repeats}) or 0.0


def gain(
    items: Sequence[Pair], ours: Sequence[float], other: Sequence[float], options: argparse.Namespace
) -> tuple[float, float]:
    """Interval of the difference in average precision, tasks drawn whole."""

    def difference(drawn: list[int]) -> float | None:
        hits = {at for at, i in enumerate(drawn) if items[i].repeats}
        one = average_precision([ours[i] for i in drawn], hits)
        two = average_precision([other[i] for i in drawn], hits)
        return None if one is None or two is None else one - two

    groups = [pair.task for pair in items]
    return resampled(len(items), groups, difference, options.seed, options.times)


def _precision(items: Sequence[Pair], values: Sequence[float]) -> float | None:
    near = [pair.repeats for pair, value in zip(items, values, strict=True) if value >= NEAR]
    return sum(near) / len(near) if near else None


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default, help="folder of the sets")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--seed", type=int, default=7, help="seed of folds and resamples")
    parser.add_argument("--times", type=int, default=1_000, help="resamples of an interval")
    options = parser.parse_args()
    runs, notes = load(options.data)
    table = measure(runs, options)
    if options.json:
        print(json.dumps({"rows": table, "notes": notes}, indent=2))
    else:
        if table:
            print(show(table))
        for note in notes:
            print(note)
    return 0 if table else 3


if __name__ == "__main__":
    sys.exit(main())
