"""Which tests could tell runs that took a step from those that did not? In order of how plausible they are.

0   something is there; it is empty; it is true
1   it is one value, or one of a few, each seen twice
2   a number, or the count of a list, is at least or at most so much
3   it compares so with an input
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import msgspec

from tracelode.compile.control.sight import ABSENT, LONG, Feature
from tracelode.compile.evaluate import holds
from tracelode.model import binding as b
from tracelode.model.workflow import Test

KINDS = 4
"""Classes of tests, simple ones first."""
TWICE = 2
"""Runs that must have a value before a test names it."""
FEW = 5
"""Values of which a test may name some."""


SHALLOW = (1, 2)
"""Depths that are tried before deeper ones, with tests of all classes."""


def tests(features: Sequence[Feature], kinds: int) -> Iterator[tuple[int, Test, Feature]]:
    """All tests, in order: shallow places before deep ones, there simple tests before others.

    Args:
        features: what was known, in the order in which it is tried.
        kinds: classes that are tried.

    Yields:
        (runs for which it holds, as bits; the test; what it looks at).
    """
    bounds = (-1, *SHALLOW, 2**31)
    for above, most in pairwise(bounds):
        part = [feature for feature in features if above < feature.depth <= most]
        for kind in range(kinds):
            yield from _of(kind, part, features)


def _of(
    kind: int, part: Sequence[Feature], features: Sequence[Feature]
) -> Iterator[tuple[int, Test, Feature]]:
    sides = [f for f in features if isinstance(f.left, b.FromInput) and not f.shape]
    for feature in part:
        if feature.shape == "given":
            if kind == 0:
                yield _bits(feature.values), Test(feature.left, "present"), feature
            continue
        there = [value is not ABSENT for value in feature.values]
        if not all(there):
            if kind == 0 and any(there) and not feature.shape:
                yield from _both(there, Test(feature.left, "present"), feature)
        elif kind == 0:
            yield from _plain(feature)
        elif kind == 1:
            yield from _values(feature)
        elif kind == 2:
            yield from _bounds(feature)
        else:
            yield from _compared(feature, sides)


def _bits(held: Sequence[bool]) -> int:
    return sum(1 << n for n, yes in enumerate(held) if yes)


def _both(held: Sequence[bool], test: Test, feature: Feature) -> Iterator[tuple[int, Test, Feature]]:
    yield _bits(held), test, feature
    negated = msgspec.structs.replace(test, negated=True)
    yield _bits([not yes for yes in held]), negated, feature


def _plain(feature: Feature) -> Iterator[tuple[int, Test, Feature]]:
    empty = [holds("empty", value, None) for value in feature.values]
    if any(empty) and not all(empty):
        yield from _both(empty, Test(feature.left, "empty"), feature)
    if all(isinstance(value, bool) for value in feature.values):
        for wanted in (True, False):
            held = [value is wanted for value in feature.values]
            yield _bits(held), Test(feature.left, "eq", b.Constant(wanted)), feature


def _values(feature: Feature) -> Iterator[tuple[int, Test, Feature]]:
    values = feature.values
    if not all(_names(value) for value in values):
        return
    seen = Counter(values)
    usual = sorted((v for v, count in seen.items() if count >= TWICE), key=lambda v: (str(type(v)), str(v)))
    for wanted in usual:
        held = [value == wanted for value in values]
        yield _bits(held), Test(feature.left, "eq", b.Constant(wanted)), feature
        yield _bits([not yes for yes in held]), Test(feature.left, "ne", b.Constant(wanted)), feature
    if 2 < len(seen) <= FEW and len(usual) == len(seen):
        for size in range(2, len(usual)):
            for some in combinations(usual, size):
                held = [value in some for value in values]
                yield _bits(held), Test(feature.left, "in", b.Constant(list(some))), feature


def _names(value: Any) -> bool:
    """Can a value be the name of a state?"""
    return isinstance(value, int | str) and not isinstance(value, bool) and len(str(value)) <= LONG


def _bounds(feature: Feature) -> Iterator[tuple[int, Test, Feature]]:
    values = feature.values
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        return
    known = sorted(set(values))
    for low, high in pairwise(known):
        # the bound is a value that was seen with the step, not one between: it is not taken where none was
        held = [value >= high for value in values]
        yield _bits(held), Test(feature.left, "ge", b.Constant(high)), feature
        yield _bits([not yes for yes in held]), Test(feature.left, "le", b.Constant(low)), feature


def _compared(feature: Feature, inputs: Sequence[Feature]) -> Iterator[tuple[int, Test, Feature]]:
    if feature in inputs or feature.shape:
        return
    for other in inputs:
        pairs = list(zip(feature.values, other.values, strict=True))
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for pair in pairs for v in pair)
        words = all(isinstance(v, str) and len(v) <= LONG for pair in pairs for v in pair)
        for op in ("eq", "ne", "lt", "le", "gt", "ge") if numbers else ("eq", "ne") if words else ():
            held = [holds(op, left, right) for left, right in pairs]
            yield _bits(held), Test(feature.left, op, other.left), feature
