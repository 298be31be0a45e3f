"""Who cuts a session that nobody chose a segmenter for, and what do marks of a person change?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.build import call, replace, session
from tracelode.errors import ModelError, UsageError
from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import follow
from tracelode.profile.label import label
from tracelode.profile.name.stage import vocabulary
from tracelode.profile.segment.chain import ChainSegmenter
from tracelode.profile.segment.changepoint import ChangepointSegmenter
from tracelode.profile.segment.learned import LearnedSegmenter
from tracelode.profile.segment.phase import PhaseSegmenter

KNOWN = ("Read a.py", "$ pytest -q", "Edit a.py")
STRANGE = ("look_up_order", "refund_order")


def made(words: Sequence[str], turns: int, *, texts: bool = True) -> list[Operation]:
    """A session of so many turns, each one call; with what was asked, or as metadata mode stores it."""
    calls = [call(words[i % len(words)]) for i in range(turns)]
    asked = [replace(c, arguments=f'{{"x": "{c.name}"}}' if texts else "") for c in calls]
    return session(*([one] for one in asked))


@pytest.mark.parametrize(
    ("operations", "by"),
    [
        (made(KNOWN, 20), LearnedSegmenter()),
        (made(KNOWN, 2), LearnedSegmenter()),
        # no text of what was asked: nothing that learned words can be told by
        (made(KNOWN, 20, texts=False), ChangepointSegmenter()),
        (made(KNOWN, 12, texts=False), ChangepointSegmenter()),
        (made(KNOWN, 11, texts=False), PhaseSegmenter()),
        # tools of another trade
        (made(STRANGE, 20), ChangepointSegmenter()),
        (made(STRANGE, 11), PhaseSegmenter()),
        # half and half is foreign, one more known call is not
        (made((KNOWN[0], STRANGE[0]), 20), ChangepointSegmenter()),
        (made((*KNOWN, *STRANGE), 20), LearnedSegmenter()),
        ([], PhaseSegmenter()),
    ],
)
def test_the_first_that_the_session_fits_cuts_it(operations: list[Operation], by: object) -> None:
    assert ChainSegmenter().segment(operations).segments == by.segment(operations).segments  # type: ignore[attr-defined]


def test_a_part_that_takes_everything_comes_last() -> None:
    with pytest.raises(UsageError, match="leaves nothing to the next"):
        ChainSegmenter(["phase", "learned"])
    with pytest.raises(UsageError, match="at least one"):
        ChainSegmenter([])


ROWS = made(KNOWN, 6)
MARKED = [
    Segment(0, 8, 0, "repair parser"),
    Segment(0, 3, 1, "find cause"),
    Segment(3, 8, 1, "repair parser"),
]


def test_marks_name_the_path_and_the_closed_rule_names_the_stage() -> None:
    named = label(ROWS, PhaseSegmenter(), MARKED)
    assert named.paths[0] == ("repair parser", "find cause")
    assert named.paths[7] == ("repair parser", "repair parser")
    assert set(named.stages) <= vocabulary()
    # behind the marks the segmenter goes on; its one level is not repeated
    assert len(named.paths[8]) == 1
    assert named.paths[8][0] == named.stages[8]


def test_a_marked_path_is_kept_whole_and_ends_where_it_ends() -> None:
    twice = [Segment(0, 12, 0, "repair parser"), Segment(0, 12, 1, "read code")]
    assert set(label(ROWS, PhaseSegmenter(), twice).paths) == {("repair parser", "read code")}
    once = [Segment(0, 12, 0, "repair parser"), Segment(0, 12, 1, "")]
    assert set(label(ROWS, PhaseSegmenter(), once).paths) == {("repair parser",)}


def test_a_segment_no_smaller_than_the_one_around_it_is_not_repeated() -> None:
    rows = made(KNOWN, 30)
    pieces = LearnedSegmenter().segment(rows).segments
    coarse = {(s.start, s.stop) for s in pieces if s.level == 0}
    named = label(rows, LearnedSegmenter())
    for piece in pieces:
        if piece.level == 1:
            deep = 1 if (piece.start, piece.stop) in coarse else 2
            assert {len(path) for path in named.paths[piece.start : piece.stop]} == {deep}


def test_marks_with_a_gap_are_refused() -> None:
    with pytest.raises(ModelError, match="gap or overlap"):
        label(ROWS, PhaseSegmenter(), [Segment(0, 3, 0, "find cause"), Segment(4, 8, 0, "find cause")])


@given(st.data())
def test_what_follows_marks_covers_and_nests(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 12))
    k = data.draw(st.integers(1, n))
    depth = data.draw(st.integers(1, 3))
    cuts: set[int] = {0}
    first: list[Segment] = []
    for level in range(depth):
        cuts |= data.draw(st.sets(st.integers(0, k - 1), max_size=3))
        bounds = [*sorted(cuts), k]
        first += [Segment(a, b, level, f"level {level}") for a, b in pairwise(bounds)]
    found = follow(ROWS[:n], first, lambda run: LearnedSegmenter().segment(run).segments)
    Segmentation("s", "x", "1", tuple(found)).check(n)
    assert {(s.start, s.stop) for s in found if s.stop <= k} >= {(s.start, s.stop) for s in first}
