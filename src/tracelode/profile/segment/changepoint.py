"""Where does a session begin to speak of something else? Change points of what turns say and touch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import before
from tracelode.profile.name.stage import stage
from tracelode.profile.turns import turns
from tracelode.signals.lexicon import Lexicon, load

_REVISION = "1"
"""Changes when the cuts of this file change."""
SIZE = 5.5
"""Turns in one segment, about. People who label sessions make some of 6; where neighbours of equal name are
then taken as one, a few cuts more are needed to have as many in the end."""
FEWEST = 12
"""Turns below which there is too little to compare."""


class ChangepointSegmenter:
    """Cuts a session where the wording of its turns changes; no labels, no learning, one level.

    The text of a turn is what the agent said and what it asked of tools. Without previews (metadata mode)
    only tools, verbs and paths are left, and the cuts follow them.

    Args:
        size: turns in one segment, about.

    Source:
        accounting rules, changepoint segmenter; segmentation rules, section 3.8. Terms are hashed to 1,024
        signed buckets and not projected to 64: measured on the labelled set, the projection costs .02 to .04
        of B3 and .05 to .10 of boundary F1.
    """

    name = "changepoint"

    def __init__(self, size: float = SIZE, lexicon: Lexicon | None = None) -> None:
        self._size = size
        self._lexicon = lexicon or load()
        self.version = f"{_REVISION}/{size:g}/{self._lexicon.version}"

    def fits(self, operations: Sequence[Operation]) -> bool:
        """Is a session long enough to have change points?

        Args:
            operations: the n operations of one session in order.

        Returns:
            False below FEWEST turns. Measured there on the set of declared plans: .624 B3
            against .661 of phases.
        """
        return len(turns(operations)) >= FEWEST

    def segment(self, operations: Sequence[Operation]) -> Segmentation:
        """Cut one session and name its segments.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Segments of level 0 that cover [0, n).
        """
        from tracelode.profile.changes import stretches  # numpy is loaded with the first cut

        n = len(operations)
        session = operations[0].session if n else ""
        found = turns(operations)
        ends = [*(turn.start for turn in found[1:]), n][: len(found)]
        texts = [
            " ".join(map(_text, operations[turn.start : end])) for turn, end in zip(found, ends, strict=True)
        ]
        cuts = [0, *(found[place].start for place in stretches(texts, self._size)[1:]), n] if n else []
        segments = []
        for start, stop in pairwise(cuts):
            segments.append(Segment(start, stop, 0, stage(operations[start:stop], before(operations, start))))
        return Segmentation(session, self.name, self.version, tuple(segments))


def _text(operation: Operation) -> str:
    """What an operation says of the agent's aim; results and people's words are left out."""
    if operation.kind == "model":
        return operation.output
    if operation.kind in ("prompt", "note"):
        return ""
    told = ("verb", "frame") if operation.arguments else ("verb", "frame", "path", "command")
    return " ".join((operation.arguments, *(operation.fields.get(key, "") for key in told)))
