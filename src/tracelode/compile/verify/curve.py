"""How many runs make a workflow safe? The same folds with fewer runs to learn from."""

from __future__ import annotations

from hashlib import blake2b

from tracelode.compile.bind.observe import Scenes
from tracelode.compile.bind.table import Row
from tracelode.compile.verify.folds import Edges, branches_of, fold, learn
from tracelode.compile.work import Work
from tracelode.model.verification import CurvePoint

HELD = 4
"""Most runs that are left out for one point."""
COUNTS = (1, 2, 3, 5)
"""Numbers of runs that are learned from."""


def curve(work: Work, rows: tuple[Row, ...], scenes: Scenes, edges: Edges) -> tuple[CurvePoint, ...]:
    """Leave every run out, and learn from a few of the others.

    Args:
        work: after evidence.
        rows: rules of all leaves.
        scenes: all runs.
        edges: data edges that some runs alone prove.

    Returns:
        One point for each number of runs below all of them; which runs are taken hangs on their keys alone.

    Source:
        compiler specification, section 2.4.
    """
    points = []
    # which runs are tried hangs on their keys alone
    held = sorted(range(len(work.runs)), key=lambda n: _mark(work, n, n))[:HELD]
    for count in COUNTS:
        if count >= len(work.runs):
            break
        folds = []
        for run in held:
            some = frozenset(_others(work, run)[:count])
            found = learn(work, rows, scenes, some, edges)
            folds.append(fold(work, rows, scenes, run, found, branches_of(work, some)))
        whole = [f for f in folds if f.whole]
        points.append(
            CurvePoint(
                runs=count,
                calls=sum(len(f.calls) for f in folds),
                bound=sum(f.bound for f in folds),
                right=sum(f.right for f in folds),
                whole=len(whole),
                whole_right=sum(f.right == len(f.calls) for f in whole),
                folds=len(folds),
            )
        )
    return tuple(points)


def _others(work: Work, run: int) -> list[int]:
    return sorted((n for n in range(len(work.runs)) if n != run), key=lambda n: _mark(work, run, n))


def _mark(work: Work, run: int, other: int) -> bytes:
    own = min(r.key for r in work.runs) if run == other else work.runs[run].key
    return blake2b(f"{own}\0{work.runs[other].key}".encode(), digest_size=8).digest()
