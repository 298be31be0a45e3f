"""How often would chance explain as many runs? A permutation test over the runs of one argument."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tracelode.compile.evidence.crossed import FEWEST, Candidate, Group


def permuted(group: Group, candidate: Candidate, free: Sequence[int], times: int = 999) -> float | None:
    """Permutation p of a support: how often are as many explained when outputs are dealt to the runs anew?

    Args:
        group: argument.
        candidate: source.
        free: observations that count.
        times: permutations, by a fixed seed.

    Returns:
        None for fewer than three runs, or where other runs were not compared.
    """
    import numpy as np

    order = sorted({group.places[n][0] for n in free})
    if len(order) < FEWEST or not candidate.others:
        return None
    column = {run: n for n, run in enumerate(order)}
    table = np.zeros((len(order), len(order)), dtype=np.int32)
    for n in free:
        own = group.places[n][0]
        for run in candidate.others[n]:
            if run in column:
                table[column[own], column[run]] += 1
        table[column[own], column[own]] += n in candidate.hit
    dealt = _dealt(len(order), times)
    sums = table[np.arange(len(order)), dealt].sum(axis=1)
    return float((1 + int((sums >= int(np.trace(table))).sum())) / (times + 1))


@lru_cache(maxsize=64)
def _dealt(count: int, times: int) -> Any:
    import numpy as np

    chance = np.random.default_rng(count)
    return np.array([chance.permutation(count) for _ in range(times)])
