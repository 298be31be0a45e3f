"""Where does the agent's own plan say that one piece of work ends and the next begins?"""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import before, cover, whole
from tracelode.profile.name.declared import agreed, declared
from tracelode.profile.name.stage import is_evidence, stage
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.plan.stretches import stretches

_REVISION = "2"
"""Changes when the cuts of this file or of the rules below it change."""


class PlanSegmenter:
    """Cuts a session where an item of its plan begins and ends; what lies outside stays in one piece.

    A stretch in which an item is in progress is named by its operations, and by what the item declares
    where that tells what operations cannot; the declared name is kept beside it. An item whose words lead
    with no known verb bounds a stretch and declares nothing. Of several items in progress the one started
    last bounds and declares.

    Source:
        segmentation rules, plan; naming rules, step 4; decision 0024; plan rules, section 5.6.
    """

    name = "plan"

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self.version = f"{_REVISION}/{(lexicon or load()).version}"

    def claim(self, operations: Sequence[Operation]) -> list[Segment]:
        """Stretches in which an item is in progress.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Named segments of level 0, in order, apart; none without a plan. O(n).
        """
        found = []
        for stretch in stretches(operations):
            held = operations[stretch.start : stretch.stop]
            if not any(map(is_evidence, held)):
                continue
            observed = stage(held, before(operations, stretch.start))
            said = declared(stretch.text, held, stretch.verb) or ""
            name = agreed(said, observed)
            beside = observed if name != observed else ""
            found.append(Segment(stretch.start, stretch.stop, 0, name, observed=beside, declared=said))
        return found

    def segment(self, operations: Sequence[Operation]) -> Segmentation:
        """Cut one session and name its segments.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Segments of level 0 that cover [0, n).
        """
        session = operations[0].session if operations else ""
        segments = cover(operations, self.claim(operations), whole)
        return Segmentation(session, self.name, self.version, tuple(segments))
