"""Are the cuts really those of the largest expected score?"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelode.profile.learned import decoding
from tracelode.profile.learned.decoding import COARSE, FINE, Taste, decode

CHANCES = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=1, max_size=8)
TASTES = st.sampled_from([FINE, COARSE, Taste(0.0, 0.0, 0.0), Taste(1.0, 1.0, 0.9), Taste(0.4, 8.0, 0.2)])


def worth(chances: list[float], cuts: list[int], taste: Taste) -> float:
    """The score by its definition, pair by pair."""
    n = len(chances)

    def together(a: int, b: int) -> float:
        return float(np.prod([1 - p for p in chances[min(a, b) + 1 : max(a, b) + 1]]))

    sizes = [sum(together(a, b) for b in range(n)) for a in range(n)]
    found = sum(taste.worth * (chances[cut] - taste.price) for cut in cuts)
    for start, stop in pairwise([0, *cuts, n]):
        for a in range(start, stop):
            for b in range(start, stop):
                found += taste.precision * together(a, b) / (stop - start)
                found += (1 - taste.precision) * together(a, b) / sizes[a]
    return found


def test_a_case_by_hand() -> None:
    # Two units, cut with probability p. One segment: S sums to 2 + 2(1-p) = 3 - ... ; two: 1 each.
    taste = Taste(1.0, 0.0, 0.0)
    # precision alone: together (2 + 2(1-p)) / 2 = 2 - p, apart 2: apart always wins
    assert decode([0.0, 0.1], taste) == [1]
    # recall alone, G = 2 - p for both: together (4 - 2p) / (2 - p) = 2, apart 2 / (2 - p) < 2
    assert decode([0.0, 0.9], Taste(0.0, 0.0, 0.0)) == []
    # half of each at p: together 2 - p / 2, apart 1 + 1 / (2 - p); plus 4 (p - .3) for the cut
    # p = .3: 1.85 against 1.588; p = .5: 1.75 against 1.667 + .8
    half = Taste(0.5, 4.0, 0.3)
    assert decode([0.0, 0.3], half) == []
    assert decode([0.0, 0.5], half) == [1]


@given(CHANCES, TASTES, st.data())
@settings(deadline=None, max_examples=150)
def test_no_other_cuts_are_worth_more(chances: list[float], taste: Taste, data: st.DataObject) -> None:
    n = len(chances)
    allowed = data.draw(st.none() | st.lists(st.booleans(), min_size=n, max_size=n))
    places = [i for i in range(1, n) if allowed is None or allowed[i]]
    found = decode(chances, taste, allowed)
    assert set(found) <= set(places)
    assert found == sorted(found)
    best = max(worth(chances, list(cuts), taste) for r in range(n) for cuts in combinations(places, r))
    assert worth(chances, found, taste) == pytest.approx(best)


def test_certain_cuts_are_made_and_no_others() -> None:
    chances = [0.0] * 40
    chances[7] = chances[30] = 1.0
    assert decode(chances, FINE) == [7, 30]


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_cut(n: int) -> None:
    assert decode([0.5] * n, FINE) == []


def test_a_long_session_is_cut_within_the_band(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "LONGEST", 5)
    cuts = decode([0.0] * 23, FINE)
    assert all(stop - start <= 5 for start, stop in pairwise([0, *cuts, 23]))
    # where no cut is allowed, a segment may be longer
    assert decode([0.0] * 23, FINE, [False] * 23) == []


def test_work_grows_with_the_length_and_not_with_its_square(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "LONGEST", 8)
    sizes: list[int] = []
    real = slice

    def counted(low: int, high: int) -> slice:
        sizes.append(high - low)
        return real(low, high)

    monkeypatch.setattr(decoding, "slice", counted, raising=False)
    decode([0.2] * 400, FINE)
    assert len(sizes) == 400
    assert max(sizes) <= 8
