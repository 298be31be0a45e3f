"""Does the work of a session lie in stretches, or is it mixed up so that its segments are doubtful?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tracelode.model.contiguity import Contiguity


def contiguity(
    stages: Mapping[str, tuple[int, int]],
    *,
    together: int = 0,
    resumed: int = 0,
    spans: Sequence[tuple[int | None, int | None]] = (),
) -> Contiguity:
    """How far tool calls of one stage lie next to each other.

    Args:
        stages: stage to (its n_k tool calls, those of them right after one of the same stage).
        together: tool calls issued with another one by the same call of the model.
        resumed: waits above the idle limit after which the session went on.
        spans: (first, last) moment of each sub-agent, UTC microseconds, None where unknown.

    Returns:
        With n tool calls of K stages, A = share of the n - 1 neighbours that are of one stage;
        E = sum n_k (n_k - 1) / (n (n - 1)), what a random order has on average; M = (n - K) / (n - 1), the
        most there can be; index = (A - E) / (M - E). O(K + s log s) for s sub-agents.

    Source:
        profile: a contiguity index per session; AgentPProf (arXiv 2609.20301), limitations: task continuity
        is an assumption. The index is the number of runs of Wald and Wolfowitz (1940), scaled.

    Example:
        >>> contiguity({"test": (2, 1), "edit": (2, 1)}).index
        1.0
        >>> contiguity({"test": (2, 0), "edit": (2, 0)}).index
        -1.0
    """
    n = sum(size for size, _ in stages.values())
    adjacent = expected = index = None
    if n > 1:
        adjacent = sum(follows for _, follows in stages.values()) / (n - 1)
        expected = sum(size * (size - 1) for size, _ in stages.values()) / (n * (n - 1))
        most = (n - len(stages)) / (n - 1)
        if len(stages) > 1 and most > expected:
            index = (adjacent - expected) / (most - expected)
    return Contiguity(
        index=index, adjacent=adjacent, expected=expected, operations=n, together=together,
        overlapping=overlapping(spans), resumed=resumed,
    )  # fmt: skip


def overlapping(spans: Iterable[tuple[int | None, int | None]]) -> int:
    """Pairs of spans that share a moment.

    Args:
        spans: (first, last) moments; a span with an unknown end overlaps nothing.

    Returns:
        Number of pairs.

    Example:
        >>> overlapping([(0, 5), (3, 8), (6, 9), (None, 4)])
        2
    """
    known = sorted((first, last) for first, last in spans if first is not None and last is not None)
    pairs = 0
    running: list[int] = []
    for first, last in known:
        running = [end for end in running if end > first]
        pairs += len(running)
        running.append(last)
    return pairs
