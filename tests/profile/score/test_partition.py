"""Do segments become the groups that the protocol scores?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import ModelError, UsageError
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.score.partition import cuts, from_cuts, leaves, windows


def made(*rows: tuple[int, int, int, str]) -> Segmentation:
    return Segmentation("s", "test", "1", tuple(Segment(*row) for row in rows))


def test_equal_neighbours_are_one_group_unless_kept_apart() -> None:
    held = made((0, 2, 0, "fix"), (2, 3, 0, "fix"), (3, 4, 0, "test"), (4, 6, 0, "fix"))
    assert leaves(held, 6) == [0, 0, 0, 1, 2, 2]
    assert leaves(held, 6, merge=False) == [0, 0, 1, 2, 3, 3]


def test_unnamed_segments_stay_apart() -> None:
    assert leaves(made((0, 1, 0, ""), (1, 2, 0, ""), (2, 3, 0, "fix")), 3) == [0, 1, 2]


def test_the_full_path_counts_not_the_last_name() -> None:
    outer = ((0, 2, 0, "fix"), (2, 4, 0, "ship"))
    inner = ((0, 1, 1, "edit"), (1, 2, 1, "test"), (2, 3, 1, "test"), (3, 4, 1, "test"))
    assert leaves(made(*outer, *inner), 4) == [0, 1, 2, 2]
    assert leaves(made(*outer, *inner), 4, merge=False) == [0, 1, 2, 3]
    assert leaves(made(*outer), 4) == [0, 0, 1, 1]


def test_what_does_not_cover_is_refused() -> None:
    with pytest.raises(ModelError, match="covers 2 of 3"):
        leaves(made((0, 2, 0, "fix")), 3)
    assert leaves(Segmentation("s", "test", "1", ()), 0) == []


@given(st.lists(st.integers(0, 2)))
def test_cuts_and_groups_are_two_ways_to_say_the_same(labels: list[int]) -> None:
    places = cuts(labels)
    again = from_cuts(places, len(labels))
    assert cuts(again) == places
    assert sorted(set(again)) == list(range(len(places) + 1 if labels else 0))


@pytest.mark.parametrize(("n", "size", "groups"), [(0, 3, 0), (1, 3, 1), (6, 3, 2), (7, 3, 3), (7, 1, 7)])
def test_windows(n: int, size: int, groups: int) -> None:
    held = windows(n, size)
    assert len(held) == n
    assert len(set(held)) == groups
    assert all(held.count(group) == size for group in held[:-size])


def test_impossible_places_are_refused() -> None:
    for place in (0, 3, -1):
        with pytest.raises(UsageError, match=f"lies at {place}"):
            from_cuts([place], 3)
    with pytest.raises(UsageError, match="not 0"):
        windows(3, 0)
