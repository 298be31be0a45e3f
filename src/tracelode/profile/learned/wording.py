"""How alike are the words of turns that lie near each other? Cosines of hashed terms in a band."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

WIDTH = 1 << 10
"""Buckets that terms are hashed to, with a sign."""
BAND = 16
"""Turns back that a turn is compared with, itself among them."""
_BLOCK = 256


def band(texts: Sequence[Sequence[str]]) -> Any:
    """Cosines of the texts of a session with those before them.

    Args:
        texts: n rows of terms.

    Returns:
        n x BAND; [i, d] is that of i and i - d, 0 where there is none. Terms weigh by TF-IDF of the session.

    Source:
        segmentation rules, section 3: IDF of the user's own text, at run time.
    """
    n = len(texts)
    counts = [Counter(row) for row in texts]
    spread = Counter(term for count in counts for term in count)
    total = math.log(1 + n) + 1
    number = {term: place for place, term in enumerate(spread)}
    codes = np.fromiter((zlib.crc32(term.encode()) for term in spread), np.int64, len(spread))
    rarity = total - np.log1p(np.fromiter(spread.values(), np.float64, len(spread)))
    size = sum(map(len, counts))
    terms = np.fromiter((number[term] for count in counts for term in count), np.int64, size)
    often = np.fromiter((n for count in counts for n in count.values()), np.float64, size)
    signs = 1 - 2 * (codes >> 31)
    weights = ((1 + np.log(often)) * (rarity * signs)[terms]).astype(np.float32)
    buckets = (codes % WIDTH)[terms]
    begins = np.cumsum([0, *map(len, counts)])
    found = np.zeros((n, BAND), np.float32)
    for start in range(0, n, _BLOCK):
        first, stop = max(0, start - BAND + 1), min(n, start + _BLOCK)
        near = _rows(buckets, weights, begins, first, stop)
        for d in range(min(BAND, stop)):
            low = max(start, d) - first
            # no matrix product: on matrices this small its threads cost more than they save
            found[low + first : stop, d] = np.einsum("ij,ij->i", near[low:], near[low - d : len(near) - d])
    return found


def _rows(buckets: Any, weights: Any, begins: Any, start: int, stop: int) -> Any:
    first, last = begins[start], begins[stop]
    row = np.repeat(np.arange(stop - start), np.diff(begins[start : stop + 1]))
    flat = np.bincount(row * WIDTH + buckets[first:last], weights[first:last], (stop - start) * WIDTH)
    found = flat.reshape(stop - start, WIDTH).astype(np.float32)
    length = np.sqrt((found * found).sum(1, keepdims=True))
    return np.divide(found, length, out=found, where=length > 0)


def windows(near: Any, size: int) -> tuple[Any, Any]:
    """Cosine of the texts before a place and those after it, and how sharply they differ.

    Args:
        near: n x BAND as band() gives them.
        size: texts on each side; 2 * size is at most BAND.

    Returns:
        n cosines of the two sums (1 at the ends), and n differences of the mean cosine inside a side and
        across the place.
    """
    n = len(near)
    place = np.arange(n)
    # sums over the first turns back; beyond the last text stands nothing
    sums = np.zeros((n + 2 * size, near.shape[1]))
    sums[:n] = np.cumsum(near, 1, dtype=float)
    cross, after = np.zeros(n), np.zeros(n + size)
    for by in range(size):
        cross += sums[by : n + by, by + size] - sums[by : n + by, by]
        after += 2 * sums[by : n + size + by, by] - sums[by : n + size + by, 0]
    before = np.concatenate([[0.0], np.cumsum(2 * sums[: n - 1, -1] - sums[: n - 1, 0])])
    before[size:] = after[: max(0, n - size)]
    after = after[:n]
    scale = np.sqrt(np.maximum(before * after, 0))
    cosine = np.divide(cross, scale, out=np.ones(n), where=scale > 1e-6)
    left, right = np.maximum(np.minimum(place, size), 1), np.minimum(n - place, size)
    return cosine, (before / left**2 + after / right**2) / 2 - cross / (left * right)


def depth(curve: Any) -> Any:
    """How far a curve dips at each place below the hills on both sides.

    Args:
        curve: n similarities.

    Returns:
        n depths, 0 at a hill.

    Source:
        Hearst (1997), TextTiling.
    """
    left, right = np.array(curve, float), np.array(curve, float)
    for i in range(1, len(curve)):
        left[i] = left[i - 1] if curve[i - 1] >= curve[i] else curve[i]
    for i in range(len(curve) - 2, -1, -1):
        right[i] = right[i + 1] if curve[i + 1] >= curve[i] else curve[i]
    return left + right - 2 * curve
