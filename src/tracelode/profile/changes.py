"""Where does the wording of a row of texts change? Kernel change points over hashed terms, numpy only.

The texts of one session are vectors of TF-IDF weights; a stretch costs what its vectors differ from their
mean. The cuts are those of least cost under a price a cut, which is chosen so that about as many stretches
come out as are asked for.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

WIDTH = 1 << 10
"""Buckets that terms are hashed to, with a sign: cosines keep about .03."""
LONGEST = 96
"""Texts in one stretch at the most: what bounds time and memory."""
SHORTEST = 2
"""Texts in one stretch at the least."""
_BLOCK = 512
_TERM = re.compile(r"[a-z0-9_]{2,}")
_PRICES = np.geomspace(0.01, 2.0, 16)


def stretches(texts: Sequence[str], size: float) -> list[int]:
    """First texts of the stretches of one wording.

    Args:
        texts: n texts, in order.
        size: texts in one stretch, about.

    Returns:
        Increasing places, the first is 0; a pure function of the texts. O(n * LONGEST) time and memory.

    Source:
        segmentation rules: kernel change points (Harchaoui and Cappe, 2007) of TF-IDF vectors.

    Example:
        >>> looking = ["read the log file", "search the log"]
        >>> testing = ["run tests with pytest", "pytest says tests fail"]
        >>> stretches(looking + testing, 2)
        [0, 2]
    """
    n = len(texts)
    if n < 2 * SHORTEST:
        return [0] if n else []
    costs = _costs(_kernel(_sketch(texts)))
    wanted = max(1.0, n / size)
    prices = _PRICES
    for _ in range(2):
        counts, back = _cheapest(costs, prices)
        best = int(np.argmin(np.abs(counts - wanted)))
        # once more between the neighbours of the best price
        low, high = prices[max(0, best - 1)], prices[min(len(prices) - 1, best + 1)]
        prices = np.geomspace(low, high, len(_PRICES))
    starts = [n]
    while starts[-1] > 0:
        starts.append(starts[-1] - int(back[starts[-1], best]))
    return starts[:0:-1]


class _Sketch:
    """Hashed terms of n texts: buckets and weights in a row, and where each text's begin."""

    def __init__(self, buckets: Any, weights: Any, begins: Any) -> None:
        self.buckets, self.weights, self.begins = buckets, weights, begins

    def rows(self, start: int, stop: int) -> Any:
        """Vectors of length 1 of some texts, (stop - start) x WIDTH; 0 for a text without terms."""
        first, last = self.begins[start], self.begins[stop]
        found = np.zeros((stop - start, WIDTH), np.float32)
        row = np.repeat(np.arange(stop - start), np.diff(self.begins[start : stop + 1]))
        np.add.at(found, (row, self.buckets[first:last]), self.weights[first:last])
        length = np.sqrt((found * found).sum(1, keepdims=True))
        return np.divide(found, length, out=found, where=length > 0)


def _sketch(texts: Sequence[str]) -> _Sketch:
    counts = [Counter(_TERM.findall(text.lower())) for text in texts]
    spread = Counter(term for count in counts for term in count)
    rarity = {term: math.log((1 + len(texts)) / (1 + n)) + 1 for term, n in spread.items()}
    hashed = {term: zlib.crc32(term.encode()) for term in spread}
    size = sum(map(len, counts))
    buckets = np.fromiter((hashed[term] % WIDTH for count in counts for term in count), np.int64, size)
    signs = np.fromiter((hashed[term] >> 31 for count in counts for term in count), np.float32, size)
    weights = np.fromiter(
        ((1 + math.log(n)) * rarity[term] for count in counts for term, n in count.items()), np.float32, size
    )
    begins = np.cumsum([0, *map(len, counts)])
    return _Sketch(buckets, weights * (2 * signs - 1), begins)


def _kernel(sketch: _Sketch) -> Any:
    """Cosines of each text with itself and those before it: n x LONGEST, [i, d] is that of i and i - d."""
    n = len(sketch.begins) - 1
    band = np.zeros((n, LONGEST), np.float32)
    for start in range(0, n, _BLOCK):
        stop, first = min(n, start + _BLOCK), max(0, start - LONGEST + 1)
        near = sketch.rows(first, stop)
        product = near[start - first :] @ near.T
        for d in range(min(LONGEST, stop)):
            low = max(start, d)
            rows = np.arange(low - start, stop - start)
            band[low:stop, d] = product[rows, rows + start - first - d]
    return band


def _costs(band: Any) -> Any:
    """Cost of the stretch of each length that ends with each text: n x LONGEST, infinite where none fits.

    The squared length of a sum of vectors is the sum of their kernel; a stretch grows to the left.
    """
    n = len(band)
    # from the left end of a stretch: its kernel with itself, and twice with those after it
    after = np.zeros((n, LONGEST))
    for d in range(min(LONGEST, n)):
        after[: n - d, d] = band[d:, d] * (2 if d else 1)
    np.cumsum(after, 1, out=after)
    inner = np.zeros((n, LONGEST))
    for d in range(min(LONGEST, n)):
        inner[d:, d] = after[: n - d, d]
    length = np.arange(1, LONGEST + 1)
    costs = length - np.cumsum(inner, 1) / length
    costs[:, : SHORTEST - 1] = np.inf
    costs[np.arange(LONGEST)[None, :] > np.arange(n)[:, None]] = np.inf
    return costs


def _cheapest(costs: Any, prices: Any) -> tuple[Any, Any]:
    """Numbers of stretches under each price, and the length of the last stretch before every place."""
    n, p = len(costs), len(prices)
    least = np.full((n + 1, p), np.inf)
    number = np.zeros((n + 1, p), np.int64)
    back = np.zeros((n + 1, p), np.int32)
    least[0] = 0
    column = np.arange(p)
    for end in range(SHORTEST, n + 1):
        reach = min(LONGEST, end)
        before = least[end - reach : end][::-1] + costs[end - 1, :reach, None]
        chosen = before.argmin(0)
        least[end] = before[chosen, column] + prices
        back[end] = chosen + 1
        number[end] = number[end - 1 - chosen, column] + 1
    return number[n], back
