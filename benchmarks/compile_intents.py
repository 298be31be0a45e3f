"""How well are runs grouped by what they ask for? B3 against the sets' own groups and blind grouping.

ComplexFuncBench: ten paraphrases of each intent, the truth by which the bar is met. tau-bench airline: four
conversations of each task, whose first words tell little; reported without a bar.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from compile_data import PER_INTENT, complexfuncbench, options, records, tau_bench
from workload import Absent

from tracelode.compile import clusters
from tracelode.compile.documents import tools
from tracelode.compile.intents import SIMILARITY, intents
from tracelode.compile.work import Options, State
from tracelode.model.run import Run

BAR = 0.99
"""B3 F1 of both variants on ComplexFuncBench."""
SET = "complexfuncbench"
LIKE = (0.35, 0.40, 0.45, 0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80)
"""Thresholds that --sweep tries."""


def b3(found: Sequence[Any], truth: Sequence[Any]) -> tuple[float, float, float]:
    """B3 precision, recall and F1 of a grouping.

    Args:
        found: group of each item.
        truth: its true group.

    Source:
        Bagga and Baldwin (1998).
    """
    both = Counter(zip(found, truth, strict=True))
    of, true = Counter(found), Counter(truth)
    precision = sum(n * n / of[a] for (a, _), n in both.items()) / len(truth)
    recall = sum(n * n / true[z] for (_, z), n in both.items()) / len(truth)
    return precision, recall, 2 * precision * recall / (precision + recall)


def grouped(runs: Sequence[Run], chosen: Options) -> tuple[list[str], dict[str, Any]]:
    """The group of each run, those that are alone by themselves; and what else is to be told."""
    start = time.process_time()
    state = intents(State(tuple(runs), chosen))
    spent = time.process_time() - start
    of = {key: intent.id for intent in state.intents for key in intent.runs}
    shapes = [intent.silhouette for intent in state.intents if intent.silhouette is not None]
    return [of.get(run.key, run.key) for run in runs], {
        "intents": len(state.intents),
        "alone": len(state.alone) / len(runs),
        "silhouette": sum(shapes) / len(shapes) if shapes else None,
        "seconds": spent,
    }


def by_tools(runs: Sequence[Run]) -> list[Any]:
    """Groups by the tool bag alone, at the threshold of text and tools."""
    return list(clusters.linked(clusters.weighted([tools(run) for run in runs]), SIMILARITY["text+tools"]))


CONTROLS: dict[str, Callable[[Sequence[Run]], list[Any]]] = {
    "each run alone": lambda runs: list(range(len(runs))),
    "all one": lambda runs: [0] * len(runs),
    "tool bag only": by_tools,
}


def rows(name: str, runs: Sequence[Run], truth: Sequence[Any], sweep: bool) -> list[dict[str, Any]]:
    """One row for each way to group a set."""
    found = []
    for variant, usual in SIMILARITY.items():
        for like in (usual, *(s for s in LIKE if sweep and s != usual)):
            of, more = grouped(runs, Options(variant=variant, similarity=like))  # type: ignore[arg-type]
            scores = dict(zip(("precision", "recall", "f1"), b3(of, truth), strict=True))
            bar = BAR if name == SET and like == usual else None
            found.append({"set": name, "by": variant, "similarity": like, **scores, **more, "bar": bar})
    for by, way in CONTROLS.items():
        scores = dict(zip(("precision", "recall", "f1"), b3(way(runs), truth), strict=True))
        found.append({"set": name, "by": by, **scores})
    return found


def shown(row: dict[str, Any]) -> str:
    """One line of the table."""

    def figure(key: str, digits: int = 4) -> str:
        return "" if row.get(key) is None else f"{row[key]:.{digits}f}"

    cells = [f"{row['set']:<19}{row['by']:<15}{figure('similarity', 2):>5}"]
    cells += [f"{figure(key):>8}" for key in ("precision", "recall", "f1")]
    cells.append(
        f"{figure('bar', 2):>6}{row.get('intents', ''):>8}{figure('alone', 3):>7}{figure('silhouette', 2):>7}"
    )
    return "".join([*cells, f"{figure('seconds', 2):>8}"])


def main() -> int:
    """Print the table; 4 where the bar is missed, 3 where a set is not there."""
    parser = options(__doc__)
    parser.add_argument("--sweep", action="store_true", help="other thresholds as well")
    given = parser.parse_args()
    try:
        runs = complexfuncbench(*records(given))
        found = rows(SET, runs, [int(run.key[-4:]) // PER_INTENT for run in runs], given.sweep)
        airline = tau_bench(given.data)
        found += rows("tau-bench airline", airline, [run.task for run in airline], given.sweep)
    except Absent as absent:
        print(absent, file=sys.stderr)
        return 3
    missed = [row["by"] for row in found if row.get("bar") is not None and row["f1"] < row["bar"]]
    if given.json:
        print(json.dumps({"rows": found, "missed": missed}, indent=2))
        return 4 if missed else 0
    heads = f"{'set':<19}{'by':<15}{'like':>5}{'P':>8}{'R':>8}{'F1':>8}{'bar':>6}{'intents':>8}"
    print(f"{heads}{'alone':>7}{'silh.':>7}{'CPU s':>8}")
    for row in found:
        print(shown(row))
    return 4 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
