"""Do stretches of one wording come out where the wording changes, at the least cost, and always the same?"""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelode.profile import changes
from tracelode.profile.changes import LONGEST, SHORTEST, stretches

WORDS = ["read", "log", "file", "search", "pytest", "fail", "edit", "commit", "push", "install"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=40)


@given(TEXTS, st.floats(1, 20))
@settings(deadline=None)
def test_stretches_cover_the_texts_and_keep_their_bounds(texts: list[str], size: float) -> None:
    starts = stretches(texts, size)
    assert starts == sorted(set(starts))
    assert bool(starts) == bool(texts)
    if texts:
        assert starts[0] == 0
        lengths = [b - a for a, b in pairwise([*starts, len(texts)])]
        assert sum(lengths) == len(texts)
        if len(texts) >= 2 * SHORTEST:
            assert all(SHORTEST <= length <= LONGEST for length in lengths)
    assert stretches(texts, size) == starts


@given(TEXTS.filter(lambda texts: len(texts) >= 2))
@settings(deadline=None, max_examples=50)
def test_a_stretch_costs_what_its_vectors_differ_from_their_mean(texts: list[str]) -> None:
    sketch = changes._sketch(texts)
    rows = sketch.rows(0, len(texts)).astype(float)
    costs = changes._costs(changes._kernel(sketch))
    for end, length in product(range(len(texts)), range(SHORTEST, len(texts) + 1)):
        if length > end + 1 or length > LONGEST:
            assert length > LONGEST or costs[end, length - 1] == np.inf
            continue
        part = rows[end + 1 - length : end + 1]
        # a text without terms has no direction: it counts as far from everything
        direct = length - (part.sum(0) ** 2).sum() / length
        assert costs[end, length - 1] == pytest.approx(direct, abs=1e-4)


@given(TEXTS.filter(lambda texts: 4 <= len(texts) <= 10), st.floats(0.02, 1.5))
@settings(deadline=None, max_examples=60)
def test_the_cheapest_cut_is_found(texts: list[str], price: float) -> None:
    costs = changes._costs(changes._kernel(changes._sketch(texts)))
    n = len(texts)

    def best(end: int) -> float:
        if end == 0:
            return 0.0
        return min(
            (best(end - k) + costs[end - 1, k - 1] + price for k in range(SHORTEST, end + 1)), default=np.inf
        )

    _, back = changes._cheapest(costs, np.array([price]))
    at, total = n, 0.0
    while at > 0:
        total += costs[at - 1, back[at, 0] - 1] + price
        at -= int(back[at, 0])
    assert total == pytest.approx(best(n), abs=1e-9)


def test_the_cuts_lie_where_the_wording_changes() -> None:
    work = [f"read file {i} and search the log" for i in range(6)]
    tests = [f"pytest module {i} fails, run pytest again" for i in range(7)]
    ship = [f"git commit {i} and push to origin" for i in range(5)]
    assert stretches(work + tests + ship, 6) == [0, 6, 13]


def test_a_long_session_takes_memory_of_a_band() -> None:
    texts = [f"step {i // 7} says w{i // 7} and touches f{i // 7}.py" for i in range(3_000)]
    starts = stretches(texts, 7)
    assert len(set(starts) & set(range(0, 3_000, 7))) > 0.9 * len(starts)
