"""What changed between two versions of a to-do list that is always rewritten whole?

Nothing but the standard library is used, and nothing of the project.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

THRESHOLD = 0.55
"""Pairs of wordings below this score are different items."""
CERTAIN = 0.75
"""Pairs below this score are marked as inferred."""
SLOT = 0.15
"""Added where both stand at the same place of lists of equal length."""
MOST_PAIRS = 2_500
"""Beyond this many pairs of unlike wordings none is compared: the time stays bounded."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
_DOUBLED = re.compile(r"(\w)\1$")


class Entry(NamedTuple):
    """One item of a list."""

    text: str
    """Its wording; "" where only the key is known: then it can only be found again unchanged."""
    done: bool
    """Is it finished?"""
    key: str = ""
    """What equal wordings share; "" to take the normal form of the text."""


class Pair(NamedTuple):
    """An item that stands in both lists."""

    before: int
    """Place in the earlier list."""
    after: int
    """Place in the later list."""
    score: float | None
    """How alike two different wordings are, up to 1; None for equal ones."""


class Difference(NamedTuple):
    """What became of a list."""

    change: str
    """first: there was none before. renewed: all was finished and something open came. replaced: no item
    was kept. edited: anything else."""
    pairs: tuple[Pair, ...]
    """Items kept, by their place in the later list."""
    added: tuple[int, ...]
    """Places in the later list."""
    removed: tuple[int, ...]
    """Places in the earlier list."""
    reordered: bool
    """Do the kept items stand in another order?"""


def normal(text: str) -> str:
    """The form of a wording that ignores case, punctuation and spacing.

    Args:
        text: any wording.

    Returns:
        Its words in lower case with single spaces; the stripped text where it has none.

    Example:
        >>> normal("  Run the tests, then *lint*. ")
        'run the tests then lint'
    """
    return " ".join(_WORD.findall(text.lower())) or text.strip()


def diff(before: Sequence[Entry], after: Sequence[Entry]) -> Difference:
    """Find the items of one list again in the next.

    Args:
        before: n items.
        after: m items.

    Returns:
        The difference. O(n + m) for equal wordings, O(n * m) for the rest up to MOST_PAIRS pairs.

    Source:
        plan rules, identity across rewritten lists: E1, E2, E4, E5, E6.

    Example:
        >>> old = [Entry("Write parser", True), Entry("Run tests", False)]
        >>> diff(old, [Entry("Write parser", True), Entry("Run all tests", False)]).pairs[1].score
        1.0
    """
    if not before:
        return Difference("first", (), tuple(range(len(after))), (), False)
    renewed = all(e.done for e in before) and any(not e.done for e in after)
    pairs = _equal(before, after, renewed)
    if not renewed:
        pairs += _alike(before, after, pairs)
        pairs.sort(key=lambda pair: pair.after)
    change = "renewed" if renewed else "edited" if pairs or not after else "replaced"
    left, right = {pair.before for pair in pairs}, {pair.after for pair in pairs}
    places = [pair.before for pair in pairs]
    return Difference(
        change,
        tuple(pairs),
        tuple(i for i in range(len(after)) if i not in right),
        tuple(i for i in range(len(before)) if i not in left),
        places != sorted(places),
    )


def _equal(before: Sequence[Entry], after: Sequence[Entry], renewed: bool) -> list[Pair]:
    """Pairs of equal wordings, in list order.

    In a renewed list only what is repeated as finished is the same: an open item is new work, even where
    its wording comes back.
    """
    waiting: dict[str, list[int]] = {}
    for i, entry in enumerate(before):
        waiting.setdefault(entry.key or normal(entry.text), []).append(i)
    pairs = []
    for j, entry in enumerate(after):
        places = waiting.get(entry.key or normal(entry.text))
        if places and not (renewed and not entry.done):
            pairs.append(Pair(places.pop(0), j, None))
    return pairs


def _alike(before: Sequence[Entry], after: Sequence[Entry], known: Sequence[Pair]) -> list[Pair]:
    """Pairs of similar wordings among the rest, the most similar first."""
    left = [i for i in range(len(before)) if i not in {p.before for p in known} and before[i].text]
    right = [j for j in range(len(after)) if j not in {p.after for p in known} and after[j].text]
    if not left or len(left) * len(right) > MOST_PAIRS:
        return []
    equally_long = len(before) == len(after)
    scored = []
    for i in left:
        for j in right:
            if before[i].done and not after[j].done:
                continue
            score = similarity(before[i].text, after[j].text) + (SLOT if equally_long and i == j else 0.0)
            if score >= THRESHOLD:
                scored.append((-score, i, j))
    pairs: list[Pair] = []
    for negative, i, j in sorted(scored):
        if all(pair.before != i and pair.after != j for pair in pairs):
            pairs.append(Pair(i, j, min(1.0, round(-negative, 3))))
    return pairs


def similarity(a: str, b: str) -> float:
    """How alike are two wordings?

    Args:
        a: a wording.
        b: another one.

    Returns:
        0 to 1; 0 for wordings with different numbers, which are different items however alike.

    Source:
        plan rules, E5 and the first guard of E6.

    Example:
        >>> similarity("Commit 2", "Commit 3")
        0.0
    """
    if _NUMBER.findall(a) != _NUMBER.findall(b):
        return 0.0
    left, right = _stems(a), _stems(b)
    shared = len(left & right)
    if not shared:
        return 0.0
    jaccard = shared / len(left | right)
    containment = shared / min(len(left), len(right))
    if containment < 0.5:
        return jaccard
    ratio = SequenceMatcher(None, normal(a), normal(b), autojunk=False).ratio()
    return max(jaccard, 0.5 * ratio + 0.5 * containment)


def _stems(text: str) -> set[str]:
    return {_DOUBLED.sub(r"\1", _ENDING.sub("", word)) for word in _WORD.findall(text.lower())}
