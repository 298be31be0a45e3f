"""How well do closed verbs tell people's categories of action? A rule table, nothing trained, beside floors.

Run: python benchmarks/categories.py --data DIR [--json]. DIR holds naming/thought-action-result.

The only home of this question: actions are read as a source would hand them over, with the verb that an
import gives them, and every figure has an interval over whole tasks and two floors. A table that read the
set's own tool names measured that reading too, and is gone.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from actions_data import EDITOR, Labelled, load
from names import show
from paired import resampled

from tracelode.model.operation import Operation
from tracelode.signals.command import tokens
from tracelode.signals.tools import tool_frame

CATEGORIES = {
    "search": "Search", "explore": "Explore", "view": "Explore", "query": "Explore", "check": "Explore",
    "manage": "Explore", "edit": "Generate Fix", "fix": "Generate Fix", "create": "Generate Fix",
    "analyze": "Explain", "reason": "Explain", "use": "Explain", "test": "Run tests", "run": "Run tests",
    "verify": "Run tests", "clean": "Run tests", "install": "Run tests", "diagnose": "Run tests",
}  # fmt: skip
"""Closed verb to category."""
OTHERS = "Explore"
"""Category of a verb that the table does not name: looking around is what most of them do."""
FIRST = {
    "locate": "Locate", "localize": "Locate", "extract": "Explore", "get": "Explore", "read": "Explore",
    "analyze": "Explain",
}  # fmt: skip
"""A name's first word to what it does, whatever it does it to: extract_test_code runs no test."""
ANCHORS = (
    ("anchor: tool-name table, supervised", 0.845, 0.711),
    ("anchor: published LLM", 0.628, 0.498),
)
FOLDS = 10


def category(operation: Operation) -> str:
    """The category that an action's verb stands for."""
    verb = operation.fields["verb"]
    first = tokens(operation.name)[:1]
    if first and first[0].lower() in FIRST:
        return FIRST[first[0].lower()]
    # an agent's editor creates scripts, most of them to show the fault
    if operation.name == EDITOR and verb == "create":
        return "Reproduce"
    return CATEGORIES.get(verb, OTHERS)


def figures(pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """Accuracy, and macro-F1 over the categories that people gave.

    Args:
        pairs: (ours, theirs), at least one.
    """
    both = Counter(truth for said, truth in pairs if said == truth)
    ours, theirs = Counter(said for said, _ in pairs), Counter(truth for _, truth in pairs)
    f1 = [2 * both[name] / (ours[name] + theirs[name]) for name in theirs]
    return sum(both.values()) / len(pairs), sum(f1) / len(f1)


def by_tool(runs: Sequence[Labelled], seed: int) -> list[str]:
    """The floor: the most frequent category of the tool's name in other tasks, out of fold."""
    tasks = sorted({run.task for run in runs})
    random.Random(seed).shuffle(tasks)
    fold = {task: i % FOLDS for i, task in enumerate(tasks)}
    counts: dict[int, dict[str, Counter[str]]] = {}
    for held in range(FOLDS):
        own: dict[str, Counter[str]] = defaultdict(Counter)
        for run in runs:
            if fold[run.task] != held:
                for operation, truth in zip(run.operations, run.categories, strict=True):
                    own[_tool(operation)][truth] += bool(truth)
                    own[""][truth] += bool(truth)
        counts[held] = own
    found = []
    for run in runs:
        known = counts[fold[run.task]]
        for operation, truth in zip(run.operations, run.categories, strict=True):
            if truth:
                table = known.get(_tool(operation)) or known[""]
                found.append(min(table, key=lambda name: (-table[name], name)))
    return found


def _tool(operation: Operation) -> str:
    if operation.name == EDITOR:
        return f"{operation.name} {operation.fields['verb']}"
    return tool_frame(operation.name, operation.fields.get("command", ""))


def measure(runs: Sequence[Labelled], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every row of the table."""
    told = [
        (category(operation), truth, run.task)
        for run in runs
        for operation, truth in zip(run.operations, run.categories, strict=True)
        if truth
    ]
    if not told:
        return []
    truths = [truth for _, truth, _ in told]
    most = Counter(truths).most_common(1)[0][0]
    orders = {
        "verb": [said for said, _, _ in told],
        "most frequent": [most] * len(told),
        "tool name, out of fold": by_tool(runs, options.seed),
    }
    groups = [task for _, _, task in told]
    table: list[dict[str, Any]] = []
    for name, said in orders.items():
        pairs = list(zip(said, truths, strict=True))
        accuracy, macro = figures(pairs)
        line: dict[str, Any] = {"method": name, "steps": len(pairs), "accuracy": accuracy}
        for place, title in enumerate(("accuracy", "macro F1")):

            def figure(drawn: list[int], pairs: list[tuple[str, str]] = pairs, place: int = place) -> float:
                return figures([pairs[i] for i in drawn])[place]

            low, high = resampled(len(pairs), groups, figure, options.seed, options.times)
            line |= {title: (accuracy, macro)[place], f"{title}, 95 %": f"{low:.3f} to {high:.3f}"}
        table.append(line)
    table += [{"method": name, "accuracy": accuracy, "macro F1": macro} for name, accuracy, macro in ANCHORS]
    return table


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
