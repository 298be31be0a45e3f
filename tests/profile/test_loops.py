"""Loops of a session: what is counted, what it costs, and laws."""

from __future__ import annotations

import msgspec
import pytest

from signals.build import call
from tracelode.errors import UnknownMeasure
from tracelode.model.operation import Operation
from tracelode.profile.loops import LoopCollector, of_session, score, total

FAILS = {"status": "nonzero", "output": "boom"}


def stored(*operations: Operation, cost: int | None = 5) -> list[Operation]:
    measures = {"tokens.output": 10} | ({} if cost is None else {"cost": cost})
    return [
        msgspec.structs.replace(o, index=2 * i, measures=measures, fields={**o.fields, "stage": "run code"})
        for i, o in enumerate(operations)
    ]


class Given:
    def __init__(self, session: str, operations: list[Operation]) -> None:
        self.session = session
        self.operations = [msgspec.structs.replace(o, session=session) for o in operations]
        self.groups: list[tuple[tuple[str, ...], ...]] = [((), ()) for _ in operations]
        self.chosen = [True] * len(operations)


def test_three_tries_are_two_repetitions() -> None:
    found = of_session(stored(*[call("$ make", **FAILS)] * 3), ("cost", "tokens", "time.tool"))
    (loop,) = found.loops
    assert (loop.sort, loop.places, loop.repeats, loop.exact) == ("retry", (0, 2, 4), 2, True)
    assert loop.measures == {"cost": 10, "tokens": 20, "time.tool": None}
    assert (loop.stage, loop.tool) == ("run code", "Bash")
    assert found.actions == 3


def test_another_result_ends_a_loop() -> None:
    rows = stored(call("$ make", **FAILS), call("$ make", output="done"), call("$ make", output="done"))
    assert [loop.places for loop in of_session(rows, ()).loops] == [(2, 4)]


def test_tests_after_changes_and_polls_are_no_loops() -> None:
    tests = stored(call("$ pytest", **FAILS), call("Edit a.py"), call("$ pytest", **FAILS))
    polls = stored(call("$ git status", output="a"), call("$ git status", output="quite another thing"))
    assert of_session(tests, ()).loops == of_session(polls, ()).loops == []
    assert [r.sort for r in of_session(tests, ()).repeats] == ["recheck"]


def test_least_and_chosen() -> None:
    rows = stored(*[call("Read a.py", output="x")] * 3)
    assert of_session(rows, (), least=3).loops == []
    assert of_session(rows, (), chosen=[True, False, True]).loops == []


def test_unknown_is_none_and_never_zero() -> None:
    rows = stored(call("Read a.py"), cost=None)
    assert total(rows, "cost") is None
    assert total(stored(call("Read a.py"), cost=0), "cost") == 0
    with pytest.raises(UnknownMeasure):
        total(rows, "weight")


def test_the_score_of_a_pair() -> None:
    assert score(call("$ make"), call("$ make")) == 1.0
    assert score(call("$ make"), call("Read make")) == 0.0


def test_collected_in_any_order_the_dearest_first() -> None:
    cheap = Given("a", stored(*[call("Read a.py", output="x")] * 2, cost=1))
    dear = Given("b", stored(*[call("Read a.py", output="x")] * 2, cost=9))
    answers = []
    for order in ((cheap, dear), (dear, cheap)):
        collector = LoopCollector(("cost",))
        for one in order:
            collector.add(one)
        answers.append(collector.loops())
    assert answers[0] == answers[1]
    assert [loop.session for loop in answers[0].loops] == ["b", "a"]
    assert (answers[0].total, answers[0].repeats, answers[0].measures) == (2, 2, {"cost": 10})
    assert answers[0].by_sort["redundant"] == 2


def test_few_are_kept_and_all_are_counted() -> None:
    collector = LoopCollector(("cost",), limit=3)
    for n in range(200):
        collector.add(Given(f"s{n}", stored(*[call("Read a.py", output="x")] * 2, cost=n)))
    found = collector.loops()
    assert (len(found.loops), found.total) == (3, 200)
    assert [loop.measures["cost"] for loop in found.loops] == [199, 198, 197]
