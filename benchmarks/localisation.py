"""How well does rank find the step that went wrong? Labelled sets, our rank out of fold beside its controls.

Run: python benchmarks/localisation.py --data DIR [--json] [--write]. DIR holds localisation/; what is missing
is named and left out. --write fits the shipped weights on all of DIR.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
from localisation_data import SHAPES, Case, Faults, load
from localisation_runs import BOTH, DIRECT, OURS, RIDGE, Orders, Reading, fitted, guided, orders
from names import show
from paired import cluster_interval, sign_flip

from tracelode.profile.rank.weights import Weights
from tracelode.profile.score.ranking import average_precision, hit_at, within

WEIGHTS = Path(__file__).resolve().parent.parent / "src/tracelode/profile/rank/weights.json"
VERSION = "1"
SHUFFLES = 30
CONTROLS = ("random", "earliest", "latest", "error words", "longest text", "most repeated tool")
FIGURES: tuple[tuple[str, Callable[[Sequence[float], frozenset[int]], float | None]], ...] = (
    ("MAP", average_precision),
    ("hit@1", lambda s, f: hit_at(1, s, f)),
    ("hit@3", lambda s, f: hit_at(3, s, f)),
    ("hit@5", lambda s, f: hit_at(5, s, f)),
    ("within 1", lambda s, f: within(1, s, f)),
    ("within 3", lambda s, f: within(3, s, f)),
)


def shuffled(scores: Sequence[float], seed: int) -> list[float]:
    """Scores without ties: equal ones in an order of chance."""
    order = list(range(len(scores)))
    random.Random(seed).shuffle(order)
    order.sort(key=lambda i: -scores[i])
    found = [0.0] * len(scores)
    for place, i in enumerate(order):
        found[i] = -float(place)
    return found


def figures(scores: Sequence[float], faults: frozenset[int], seed: int) -> list[float]:
    """The figures of one session, exact means over all orders of equal scores, and MAP over seeded ones."""
    exact = [figure(scores, faults) or 0.0 for _, figure in FIGURES]
    if len(set(scores)) == len(scores):
        return [*exact, exact[0]]
    mixed = [shuffled(scores, seed + i) for i in range(SHUFFLES)]
    return [*exact, fmean(average_precision(one, faults) or 0.0 for one in mixed)]


def table_row(data: Faults, name: str, found: list[list[float]], **more: Any) -> dict[str, Any]:
    """One row: the means over the sessions."""
    means = [fmean(column) for column in zip(*found, strict=True)]
    row: dict[str, Any] = {"set": data.name, "order": name, "sessions": len(found)}
    titles = [*(title for title, _ in FIGURES), f"MAP, {SHUFFLES} shuffles"]
    return row | dict(zip(titles, means, strict=True)) | more


def beside(
    cases: Sequence[Case], one: list[list[float]], other: list[list[float]], seed: int
) -> dict[str, Any]:
    """The paired difference of MAP: interval over groups, p by sign flips of groups."""
    gaps = [a[0] - b[0] for a, b in zip(one, other, strict=True)]
    groups = [c.group for c in cases]
    low, high = cluster_interval(gaps, groups, seed)
    return {"gain": fmean(gaps), "low": low, "high": high, "p": sign_flip(gaps, groups, seed)}


def reading_rows(
    data: Faults, ours: Orders, full: list[list[float]], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Guided reading by stage and tool, and by tool alone."""
    rows = []
    for name, named in (("guided, stage and tool", True), ("guided, tool alone", False)):
        reading: Reading = guided(data.labelled, ours, options.share, options.groups, named)
        found = scores_of(data, reading.order, options.seed)
        lost = fmean(a[0] - b[0] for a, b in zip(full, found, strict=True))
        rows.append(table_row(data, name, found, opened=fmean(reading.opened), lost=lost))
    return rows


def scores_of(data: Faults, order: Orders, seed: int) -> list[list[float]]:
    """Figures of every labelled session under an order."""
    # seeds of their own: the same shuffles in all sessions would not average out
    pairs = enumerate(zip(order, data.labelled, strict=True))
    return [figures(s, c.faults, seed + i * SHUFFLES) for i, (s, c) in pairs]


def measure(data: Faults, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every row of a set."""
    made = orders(data, options.seed)
    found = {name: scores_of(data, order, options.seed) for name, order in made.items()}
    best = max(CONTROLS, key=lambda name: fmean(row[0] for row in found[name]))
    pairs = {OURS: best, BOTH: DIRECT}
    rows = []
    for name, figures_ in found.items():
        more: dict[str, Any] = {}
        if name in pairs:
            more = {
                "beside": pairs[name],
                **beside(data.labelled, figures_, found[pairs[name]], options.seed),
            }
        rows.append(table_row(data, name, figures_, **more))
    return rows + reading_rows(data, made[OURS], found[OURS], options)


def write(sets: Sequence[Faults]) -> None:
    """Fit the shipped weights on all of the sets; those of a set that is absent stay."""
    old = msgspec.json.decode(WEIGHTS.read_bytes(), type=Weights).shapes if WEIGHTS.exists() else {}
    new = {SHAPES[data.name]: fitted(data.name, data.labelled) for data in sets}
    made = Weights(VERSION, RIDGE, dict(sorted({**old, **new}.items())))
    WEIGHTS.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default, help="folder of the sets")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--seed", type=int, default=7, help="seed of folds, judge, shuffles and resamples")
    parser.add_argument("--share", type=float, default=0.5, help="part of a session a reader may open")
    parser.add_argument("--groups", type=int, default=5, help="groups a reader opens at most")
    parser.add_argument("--write", action="store_true", help="fit the shipped weights on DIR")
    options = parser.parse_args()
    sets, notes = load(options.data)
    if options.write and sets:
        write(sets)
    table = [row for data in sets for row in measure(data, options)]
    if options.json:
        print(json.dumps({"weights": VERSION, "rows": table, "notes": notes}, indent=2))
    else:
        if table:
            print(show(table))
        for note in notes:
            print(note)
    return 0 if table else 3


if __name__ == "__main__":
    sys.exit(main())
