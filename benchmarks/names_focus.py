"""How good are focus names? Reuse, what they tell apart, and what changes when more sessions arrive."""

from __future__ import annotations

import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from labelled import Run

from tracelode.ingest.naming import banned_words
from tracelode.model.ports import Segmenter
from tracelode.profile.label import label
from tracelode.profile.name.focus import is_work, ladders
from tracelode.profile.name.objects import Ladder, admitted, focus_name, one

SPLITS = 5
"""How often the last fifth of the sessions is drawn."""
LATE = 0.2
"""Share of sessions that arrive late."""


class Stretch(NamedTuple):
    """A segment, before it has a focus name."""

    run: int
    family: str
    task: str
    stage: str
    ladder: Ladder | None
    places: tuple[int, ...]
    """Places of its tool calls in the run."""


def stretches(runs: Sequence[Run], segmenter: Segmenter) -> list[Stretch]:
    """Segments of some runs; those without a tool call are left out."""
    found = []
    for number, run in enumerate(runs):
        cut = label(run.operations, segmenter)
        told = ladders(run.operations, cut.segmentation, cut.stages, run.task)
        inner = [0] * len(run.operations)
        for place, segment in enumerate(cut.segmentation.segments):
            inner[segment.start : segment.stop] = [place] * (segment.stop - segment.start)
        pieces: dict[int, list[int]] = defaultdict(list)
        for place, operation in enumerate(run.operations):
            if is_work(operation):
                pieces[inner[place]].append(place)
        for places in pieces.values():
            first = places[0]
            found.append(Stretch(number, run.key, run.task, cut.stages[first], told[first], tuple(places)))
    return found


def bans(runs: Sequence[Run]) -> list[set[str]]:
    """Words that each run bans."""
    return [banned_words(run.operations) for run in runs]


def named(
    pieces: Sequence[Stretch], banned: set[str], counted: frozenset[int] | None = None
) -> list[str | None]:
    """Focus names with the registry of some runs.

    Args:
        pieces: segments to name.
        banned: words that name nothing.
        counted: runs whose objects are counted, None for all.

    Returns:
        One name or None a piece.
    """

    def allowed(item: str) -> bool:
        return not banned.intersection(one(item).split())

    seen = {
        (item, piece.family)
        for piece in pieces
        if piece.ladder and (counted is None or piece.run in counted)
        for item in piece.ladder.objects
        if allowed(item)
    }
    registered = admitted(seen)
    return [
        None
        if piece.ladder is None
        else focus_name(
            piece.ladder._replace(objects=tuple(filter(allowed, piece.ladder.objects))), registered
        )
        for piece in pieces
    ]


def churn(pieces: Sequence[Stretch], runs: Sequence[Run], seed: int) -> dict[str, float]:
    """Share of the early sessions' tool calls whose name changes when the last fifth arrives, recomputed.

    Returns:
        The middle of SPLITS draws, with the bans held fixed, and with what the late sessions ban as well.
    """
    told = bans(runs)
    every = set[str]().union(*told)
    fixed, grown = [], []
    for split in range(SPLITS):
        chance = random.Random(seed + split)
        order = chance.sample(range(len(runs)), len(runs))
        early = frozenset(order[: round(len(runs) * (1 - LATE))])
        ours = [piece for piece in pieces if piece.run in early]
        known = set[str]().union(*(told[run] for run in early))
        before = named(ours, every), named(ours, known)
        late = [
            (piece, name)
            for piece, name in zip(pieces, named(pieces, every), strict=True)
            if piece.run in early
        ]
        total = sum(len(piece.places) for piece in ours)
        for place, collected in ((0, fixed), (1, grown)):
            changed = sum(
                len(piece.places)
                for (piece, after), old in zip(late, before[place], strict=True)
                if after != old
            )
            collected.append(changed / total if total else 0.0)
    return {"churn": statistics.median(fixed), "churn, bans grow": statistics.median(grown)}


def frozen(folders: Sequence[Any], segmenter: str) -> float | None:
    """Share of named operations of a store whose focus changes when more folders are imported.

    Args:
        folders: what is imported, one after the other.
        segmenter: what cuts the sessions.

    Returns:
        The share, bans left out; None where nothing was named.
    """
    import tempfile

    import tracelode

    def told(workspace: Any) -> dict[tuple[str, str], int]:
        found = workspace.profile(stack=["session", "focus"], measures=["operations"], lane="separate").totals
        return {(s[0], s[1]): v[0] for s, v in found.items() if len(s) > 1}

    with tempfile.TemporaryDirectory() as store:
        workspace = tracelode.open(store)
        workspace.segment(segmenter)
        changed = total = 0
        for folder in folders:
            before = told(workspace) if not workspace.empty() else {}
            words = set(workspace._catalog.db.execute("SELECT object FROM objects"))
            workspace.add(folder)
            gone = words - set(workspace._catalog.db.execute("SELECT object FROM objects"))
            after = told(workspace)
            total += sum(before.values())
            for (session, name), count in before.items():
                if one(name.partition(" ")[2]) not in {row[0] for row in gone}:
                    changed += max(0, count - after.get((session, name), 0))
    return changed / total if total else None


def whole(pieces: Sequence[Stretch], names: Sequence[str | None]) -> dict[str, float]:
    """How much of the work has a focus name at all."""
    sizes = Counter[bool]()
    for piece, name in zip(pieces, names, strict=True):
        sizes[name is not None] += len(piece.places)
    return {"named": sizes[True] / sizes.total() if sizes.total() else 0.0}
