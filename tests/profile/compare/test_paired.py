"""Is a comparison what a hand reckons, and does its gate pass only what was shown?"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from tracelode.errors import QueryError, UsageError
from tracelode.profile.compare.gate import gate
from tracelode.profile.compare.paired import Outcome, compare
from tracelode.statistics.power import detectable
from tracelode.statistics.signs import flip_signs
from tracelode.statistics.student import student, widened


def test_by_hand() -> None:
    base = [Outcome("a", "t1", 10, True), Outcome("b", "t1", 20, True), Outcome("c", "t2", 7, False)]
    other = [Outcome("d", "t1", 12, True), Outcome("e", "t2", 6, True), Outcome("f", "t2", 3, None)]
    found = compare(base, other, measure="calls", hold="success", margin=0.5)
    # t1: 15 to 12, t2: 7 to 4.5
    assert (found.base, found.other, found.net) == (Fraction(11), Fraction(33, 4), Fraction(-11, 4))
    assert found.change == Fraction(-1, 4)
    assert (found.tasks, found.sessions, found.p, found.exact) == (2, (3, 3), 0.5, True)
    assert (found.interval, found.relative, found.detectable) == (None, None, None)
    assert found.gate is not None
    assert (found.gate.base, found.gate.other, found.gate.left_out) == (0.5, 1.0, 1)


def test_unknown_values_are_left_out_and_counted() -> None:
    base = [Outcome("a", "t1", 10, None), Outcome("b", "t1", None, None), Outcome("c", "t2", 1, None)]
    other = [Outcome("d", "t1", 5, None), Outcome("e", "t2", 2, None), Outcome("f", None, 9, None)]
    found = compare([*base, Outcome("x", "t3", 1, None)], other, measure="cost")
    assert found.base == Fraction(11, 2)
    assert dict(found.left_out) == {
        "with cost unknown (calls without a price)": 1,
        "without a task": 1,
        "of tasks on one side only": 1,
    }
    with pytest.raises(QueryError, match="cost is unknown in every session of"):
        compare([Outcome("a", "t1", None, None), Outcome("b", "t2", None, None)], other, measure="cost")
    with pytest.raises(QueryError, match="only 1 task has sessions on both sides"):
        compare([base[0]], other, measure="calls")


def test_equal_sets_differ_by_nothing() -> None:
    runs = [Outcome(str(i), str(i), i * 100, True) for i in range(12)]
    found = compare(runs, runs, measure="tokens")
    assert (found.net, found.p, found.interval, found.gate) == (0, 1.0, (0.0, 0.0), None)


def test_a_steady_saving_is_found_with_its_interval() -> None:
    chance = random.Random(2)
    base = [Outcome(f"a{i}", str(i), 1_000 + chance.randrange(100), True) for i in range(23)]
    other = [Outcome(f"b{i}", str(i), 800 + chance.randrange(100), True) for i in range(23)]
    found = compare(base, other, measure="tokens")
    assert found.p < 0.001
    assert found.interval is not None
    assert found.relative is not None
    assert found.interval[0] < float(found.net) < found.interval[1] < 0
    assert -0.25 < found.relative[0] < found.relative[1] < -0.15
    assert found.detectable is not None
    assert found.detectable < 60


def test_the_gate_shows_or_does_not_pass() -> None:
    def alike(n: int, margin: float) -> bool:
        runs = {str(i): [True] for i in range(n)}
        return gate(runs, runs, margin).passed

    assert next(n for n in range(1, 80) if alike(n, 0.05)) == 45
    assert next(n for n in range(1, 80) if alike(n, 0.1)) == 22
    assert next(n for n in range(1, 80) if alike(n, 0.2)) == 10


def test_the_gates_bounds_by_hand() -> None:
    base = {"a": [True], "b": [True], "c": [False, True]}
    other = {"a": [False], "b": [True], "c": [True, True]}
    found = gate(base, other, 0.1)
    # differences -1, 0, 1/2, and the two made-up ones 1 and -1
    mean = -0.5 / 5
    spread = (1 + 0.25 + 2) / 5 - mean**2
    assert found.low == pytest.approx(mean - 1.6448536 * math.sqrt(spread / 5))
    assert found.high == pytest.approx(mean + 1.6448536 * math.sqrt(spread / 5))
    assert not found.passed


def test_a_gate_of_nothing_known_does_not_pass() -> None:
    found = gate({"a": [None]}, {"a": [True]}, 0.9)
    assert (found.low, found.tasks, found.left_out, found.passed) == (None, 0, 1, False)


@pytest.mark.parametrize("margin", [-0.1, 1.0, float("nan")])
def test_a_margin_is_a_share(margin: float) -> None:
    with pytest.raises(UsageError, match="margin is a share"):
        gate({}, {}, margin)


def test_a_loss_as_large_as_the_margin_passes_one_time_in_twenty() -> None:
    chance, passed = random.Random(4), 0
    for _ in range(1_000):
        sides = [{str(t): [chance.random() < share] for t in range(60)} for share in (0.8, 0.7)]
        passed += gate(sides[0], sides[1], 0.1).passed
    assert passed / 1_000 <= 0.07


def test_stated_power_is_had() -> None:
    chance, shown = random.Random(8), 0
    for i in range(1_000):
        gaps = [chance.gauss(0, 1) for _ in range(12)]
        effect = (student(0.975, 11) + student(0.8, 11)) / math.sqrt(12)
        shown += flip_signs([round(1e6 * (gap + effect)) for gap in gaps], seed=i).p <= 0.05
    assert 0.75 <= shown / 1_000 <= 0.87
    assert detectable([1.0, 2.0]) is None


def test_quantiles_of_student() -> None:
    for freedom, known in ((5, 2.571), (10, 2.228), (30, 2.042), (1_000, 1.962)):
        assert student(0.975, freedom) == pytest.approx(known, abs=0.004)
    assert widened(5) > widened(20) > widened(500) > 0.95
