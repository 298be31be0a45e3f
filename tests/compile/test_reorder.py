"""Do other orders of the steps show where a value would not be there?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from tracelode.compile.evaluate import Scene
from tracelode.compile.verify.reorder import ORDERS, reordered
from tracelode.model import binding as b
from tracelode.model.workflow import Argument, Effect, Guard, Step, Workflow
from tracelode.model.workflow import Test as Comparison

READ = Effect("read", "declared")


@dataclass
class Scenes:
    """Recorded outputs alone."""

    by_run: list[Scene] = field(default_factory=list)


def step(slot: str, *arguments: Argument, **more: Any) -> Step:
    return Step(slot=slot, tool=slot.partition("#")[0], arguments=arguments, effect=READ, **more)


def flow(*steps: Step) -> Workflow:
    return Workflow(id="wf", name="test", intent="i", steps=steps, trust="proven", runs=5)


def takes(path: str, producer: str, at: str = "id") -> Argument:
    return Argument(path, b.Copy(producer, at), 5, 5, "hard")


OUTPUTS = {"find#1": {"id": "x", "open": True}, "look#1": {"id": "y"}, "tell#1": {}}


def tried(workflow: Workflow, runs: int = 1, outputs: dict[str, Any] = OUTPUTS) -> tuple[int, int]:
    return reordered(workflow, Scenes([Scene({}, outputs)] * runs))  # type: ignore[arg-type]


def test_an_order_that_edges_keep_breaks_nothing() -> None:
    whole = flow(step("find#1"), step("look#1"), step("tell#1", takes("a", "find#1"), after=("find#1",)))
    orders, broken = tried(whole)
    # of six orders three keep the edge; one of them is the recorded one
    assert (orders, broken) == (2, 0)
    assert tried(whole) == tried(whole)


def test_a_value_without_its_edge_is_seen() -> None:
    loose = flow(step("find#1"), step("look#1"), step("tell#1", takes("a", "find#1")))
    orders, broken = tried(loose)
    assert orders == 5
    assert broken == 3


def test_guards_lists_and_alternatives_count_as_values() -> None:
    guard = Guard((Comparison(b.Copy("find#1", "open"), "eq", b.Constant(True)),))
    assert tried(flow(step("find#1"), step("tell#1", when=guard))) == (1, 1)
    either = Argument("a", b.Alias((b.Copy("find#1", "id"), b.Copy("look#1", "id"))), 5, 5, "hard")
    # without find the alternative is taken, which tells something else
    _, broken = tried(flow(step("find#1"), step("look#1"), step("tell#1", either, after=("look#1",))))
    assert broken > 0


def test_one_order_is_no_other_order() -> None:
    chain = flow(step("find#1"), step("look#1", after=("find#1",)), step("tell#1", after=("look#1",)))
    assert tried(chain) == (0, 0)


def test_every_run_is_tried_and_steps_it_did_not_take_are_left_out() -> None:
    loose = flow(*(step(f"look#{n}") for n in range(6)))
    outputs = {f"look#{n}": n for n in range(6)}
    orders, broken = tried(loose, 3, outputs)
    assert ORDERS < orders <= 3 * ORDERS
    assert broken == 0
    assert tried(loose, 1, {"look#2": 1}) == (0, 0)


def test_a_circle_ends() -> None:
    circle = flow(step("find#1", after=("look#1",)), step("look#1", after=("find#1",)))
    assert tried(circle) == (0, 0)


def test_an_input_stands_for_what_was_passed() -> None:
    given = Argument("city", b.FromInput("city"), 5, 5, "given")
    either = Argument("a", b.Alias((b.FromInput("city"), b.Copy("find#1", "id"))), 5, 5, "given")
    whole = msgspec.structs.replace(flow(step("find#1", given), step("tell#1", either)), inputs=())
    from tracelode.compile.bind.observe import pseudo
    from tracelode.model.workflow import Input

    whole = msgspec.structs.replace(whole, inputs=(Input(name="city", type="string"),))
    scenes = Scenes([Scene({pseudo("find#1", "city"): "Rome"}, OUTPUTS)])
    assert reordered(whole, scenes) == (1, 0)  # type: ignore[arg-type]
