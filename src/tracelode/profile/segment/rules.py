"""Where do your own rules cut? A TOML file says which operations begin a segment, and what it is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tracelode.errors import UsageError
from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import before
from tracelode.profile.name.stage import is_evidence, stage
from tracelode.profile.rulebook import Rule, read
from tracelode.profile.turns import turns
from tracelode.signals.lexicon import Lexicon, load

_REVISION = "1"
"""Changes when the cuts of this file change."""


class RulesSegmenter:
    """Cuts a session where an operation matches one of your own rules; what no rule says stays in one piece.

    The first rule of the file that an operation of a turn matches is the turn's. A run of neighbouring turns
    of one rule begins one segment; it lasts to the next run of a rule, or with `only` to the end of the run.
    A turn is never split, and a segment without a tool call joins the one after it.

    Args:
        content: a rule file; None for a segmenter without rules, which cuts nothing.

    Raises:
        UsageError: the file has a mistake; the message says in which rule.

    Source:
        segmentation rules: rules (user regexes).
    """

    name = "rules"
    missing = "this store has no rules; write a file of them and run: tracelode segment --rules FILE"
    """What to do where there is nothing to cut by."""

    def __init__(self, content: bytes | None = None, lexicon: Lexicon | None = None) -> None:
        self._book = None if content is None else read(content)
        version = self._book.version if self._book else "none"
        self.version = f"{_REVISION}/{version}/{(lexicon or load()).version}"

    def claim(self, operations: Sequence[Operation]) -> list[Segment]:
        """Stretches that a rule began.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Named segments of level 0, in order, apart.

        Raises:
            UsageError: there are no rules.
        """
        pieces = self._pieces(operations)
        return [_segment(operations, piece) for piece in pieces if piece.rule is not None]

    def segment(self, operations: Sequence[Operation]) -> Segmentation:
        """Cut one session.

        Args:
            operations: the n operations of one session in order; fields and previews only.

        Returns:
            Segments of level 0 that cover [0, n). O(n) for each pattern.

        Raises:
            UsageError: there are no rules.
        """
        session = operations[0].session if operations else ""
        segments = tuple(_segment(operations, piece) for piece in self._pieces(operations))
        return Segmentation(session, self.name, self.version, segments)

    def _pieces(self, operations: Sequence[Operation]) -> list[_Piece]:
        if self._book is None:
            raise UsageError(self.missing)
        rules = self._book.rules
        found = [_Piece(0, 0, None)]
        last: Rule | None = None  # rule of the turn before
        for start, stop, is_turn in _units(operations):
            unit = operations[start:stop]
            rule = next((rule for rule in rules if any(map(rule.matches, unit))), None)
            if rule is None and not is_turn:
                continue
            if rule is not None and rule is not last:
                found.append(_Piece(start, 0, rule))
            elif rule is None and last is not None and last.only:
                found.append(_Piece(start, 0, None))
            last = rule
        stops = [*(piece.start for piece in found[1:]), len(operations)]
        return _worked(operations, [p._replace(stop=s) for p, s in zip(found, stops, strict=True)])


class _Piece(NamedTuple):
    """A stretch and the rule that began it."""

    start: int
    stop: int
    rule: Rule | None


def _units(operations: Sequence[Operation]) -> list[tuple[int, int, bool]]:
    """Turns, and what stands alone between them: start, stop, whether it is a turn."""
    place = {id(operation): i for i, operation in enumerate(operations)}
    found: list[tuple[int, int, bool]] = []
    at = 0
    for turn in turns(operations):
        stop = max((place[id(tool)] for tool in turn.tools), default=turn.start) + 1
        found += [(i, i + 1, False) for i in range(at, turn.start)]
        found.append((turn.start, stop, True))
        at = stop
    return found + [(i, i + 1, False) for i in range(at, len(operations))]


def _worked(operations: Sequence[Operation], pieces: Sequence[_Piece]) -> list[_Piece]:
    """Pieces with a tool call each; one without joins the next one, the last ones the one before them."""
    found: list[_Piece] = []
    start = 0
    for piece in pieces:
        if any(map(is_evidence, operations[piece.start : piece.stop])):
            found.append(piece._replace(start=start))
            start = piece.stop
    if not found:
        return [_Piece(0, len(operations), None)] if operations else []
    found[-1] = found[-1]._replace(stop=len(operations))
    return found


def _segment(operations: Sequence[Operation], piece: _Piece) -> Segment:
    held = operations[piece.start : piece.stop]
    name = piece.rule.name if piece.rule is not None else ""
    return Segment(piece.start, piece.stop, 0, name or stage(held, before(operations, piece.start)))
