"""Which nodes does an approved plan document give, where no plan tool keeps a list?"""

from __future__ import annotations

from tracelode.model.plan import PlanNode
from tracelode.signals.plan.kept import Kept
from tracelode.signals.text import text_verb


class Documents:
    """The documents that one thread worked from.

    Args:
        session: key of the thread.

    Source:
        plan rules, section 5.5, second level of evidence.
    """

    def __init__(self, session: str) -> None:
        self.session = session
        self.nodes: list[PlanNode] = []
        """Steps of all documents, in order."""
        self.epochs = 0
        self._seen: set[str] = set()

    def add(self, kept: Kept, place: int, goal: str | None) -> list[PlanNode]:
        """Take a document that a person approved.

        Args:
            kept: the document.
            place: index of the operation that brought or approved it.
            goal: parent of its outermost steps, None for none.

        Returns:
            Its steps; none where it was approved before.
        """
        if kept.hash in self._seen or not kept.items:
            return []
        self._seen.add(kept.hash)
        self.epochs += 1
        made: list[PlanNode] = []
        for number, item in enumerate(kept.items):
            above = int(item.after[0]) if item.after and item.after[0].isdigit() else -1
            made.append(
                PlanNode(
                    id=f"{self.epochs}/step{number + 1}",
                    session=self.session,
                    parent=made[above].id if 0 <= above < number else goal,
                    epoch=self.epochs,
                    text=item.text,
                    verb=(text_verb(item.text) if item.text else item.verb) or None,
                    status="planned",
                    removed=False,
                    created=place,
                    evidence="human",
                )
            )
        self.nodes += made
        return made
