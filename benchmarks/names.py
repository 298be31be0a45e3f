"""How good are stage and focus names? Reuse, agreement between runs of one task, churn, speed.

Run: python benchmarks/names.py --data DIR [--json]. DIR holds the labelled sets (segmentation/, outcomes/)
and native/claude_code; what is missing is named and left out. Nothing is trained on DIR.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import names_focus
from labelled import Run, native, rows, run_of
from segments_data import from_turns

from tracelode.errors import TracelodeError
from tracelode.model.ports import Segmenter
from tracelode.profile.label import label
from tracelode.profile.name.declared import declared
from tracelode.profile.name.stage import is_evidence, stage
from tracelode.profile.segment.chain import ChainSegmenter
from tracelode.profile.segment.phase import PhaseSegmenter
from tracelode.signals import paths, shell, tools
from tracelode.signals.enrich import enrich
from tracelode.signals.lexicon import load

PHASE, CHAIN = PhaseSegmenter(), ChainSegmenter()
CUTTERS = (("phase", PHASE), ("chain", CHAIN))
"""What cuts the sessions that are named: runs of one verb, and what cuts a store by default."""


class Piece(NamedTuple):
    """A named stretch of a run."""

    run: int
    task: str
    name: str
    size: int
    plan: str


def given(runs: Sequence[Run], name: Callable[[Run, int, int], str | None]) -> list[Piece]:
    """Pieces between the boundaries that the set gives."""
    pieces = []
    for number, run in enumerate(runs):
        if len(run.groups) != len(run.operations):
            continue
        starts = [i for i, group in enumerate(run.groups) if i == 0 or group != run.groups[i - 1]]
        for start, stop in zip(starts, [*starts[1:], len(run.groups)], strict=True):
            said = name(run, start, stop)
            plan = run.plans[start] if run.plans else ""
            pieces.append(Piece(number, run.task, said or "", stop - start, plan))
    return pieces


def cut(runs: Sequence[Run], segmenter: Segmenter) -> list[Piece]:
    """Innermost pieces of a segmenter; sizes count tool calls."""
    pieces = []
    for number, run in enumerate(runs):
        segments = label(run.operations, segmenter).segmentation.segments
        deepest = max((segment.level for segment in segments), default=0)
        for segment in segments:
            if segment.level < deepest:
                continue
            size = sum(map(is_evidence, run.operations[segment.start : segment.stop]))
            if size:
                pieces.append(Piece(number, run.task, segment.name, size, ""))
    return pieces


def reuse(pieces: Sequence[Piece], key: Callable[[Piece], Any]) -> float:
    """Share of operations under names that two or more sessions (or tasks) have."""
    where: dict[str, set[Any]] = defaultdict(set)
    for piece in pieces:
        where[piece.name].add(key(piece))
    total = sum(piece.size for piece in pieces)
    return sum(piece.size for piece in pieces if len(where[piece.name]) > 1) / total if total else math.nan


def cosine(a: Counter[str] | dict[str, float], b: Counter[str] | dict[str, float]) -> float:
    """Cosine of two sparse vectors."""
    dot = sum(value * b.get(key, 0) for key, value in a.items())
    norm = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
    return dot / norm if norm else 0.0


def task_auc(pieces: Sequence[Piece]) -> float:
    """Chance that two runs of one task have more similar name profiles than two of different tasks."""
    profiles: dict[int, Counter[str]] = defaultdict(Counter)
    tasks = {}
    for piece in pieces:
        profiles[piece.run][piece.name] += piece.size
        tasks[piece.run] = piece.task
    order = sorted(profiles)
    scored = [
        (cosine(profiles[a], profiles[b]), tasks[a] == tasks[b])
        for i, a in enumerate(order)
        for b in order[i + 1 :]
    ]
    scored.sort(key=lambda pair: pair[0])
    same = sum(1 for _, equal in scored if equal)
    if not same or same == len(scored):
        return math.nan
    ranks = at = 0.0
    for score in sorted({score for score, _ in scored}):
        group = [equal for value, equal in scored[int(at) : _end(scored, int(at), score)]]
        ranks += sum(group) * (at + (len(group) + 1) / 2)
        at += len(group)
    return (ranks - same * (same + 1) / 2) / (same * (len(scored) - same))


def _end(scored: Sequence[tuple[float, bool]], at: int, score: float) -> int:
    while at < len(scored) and scored[at][0] == score:
        at += 1
    return at


def shuffled(pieces: Sequence[Piece], within: bool, seed: int) -> list[Piece]:
    """The same pieces with their names dealt anew, inside each run or over all."""
    chance = random.Random(seed)
    groups: dict[int, list[int]] = defaultdict(list)
    for i, piece in enumerate(pieces):
        groups[piece.run if within else 0].append(i)
    dealt = list(pieces)
    for places in groups.values():
        names = [pieces[i].name for i in places]
        chance.shuffle(names)
        for i, name in zip(places, names, strict=True):
            dealt[i] = pieces[i]._replace(name=name)
    return dealt


def words(text: str) -> list[str]:
    """Crudely stemmed words of a plan text."""
    return [re.sub(r"(?:ing|ed|es|s)$", "", word) for word in re.findall(r"[a-z]{2,}", text.lower())]


def vectors(texts: Iterable[str]) -> dict[str, dict[str, float]]:
    """TF-IDF of plan texts."""
    bags = {text: Counter(words(text)) for text in texts}
    spread = Counter(word for bag in bags.values() for word in bag)
    return {
        text: {word: count * math.log(1 + len(bags) / spread[word]) for word, count in bag.items()}
        for text, bag in bags.items()
    }


def judged(pieces: Sequence[Piece]) -> list[tuple[int, int, bool]]:
    """Pairs of pieces of different runs of one task whose plan texts are clearly alike or clearly not."""
    space = vectors({piece.plan for piece in pieces})
    by_task: dict[str, list[int]] = defaultdict(list)
    for i, piece in enumerate(pieces):
        by_task[piece.task].append(i)
    found = []
    for places in by_task.values():
        for n, a in enumerate(places):
            for b in places[n + 1 :]:
                if pieces[a].run == pieces[b].run:
                    continue
                near = cosine(space[pieces[a].plan], space[pieces[b].plan])
                if near >= ALIKE or near < UNLIKE:
                    found.append((a, b, near >= ALIKE))
    return found


ALIKE, UNLIKE = 0.6, 0.15
"""TF-IDF cosines: a stand-in for sentence embeddings, so other studies' figures compare only loosely."""


def pair_f1(pieces: Sequence[Piece], pairs: Sequence[tuple[int, int, bool]]) -> tuple[float, float, float]:
    """Precision, recall and F1 of equal names against the judged pairs."""
    hit = said = true = 0
    for a, b, alike in pairs:
        equal = bool(pieces[a].name) and pieces[a].name == pieces[b].name
        hit += equal and alike
        said += equal
        true += alike
    return (
        hit / said if said else 0.0,
        hit / true if true else 0.0,
        2 * hit / (said + true) if said + true else math.nan,
    )


def summary(name: str, method: str, pieces: Sequence[Piece], seed: int, tasks: bool = True) -> dict[str, Any]:
    """One row of the table."""
    sizes: Counter[str] = Counter()
    for piece in pieces:
        sizes[piece.name] += piece.size
    row: dict[str, Any] = {
        "set": name,
        "method": method,
        "names": len(sizes),
        "segments": len(pieces),
        "compression": len(sizes) / len(pieces),
        "reuse": reuse(pieces, lambda piece: piece.run),
        "reuse tasks": reuse(pieces, lambda piece: piece.task),
        "top 1": max(sizes.values()) / sizes.total(),
    }
    if tasks:
        row["AUC"] = task_auc(pieces)
        row["AUC null"] = sum(task_auc(shuffled(pieces, False, seed + i)) for i in range(3)) / 3
    return row


def measure(data: Path, seed: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Every row that the data allows, and what is missing."""
    table: list[dict[str, Any]] = []
    missing: list[str] = []
    silver = [run_of(row) for row in rows(data / "segmentation", "plan-silver")]
    if silver:
        table += _silver(silver, seed)
    else:
        missing.append("segmentation/plan-silver")
    bench = [run_of(row) for row in rows(data / "outcomes", "terminal-bench-claude-code") if row["steps"]]
    sessions = [from_turns(row) for row in rows(data / "segmentation", "codetrace")]
    codetrace = [Run(s.key, s.task, s.operations, s.truth, []) for s in sessions]
    for name, runs in (("outcomes/terminal-bench-claude-code", bench), ("segmentation/codetrace", codetrace)):
        if runs:
            table += [summary(name.partition("/")[2], by, cut(runs, made), seed) for by, made in CUTTERS]
            table += focus(name.partition("/")[2], runs, seed)
        else:
            missing.append(name)
    folder = data / "native" / "claude_code"
    try:
        runs = native(folder) if folder.is_dir() else []
    except (ImportError, TracelodeError) as error:
        runs = []
        missing.append(f"native/claude_code, the import failed: {type(error).__name__}")
    if runs:
        table += [summary("native/claude_code", by, cut(runs, made), seed, False) for by, made in CUTTERS]
        table[-2]["ms/op"] = speed(runs)
        table += focus("native/claude_code", runs, seed, tasks=False)
        folders = sorted(path for path in folder.iterdir() if path.is_dir())
        table[-2]["churn, frozen"] = names_focus.frozen(folders, CHAIN.name)
    elif not folder.is_dir():
        missing.append("native/claude_code")
    return table, missing


def focus(name: str, runs: Sequence[Run], seed: int, tasks: bool = True) -> list[dict[str, Any]]:
    """Rows of focus names: of what has one, and with the stage's name where nothing has."""
    told = names_focus.stretches(runs, CHAIN)
    given = names_focus.named(told, set[str]().union(*names_focus.bans(runs)))
    families = {key: number for number, key in enumerate(dict.fromkeys(p.family for p in told))}
    both = [
        Piece(families[p.family], p.task, said or p.stage, len(p.places), "")
        for p, said in zip(told, given, strict=True)
    ]
    only = [piece for piece, said in zip(both, given, strict=True) if said]
    if not only:
        return []
    row = summary(name, "focus", only, seed, tasks)
    row |= names_focus.whole(told, given) | names_focus.churn(told, runs, seed)
    return [row, summary(name, "focus or stage", both, seed, tasks)]


def _silver(runs: Sequence[Run], seed: int) -> list[dict[str, Any]]:
    def observed(run: Run, start: int, stop: int) -> str:
        return stage(run.operations[start:stop], run.operations[max(0, start - 3) : start])

    def said(run: Run, start: int, stop: int) -> str | None:
        return declared(run.plans[start], run.operations[start:stop]) or observed(run, start, stop)

    table = []
    for method, name in (("stage", observed), ("stage declared", said)):
        pieces = given(runs, name)
        pairs = judged(pieces)
        row = summary("plan-silver", method, pieces, seed)
        row["pairs"] = f"{sum(alike for *_, alike in pairs)}/{len(pairs)}"
        row["pair F1"] = pair_f1(pieces, pairs)[2]
        row["F1 null"] = sum(pair_f1(shuffled(pieces, True, seed + i), pairs)[2] for i in range(5)) / 5
        table.append(row)
    table.append(summary("plan-silver", "phase", cut(runs, PHASE), seed))
    return table


def speed(runs: Sequence[Run]) -> float:
    """CPU milliseconds per operation for enriching, cutting and naming, nothing remembered."""
    load()
    for remembered in (shell.reading, paths._role, tools._tool_verb):
        remembered.cache_clear()
    ours = ("verb", "path_role", "error")
    fresh = [
        [(o, {k: v for k, v in o.fields.items() if k not in ours}) for o in run.operations] for run in runs
    ]
    start = time.process_time()
    for row in fresh:
        for o, fields in row:
            enrich(fields, kind=o.kind, status=o.status, name=o.name, output=o.output)
        label([o for o, _ in row], PHASE)
    return (time.process_time() - start) * 1e3 / sum(len(row) for row in fresh)


def show(table: Sequence[dict[str, Any]]) -> str:
    """The rows as one aligned text table."""
    columns = list(dict.fromkeys(key for row in table for key in row))
    cells = [columns, *([_cell(row.get(column)) for column in columns] for row in table)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    lines = ("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) for line in cells)
    return "\n".join(line.rstrip() for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default, help="folder of the sets")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--seed", type=int, default=7, help="seed of the nulls")
    options = parser.parse_args()
    table, missing = measure(options.data, options.seed)
    if options.json:
        print(json.dumps({"lexicon": load().version, "rows": table, "missing": missing}, indent=2))
    else:
        print(f"lexicon {load().version}")
        if table:
            print(show(table))
        for name in missing:
            print(f"missing: {name}")
    return 0 if table else 3


if __name__ == "__main__":
    sys.exit(main())
