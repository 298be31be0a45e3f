"""Which step gave each argument, with what proof? The pass that traces values, and what it found in words.

trace looks through every run once; crossed counts how each source fares over the runs; judged says for any
subset of the runs what is proven; tuples tells it.
"""

from __future__ import annotations

from dataclasses import replace

from tracelode.compile.evidence.crossed import Crossed, crossed
from tracelode.compile.evidence.judged import verdicts
from tracelode.compile.evidence.trace import trace
from tracelode.compile.evidence.tuples import edges, tuples
from tracelode.compile.evidence.words import explain
from tracelode.compile.work import Work
from tracelode.model.evidence import Edge

__all__ = ["edges_of", "evidence", "explain"]


def evidence(work: Work) -> Work:
    """Find and prove the sources of every argument.

    Args:
        work: runs; labels and alignment where there are any. Without an alignment the k-th use of a tool in a
            run is a slot.

    Returns:
        The same with traced, crossed, evidence and its data edges before edges of other kinds.

    Source:
        compiler specification, S5.
    """
    work = replace(work, traced=trace(work))
    found = crossed(work)
    runs = frozenset(range(len(work.runs)))
    judged = verdicts(work, found, runs)
    work = replace(work, crossed=found, evidence=tuples(work, found, judged))
    return replace(work, edges=(*edges(work, found, judged, runs), *work.edges))


def edges_of(work: Work, runs: frozenset[int]) -> tuple[Edge, ...]:
    """The data edges that some runs alone prove, without tracing again.

    Args:
        work: after the pass.
        runs: places of the runs that count.

    Returns:
        Hard and suspected data edges with ids of their own.
    """
    found = work.crossed if isinstance(work.crossed, Crossed) else crossed(work)
    return edges(work, found, verdicts(work, found, runs), runs)
