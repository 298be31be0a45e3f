"""What did each stretch of a session take? Headings above its operations, and the moments of a person."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from tracelode.cli.table import Cell, Flex, Styled
from tracelode.cli.text import clean, cut_end, moment, number, rough
from tracelode.model.measure import TOKEN_KINDS
from tracelode.model.priced import money_text
from tracelode.model.words import count

if TYPE_CHECKING:
    from tracelode.model.operation import Operation
    from tracelode.model.segment import Segment, Segmentation

FAILED = frozenset(("error", "nonzero", "denied", "interrupted"))
"""Statuses that a heading counts as failed."""
HUMAN = {"interrupted": "interrupt", "denied": "denial"}
"""Moments of a person that only the status of an operation tells."""
BLANK: tuple[Cell, ...] = ("",) * 9
"""A row without anything in it."""


def tokens(item: Operation) -> int | None:
    """Tokens of all kinds, None where the operation has none of them.

    Args:
        item: of a session.
    """
    known = [item.measures[kind] for kind in TOKEN_KINDS if kind in item.measures]
    return sum(known) if known else None


def human(item: Operation) -> str:
    """Which moment of a person an operation is; "" for none.

    Args:
        item: of a session.
    """
    return item.fields.get("human") or HUMAN.get(item.status, "")


def subject(item: Operation) -> str:
    """What an operation was about: what a person said, else a path, a command, a host.

    Args:
        item: of a session.
    """
    if item.kind == "prompt" or item.fields.get("human"):
        return item.arguments or item.output or ""
    return item.fields.get("path") or item.fields.get("command") or item.fields.get("domain") or ""


class Outline:
    """Headings of one session's segments."""

    def __init__(self, found: Segmentation | None, operations: list[Operation], tz: str) -> None:
        """Lay the segments out.

        Args:
            found: how the session is cut, None where it has no operation.
            operations: of the session, in order.
            tz: zone of clock times.
        """
        self._operations, self._tz = {o.index: o for o in operations}, tz
        pieces = () if found is None else found.segments
        # a segment that is the whole of the one around it and has its name says nothing new
        around = {(s.level, s.start, s.stop, s.name) for s in pieces}
        new = (s for s in pieces if (s.level - 1, s.start, s.stop, s.name) not in around)
        self._waiting = deque(sorted(new, key=lambda s: (s.start, s.level)))
        self._open: list[Segment] = []

    @property
    def depth(self) -> int:
        """Steps of indentation of operations below the headings that are open."""
        return len(self._open)

    def rows(self, index: int, depth: int) -> list[list[Cell]]:
        """Headings that stand above an operation; those that ended before it are closed.

        Args:
            index: of the operation; asked for in order, some may be left out.
            depth: steps of indentation of the session.

        Returns:
            Rows of what starts there or at an operation that was left out, the outermost first.
        """
        rows: list[list[Cell]] = []
        self._open = [piece for piece in self._open if index < piece.stop]
        starting: list[Segment] = []
        while self._waiting and self._waiting[0].start <= index:
            piece = self._waiting.popleft()
            starting += [piece] if index < piece.stop else []
        for place, piece in enumerate(starting):
            # What the operations are filed under is what views show, whatever a segmenter says today.
            stored = self._operations[index].fields.get("stage", "") if place == len(starting) - 1 else ""
            rows.append(self._heading(piece, stored or piece.name, depth + len(self._open)))
            self._open.append(piece)
        return rows

    def _heading(self, piece: Segment, name: str, depth: int) -> list[Cell]:
        inside = [self._operations[i] for i in range(piece.start, piece.stop) if i in self._operations]
        own = [o for o in inside if not o.inherited]
        sums: Counter[str] = Counter()
        for item in own:
            sums.update({"tokens": tokens(item) or 0, "cost": item.measures.get("cost", 0)})
            sums["bare"] += item.measures.get("tokens.unpriced", 0)
            sums["time"] += item.measures.get("time.model", 0) + item.measures.get("time.tool", 0)
        failed = sum(o.status in FAILED for o in inside)
        first = inside[0] if inside else None
        at = None if first is None else first.started if first.started is not None else first.ended
        return [
            "",
            Styled(moment(at, self._tz, "%H:%M:%S"), "bold"),
            Flex(name or "(no name)", "bold", depth=depth),
            Styled(f"{failed} failed" if failed else "", "red"),
            Styled(count(sums["tokens"]) if sums["tokens"] else "", "bold"),
            Styled(money_text(sums["cost"], sums["bare"]) if sums["cost"] or sums["bare"] else "", "bold"),
            Styled(rough(sums["time"]), "bold"),
            Styled(number(len(inside), "op"), "dim"),
            "",
        ]


def said(item: Operation, depth: int) -> Flex:
    """A moment of a person with what was said, as far as there is room.

    Args:
        item: a prompt or another moment.
        depth: steps of indentation.
    """
    word = human(item) or item.kind
    text = clean(subject(item)) if item.kind == "prompt" or item.fields.get("human") else ""
    return Flex(f"{word}: {text}" if text else word, "magenta", depth=depth, shorten=cut_end, spill=True)
