"""Where does one kind of work end and the next begin? Runs of turns of one verb class."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import before
from tracelode.profile.name.stage import operation_facts, segment_verb, stage
from tracelode.profile.turns import turns
from tracelode.signals.lexicon import Lexicon, load

_REVISION = "1"
"""Changes when the cuts of this file change."""
MIN_TURNS = 3
"""A shorter run joins a neighbour."""


class PhaseSegmenter:
    """Cuts a session at changes of the turns' verb class; no learning, one level.

    A turn is a model operation and the tool calls it issued; it is never split. Its class is the verb that
    the stage rule gives to it alone; verbs that compete as one block (looking, or working a page) are one
    class, and so are edit and create. Maximal runs of equal class are formed; each run shorter than three
    turns then joins its longer neighbour, the left one on ties. All joins look at the lengths before any
    join and happen once: repeating them until no short run is left lets the largest run swallow the session
    (measured: fewer true cuts and a lower B3). Operations without a tool (prompts, answers, notes) count for
    no run and stay in the segment they fall in. A cut lies before the first operation of a turn.

    Source:
        accounting rules, phase segmenter; naming rules, steps 2 and 3.
    """

    name = "phase"

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._lexicon = lexicon or load()
        self.version = f"{_REVISION}/{self._lexicon.version}"

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
        starts = [turn.start for turn in found]
        classes = [self._class([operation_facts(op)[0] for op in turn.tools]) for turn in found]
        cuts = [0, *(starts[first] for first in _runs(classes)[1:]), n] if n else []
        segments = []
        for start, stop in pairwise(cuts):
            name = stage(operations[start:stop], before(operations, start))
            segments.append(Segment(start, stop, 0, name))
        return Segmentation(session, self.name, self.version, tuple(segments))

    def _class(self, verbs: list[str]) -> str:
        verb = segment_verb(verbs, self._lexicon)
        return "edit" if verb == "create" else self._lexicon.verbs[verb].block or verb


def _runs(classes: Sequence[str]) -> list[int]:
    """First turns of the runs that remain after the short ones have joined a neighbour."""
    if not classes:
        return []
    first = [i for i, label in enumerate(classes) if not i or label != classes[i - 1]]
    length = [stop - start for start, stop in zip(first, [*first[1:], len(classes)], strict=True)]
    joined: set[int] = set()  # runs that are one with the run before them
    for run, size in enumerate(length):
        if size >= MIN_TURNS:
            continue
        before = length[run - 1] if run else 0
        after = length[run + 1] if run + 1 < len(length) else 0
        joined.add(run if before >= after else run + 1)
    return [start for run, start in enumerate(first) if run == 0 or run not in joined]
