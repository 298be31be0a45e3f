"""Does everything count once where it is told twice, and nothing twice that happened twice?"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from tracelode.model.operation import Operation, Origin
from tracelode.signals.told import NEAR, Repeats, repeats

SECOND = 10**6


def op(ident: str, kind: str = "model", **more: Any) -> Operation:
    own = {k: more.pop(k) for k in ("told_by", "native", "trace") if k in more}
    tokens = more.pop("tokens", 10 if kind == "model" else None)
    return Operation(
        session="s",
        index=0,
        id=ident,
        actor="agent",
        kind=kind,  # type: ignore[arg-type]
        name=more.pop("name", "gpt-5" if kind == "model" else "bash"),
        started=more.pop("started", 0),
        ended=more.pop("ended", SECOND),
        fields={"trace": "t", **own},
        measures={} if tokens is None else {"tokens.output": tokens},
        origin=Origin("otel", "x", 1),
        **more,
    )


def found(*operations: Operation) -> Repeats:
    """The same in every order."""
    first = repeats(operations)
    if len(operations) < 6:
        for order in permutations(operations):
            assert repeats(order) == first
    return first


def test_nothing_repeats_nothing() -> None:
    assert found() == Repeats()
    assert found(op("a"), op("b")) == Repeats()
    other = op("a", native="n")
    plain = Operation(
        session="s", index=0, id="c", actor="agent", kind="model", name="m", origin=other.origin
    )
    assert found(plain, plain) == Repeats()


def test_the_same_native_id() -> None:
    span, log = op("span", native="n"), op("log", native="n", told_by="log", tokens=99, name="other")
    message = op("message", "tool", native="n", told_by="message")
    assert found(span, log).twins == {"log": "span"}
    assert found(span, message) == Repeats()
    assert found(op("tool", "tool", native="n"), message).twins == {"message": "tool"}
    assert found(op("log", "tool", native="n", told_by="log"), message).twins == {"message": "log"}


def test_a_native_id_that_comes_back_an_hour_later_is_another_call() -> None:
    late = op("log", native="n", told_by="log", ended=3600 * SECOND, name="other")
    assert found(op("span", native="n"), late) == Repeats()


@pytest.mark.parametrize(("gap", "twin"), [(0, True), (NEAR, True), (NEAR + 1, False), (-NEAR - 1, False)])
def test_the_same_figures_at_the_same_moment(gap: int, twin: bool) -> None:
    log = op("log", told_by="log", ended=10 * SECOND + gap)
    assert found(op("span", ended=10 * SECOND), log).twins == ({"log": "span"} if twin else {})


def test_figures_or_names_that_differ_are_two() -> None:
    assert found(op("span"), op("log", told_by="log", tokens=11)) == Repeats()
    assert found(op("span"), op("log", told_by="log", name="gpt-4")) == Repeats()
    assert found(op("span", "tool"), op("log", "tool", told_by="log", name="read")) == Repeats()
    assert found(op("span", native="a"), op("log", told_by="log", native="b")) == Repeats()
    assert found(op("span", "subagent"), op("log", "tool", told_by="log")).twins == {"log": "span"}


def test_one_span_answers_for_one_log() -> None:
    logs = [op(f"log{i}", told_by="log", ended=SECOND + i) for i in range(3)]
    assert found(op("span"), *logs).twins == {"log0": "span"}
    assert len(found(op("a"), op("b", ended=SECOND + 5), *logs).twins) == 2


def test_a_log_written_inside_the_span_of_its_call() -> None:
    log = op("log", told_by="log", parent="span", ended=100 * SECOND, tokens=11)
    assert found(op("span"), log).twins == {"log": "span"}
    assert (
        found(op("span", native="a"), op("log", told_by="log", parent="span", native="b", ended=None))
        == Repeats()
    )


def test_the_first_prompt_of_a_trace_stays() -> None:
    prompts = [
        op(f"p{i}", "prompt", told_by="message", started=i * SECOND, trace=t) for i, t in enumerate("aab")
    ]
    assert found(*prompts).twins == {"p1": "p0"}
    assert found(*(op(f"p{i}", "prompt", started=i * SECOND) for i in range(2))) == Repeats()


def test_totals_give_way_to_calls_inside_and_to_inner_totals() -> None:
    agent, step = op("agent", "note"), op("step", "note", parent="agent")
    total = op("total", told_by="total", parent="agent")
    call = op("call", parent="step")
    assert found(agent, step, total) == Repeats()
    assert found(agent, step, total, call).totals == {"total"}
    inner = op("inner", told_by="total", parent="step")
    assert found(agent, step, total, inner).totals == {"total"}
    assert found(agent, step, total, inner, call).totals == {"total", "inner"}
    assert found(agent, step, total, op("call", parent="step", tokens=None)) == Repeats()


def test_calls_around_calls_give_way_but_not_around_tools() -> None:
    outer = op("outer")
    assert found(outer, op("inner", parent="outer")).wrappers == {"outer"}
    assert found(outer, op("step", "note", parent="outer"), op("inner", parent="step")).wrappers == {"outer"}
    assert found(outer, op("tool", "tool", parent="outer"), op("inner", parent="tool")) == Repeats()
    # the part between is in no file that was read: as far as is known it was no tool
    assert found(outer, op("inner", parent="unknown")) == Repeats()


def test_two_spans_of_one_call_beside_each_other() -> None:
    pair = op("a", native="n"), op("b", native="n", started=5)
    assert found(*pair).wrappers == {"a"}
    assert found(pair[0], op("b", native="n", started=2 * SECOND, ended=3 * SECOND)) == Repeats()
    assert found(pair[0], op("b", native="n", tokens=11)) == Repeats()


def test_parents_in_a_circle_end() -> None:
    a, b = op("a", parent="b"), op("b", parent="a")
    assert found(a, b).wrappers == {"a", "b"}
