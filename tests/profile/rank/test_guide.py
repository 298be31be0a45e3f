"""What is opened: never more than the budget, never less worth with a larger one, the best that fits."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import UsageError
from tracelode.profile import guide
from tracelode.profile.guide import KEEP, UNIT, Choice, choose, reader

groups = st.lists(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 400)), min_size=1, max_size=5).map(
        lambda rows: Choice(tuple(w for w, _ in rows), tuple(t for _, t in rows))
    ),
    max_size=6,
)


def cost(choices: list[Choice], opened: list[guide.Opened]) -> int:
    return sum(sum(choices[o.group].tokens[: o.depth]) for o in opened)


def worth(choices: list[Choice], opened: list[guide.Opened]) -> float:
    return sum(sum(choices[o.group].worth[: o.depth]) for o in opened)


@given(groups, st.integers(1, 5), st.integers(1, 2_000))
def test_never_above_the_budget_nor_the_number(choices: list[Choice], most: int, budget: int) -> None:
    opened = choose(choices, most, budget)
    assert cost(choices, opened) <= budget
    assert len(opened) <= most
    assert len({o.group for o in opened}) == len(opened)
    assert all(1 <= o.depth <= len(choices[o.group].worth) for o in opened)


@given(groups, st.integers(1, 4), st.integers(1, 1_500), st.integers(0, 500))
def test_a_larger_budget_opens_no_less_worth(
    choices: list[Choice], most: int, budget: int, more: int
) -> None:
    here = worth(choices, choose(choices, most, budget))
    assert worth(choices, choose(choices, most, budget + more)) >= here - 1e-9
    # one group more could have told at least as much; the rule of KEEP may stop before
    assert worth(choices, choose(choices, most + 1, budget)) >= KEEP * here - 1e-9


@given(groups, st.integers(1, 3), st.integers(1, 1_000))
def test_as_good_as_trying_everything(choices: list[Choice], most: int, budget: int) -> None:
    best = 0.0
    for k in range(1, most + 1):
        for chosen in combinations(range(len(choices)), k):
            for depths in product(*(range(1, len(choices[g].worth) + 1) for g in chosen)):
                tokens = [sum(choices[g].tokens[:d]) for g, d in zip(chosen, depths, strict=True)]
                # tokens are counted in units, rounded up for each group
                if sum(-(-t // UNIT) for t in tokens) <= budget // UNIT:
                    value = sum(sum(choices[g].worth[:d]) for g, d in zip(chosen, depths, strict=True))
                    best = max(best, value)
    assert worth(choices, choose(choices, most, budget)) >= KEEP * best - 1e-9


def test_the_last_expensive_bit_is_left_closed() -> None:
    assert [tuple(o) for o in choose([Choice((1.0, 0.01), (16, 16_000))], 1, 20_000)] == [(0, 1)]


def test_a_group_that_does_not_fit_does_not_hide_the_others() -> None:
    assert [o.group for o in choose([Choice((5.0,), (900,)), Choice((1.0,), (50,))], 5, 100)] == [1]


@pytest.mark.parametrize(("most", "budget"), [(0, 10), (1, 0), (-1, 5)])
def test_nothing_to_open_is_said(most: int, budget: int) -> None:
    with pytest.raises(UsageError, match="at least one"):
        choose([], most, budget)


def test_a_large_budget_is_counted_in_larger_units() -> None:
    choices = [Choice(tuple(1 / (i + 1) for i in range(40)), (9_001,) * 40) for _ in range(12)]
    opened = choose(choices, 4, 1_000_000)
    assert 0 < cost(choices, opened) <= 1_000_000


def test_a_reader_keeps_the_order_of_what_was_opened() -> None:
    assert reader([0.5, 0.9, 0.1], {0, 1}) == [0.5, 0.9, -0.9]
    assert reader([], set()) == []
