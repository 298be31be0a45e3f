"""Do the runs of a trace become calls and tools, each once, in order of time?"""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tracelode.making import Maker
from tracelode.model.operation import Operation
from tracelode.model.ports import Skip, Tick
from tracelode.runs import Prompt, Run, items_of
from tracelode.said import asked, said, text_of


def operations(runs: list[Run], *prompts: Prompt) -> list[Operation]:
    return [i for i in items_of(runs, Maker("x", "x", "x", "s"), prompts) if isinstance(i, Operation)]


@given(st.lists(st.integers(0, 6), max_size=7), st.integers(0, 1_000))
def test_any_tree_counts_leaf_calls_alone_and_any_circle_ends(parents: list[int], seed: int) -> None:
    count = len(parents)
    runs = [
        Run(id=str(n), parent=str(p), kind="model", start=n, end=n + 1, measures={"tokens.output": 1})
        for n, p in enumerate(parents)
    ]
    random.Random(seed).shuffle(runs)
    found = operations(runs)
    assert len({o.id for o in found}) == len(found) <= count
    if all(p > n for n, p in enumerate(parents)):  # a forest
        leaves = {str(n) for n in range(count)} - {str(p) for p in parents}
        assert len(found) == len(leaves)


def test_a_tool_with_tokens_is_a_tool_and_a_call() -> None:
    run = Run(id="t", kind="tool", name="search", start=0, end=5, measures={"tokens.output": 3})
    call, tool = operations([run])
    assert (call.kind, tool.kind, call.measures["calls"]) == ("model", "tool", 1)


def test_prompts_come_before_what_begins_at_their_moment() -> None:
    runs = [Run(id="a", kind="model", start=5, end=9), Run(id="b", kind="model", start=20, end=21)]
    found = operations(runs, Prompt("q", "later", 20), Prompt("p", "first", 5), Prompt("r", "someday", None))
    assert [o.arguments or o.kind for o in found] == ["first", "model", "later", "model", "someday"]


def test_a_tool_belongs_to_the_latest_call_that_was_over() -> None:
    runs = [
        Run(id="a", kind="model", start=0, end=10),
        Run(id="b", kind="model", start=1, end=4),
        Run(id="c", kind="model", start=2, end=30, asks=frozenset({"call"})),
        Run(id="t", kind="tool", start=12, end=13),
        Run(id="u", kind="tool", start=3, end=9),
        Run(id="v", kind="tool", start=31, end=32, answers="call"),
    ]
    found = operations(runs)
    ids = {run.id: Maker("x", "x", "x").ident(run.id) for run in runs}
    calls = {o.id: o.fields.get("call") for o in found if o.kind == "tool"}
    assert calls == {ids["t"]: ids["a"], ids["u"]: None, ids["v"]: ids["c"]}


def test_the_timeline_is_in_order_and_repeats_are_counted() -> None:
    runs = [
        Run(id="a", kind="", start=0, end=9, measures={"tokens.output": 1}),
        Run(id="b", parent="a", kind="model", start=3, end=8, measures={"tokens.output": 1}),
    ]
    items = list(items_of(runs, Maker("x", "x", "x", "s")))
    moments = [i.at for i in items if isinstance(i, Tick)]
    assert moments == sorted(moments)
    assert [i.count for i in items if isinstance(i, Skip)] == [1]


def test_what_a_person_said_in_the_shapes_of_frameworks() -> None:
    shapes = [
        "hi",
        {"input": "hi"},
        {"messages": [{"role": "system", "content": "be"}, {"role": "user", "content": "hi"}]},
        {"messages": [[{"type": "human", "content": [{"type": "text", "text": "hi"}]}]]},
        {"messages": [{"id": ["langchain", "HumanMessage"], "kwargs": {"content": "hi"}}]},
        [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}],
    ]
    assert [said(shape) for shape in shapes] == ["hi"] * len(shapes)
    assert said([{"role": "assistant", "content": "no"}]) == said(7) == said({"a": 1}) == ""


def test_answers_and_the_calls_they_ask_for() -> None:
    assert text_of({"generations": [[{"text": "hi"}]]}) == text_of({"output": {"content": "hi"}}) == "hi"
    assert text_of(None) == ""
    assert asked('{"tool_calls": [{"id": "a", "name": "x", "args": {}}]}') == {"a"}
    assert asked([{"id": "b", "name": "x", "input": {}}, {"id": "c"}]) == {"b"}
