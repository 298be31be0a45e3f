"""Are guards learned where runs tell when a step is taken, and left open where chance could have told it?"""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile.fixtures import Case, cases, runs, work
from tracelode.compile.align import align
from tracelode.compile.control import control
from tracelode.compile.control.chance import FEWEST, READ, WRITE, first
from tracelode.compile.control.guards import learned
from tracelode.compile.evaluate import Scene, passes
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model import workflow as w
from tracelode.model.run import Call, Run, Tree, Turn
from tracelode.model.workflow import Argument, Check, Effect, Input


def _given(case: Case) -> Work:
    effects = {}
    for key, value in case.options:
        if key == "effect":
            slot, kind = value.split()
            effects[slot] = Effect(kind, "configured")  # type: ignore[arg-type]
    return replace(align(case.work()), effects=effects)


def _value(binding: b.Binding) -> str:
    match binding:
        case b.Copy():
            return f"{binding.step}:{binding.path}" if binding.path else binding.step
        case b.Derived():
            return f"{binding.op}({', '.join(_value(inner) for inner in binding.of)})"
        case b.FromInput():
            return f"input {binding.name}"
        case b.Constant():
            return msgspec.json.encode(binding.value).decode()
    raise AssertionError(binding)


def _test(test: w.Test) -> str:
    right = f" {_value(test.right)}" if test.right is not None else ""
    return f"{'not ' if test.negated else ''}{_value(test.left)} {test.op}{right}"


def _shown(done: Work) -> str:
    lines = [
        f"{slot}: {' and '.join(map(_test, g.tests))} ({g.runs_with} with, {g.runs_without} without)"
        for slot, g in done.guards.items()
    ]
    lines += [f"edge: {edge.before} -> {edge.after}, chance {edge.numbers['chance']}" for edge in done.edges]
    lines += [f"undecided: {slot}" for slot in done.undecided]
    for slot, checks in done.preconditions.items():
        lines += [f"must: {slot}:{c.path} {c.kind} {msgspec.json.encode(c.value).decode()}" for c in checks]
    return "\n".join(lines) or "nothing"


@pytest.mark.parametrize("case", cases("control"))
def test_fixture(case: Case) -> None:
    assert _shown(control(_given(case))) == case.expected


@pytest.mark.parametrize("case", cases("control"))
def test_the_order_of_the_runs_says_nothing(case: Case) -> None:
    turned = replace(case, runs=tuple(reversed(case.runs)))
    assert _shown(control(_given(turned))) == case.expected


def _asked(key: str, request: str, outputs: list[tuple[str, dict[str, Tree], Tree]]) -> Run:
    calls = tuple(Call(index=n, name=a, arguments=g, output=o) for n, (a, g, o) in enumerate(outputs))
    return Run(key=key, calls=calls, turns=(Turn("user", request, 0),), outcome="success")


def _with_effects(done: Work, **effects: Any) -> Work:
    return replace(done, effects={f"{tool}#1": Effect(kind, "configured") for tool, kind in effects.items()})


def test_a_guard_compares_with_an_input() -> None:
    """The budget comes from who asks: it is above the price where the flight is booked."""
    runs = []
    for n, (budget, price) in enumerate(
        [(500, 400), (300, 250), (900, 450), (200, 150), (300, 350), (100, 140)] * 2
    ):
        steps = [("quote", {"limit": budget, "to": f"C{n}"}, {"price": price, "id": f"F-{n}00"})]
        if price <= budget:
            steps.append(("book", {"id": f"F-{n}00"}, "ok"))
        runs.append(_asked(f"r{n:02d}", "Book if it is cheap enough", steps))  # type: ignore[arg-type]
    aligned = _with_effects(align(work(runs)), quote="read", book="append")
    assert control(aligned).undecided == ("book#1",)
    bound = replace(aligned, bindings={"quote#1": (Argument("limit", b.FromInput("limit")),)})
    done = control(bound)
    (test,) = done.guards["book#1"].tests
    assert (test.left, test.op, test.right) == (b.Copy("quote#1", "price"), "lt", b.FromInput("limit"))


def test_a_guard_asks_whether_the_request_tells_an_input() -> None:
    runs = []
    for n in range(8):
        mail = f"a{n}@example.org"
        steps = [("find", {"q": f"Q{n}"}, {"id": f"X-{n}00"})]
        if n % 2:
            steps.append(("send", {"to": mail, "id": f"X-{n}00"}, "ok"))
        request = f"Find it and mail it to {mail}" if n % 2 else "Find it"
        runs.append(_asked(f"r{n}", request, steps))  # type: ignore[arg-type]
    aligned = _with_effects(align(work(runs)), find="read", send="external_send")
    assert control(aligned).undecided == ("send#1",)
    given_input = Input(name="to", type="string", required=False, patterns=(r"mail it to (\S+)",))
    done = control(replace(aligned, inputs=(given_input,)))
    assert done.guards["send#1"].tests == (w.Test(b.FromInput("to"), "present"),)


def test_a_step_that_reads_an_undecided_one_is_taken_with_it() -> None:
    from tracelode.model.evidence import Edge

    runs = []
    for n in range(6):
        steps = [("look", {"q": f"Q{n}"}, {"id": f"X-{n}00"})]
        if n in (1, 4):
            steps += [("extra", {"q": f"Q{n}"}, {"key": f"K-{n}00"}), ("use", {"key": f"K-{n}00"}, "ok")]
        runs.append(_asked(f"r{n}", "Look", steps))  # type: ignore[arg-type]
    aligned = _with_effects(align(work(runs)), look="read", extra="append", use="append")
    edge = Edge(id="e1", before="extra#1", after="use#1", kind="data_hard", arg="key", gpath="key")
    done = control(replace(aligned, edges=(edge,)))
    assert done.undecided == ("extra#1",)
    assert done.guards["use#1"].tests == (w.Test(b.Copy("extra#1", ""), "present"),)
    assert [(e.id, e.before, e.after, e.kind) for e in done.edges[1:]] == [
        ("e2", "extra#1", "use#1", "control_hard")
    ]


def _flagged(took: list[bool], flags: list[bool], noise: random.Random) -> Work:
    runs = []
    for n, (taken, flag) in enumerate(zip(took, flags, strict=True)):
        output = {"flag": flag, "size": noise.randrange(50), "kind": noise.choice("abc"), "id": f"X-{n}00"}
        steps: list[tuple[str, dict[str, Tree], Tree]] = [("look", {"q": f"Q{n}"}, output)]
        if taken:
            steps.append(("act", {"id": f"X-{n}00"}, "ok"))
        runs.append(_asked(f"r{n:02d}", "Look", steps))
    return _with_effects(align(work(runs)), look="read", act="append")


@given(st.lists(st.booleans(), min_size=8, max_size=14), st.integers(0, 2**32))
def test_a_flag_that_decides_is_found(took: list[bool], seed: int) -> None:
    done = control(_flagged(took, took, random.Random(seed)))
    few = min(sum(took), len(took) - sum(took))
    if few == 0 or sum(took) < 2:
        assert not done.guards
    elif few < FEWEST:
        assert done.undecided == ("act#1",)
    elif "act#1" in done.guards:
        (test,) = done.guards["act#1"].tests
        assert test.left == b.Copy("look#1", "flag")
        for run, taken in zip(done.runs, took, strict=True):
            assert passes(done.guards["act#1"], Scene({}, {"look#1": run.calls[0].output})) == taken


def test_chance_is_seldom_taken_for_a_reason() -> None:
    """Steps taken for no reason, among places that differ: a guard comes no oftener than the rule says."""
    rng = random.Random(3)
    false = guarded = 0
    for _ in range(400):
        took = [True] * 4 + [False] * 4
        rng.shuffle(took)
        done = control(_flagged(took, [rng.random() < 0.5 for _ in took], rng))
        guarded += 1
        false += "act#1" in done.guards
    assert false / guarded <= WRITE + 0.03
    assert false, "the rule would be too strict to let anything through"


def test_the_share_counts_ways_once() -> None:
    tried = [(0b0011, "a"), (0b0011, "b"), (0b0111, "of another size"), (0b0101, "c")]
    assert first(tried, 0b0101, 4, 1.0) == ("c", 2 / 6, 2)
    assert first(tried, 0b0101, 4, 0.3) is None
    assert first(tried, 0b0001, 4, 1.0) is None, "one run on a side is too few"
    assert first(tried, 0b1001, 4, 1.0) is None
    assert READ > WRITE


def test_states_before_failure_need_two_failed_runs() -> None:
    def made(n: int, state: str, outcome: str) -> Run:
        run = _asked(f"r{n}", "Pay", [("account", {"id": f"A-{n}00"}, {"state": state})])
        return msgspec.structs.replace(run, outcome=outcome)

    good = [made(n, "active", "success") for n in range(6)]
    one = control(align(work([*good, made(7, "frozen", "failure")])))
    two = control(align(work([*good, made(7, "frozen", "failure"), made(8, "closed", "failure")])))
    assert one.preconditions == {}
    assert two.preconditions == {"account#1": (Check("equals", "state", "active"),)}


def test_nothing_to_learn() -> None:
    assert control(Work(intent=work([]).intent, runs=())).guards == {}
    done = control(align(work([])))
    assert (done.guards, done.undecided, done.edges, done.preconditions) == ({}, (), (), {})


def test_long_runs_of_many_branches_are_learned_in_little_time() -> None:
    """Steps that differ from run to run took cubic time: each looked at all others, and at their outputs."""
    chance, text = random.Random(3), []
    for n in range(9):
        text.append(f"run r{n}:\nuser: Do it for customer {n}")
        # branches in branches: a step of kind k is taken by all runs but the first k
        for k in range(250):
            told = ", ".join(f'"key{m}": {chance.randrange(50)}' for m in range(12))
            text += [f't{k}/look_{k}(at="P-{k}") -> {{{told}}}'] if n >= k % 5 else []
    branched = replace(align(work(runs("\n".join(text)))), effects={})
    begun = time.process_time()
    learned(branched)
    assert time.process_time() - begun < 15
