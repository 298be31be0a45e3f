"""Which neighbours do not recur? Cuts between kinds of work that follow each other nowhere else."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import before
from tracelode.profile.learned.reading import CLASSES
from tracelode.profile.name.stage import operation_facts, stage
from tracelode.profile.turns import Turn, turns
from tracelode.signals.lexicon import Lexicon, load

_REVISION = "1"
"""Changes when the cuts of this file change."""
UNSEEN = -1.0
"""Association of two classes that follow each other nowhere else."""
_ROUNDS = 100


class RecurrenceSegmenter:
    """Cuts a session where two kinds of work meet that seldom follow each other; no labels, one level.

    Each turn has the class of its first tool call. Two neighbours are weighed by how much more often than by
    chance their classes follow each other in the rest of the session: the pair itself does not count, so
    that one that comes once is unseen. A two-means split of these weights says how low is low; between
    different classes a split of their own weights may only lower it.

    Source:
        AgentPProf (arXiv 2609.20301): NPMI of adjacent actions, its baseline without a model. There the
        pairs are counted over other sessions; here over the session's own, each without itself, so that
        nothing is kept and a cut depends on nothing else. Measured on both labelled sets this scores a
        higher B3 than tables of the other folds.
    """

    name = "recurrence"

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self.version = f"{_REVISION}/{(lexicon or load()).version}"

    def segment(self, operations: Sequence[Operation]) -> Segmentation:
        """Cut one session and name its segments.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Segments of level 0 that cover [0, n). O(n).
        """
        n = len(operations)
        session = operations[0].session if n else ""
        found = turns(operations)
        apart = splits([_class(turn) for turn in found])
        cuts = [0, *(found[turn].start for turn in apart), n] if n else []
        segments = []
        for start, stop in pairwise(cuts):
            segments.append(Segment(start, stop, 0, stage(operations[start:stop], before(operations, start))))
        return Segmentation(session, self.name, self.version, tuple(segments))


def _class(turn: Turn) -> str:
    verb = operation_facts(turn.tools[0])[0] if turn.tools else ""
    return CLASSES.get(verb, "use")


def splits(classes: Sequence[str]) -> list[int]:
    """Where neighbours belong apart.

    Args:
        classes: class of each of n turns.

    Returns:
        Increasing places in [1, n).

    Example:
        >>> splits(["look", "edit", "look", "edit", "test", "look", "edit"])
        [2, 4, 5]
    """
    pairs = list(pairwise(classes))
    weights = associations(pairs)
    limit = cutoff(weights)
    crossing = cutoff([weight for weight, (a, b) in zip(weights, pairs, strict=True) if a != b])
    return [
        place
        for place, (weight, (a, b)) in enumerate(zip(weights, pairs, strict=True), 1)
        if weight < (limit if a == b else min(limit, crossing))
    ]


def associations(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """How strongly each pair belongs together by all the others.

    Args:
        pairs: m pairs of neighbours.

    Returns:
        m normalised pointwise mutual informations: -1 for a pair that comes nowhere else, 1 where nothing
        else comes.

    Source:
        Bouma (2009), NPMI, with left and right counts of the same pairs.
    """
    counts = Counter(pairs)
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    rest = len(pairs) - 1
    found: dict[tuple[str, str], float] = {}
    for (a, b), count in counts.items():
        others = count - 1
        if not others:
            found[a, b] = UNSEEN
        elif others == rest:
            found[a, b] = 1.0
        else:
            chance = (left[a] - 1) * (right[b] - 1)
            # rounded: the last bit, which differs between machines, decides nothing
            found[a, b] = round(math.log(others * rest / chance) / -math.log(others / rest), 9)
    return [found[pair] for pair in pairs]


def cutoff(weights: Sequence[float]) -> float:
    """Between the low and the high ones: the middle of the means that two-means settles on.

    Args:
        weights: any number of weights, in any order.

    Returns:
        The cutoff: the weight itself where all are equal, 0 for none.

    Example:
        >>> cutoff([0.0, 0.1, 0.9, 1.0])
        0.5
    """
    if not weights:
        return 0.0
    counts = sorted(Counter(weights).items())
    low, high = counts[0][0], counts[-1][0]
    for _ in range(_ROUNDS):
        near = [one for one in counts if abs(one[0] - low) <= abs(one[0] - high)]
        means = _mean(near, low), _mean(counts[len(near) :], high)
        if means == (low, high):
            break
        low, high = means
    return (low + high) / 2


def _mean(counts: Sequence[tuple[float, int]], otherwise: float) -> float:
    total = sum(count for _, count in counts)
    return math.fsum(weight * count for weight, count in counts) / total if total else otherwise
