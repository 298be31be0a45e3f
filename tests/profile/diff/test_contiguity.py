"""Is the contiguity index 1 for stretches, about 0 for a shuffle, and below for work that takes turns?"""

from __future__ import annotations

import random
from collections import Counter
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.model.contiguity import Contiguity
from tracelode.profile.contiguity import contiguity, overlapping


def of(stages: str) -> Contiguity:
    follows = Counter(b for a, b in pairwise(stages) if a == b)
    return contiguity({stage: (n, follows[stage]) for stage, n in Counter(stages).items()})


def test_by_hand() -> None:
    # 6 of 3 stages: A = 3/5, E = 3 * 2 / 30 = 1/5, M = 3/5
    assert of("aabbcc").index == 1.0
    # A = 1/5: what a random order has
    assert of("aabcbc").index == 0.0
    assert of("abcabc").index == pytest.approx(-0.5)
    assert of("ababab").index is not None
    assert "interleaved" in of("ababab").marks
    assert of("aabbcc").marks == ()


def test_unknown_where_nothing_can_be_mixed() -> None:
    assert (of("aaaa").index, of("abc").index, of("a").adjacent, of("").index) == (None, None, None, None)


@given(st.text("abcd", min_size=2, max_size=30))
def test_stretches_are_1_and_nothing_is_above(stages: str) -> None:
    found = of(stages)
    ideal = of("".join(sorted(stages)))
    if found.index is not None:
        assert ideal.index is not None
        assert abs(ideal.index - 1) < 1e-12
        assert found.index <= 1 + 1e-12
        fewest = len(list(groupby(stages))) == len(set(stages))
        assert (found.index > 1 - 1e-12) == fewest


def test_a_shuffle_has_0_on_average() -> None:
    chance, found = random.Random(1), []
    for _ in range(400):
        index = of("".join(chance.sample("aaaabbbbcccc", 12))).index
        assert index is not None
        found.append(index)
    assert abs(sum(found) / len(found)) < 0.03


def test_marks() -> None:
    stages = {"a": (4, 3), "b": (4, 3)}
    assert contiguity(stages, together=4).marks == ("parallel",)
    assert contiguity(stages, together=3).marks == ()
    assert contiguity(stages, spans=[(0, 5), (4, 9)]).marks == ("parallel",)
    assert contiguity(stages, resumed=1).marks == ("resumed",)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted).map(tuple), max_size=8))
def test_overlaps_are_those_of_all_pairs(spans: list[tuple[int, int]]) -> None:
    spans = sorted(spans)
    pairs = sum(
        min(a[1], b[1]) > max(a[0], b[0]) or (a[1] > b[0] and b[0] >= a[0])
        for i, a in enumerate(spans)
        for b in spans[i + 1 :]
    )
    assert overlapping(spans) == pairs
