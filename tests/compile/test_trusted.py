"""When is a workflow called proven, what does it spare, and what must hold of what it writes?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compile.execution import step, workflow
from compile.fixtures import runs, work
from tracelode.compile.execute.checks import failing, holds
from tracelode.compile.invariants import Read, checks
from tracelode.compile.passes import PASSES, run
from tracelode.compile.sealing import digest
from tracelode.compile.verify.saved import bound_calls
from tracelode.compile.verify.trusted import trusted
from tracelode.compile.work import State, Work
from tracelode.model.run import Call
from tracelode.model.verification import CallEnd, Fold, FoldCall
from tracelode.model.workflow import Check, Workflow

FLOW = workflow(step("find#1"), step("send#1", "find#1", order=1))


def fold(name: str, *ends: CallEnd, write: bool = False) -> Fold:
    slots = ("find#1", "send#1", "more#1")
    return Fold(name, tuple(FoldCall(n, slots[n], end, write=write and n > 0) for n, end in enumerate(ends)))


def trust_of(*folds: Fold, flow: Workflow = FLOW) -> str:
    found = trusted(flow, folds, ["a", "b"])
    assert isinstance(found, Workflow)
    return found.trust


def test_half_of_the_runs_must_come_out_whole() -> None:
    good, bad = fold("a", "exact", "equivalent"), fold("b", "exact", "unbound")
    assert trust_of(good, bad) == "proven"
    assert trust_of(good, bad, bad) == "provisional"
    assert trust_of(fold("a", "exact", "escalated")) == "provisional"
    assert trust_of() == "provisional"


def test_one_wrong_write_is_one_too_many() -> None:
    good = fold("a", "exact", "exact", write=True)
    assert trust_of(good, good, fold("c", "exact", "wrong", write=True)) == "provisional"
    assert trust_of(good, good, fold("c", "exact", "wrong")) == "proven"


def test_of_a_partial_workflow_its_own_steps_count() -> None:
    rest = fold("a", "exact", "exact", "unbound")
    assert trust_of(rest) == "provisional"
    assert trust_of(rest, flow=workflow(*FLOW.steps, partial=True)) == "proven"


def test_what_is_not_proven_is_sealed_anew() -> None:
    found = trusted(FLOW, (), ["a"])
    assert isinstance(found, Workflow)
    assert found.digest == digest(found)


def test_only_bound_calls_are_spared() -> None:
    folds = (fold("a", "exact", "unbound"), fold("b", "wrong", "escalated", "exact"))
    assert bound_calls(FLOW, folds) == {("a", 0), ("b", 0)}


def compiled(text: Callable[[int], str], count: int = 6) -> Work:
    given = runs("\n".join(f"run r{n} (success):\n{text(n)}" for n in range(count)))
    (found,) = run(State(runs=given, works=(work(given),)), PASSES[1:]).works
    return found


def test_a_workflow_that_no_fold_makes_whole_is_not_proven() -> None:
    def text(n: int) -> str:
        # the note of each run comes from nowhere
        return (
            f"user: Look order K-{n}{n}7 up.\n"
            f'look_order(order="K-{n}{n}7") -> {{"client": "c-{n}81"}}\n'
            f'get_client(client="c-{n}81") -> {{"desk": "d-{n}{n}3"}}\n'
            f'get_desk(desk="d-{n}{n}3") -> {{"open": true}}\n'
            f'list_notes(client="c-{n}81", like="{"abcdefgh"[n] * 5}") -> ["x"]'
        )

    found = compiled(text)
    assert isinstance(found.verdict, Workflow), found.refusals
    assert sum(f.end == "complete" for f in found.verification.folds) == 0
    assert found.verdict.trust == "provisional"
    saved = found.verification.saved["tool_calls"]
    assert saved == len(bound_calls(found.verdict, found.verification.folds)) == 18


def refund(n: int) -> str:
    total, currency = 12.5 + 40 * n, ("EUR", "USD")[n % 2]
    return (
        f"user: Refund order K-{n}{n}7.\n"
        f'find_order(number="K-{n}{n}7") -> '
        f'{{"total": {total}, "currency": "{currency}", "code": {n + 4711}}}\n'
        f'issue_refund(order="K-{n}{n}7", amount={total}, currency="{currency}", code={n + 4711})'
        ' -> {"state": "booked"}'
    )


def test_what_is_written_is_checked_against_what_was_seen() -> None:
    found = compiled(refund).verdict
    assert isinstance(found, Workflow)
    find = found.step("find_order#1")
    assert Check("range", "total", [1.25, 2125.0]) in find.checks
    assert Check("enum", "currency", ["EUR", "USD"]) in find.checks
    assert not any(c.path == "code" and c.kind == "range" for c in find.checks)
    good = {"total": 900.0, "currency": "EUR", "code": 5}
    assert failing(find, good) is None
    for change in ({"total": -5e9}, {"total": 0}, {"total": 1e6}, {"currency": "BTC"}):
        wrong = failing(find, {**good, **change})
        assert wrong is not None
        assert wrong.path == next(iter(change))


def learned(*values: Any, path: str = "v") -> list[Check]:
    calls = [Call(index=0, name="get", output={path: value}) for value in values]
    return [c for c in checks(calls, False, Read((path,), (path,))) if c.kind in ("range", "enum")]


@pytest.mark.parametrize(
    ("values", "good", "bad"),
    [
        ((1, 2, 3, 4, 5), (0.1, 50), (0, -1, 51)),
        ((-4, -2, -3, -9, -5), (-90, -0.2), (0, 4, -91)),
        ((0, 2, 3, 4, 5), (0, 50), (-1, 51)),
        ((-1, 2, 3, 4, 5), (-50, 0, 50), (-51, 51)),
    ],
)
def test_ranges_are_wide_and_keep_the_sign(
    values: tuple[int, ...], good: tuple[float, ...], bad: tuple[float, ...]
) -> None:
    (check,) = learned(*values)
    assert check.kind == "range"
    assert all(holds(check, {"v": one}) for one in good)
    assert not any(holds(check, {"v": one}) for one in bad)


@pytest.mark.parametrize(
    "values",
    [
        (1, 2, 3, 4),
        (0, 0, 0, 0, 0),
        (1, 2, 3, 4, "5"),
        (True, True, False, True, True),
        ("EUR", "EUR", "EUR", "EUR", "USD"),
        ("a1", "a1", "a1", "a1", "a1"),
        ("a", "b", "c", "d", "a", "b", "c", "d"),
    ],
)
def test_what_is_not_closed_has_no_bounds(values: tuple[Any, ...]) -> None:
    assert learned(*values) == []


@pytest.mark.parametrize("name", ["id", "order_id", "orderId", "number", "codes", "zip"])
def test_numbers_that_name_have_no_range(name: str) -> None:
    assert learned(1, 2, 3, 4, 5, path=name) == []
    assert learned(1, 2, 3, 4, 5, path="paid")
