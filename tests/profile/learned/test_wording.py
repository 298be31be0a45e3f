"""Are the cosines and windows of words what their definitions say?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelode.profile.learned import wording
from tracelode.profile.learned.wording import BAND, band, depth, windows

WORDS = ["read", "log", "file", "search", "pytest", "fail", "edit", "commit", "push", "install"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=40)


@given(TEXTS, st.sampled_from([1, 2, 4, 8]))
@settings(deadline=None)
def test_windows_are_sums_of_the_band(texts: list[list[str]], size: int) -> None:
    near, n = band(texts), len(texts)
    full = np.zeros((n, n))
    for i in range(n):
        for d in range(min(i + 1, BAND)):
            full[i, i - d] = full[i - d, i] = near[i, d]
    cosines, sharp = windows(near, size)
    for i in range(n):
        before, after = slice(max(0, i - size), i), slice(i, i + size)
        cross, left, right = (
            full[a, b].sum() for a, b in ((before, after), (before, before), (after, after))
        )
        scale = np.sqrt(max(left * right, 0))
        if scale > 1e-3:
            assert cosines[i] == pytest.approx(cross / scale, abs=1e-4)
        many, few = max(1, min(i, size)), min(n - i, size)
        assert sharp[i] == pytest.approx(
            (left / many**2 + right / few**2) / 2 - cross / (many * few), abs=1e-4
        )


def test_equal_texts_are_alike_and_strangers_are_not() -> None:
    near = band([["read", "log"], ["read", "log"], ["push", "commit"], []])
    assert near[:, 0] == pytest.approx([1, 1, 1, 0], abs=1e-5)
    assert near[1, 1] == pytest.approx(1, abs=1e-5)
    assert abs(near[2, 1]) < 0.2
    assert near[3].tolist() == [0] * BAND


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [[WORDS[i % 10], WORDS[i * 7 % 10]] for i in range(70)]
    whole = band(texts)
    monkeypatch.setattr(wording, "_BLOCK", 9)
    assert np.allclose(band(texts), whole, atol=1e-6)


def test_depth_is_measured_from_the_hills() -> None:
    assert depth(np.array([0.9, 0.4, 0.2, 0.5, 0.8, 0.7])) == pytest.approx([0, 0.5, 1.3, 0.7 - 0.4, 0, 0.1])
