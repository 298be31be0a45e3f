"""Where would people who label sessions cut this one? A model trained on labelled sessions, two levels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from tracelode.errors import UsageError
from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import before
from tracelode.profile.learned.weights import AGENT, PEOPLE, Weights, expert_of, shipped_weights
from tracelode.profile.name.stage import is_evidence, stage
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.tools import is_shell

if TYPE_CHECKING:
    from tracelode.profile.learned.model import Model

_REVISION = "1"
"""Changes when the cuts of this file change."""
LEVELS = 2
"""Coarse stretches, then what lies inside them."""


class LearnedSegmenter:
    """Cuts a session where the agents' words and deeds resemble those at cuts that people made.

    Boosted trees and a linear part give each turn a probability that a segment begins with it; a dynamic
    program chooses the cuts that are worth most under them. The coarse cuts are some of the fine ones.
    Each cut's probability stands with it as its confidence, whatever the granularity: how fine a reader wants
    the session does not make a cut surer. The session's start has none.

    Args:
        granularity: what the odds of every cut are multiplied by: above 1 for shorter segments, below 1 for
            longer ones.
        shrink: how far the rate of cuts is drawn to that of the labelled sessions, 0..1; None for as far as
            the weights say.
        expert: whose cuts are wanted, "people" or "agent"; None for what the session's tools say.
        levels: 1 for the fine segments alone, 2 for both.
        weights: weights of one's own; None for those that come with the package.
        model: what gives the probabilities in place of the weights; None for the weights.

    Raises:
        UsageError: granularity is not above 0, shrink lies outside 0..1, levels is neither 1 nor 2, or
            there is no such expert.

    Source:
        segmentation rules, section 3.
    """

    name = "learned"

    def __init__(
        self,
        granularity: float = 1.0,
        shrink: float | None = None,
        levels: int = LEVELS,
        expert: str | None = None,
        weights: Weights | None = None,
        model: Model | None = None,
        lexicon: Lexicon | None = None,
    ) -> None:
        if not 0 < granularity < float("inf"):
            raise UsageError("granularity must be above 0; 1 cuts as people do, 2 more often")
        if shrink is not None and not 0 <= shrink <= 1:
            raise UsageError("shrink lies between 0 (the session's own rate of cuts) and 1 (that of people)")
        if levels not in (1, 2):
            raise UsageError("levels is 1 or 2")
        if expert not in (None, PEOPLE, AGENT):
            raise UsageError(f"expert is {PEOPLE} or {AGENT}")
        self._granularity, self._shrink, self._levels, self._expert = granularity, shrink, levels, expert
        # the version is asked for where nothing is cut: numpy is loaded with the first cut
        self._weights = model.weights if model is not None else weights or shipped_weights()
        self._model = model
        rate = "" if shrink is None else f"{shrink:g}"
        parts = (_REVISION, self._weights.version, f"{granularity:g}", rate, f"{levels}", expert or "")
        self._lexicon = lexicon or load()
        self.version = "/".join((*parts, self._lexicon.version))

    def fits(self, operations: Sequence[Operation]) -> bool:
        """Is a session of the kind that it learned from: known tools, and texts to read?

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            False where half of the tool calls or more are of tools that the lexicon does not know, or have no
            text of what was asked. Without texts it is worse than any other segmenter: measured on the
            labelled sets, .562 B3 against .709 of changepoint, which is .746 with them.
        """
        calls = [op for op in operations if is_evidence(op)]
        known = sum(bool(op.arguments) and self._known(op.fields.get("tool") or op.name) for op in calls)
        return 2 * known > len(calls)

    def _certain(self, chance: float) -> float:
        """The probability of a cut without the factor of the granularity."""
        return chance / (chance + self._granularity * (1 - chance))

    def _known(self, tool: str) -> bool:
        return tool.lower() in self._lexicon.tools or is_shell(tool, self._lexicon)

    def segment(self, operations: Sequence[Operation]) -> Segmentation:
        """Cut one session and name its segments.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Segments that cover [0, n) on each level.
        """
        from tracelode.profile.learned.decoding import COARSE, FINE, decode
        from tracelode.profile.learned.features import readings
        from tracelode.profile.learned.model import Model

        if self._model is None:
            self._model = Model(self._weights)
        n = len(operations)
        session = operations[0].session if n else ""
        rows = readings(operations)
        expert = self._expert or expert_of(op.fields.get("tool") or op.name for op in operations)
        chances = self._model.chances(rows, expert, self._shrink, self._granularity)
        fine = decode(chances, FINE)
        levels = [fine]
        if self._levels > 1:
            allowed = [False] * len(rows)
            for turn in fine:
                allowed[turn] = True
            levels.insert(0, decode(chances, COARSE, allowed))
        segments: list[Segment] = []
        names: dict[tuple[int, int], str] = {}
        for level, cuts in enumerate(levels):
            sure = {rows[turn].start: round(self._certain(float(chances[turn])), 3) for turn in cuts}
            for start, stop in pairwise([0, *sure, n] if n else []):
                if (start, stop) not in names:
                    names[start, stop] = stage(operations[start:stop], before(operations, start))
                segments.append(Segment(start, stop, level, names[start, stop], sure.get(start)))
        return Segmentation(session, self.name, self.version, tuple(segments))
