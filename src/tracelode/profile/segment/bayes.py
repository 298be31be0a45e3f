"""Where would you cut? Counts over pairs of neighbouring turns in sessions that you labelled yourself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from tracelode.errors import StoreError, UsageError
from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import before
from tracelode.profile.name.stage import stage
from tracelode.signals.lexicon import Lexicon, load

_REVISION = "1"
"""Changes when the cuts of this file change."""
_REMEDY = "run: tracelode segment --train bayes"


class BayesSegmenter:
    """Cuts a session by naive Bayes over pairs of neighbouring turns, trained on your own labels; one level.

    Args:
        content: what training kept, as JSON; None for a segmenter that was not trained and cuts nothing.
        granularity: what the odds of every cut are multiplied by: above 1 for shorter segments, below 1 for
            longer ones.

    Raises:
        StoreError: the content is damaged, or was counted by another version.
        UsageError: granularity is not above 0.

    Source:
        segmentation rules: bayes. The cuts are chosen as those of the learned segmenter are.
    """

    name = "bayes"
    missing = (
        "the segmenter bayes has learned nothing in this store; mark how some of your sessions are cut, then "
        "run: tracelode segment --train bayes"
    )
    """What to do where there is nothing to cut by."""

    def __init__(
        self, content: bytes | None = None, granularity: float = 1.0, lexicon: Lexicon | None = None
    ) -> None:
        if not 0 < granularity < float("inf"):
            raise UsageError("granularity must be above 0; 1 cuts as the labels do, 2 more often")
        self._granularity = granularity
        self._model = None
        learned = "untrained"
        if content is not None:
            from tracelode.profile.learned.pairs import SCHEME, Counts, PairModel

            try:
                self._model = PairModel(msgspec.json.decode(content, type=Counts))
            except msgspec.DecodeError as error:
                raise StoreError(f"what the segmenter bayes learned is damaged; {_REMEDY}") from error
            if self._model.counts.scheme != SCHEME:
                raise StoreError(
                    f"what the segmenter bayes learned is of another version of tracelode; {_REMEDY}"
                )
            learned = self._model.counts.version
        self.version = "/".join((_REVISION, learned, f"{granularity:g}", (lexicon or load()).version))

    def segment(self, operations: Sequence[Operation]) -> Segmentation:
        """Cut one session and name its segments.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Segments of level 0 that cover [0, n), each cut with its probability.

        Raises:
            UsageError: it was not trained.
        """
        from tracelode.profile.learned.decoding import FINE, decode
        from tracelode.profile.learned.features import readings
        from tracelode.profile.learned.pairs import facts

        if self._model is None:
            raise UsageError(self.missing)
        n = len(operations)
        session = operations[0].session if n else ""
        rows = readings(operations)
        chances = self._model.chances(facts(rows), self._granularity)
        sure = {rows[turn].start: round(float(chances[turn]), 3) for turn in decode(chances, FINE)}
        segments = []
        for start, stop in pairwise([0, *sure, n] if n else []):
            name = stage(operations[start:stop], before(operations, start))
            segments.append(Segment(start, stop, 0, name, sure.get(start)))
        return Segmentation(session, self.name, self.version, tuple(segments))
