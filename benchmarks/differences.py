"""Do differences of failed and succeeded runs hold on other tasks? Sign agreement, held-out pairs, plants.

Run: python benchmarks/differences.py --data DIR [--json]. DIR holds outcomes/NAME.*.jsonl.gz; what is missing
or cannot be paired is named and left out. Every figure is out of fold: weights are learned on other tasks.
The settings of the score (ridge 3, frames of 10 runs, names of tools as frames) were chosen on the
development half.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from labelled import Run, rows, run_of
from names import show

from tracelode.profile.diff import difference
from tracelode.profile.label import stages
from tracelode.profile.pairs import Run as Weighed
from tracelode.profile.pairs_told import Concordance, Trial, concordance, dealt, features, told_apart
from tracelode.profile.segment.chain import ChainSegmenter
from tracelode.statistics.bootstrap import interval, resamples

SETS = ("terminal-bench-claude-code", "terminal-bench-kimi-k2.5", "tau-bench")
WORDS = re.compile(r"error|fail|exception|traceback|not found|denied|invalid|cannot|unable", re.IGNORECASE)
"""The control's error words."""
FAILED = ("error", "nonzero")
NULLS = 200
"""Deals of outcomes for a null."""
SPLITS = 50
"""Halves of the tasks for sign agreement."""
PLANTS = 20
"""Planted causes."""
PLANT = "planted step"
GROUPS = ("stage", "raw action")


class Case(NamedTuple):
    """One run with what the scores look at."""

    trial: Trial
    """Frames are stages."""
    tools: Trial
    """The same; frames are names of tools."""
    raw: Trial
    """The same; frames are raw actions: the tool, for shells with the command's first word."""
    words: float
    """Share of steps whose text has an error word."""


def load(folder: Path, name: str) -> list[Case]:
    """Runs of a set that have steps and a known end, of tasks with both ends."""
    found = []
    for row in rows(folder / "outcomes", name):
        steps = row.get("steps")
        if not isinstance(steps, list) or row.get("success") is None:
            continue
        row["steps"] = [step for step in steps if step.get("role") != "system"]
        if row["steps"]:
            row["task"] = f"{row.get('subset', '')}/{row['task']}"
            found.append(case(row, run_of(row)))
    ends: dict[str, set[bool]] = {}
    for one in found:
        ends.setdefault(one.trial.task, set()).add(one.trial.failed)
    return [one for one in found if len(ends[one.trial.task]) == 2]


def case(row: dict[str, Any], run: Run) -> Case:
    """What the scores look at in one run."""
    operations = run.operations
    errors = sum(o.status in FAILED or "error" in o.fields for o in operations)
    texts = [f"{step.get('obs') or ''} {step.get('text') or ''}" for step in row["steps"]]
    failed = not row["success"]
    raw = Counter(f"{o.name}:{(o.fields.get('command') or ' ').split(' ')[0]}" for o in operations)
    return Case(
        Trial(run.task, failed, Counter(stages(operations, ChainSegmenter())), errors),
        Trial(run.task, failed, Counter(o.name for o in operations), errors),
        Trial(run.task, failed, raw, errors),
        sum(WORDS.search(text) is not None for text in texts) / len(texts),
    )


def ours(trials: Sequence[Trial]) -> list[float]:
    """Length, failures and shares of frames; with names of tools the score of the product."""
    return told_apart(features(trials), trials)


def groups_alone(trials: Sequence[Trial]) -> list[float]:
    """Shares of frames alone."""
    return told_apart([row[2:] for row in features(trials)], trials)


def scores(cases: Sequence[Case]) -> dict[str, tuple[Callable[[Sequence[Trial]], list[float]], list[Trial]]]:
    """Name of a score to what makes it of runs with any outcomes, and the runs it looks at."""
    stage, tools, raw = [c.trial for c in cases], [c.tools for c in cases], [c.raw for c in cases]
    sizes = [float(sum(t.frames.values())) for t in stage]
    failures = [t.errors / n for t, n in zip(stage, sizes, strict=True)]
    words = [c.words for c in cases]
    return {
        "ours: length, failures, tools": (ours, tools),
        "the same with stages": (ours, stage),
        "the same with raw actions": (ours, raw),
        "tools alone": (groups_alone, tools),
        "stages alone": (groups_alone, stage),
        "raw actions alone": (groups_alone, raw),
        "length and failures alone": (lambda t: told_apart([row[:2] for row in features(t)], t), stage),
        "control: error words": (lambda _: words, stage),
        "control: failed operations": (lambda _: failures, stage),
        "control: longest": (lambda _: sizes, stage),
        "control: shortest": (lambda _: [-n for n in sizes], stage),
    }


def concordances(name: str, cases: Sequence[Case], nulls: int, seed: int) -> Iterator[dict[str, Any]]:
    """A row per score, with its null and its lead over the error words."""
    held = scores(cases)
    control = concordance(held["control: error words"][0]([]), [c.trial for c in cases])
    for score, (make, trials) in held.items():
        found = concordance(make(trials), trials)
        null = []
        for i in range(nulls):
            shuffled = dealt(trials, random.Random(seed + i))
            null.append(concordance(make(shuffled), shuffled).value or 0.0)
        assert found.value is not None
        above = sum(value >= found.value - 1e-12 for value in null)
        lead = gap(found, control, seed) if found is not control and score != "control: error words" else None
        yield {
            "set": name,
            "figure": "held-out pairs in order",
            "what": score,
            "pairs": found.pairs,
            "value": found.value,
            "interval": _span(gap(found, None, seed)[1:]),
            "null": sum(null) / len(null) if null else None,
            "p": (above + 1) / (len(null) + 1) if null else None,
            "lead over error words": lead[0] if lead else None,
            "its interval": _span(lead[1:]) if lead else None,
        }


def gap(one: Concordance, other: Concordance | None, seed: int) -> tuple[float, float, float]:
    """A concordance or its lead over another one, with a bootstrap interval over tasks."""
    tasks = sorted(one.by_task)
    won = [one.by_task[t][0] - (other.by_task[t][0] if other else 0.0) for t in tasks]
    sizes = [one.by_task[t][1] for t in tasks]

    def drawn() -> Iterator[float]:
        for row in resamples(len(tasks), seed=seed):
            pairs = sum(w * n for w, n in zip(row, sizes, strict=True))
            yield sum(w * x for w, x in zip(row, won, strict=True)) / pairs

    bounds = interval(drawn())
    assert bounds is not None
    return sum(won) / sum(sizes), bounds.low, bounds.high


def _span(bounds: Sequence[float]) -> str:
    return " .. ".join(f"{bound:.3f}" for bound in bounds)


def agreement(trials: Sequence[Trial], seed: int) -> tuple[float | None, int]:
    """Do the signs of differences agree between halves of the tasks?

    Args:
        trials: runs of tasks with both ends.
        seed: of the halves.

    Returns:
        (share of frames, pooled over the halves, whose share of a run's operations differs in the same
        direction in both; how many there were). A frame counts where 2 tasks of each half have it.
    """
    tasks = sorted({t.task for t in trials})
    gaps = _gaps_by_task(trials)
    chance = random.Random(seed)
    same = whole = 0
    for _ in range(SPLITS):
        order = chance.sample(tasks, len(tasks))
        halves = order[: len(order) // 2], order[len(order) // 2 :]
        sums: list[dict[str, float]] = []
        for half in halves:
            total: dict[str, float] = {}
            count: Counter[str] = Counter()
            for task in half:
                for frame, value in gaps[task].items():
                    total[frame] = total.get(frame, 0.0) + value
                    count[frame] += 1
            sums.append({frame: value for frame, value in total.items() if count[frame] > 1 and value})
        for frame in sums[0].keys() & sums[1].keys():
            whole += 1
            same += (sums[0][frame] > 0) == (sums[1][frame] > 0)
    return (same / whole if whole else None), whole


def _gaps_by_task(trials: Sequence[Trial]) -> dict[str, dict[str, float]]:
    """Mean share of failed minus that of succeeded runs, by task and frame."""
    held: dict[str, tuple[list[Trial], list[Trial]]] = {}
    for trial in trials:
        held.setdefault(trial.task, ([], []))[0 if trial.failed else 1].append(trial)
    found: dict[str, dict[str, float]] = {}
    for task, sides in held.items():
        row = found.setdefault(task, {})
        for side, sign in zip(sides, (1, -1), strict=True):
            for trial in side:
                whole = sum(trial.frames.values()) * len(side)
                for frame, n in trial.frames.items():
                    row[frame] = row.get(frame, 0.0) + sign * n / whole
    return found


def agreements(name: str, cases: Sequence[Case], nulls: int, seed: int) -> Iterator[dict[str, Any]]:
    """A row per grouping, with its null."""
    for group, trials in zip(GROUPS, ([c.trial for c in cases], [c.raw for c in cases]), strict=True):
        value, whole = agreement(trials, seed)
        if value is None:
            continue
        null = [agreement(dealt(trials, random.Random(seed + i)), seed)[0] for i in range(nulls)]
        known = [v for v in null if v is not None]
        yield {
            "set": name,
            "figure": "signs agree between halves",
            "what": group,
            "pairs": whole // SPLITS,
            "value": value,
            "null": sum(known) / len(known) if known else None,
            "p": (sum(v >= value - 1e-12 for v in known) + 1) / (len(known) + 1) if known else None,
        }


def planted(name: str, cases: Sequence[Case], seed: int) -> Iterator[dict[str, Any]]:
    """How often a step planted in half of the runs of each task comes first, and without planting."""
    for size, what in ((3, "3 operations planted"), (0, "control: nothing planted, one of the frames drawn")):
        first = tried = 0
        for i in range(PLANTS):
            chance = random.Random(seed + i)
            trials = _with_plant([c.trial for c in cases], size, chance)
            sides = [_weighed(trials, failed=failed) for failed in (False, True)]
            found = difference(*sides, measure="operations")
            wanted = PLANT if size else chance.choice(found.rows).stack[0]
            tried += 1
            first += found.rows[0].stack == (wanted,) and found.rows[0].net > 0
        yield {
            "set": name,
            "figure": "planted cause comes first",
            "what": what,
            "pairs": tried,
            "value": first / tried,
        }


def _with_plant(trials: Sequence[Trial], size: int, chance: random.Random) -> list[Trial]:
    """Half of the runs of each task called failed, with a step of their own in place of their outcomes."""
    by_task: dict[str, list[Trial]] = {}
    for trial in trials:
        by_task.setdefault(trial.task, []).append(trial)
    found = []
    for runs in by_task.values():
        chance.shuffle(runs)
        for place, trial in enumerate(runs):
            failed = place < len(runs) // 2
            frames = {**trial.frames, PLANT: size} if failed and size else trial.frames
            found.append(trial._replace(failed=failed, frames=frames))
    return found


def _weighed(trials: Sequence[Trial], *, failed: bool) -> list[Weighed]:
    return [
        Weighed(str(i), trial.task, {(frame,): n for frame, n in trial.frames.items()})
        for i, trial in enumerate(trials)
        if trial.failed is failed
    ]


def measure(data: Path, nulls: int, seed: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Every row that the data allows, and what is missing."""
    table: list[dict[str, Any]] = []
    missing: list[str] = []
    for name in SETS:
        if not list((data / "outcomes").glob(f"{name}.*.jsonl.gz")):
            missing.append(f"outcomes/{name}")
            continue
        cases = load(data, name)
        if len({c.trial.task for c in cases}) < 4:
            missing.append(f"outcomes/{name}: fewer than 4 tasks with failed and succeeded runs")
            continue
        table += concordances(name, cases, nulls, seed)
        table += agreements(name, cases, nulls // 2, seed)
        table += planted(name, cases, seed)
    return table, missing


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default, help="folder of the sets")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--nulls", type=int, default=NULLS, help=f"deals of outcomes for a null ({NULLS})")
    parser.add_argument("--seed", type=int, default=7, help="seed of nulls, halves and plants")
    options = parser.parse_args()
    table, missing = measure(options.data, options.nulls, options.seed)
    if options.json:
        print(json.dumps({"rows": table, "missing": missing}, indent=2))
    else:
        if table:
            print(show(table))
        for name in missing:
            print(f"missing: {name}")
    return 0 if table else 3


if __name__ == "__main__":
    sys.exit(main())
