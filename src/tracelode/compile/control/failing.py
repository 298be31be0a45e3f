"""Which states were seen only before failure? Checks that stop a workflow there, instead of going on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tracelode.compile.control.chance import WRITE, first
from tracelode.compile.control.predicates import tests
from tracelode.compile.control.sight import ABSENT, Feature, Sight, shallow, told
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.workflow import Check, Test

KINDS = 3
"""Classes of tests that a check can say."""


def forbidden(work: Work) -> dict[str, tuple[Check, ...]]:
    """What must hold of outputs, since it did in every run but those that failed.

    Args:
        work: with failed runs in its alignment.

    Returns:
        Slot to checks. A check is believed under the same rule as the guard of a write, with two failed runs
        or more on its other side.
    """
    alignment = work.alignment
    if alignment is None or not work.failed or not alignment.failed:
        return {}
    sight = Sight(work)
    found: dict[str, tuple[Check, ...]] = {}
    for slot in sight.names:
        # how often a run looked is what it did, and no state that it found
        if len(sight.taken[slot]) < len(work.runs) or slot in sight.fanned:
            continue
        good = [sight.output(run, called, slot) for run, called in zip(work.runs, sight.of, strict=True)]
        bad = [
            output
            for run, called in zip(work.failed, alignment.failed, strict=True)
            if (output := sight.output(run, called, slot)) is not ABSENT
        ]
        if ABSENT in good or not bad:
            continue
        check = _check(slot, [*good, *bad], len(good))
        if check is not None:
            found[slot] = (check,)
    return found


def _check(slot: str, outputs: Sequence[Any], good: int) -> Check | None:
    features = sorted(told(slot, [shallow(o) for o in outputs], 0), key=lambda feature: feature.order)

    def tried() -> Iterator[tuple[int, tuple[Test, Feature]]]:
        for bits, test, feature in tests(features, KINDS):
            yield bits, (test, feature)

    found = first(tried(), (1 << good) - 1, len(outputs), WRITE, lambda one: _said(*one) is not None)
    return None if found is None else _said(*found[0])


def _said(test: Test, feature: Feature) -> Check | None:
    """A test in the words of checks; None where they cannot say it."""
    counted = isinstance(test.left, b.Derived)
    left = test.left.of[0] if isinstance(test.left, b.Derived) else test.left
    assert isinstance(left, b.Copy)
    value = test.right.value if isinstance(test.right, b.Constant) else None
    bounds = {"ge": [value, None], "le": [None, value]}
    if test.op in bounds:
        return Check("count" if counted else "range", left.path, bounds[test.op])
    if counted:
        return None
    if test.op == "eq":
        return Check("equals", left.path, value)
    if test.op == "in":
        return Check("enum", left.path, value)
    if (test.op, test.negated) == ("empty", True):
        return Check("nonempty", left.path)
    if (test.op, test.negated) == ("present", False):
        return Check("required", left.path)
    return None
