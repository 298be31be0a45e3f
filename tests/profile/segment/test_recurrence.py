"""Does the recurrence segmenter cut where two kinds of work meet that seldom follow each other?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.build import raw, session
from tracelode.profile.segment.recurrence import UNSEEN, RecurrenceSegmenter, associations, cutoff, splits

LETTERS = {"l": "Read a.py", "s": "Grep src", "e": "Edit a.py", "t": "$ pytest", "p": "$ git push"}
PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=30)


def cuts(letters: str) -> list[int]:
    """Turns of a session at which a segment begins, the first one left out."""
    operations = session(*(LETTERS[letter] for letter in letters))
    made = RecurrenceSegmenter().segment(operations)
    made.check(len(operations))
    return [segment.start // 2 for segment in made.segments if segment.start]


def test_association_by_hand() -> None:
    # five pairs; without itself each "ab" stands among four others, in which a leads twice (of "ab" one more
    # is left) and b follows once
    pairs = [("a", "b"), ("a", "b"), ("a", "c"), ("b", "a"), ("c", "a")]
    expected = math.log(1 * 4 / (2 * 1)) / -math.log(1 / 4)
    assert associations(pairs) == [pytest.approx(expected)] * 2 + [UNSEEN] * 3


def test_a_pair_alone_and_one_kind_of_pair() -> None:
    assert associations([("a", "b")]) == [UNSEEN]
    assert associations([("a", "a")] * 3) == [1.0] * 3
    assert associations([]) == []


@given(PAIRS)
def test_associations_lie_between_their_bounds(pairs: list[tuple[str, str]]) -> None:
    assert all(-1 <= weight <= 1 for weight in associations(pairs))


def test_the_cutoff_by_hand() -> None:
    # the low ones are 0 and 1, the high ones 9 and 11: means .5 and 10
    assert cutoff([0.0, 11.0, 1.0, 9.0]) == 5.25
    assert (cutoff([]), cutoff([2.0]), cutoff([2.0, 2.0])) == (0.0, 2.0, 2.0)


@given(st.lists(st.integers(-8, 8).map(lambda n: n / 8), min_size=1, max_size=20))
def test_the_cutoff_lies_among_the_weights(weights: list[float]) -> None:
    assert min(weights) <= cutoff(weights) <= max(weights)
    assert cutoff(weights) == cutoff(weights[::-1])


def test_what_recurs_holds_together() -> None:
    # looking and editing alternate; the push in the middle belongs to neither side
    assert cuts("lelelelpllelelel")[:1] == [7]
    assert cuts("llllll") == []
    assert splits(["look"]) == []


def test_a_session_without_tools_is_one_segment() -> None:
    operations = [raw("prompt", id="p"), raw("model", id="m")]
    assert [(s.start, s.stop) for s in RecurrenceSegmenter().segment(operations).segments] == [(0, 2)]
    assert RecurrenceSegmenter().segment([]).segments == ()


def test_nothing_but_the_session_counts() -> None:
    segmenter = RecurrenceSegmenter()
    operations = session(*(LETTERS[letter] for letter in "lelelpllele"))
    before = segmenter.segment(operations)
    segmenter.segment(session(*(LETTERS[letter] for letter in "pppplppp")))
    assert segmenter.segment(operations) == before
