"""Do two segments of one name hold the same kind of work? Draws pairs and prints them, to be judged.

Run: python benchmarks/name_pairs.py --data DIR --seed N [--pairs 40] [--segmenter phase] [--judged FILE]

DIR holds native/claude_code and outcomes/terminal-bench-claude-code. The texts are somebody's traces: they
are printed to be read and belong in no file of the project. --judged takes the verdicts of a reader
(tab-separated: number, kind, name, right or wrong, reason), asserts that they are of this draw, and prints
shares with Wilson intervals.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import names_focus
from labelled import Run, native, rows, run_of
from names_focus import Stretch

from tracelode import registry
from tracelode.model.operation import Operation
from tracelode.profile.name.facts import facts

SHOWN, WIDTH = 14, 100
"""Operations of a segment that are printed, and characters of each."""


class Pair(NamedTuple):
    """Two segments of one name."""

    kind: str
    name: str
    one: Stretch
    other: Stretch


def draw(kind: str, pieces: Sequence[tuple[Stretch, str]], count: int, chance: random.Random) -> list[Pair]:
    """Pairs of equal names from different families.

    Args:
        kind: focus or stage.
        pieces: segments with their names.
        count: pairs wanted; a segment is drawn first, so that names come as often as they occur.
        chance: source of chance.

    Returns:
        At most count pairs, no two of them the same.
    """
    by_name: dict[str, list[Stretch]] = defaultdict(list)
    for piece, name in pieces:
        by_name[name].append(piece)
    found: list[Pair] = []
    taken: set[tuple[int, int]] = set()
    order = {id(piece): place for place, (piece, _) in enumerate(pieces)}
    for piece, name in chance.sample(list(pieces), len(pieces)) * 2:
        others = [p for p in by_name[name] if p.family != piece.family]
        if not others or len(found) == count:
            continue
        other = chance.choice(others)
        key = (min(order[id(piece)], order[id(other)]), max(order[id(piece)], order[id(other)]))
        if key not in taken:
            taken.add(key)
            found.append(Pair(kind, name, piece, other))
    return found


def pairs(runs: Sequence[Run], segmenter: str, count: int, seed: int) -> list[Pair]:
    """The draw of a seed: focus pairs, then stage pairs."""
    told = names_focus.stretches(runs, registry.load("segmenters", segmenter))
    given = names_focus.named(told, set[str]().union(*names_focus.bans(runs)))
    chance = random.Random(seed)
    focus = [(piece, name) for piece, name in zip(told, given, strict=True) if name]
    stage = [(piece, piece.stage) for piece in told]
    return [*draw("focus", focus, count, chance), *draw("stage", stage, count, chance)]


def lines(piece: Stretch, runs: Sequence[Run]) -> list[str]:
    """The operations of a segment, one line each."""
    run = runs[piece.run]
    found = [f"    {piece.task}  {len(piece.places)} calls, stage {piece.stage}"]
    for place in piece.places[:SHOWN]:
        fields = run.operations[place].fields
        said = fields.get("path") or fields.get("command") or fields.get("description") or ""
        text = " ".join(f"{fields.get('tool', '')} {said}".split())
        found.append(f"      {text[:WIDTH]}{_ended(run.operations[place])}")
    if len(piece.places) > SHOWN:
        found.append(f"      ... {len(piece.places) - SHOWN} more")
    return found


def _ended(operation: Operation) -> str:
    """What a reader must know of a call beside its command: that it failed, or that the file was not new."""
    _, act, _, failed, error, *_ = facts([operation])[0][0]
    if failed:
        return f"  [{error or 'failed'}]"
    return "  [the file was there]" if act == "edit" and operation.fields.get("verb") == "create" else ""


def wilson(hits: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson score interval of a share."""
    share, spread = hits / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return middle - half, middle + half


def score(drawn: Sequence[Pair], judged: Path) -> list[str]:
    """Shares of right pairs with 95 % Wilson intervals.

    Raises:
        SystemExit: the verdicts are not of this draw.
    """
    verdicts: dict[str, list[bool]] = defaultdict(list)
    with judged.open(encoding="utf-8") as stream:
        given = [row for row in csv.reader(stream, delimiter="\t") if row and not row[0].startswith("#")]
    for row, (number, pair) in zip(given, enumerate(drawn, 1), strict=False):
        if row[:3] != [str(number), pair.kind, pair.name] or row[3] not in ("right", "wrong"):
            raise SystemExit(f"pair {number} of this draw is {pair.kind} {pair.name!r}; the verdicts differ")
        verdicts[pair.kind].append(row[3] == "right")
    if len(given) != len(drawn):
        raise SystemExit(f"{len(drawn)} pairs were drawn, {len(given)} were judged")
    found = []
    for kind, said in verdicts.items():
        low, high = wilson(sum(said), len(said))
        found.append(
            f"{kind}: {sum(said)} of {len(said)} right, {sum(said) / len(said):.3f} [{low:.2f}, {high:.2f}]"
        )
    return found


def main() -> int:
    """Print the pairs, or the score of a reader's verdicts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default, help="folder of the sets")
    parser.add_argument("--seed", type=int, required=True, help="seed of the draw")
    parser.add_argument("--pairs", type=int, default=40, help="pairs of each kind")
    parser.add_argument("--segmenter", default="phase", help="what cuts the sessions")
    parser.add_argument("--judged", type=Path, help="score these verdicts")
    options = parser.parse_args()
    folder = options.data / "native" / "claude_code"
    runs = native(folder) if folder.is_dir() else []
    runs += [run_of(r) for r in rows(options.data / "outcomes", "terminal-bench-claude-code") if r["steps"]]
    if not runs:
        print("missing: native/claude_code and outcomes/terminal-bench-claude-code", file=sys.stderr)
        return 3
    drawn = pairs(runs, options.segmenter, options.pairs, options.seed)
    if options.judged:
        print("\n".join(score(drawn, options.judged)))
        return 0
    for number, pair in enumerate(drawn, 1):
        print(f"{number}  {pair.kind}  {pair.name}")
        print("\n".join([*lines(pair.one, runs), "    --", *lines(pair.other, runs), ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
