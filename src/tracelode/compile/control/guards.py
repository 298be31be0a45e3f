"""Which guard has each slot that only some runs took?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tracelode.compile.control.chance import FEWEST, READ, WRITE, first, hopeless
from tracelode.compile.control.predicates import KINDS, tests
from tracelode.compile.control.sight import ABSENT, Feature, Sight
from tracelode.compile.evaluate import Missing, Scene, passes
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.evidence import Edge
from tracelode.model.workflow import Guard, Test

ENOUGH = 5
"""Runs from which a read that one run alone left out is always taken: it does no harm."""


@dataclass
class Learned:
    """What was learned of branches."""

    guards: dict[str, Guard] = field(default_factory=dict)
    """Slot to its guard."""
    undecided: tuple[str, ...] = ()
    """Slots without."""
    edges: tuple[Edge, ...] = ()
    """Control edges."""


@dataclass(frozen=True)
class _Reason:
    tests: tuple[Test, ...]
    share: float
    ways: int
    runs: int


def learned(work: Work, runs: Iterable[int] | None = None) -> Learned:
    """Learn the guards of all slots that some runs took and others did not.

    Args:
        work: after align, with effects and, where there are, bindings.
        runs: places of the runs to learn from; None for all.

    Returns:
        Guards that hold in exactly the runs that took the slot, two runs or more on each side, and that are
        believed (chance.py).
    """
    sight = Sight(work, runs)
    count = len(sight.among)
    reasons: dict[str, _Reason] = {}
    undecided: list[str] = []
    for slot in sight.names:
        if len(sight.taken[slot]) in (0, count) or _harmless(work, sight, slot):
            continue
        reason = _reason(work, sight, slot, reasons)
        if reason is None:
            undecided.append(slot)
        else:
            reasons[slot] = reason
    guards = {
        slot: Guard(reason.tests, len(sight.taken[slot]), count - len(sight.taken[slot]))
        for slot, reason in reasons.items()
    }
    return Learned(guards, tuple(undecided), tuple(_edges(work, sight, reasons)))


def _harmless(work: Work, sight: Sight, slot: str) -> bool:
    effect = work.effects.get(slot)
    left_out = len(sight.among) - len(sight.taken[slot])
    return effect is not None and not effect.writes and left_out < FEWEST and len(sight.among) >= ENOUGH


def _reason(work: Work, sight: Sight, slot: str, known: dict[str, _Reason]) -> _Reason | None:
    effect = work.effects.get(slot)
    most = READ if effect is not None and not effect.writes else WRITE
    everyone = sight.among
    together = _together(sight, slot, known)
    if together is not None:
        return together
    found = _separated(sight, slot, everyone, most, ())
    if found is not None:
        return found
    # a branch in a branch: the step is taken only where another one was, and there for a reason of its own
    # runs that no test tells apart: what was known before the step does not hang on the outer one
    vain: set[tuple[int, ...]] = set()
    for other in sight.names:
        inside = tuple(sorted(sight.taken[other]))
        if (
            inside in vain
            or other == slot
            or not sight.taken[slot] < sight.taken[other]
            or len(inside) == len(everyone)
        ):
            continue
        if not sight.over(other, slot, inside):
            continue
        outer = known[other].tests if other in known else (Test(b.Copy(other, ""), "present"),)
        found = _separated(sight, slot, inside, most, outer)
        if found is not None:
            return found
        vain.add(inside)
    return None


def _together(sight: Sight, slot: str, known: dict[str, _Reason]) -> _Reason | None:
    """A step that reads the output of one that the same runs took is taken with it."""
    for other in sight.read.get(slot, ()):
        if sight.taken.get(other) == sight.taken[slot]:
            if other in known:
                return known[other]
            return _Reason((Test(b.Copy(other, ""), "present"),), 0.0, 0, len(sight.among))
    return None


def _separated(
    sight: Sight, slot: str, runs: Sequence[int], most: float, outer: tuple[Test, ...]
) -> _Reason | None:
    wanted = sum(1 << place for place, n in enumerate(runs) if n in sight.taken[slot])
    if hopeless(wanted.bit_count(), len(runs), most):
        return None
    features = sight.features(slot, runs)

    def tried() -> Iterator[tuple[int, Test]]:
        for bits, test, _ in tests(features, KINDS):
            yield bits, test

    def right(test: Test) -> bool:
        return all(
            _passes(Guard((test,)), features, place, sight) == (n in sight.taken[slot])
            for place, n in enumerate(runs)
        )

    found = first(tried(), wanted, len(runs), most, right)
    if found is None:
        return None
    test, share, ways = found
    return _Reason((*outer, test), share, ways, len(runs))


def _passes(guard: Guard, features: Sequence[Feature], place: int, sight: Sight) -> bool | None:
    """Does a guard hold in a run, by the words of those who run workflows? None where it cannot be told."""
    outputs = {}
    inputs = {}
    for feature in features:
        value = feature.values[place]
        if value is ABSENT:
            continue
        if isinstance(feature.left, b.Copy) and not feature.left.path:
            outputs[feature.slot] = value
        elif isinstance(feature.left, b.FromInput) and (not feature.shape or value):
            inputs[feature.left.name] = value
    try:
        return passes(guard, Scene(inputs, outputs))
    except Missing:
        return None


def _edges(work: Work, sight: Sight, reasons: dict[str, _Reason]) -> Iterator[Edge]:
    number = len(work.edges)
    for slot in sight.names:
        if slot not in reasons:
            continue
        reason = reasons[slot]
        for before in sorted({p for test in reason.tests for p in _read(test)}):
            number += 1
            yield Edge(
                id=f"e{number}",
                before=before,
                after=slot,
                kind="control_hard",
                guard=slot,
                basis="cross_run",
                support=len(sight.taken[slot]),
                runs=len(sight.taken[before]),
                numbers={"chance": round(reason.share, 4), "tried": reason.ways, "runs": reason.runs},
            )


def _read(test: Test) -> tuple[str, ...]:
    right = b.producers(test.right) if test.right is not None else ()
    return (*b.producers(test.left), *right)
