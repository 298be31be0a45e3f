"""How is a session cut now, and which sessions are worth a person's look?"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tracelode.model.annotation import Mark
from tracelode.model.operation import Operation
from tracelode.model.ports import Segmenter
from tracelode.model.segment import Segmentation
from tracelode.profile.label import label
from tracelode.profile.marks import to_segments
from tracelode.store.annotations import latest
from tracelode.store.catalog import Catalog

POOL = 300
"""Sessions whose confidence is looked at before a sample by it is taken."""


class Current(NamedTuple):
    """How a session is cut now."""

    marks: tuple[Mark, ...]
    """As marks."""
    segmentation: Segmentation
    """As segments."""
    beside: str
    """What cut it: a segmenter and its version, or a revision of marks."""
    marked: bool
    """Is it cut by marks?"""


def current(catalog: Catalog, segmenter: Segmenter, key: str, operations: Sequence[Operation]) -> Current:
    """How a session is cut now: by its last marks, and where there are none by the store's segmenter.

    Args:
        catalog: the store's catalog.
        segmenter: that of the store.
        key: session key.
        operations: its n operations in order.

    Returns:
        Its marks and segments.
    """
    annotation = latest(catalog, [key]).get(key)
    marked = None if annotation is None else to_segments(annotation, operations)
    kept = annotation if marked else None
    found = label(operations, segmenter, marked or ())
    marks = list(kept.marks) if kept is not None else []
    for place in range(0 if kept is None else kept.operations, len(operations)):
        path = tuple(name for name in found.paths[place] if name)
        if path and not (marks and marks[-1].path == path):
            marks.append(Mark(operations[place].id, path))
    cut = found.segmentation
    beside = f"{cut.segmenter} {cut.version}" if kept is None else f"revision {kept.revision}"
    return Current(tuple(marks), cut, beside, kept is not None)


def confidence(found: Segmentation) -> float | None:
    """How sure a segmenter was of a session's cuts.

    Args:
        found: its segments.

    Returns:
        Mean over the cuts it gave a confidence, 0..1; None where it gave none.
    """
    told = [s.confidence for s in found.segments if s.confidence is not None and s.start]
    return sum(told) / len(told) if told else None


def by_thirds(
    look: Callable[[str], Current], keys: Sequence[str], sample: int, seed: int
) -> tuple[dict[str, tuple[str, float | None]], int]:
    """A sample with alike many sessions of the lowest, middle and highest third of confidence.

    Args:
        look: session key to how it is cut now.
        keys: sessions to choose from; of more than POOL that many, drawn at random, are looked at.
        sample: how many are wanted.
        seed: the same seed takes the same sessions.

    Returns:
        (key to stratum and confidence, how many were looked at); sessions that are marked already and those
        whose segmenter gives no confidence are strata of their own.
    """
    chance = random.Random(seed)
    pool = chance.sample(sorted(keys), min(POOL, len(keys)))
    marked: set[str] = set()
    sure: dict[str, float | None] = {}
    for key in pool:
        now = look(key)
        sure[key] = None if now.marked else confidence(now.segmentation)
        marked |= {key} if now.marked else set()
    told = sorted((c, key) for key, c in sure.items() if c is not None)
    third = -(-len(told) // 3)
    groups = {
        "lowest": [key for _, key in told[:third]],
        "middle": [key for _, key in told[third : 2 * third]],
        "highest": [key for _, key in told[2 * third :]],
        "unknown": sorted(key for key, c in sure.items() if c is None and key not in marked),
        "marked": sorted(marked),
    }
    for members in groups.values():
        chance.shuffle(members)
    taken: dict[str, tuple[str, float | None]] = {}
    while len(taken) < min(sample, len(pool)):
        for name, members in groups.items():
            if members and len(taken) < sample:
                key = members.pop()
                taken[key] = (name, sure[key])
    # the order of the files tells nothing of the confidence
    return {key: taken[key] for key in sorted(taken)}, len(pool)
