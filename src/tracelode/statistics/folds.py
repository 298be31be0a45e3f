"""Which cases are held back together, so that a model is never tried on a task that it was fitted on?"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence


def folds(tasks: Sequence[str], k: int, seed: int) -> list[int]:
    """A fold for each session; those of one task share it, and folds are about equally large.

    Args:
        tasks: task of each of s sessions.
        k: number of folds.
        seed: of the order of tasks of one size.

    Returns:
        s numbers in [0, k); a fold is empty where there are fewer tasks.

    Example:
        >>> folds(["a", "b", "a", "c"], 2, 0)
        [0, 1, 0, 1]
    """
    sizes = Counter(tasks)
    order = sorted(sizes)
    random.Random(seed).shuffle(order)
    order.sort(key=lambda task: -sizes[task])
    room = [0] * k
    chosen = {}
    for task in order:
        chosen[task] = room.index(min(room))
        room[chosen[task]] += sizes[task]
    return [chosen[task] for task in tasks]
