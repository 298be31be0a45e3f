"""What is a session's outline? Its segments, each with what it took and where people stepped in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tracelode.model.measure import parts
from tracelode.model.operation import Operation
from tracelode.model.segment import Segment
from tracelode.model.stretch import Stretch
from tracelode.workspace.segmenting import Segmenting

MEASURES = ("tokens", "tokens.unpriced", "cost", "time.active")
"""What is summed."""
FAILED = ("error", "nonzero")
"""Statuses of what failed."""


class Outlining(Segmenting):
    """A workspace's outlines; part of Workspace."""

    def outline(self, session: str) -> list[Stretch]:
        """One session as nested segments.

        Args:
            session: key or unique beginning of one.

        Returns:
            Segments in order, an outer one before those inside it; one that only repeats the one around it is
            left out. Segments of one level sum to the session's own operations.

        Raises:
            QueryError: none or several sessions match.
        """
        key = self.session(session).key
        operations = self.operations(key)
        segments = self.segmentation(key).segments
        around = {(s.level, s.start, s.stop, s.name) for s in segments}
        new = (s for s in segments if (s.level - 1, s.start, s.stop, s.name) not in around)
        return [_stretch(piece, operations) for piece in sorted(new, key=lambda s: (s.start, s.level))]


def _stretch(piece: Segment, operations: Sequence[Operation]) -> Stretch:
    inside = [o for o in operations if piece.start <= o.index < piece.stop]
    own = [o for o in inside if not o.inherited]
    moments = (o.started if o.started is not None else o.ended for o in inside)
    people = Counter(o.fields["human"] for o in own if o.fields.get("human"))
    return Stretch(
        start=piece.start, stop=piece.stop, level=piece.level, name=piece.name,
        started=next((at for at in moments if at is not None), None),
        operations=len(own), failed=sum(o.status in FAILED for o in own), people=dict(people.most_common()),
        measures={m: sum(o.measures.get(part, 0) for o in own for part in parts(m)) for m in MEASURES},
    )  # fmt: skip
