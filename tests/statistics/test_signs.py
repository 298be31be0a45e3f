"""Is the sign-flip test the count of all flips, and close to it where it is drawn?"""

from __future__ import annotations

import random
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tracelode.statistics import signs
from tracelode.statistics.signs import flip_signs


@given(st.lists(st.integers(-(10**18), 10**18), max_size=10))
def test_all_flips_are_counted(values: list[int]) -> None:
    far = [
        abs(sum(s * v for s, v in zip(row, values, strict=True))) >= abs(sum(values))
        for row in product((1, -1), repeat=len(values))
    ]
    found = flip_signs(values)
    assert found.exact
    assert found.p == sum(far) / len(far)


def test_zeros_change_nothing() -> None:
    assert flip_signs([0, 3, 0, 4, 0]) == flip_signs([3, 4])
    assert flip_signs([0, 0]).p == flip_signs([]).p == 1.0


def test_drawn_flips_come_close_to_all_and_are_seeded(monkeypatch: object) -> None:
    chance = random.Random(5)
    values = [chance.randrange(-50, 90) for _ in range(15)]
    exact = flip_signs(values).p
    monkeypatch.setattr(signs, "EXACT", 4)  # type: ignore[attr-defined]
    drawn = flip_signs(values, times=20_000)
    assert not drawn.exact
    assert abs(drawn.p - exact) < 0.015
    assert drawn == flip_signs(values, times=20_000)
    assert drawn != flip_signs(values, times=20_000, seed=1)


def test_a_drawn_p_is_never_0() -> None:
    assert flip_signs([1] * 60, times=99).p == 1 / 100


def test_where_nothing_differs_it_alarms_as_often_as_it_says() -> None:
    chance, alarms = random.Random(11), 0
    for i in range(1_000):
        values = [round(chance.gauss(0, 1000)) for _ in range(20)]
        alarms += flip_signs(values, times=500, seed=i).p <= 0.05
    assert 0.03 <= alarms / 1_000 <= 0.07
