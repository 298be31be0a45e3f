"""Could a figure be luck? Methods exchanged session by session, and cuts put elsewhere."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from operator import add, sub

from tracelode.errors import UsageError
from tracelode.profile.score.partition import cuts
from tracelode.profile.score.tally import Tally, columns, weighted


def exchange(
    one: Sequence[Tally],
    other: Sequence[Tally],
    figure: Callable[[Tally], float | None],
    times: int = 2_000,
    seed: int = 0,
) -> float | None:
    """Paired permutation test: is a figure's difference larger than by exchanging the methods at random?

    Args:
        one: s sessions of one method.
        other: the same sessions of the other method.
        figure: the figure of a sum of sessions.
        times: random exchanges; in each, every session's two methods change places with probability 1/2.
        seed: the same seed gives the same exchanges.

    Returns:
        Two-sided p value, at least 1 / (times + 1); None where the figure of a method is not known.

    Raises:
        UsageError: not the same number of sessions.

    Source:
        Noreen (1989), approximate randomisation, with the observed order counted as one.

    Example:
        >>> from tracelode.profile.score.tally import tally
        >>> same = [tally("ab", "xy")] * 3
        >>> exchange(same, same, lambda sums: sums.precision, times=10)
        1.0
    """
    if len(one) != len(other):
        raise UsageError(f"{len(one)} sessions beside {len(other)}; pass the same ones of both methods")
    ours, theirs = weighted(columns(one)), weighted(columns(other))
    left, right = figure(ours), figure(theirs)
    if left is None or right is None:
        return None
    observed = abs(left - right)
    gaps = [tuple(map(sub, a, b)) for a, b in zip(columns(one), columns(other), strict=True)]
    chance = random.Random(seed)
    as_far = known = 1
    for _ in range(times):
        moved = weighted(gaps, [chance.random() < 0.5 for _ in one])
        a, b = figure(Tally(*map(sub, ours, moved))), figure(Tally(*map(add, theirs, moved)))
        if a is None or b is None:
            continue
        known += 1
        # sums of floats differ in the last bits with their order
        as_far += abs(a - b) >= observed - 1e-12
    return as_far / known


def shuffled(labels: Sequence[Hashable], chance: random.Random) -> list[int]:
    """A partition with runs of the same lengths in another order: the null of where cuts lie.

    Args:
        labels: n group labels of one session.
        chance: source of the order.

    Returns:
        n group numbers with the same number of cuts; the lengths of the runs are dealt anew.

    Source:
        evaluation protocol: what a method's number and lengths of groups alone are worth.

    Example:
        >>> len(set(shuffled("aabccc", random.Random(0))))
        3
    """
    places = [0, *cuts(labels), len(labels)]
    lengths = [stop - start for start, stop in pairwise(places)]
    chance.shuffle(lengths)
    return [group for group, length in enumerate(lengths) for _ in range(length)]


def scattered(n: int, rate: float, chance: random.Random) -> list[int]:
    """A partition that cuts at random.

    Args:
        n: number of operations.
        rate: probability of a cut between two neighbours, 0..1.
        chance: source of the cuts.

    Returns:
        n group numbers.

    Raises:
        UsageError: rate outside 0..1.

    Example:
        >>> scattered(3, 1.0, random.Random(0))
        [0, 1, 2]
    """
    if not 0 <= rate <= 1:
        raise UsageError(f"a rate of cuts lies in 0..1, not at {rate}")
    labels: list[int] = []
    group = 0
    for i in range(n):
        group += i > 0 and chance.random() < rate
        labels.append(group)
    return labels
