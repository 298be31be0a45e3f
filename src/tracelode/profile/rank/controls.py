"""What is a ranking worth? Trivial orders beside it, and all of them against known faults."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean

from tracelode.model.operation import Operation
from tracelode.model.ranking import Scored
from tracelode.profile.rank.features import text_of
from tracelode.profile.score.ranking import average_precision, hit_at, within

LATEST, LONGEST, RAW = "latest first", "longest text", "raw-action groups"
CONTROLS = (LATEST, LONGEST, RAW)
"""Controls that every ranking of a store shows."""

HEADER = 8
"""Tokens of an operation's line in a packet: its number, name and status."""
BYTES = 4
"""Bytes of a token, about."""

_ERROR = re.compile(r"error|fail|exception|traceback|not found|no such|invalid|unable|cannot|denied", re.I)


def size(operation: Operation) -> int:
    """Length of what an operation says: the stored sizes of the whole texts, else that of the previews.

    Args:
        operation: any operation.

    Returns:
        Bytes or characters.
    """
    told = operation.measures.get("bytes.arguments", 0) + operation.measures.get("bytes.output", 0)
    return told or len(operation.arguments) + len(operation.output)


def reading_tokens(operation: Operation) -> int:
    """Tokens that reading an operation takes, about.

    Args:
        operation: any operation; the stored sizes of its whole texts count where they are known.

    Returns:
        1 or more.
    """
    return HEADER + -(-size(operation) // BYTES)


def store_controls(operations: Sequence[Operation], raw: Sequence[float]) -> dict[str, list[float]]:
    """The controls of a session in a store.

    Args:
        operations: its n operations in order.
        raw: n scores of groups by tool alone.

    Returns:
        n scores for each of CONTROLS.
    """
    n = len(operations)
    return {
        LATEST: [float(i) for i in range(n)],
        LONGEST: [float(size(o)) for o in operations],
        RAW: list(raw),
    }


def trivial(operations: Sequence[Operation]) -> dict[str, list[float]]:
    """The controls of the evaluation protocol.

    Args:
        operations: the n operations of a session in order.

    Returns:
        n scores by name of the control.

    Source:
        evaluation protocol, localisation: random, earliest, latest, error words, longest text, most repeated
        tool.
    """
    n = len(operations)
    texts = [text_of(o) for o in operations]
    names = Counter(o.name for o in operations)
    return {
        "random": [0.0] * n,
        "earliest": [-float(i) for i in range(n)],
        "latest": [float(i) for i in range(n)],
        "error words": [float(len(_ERROR.findall(text))) for text in texts],
        "longest text": [float(len(text)) for text in texts],
        "most repeated tool": [float(names[o.name]) for o in operations],
    }


def places(scores: Sequence[float]) -> list[int]:
    """The place of each item in the order of the scores.

    Args:
        scores: n numbers, the largest first; equal ones in their own order.

    Returns:
        n places, a permutation of 1..n.

    Example:
        >>> places([1.0, 3.0, 1.0])
        [2, 1, 3]
    """
    found = [0] * len(scores)
    for place, i in enumerate(sorted(range(len(scores)), key=lambda i: (-scores[i], i)), 1):
        found[i] = place
    return found


def judged(orders: Iterable[tuple[Sequence[float], Collection[int]]]) -> Scored | None:
    """How well orders of sessions find their faults.

    Args:
        orders: (n scores, places of the faults) of each session; one without faults is left out.

    Returns:
        Means over the sessions, None without one.
    """
    known = [(list(scores), set(faults)) for scores, faults in orders if faults]
    if not known:
        return None
    return Scored(
        map=fmean(average_precision(s, f) or 0.0 for s, f in known),
        hit_1=fmean(hit_at(1, s, f) for s, f in known),
        hit_5=fmean(hit_at(5, s, f) for s, f in known),
        within_3=fmean(within(3, s, f) or 0.0 for s, f in known),
    )


def lexicographic(direct: Mapping[int, float], scores: Sequence[float]) -> list[tuple[bool, float, float]]:
    """Keys that put the user's diagnostic first and break its ties by the profile.

    Args:
        direct: place to the diagnostic, larger is worse; places without one come last.
        scores: n scores of the profile.

    Returns:
        n keys, the largest first.

    Source:
        profile rules: rank, lexicographic (direct, group).

    Example:
        >>> lexicographic({0: 1.0}, [0.2, 0.9])
        [(True, 1.0, 0.2), (False, 0.0, 0.9)]
    """
    return [(i in direct, direct.get(i, 0.0), score) for i, score in enumerate(scores)]


def ordinal(keys: Sequence[tuple[bool, float, float]]) -> list[float]:
    """Keys as one number each, so that what orders scores orders them too.

    Args:
        keys: n keys, the largest first.

    Returns:
        n numbers in the same order, equal where keys are.
    """
    rank = {key: float(i) for i, key in enumerate(sorted(set(keys)))}
    return [rank[key] for key in keys]
