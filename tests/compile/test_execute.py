"""Does a workflow run as its edges, guards and effects say, and stand still with all that is known?"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from compile.execution import WRITE, YES, Box, bound, resume, start, step, workflow
from tracelode.compile.execute.embedded import EmbeddedEngine
from tracelode.compile.schemas import schema_digest
from tracelode.errors import RunError, ToolFailed, WorkflowError
from tracelode.model import binding as b
from tracelode.model.execution import Budget, Policy, Reply
from tracelode.model.run import ToolSpec
from tracelode.model.workflow import Effect, ForEach, Guard, Input, Wait
from tracelode.model.workflow import Test as Comparison

FIND = step("find#1", arguments=bound(city=b.FromInput("city")))
BOOK = step("book#1", "find#1", effect=WRITE, order=1, arguments=bound(room=b.Copy("find#1", "rooms[0].id")))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def box(**more: Any) -> Box:
    tools = {"find": lambda city: {"rooms": [{"id": f"{city}-1"}]}, "book": lambda room: {"booked": room}}
    return Box(**{**tools, **more})


def test_outputs_become_arguments(place: Path) -> None:
    tools = box()
    outcome = start(workflow(FIND, BOOK, inputs=("city",)), tools, place, {"city": "Rome"})
    assert outcome.status == "done"
    assert outcome.outputs["book#1"] == {"booked": "Rome-1"}
    assert [(name, given) for name, given, _ in tools.calls] == [
        ("find", {"city": "Rome"}),
        ("book", {"room": "Rome-1"}),
    ]
    assert tools.calls[0][2] == ""
    assert len(tools.calls[1][2]) == 32  # the key of the write
    assert outcome.calls == 2


def test_reads_run_side_by_side_and_writes_do_not(place: Path) -> None:
    now, most = 0, 0

    async def slow(**_: Any) -> int:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.02)
        now -= 1
        return most

    reads = [step(f"read#{n}", order=n) for n in range(6)]
    start(workflow(*reads), Box(read=slow), place, policy=Policy(jobs=3))
    assert most == 3
    most = 0
    writes = [step(f"read#{n}", order=n, effect=WRITE) for n in range(4)]
    start(workflow(*writes), Box(read=slow), place, run="w")
    assert most == 1


def test_writes_of_different_things_run_side_by_side(place: Path) -> None:
    running: list[str] = []
    seen: list[tuple[str, ...]] = []

    async def put(path: str) -> str:
        running.append(path)
        seen.append(tuple(running))
        await asyncio.sleep(0.02)
        running.remove(path)
        return path

    effect = Effect("append", "configured", resource=("path",), family="files")
    steps = [
        step(f"put#{n}", order=n, effect=effect, arguments=bound(path=b.Constant(path)))
        for n, path in enumerate(["/a/x", "/b", "/a"])
    ]
    assert start(workflow(*steps), Box(put=put), place).status == "done"
    # /a may hold /a/x: the third waits for the first, and for nothing else
    assert ("/a/x", "/b") in seen
    assert all(not {"/a/x", "/a"} <= {*now} for now in seen)


def test_steps_keep_the_order_that_was_seen(place: Path) -> None:
    tools = Box(a=lambda: 1, b=lambda: 2, c=lambda: 3)
    steps = [step("c#1", order=2), step("a#1", order=0, effect=WRITE), step("b#1", order=1)]
    start(workflow(*steps), tools, place)
    assert tools.names() == ["a", "b", "c"]


def test_a_guard_skips_and_an_output_of_a_skipped_step_stands(place: Path) -> None:
    guard = Guard((Comparison(b.Copy("find#1", "free"), "eq", b.Constant(True)),))
    late = step("tell#1", "make#1", order=2, arguments=bound(id=b.Copy("make#1", "id")))
    tools = Box(find=lambda: {"free": False}, make=lambda: {"id": 1}, tell=lambda id: id)
    work = workflow(step("find#1"), step("make#1", "find#1", order=1, effect=WRITE, when=guard), late)
    outcome = start(work, tools, place)
    assert outcome.status == "escalated"
    assert outcome.escalation is not None
    assert (outcome.escalation.code, outcome.escalation.step) == ("unseen_branch", "tell#1")
    assert outcome.escalation.completed == {"find#1": {"free": False}}
    assert outcome.escalation.skipped == ("make#1",)
    assert outcome.escalation.remaining == ("tell#1",)
    assert resume(work, tools, place, reply=Reply(by="person", action="skip")).status == "done"
    assert tools.names() == ["find"]


def test_each_element_is_called_and_more_than_were_seen_stand(place: Path) -> None:
    each = ForEach(b.FromInput("ids"), most=3)
    work = workflow(
        step("get#1", each=each, arguments=bound(id=b.Each("id"))), inputs=(Input(name="ids", type="list"),)
    )
    outcome = start(work, Box(get=lambda id: id * 2), place, {"ids": [{"id": 1}, {"id": 2}]})
    assert outcome.outputs["get#1"] == [2, 4]
    outcome = start(work, Box(get=lambda id: id), place, {"ids": [{"id": n} for n in range(4)]}, run="more")
    assert outcome.escalation is not None
    assert outcome.escalation.code == "guard_failed"


def test_a_waiting_step_is_repeated_until_it_ends(place: Path) -> None:
    left = ["busy", "busy", "done"]
    wait = Wait("status", ("done", "failed"), every_ms=1, most=5)
    tools = Box(look=lambda: {"status": left.pop(0)})
    assert start(workflow(step("look#1", wait=wait)), tools, place).outputs["look#1"] == {"status": "done"}
    left[:] = ["busy"] * 9
    outcome = start(workflow(step("look#1", wait=wait)), tools, place, run="never")
    assert outcome.escalation is not None
    assert len(left) == 4


def test_reads_are_tried_again_and_writes_are_not(place: Path) -> None:
    tries: list[str] = []

    def shaky(**_: Any) -> int:
        tries.append("x")
        if len(tries) < 3:
            raise ToolFailed("no")
        return 7

    assert start(workflow(step("get#1", retries=2)), Box(get=shaky), place).outputs["get#1"] == 7
    tries.clear()
    with pytest.raises(WorkflowError, match="not tried again"):
        start(workflow(step("get#1", retries=2, effect=WRITE)), Box(get=shaky), place, run="w")
    outcome = start(workflow(step("get#1", effect=WRITE)), Box(get=shaky), place, run="w")
    assert outcome.escalation is not None
    assert outcome.escalation.code == "tool_error_after_retry"
    assert len(tries) == 1
    tries.clear()
    again = Effect("idempotent_write", "declared", idempotent=True)
    assert (
        start(workflow(step("get#1", retries=2, effect=again)), Box(get=shaky), place, run="i").status
        == "done"
    )
    assert len(tries) == 3


def test_a_shadow_run_reads_and_only_tells_writes(place: Path) -> None:
    after = step("mail#1", "book#1", effect=WRITE, order=2, arguments=bound(id=b.Copy("book#1", "booked")))
    last = step("find#2", order=3, arguments=bound(city=b.Constant("Oslo")))
    tools = box()
    work = workflow(FIND, BOOK, after, last, inputs=("city",))
    outcome = start(
        work,
        Box(mail=lambda id: id, **tools.functions),
        place,
        {"city": "Rome"},
        policy=Policy(mode="shadow"),
    )
    assert outcome.status == "done"
    assert [(p.step, p.arguments, p.verdict) for p in outcome.proposed] == [
        ("book#1", {"room": "Rome-1"}, "")
    ]
    assert outcome.unreached == ("book#1", "mail#1")
    assert sorted(outcome.outputs) == ["find#1", "find#2"]


def test_a_budget_ends_before_the_next_call(place: Path) -> None:
    steps = [step(f"read#{n}", order=n, effect=WRITE) for n in range(5)]
    tools = Box(read=lambda: 1)
    policy = Policy(writes="proven", budget=Budget(calls=3))
    outcome = start(workflow(*steps), tools, place, policy=policy)
    assert outcome.escalation is not None
    assert outcome.escalation.code == "budget"
    assert len(tools.calls) == 3
    assert resume(workflow(*steps), tools, place).status == "done"
    assert len(tools.calls) == 5


def test_a_tool_that_hangs_is_given_up(place: Path) -> None:
    async def hang() -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue  # it does not even hear that it is over

    policy = Policy(writes="proven", timeout=0.05)
    began = time.monotonic()

    async def once() -> str:
        from tracelode.compile.execute.embedded import EmbeddedEngine

        work = workflow(step("hang#1", effect=WRITE))
        outcome = await EmbeddedEngine().start(work, Box(hang=hang), {}, place=str(place), policy=policy)
        assert outcome.escalation is not None
        return outcome.escalation.code

    loop = asyncio.new_event_loop()
    assert loop.run_until_complete(once()) == "in_doubt"
    assert time.monotonic() - began < 4


def test_tools_are_looked_at_before_anything_is_done(place: Path) -> None:
    old = {"type": "object", "properties": {"city": {"type": "string"}}}
    new = {"type": "object", "properties": {"town": {"type": "string"}}}
    first = step("find#1", arguments=FIND.arguments)
    last = step("book#1", "find#1", order=1, schema=schema_digest(old))
    tools = Box({"book": ToolSpec(name="book", parameters=new)}, find=lambda city: 1, book=lambda: 2)
    outcome = start(workflow(first, last, inputs=("city",)), tools, place, {"city": "Rome"})
    assert outcome.escalation is not None
    assert (outcome.escalation.code, outcome.escalation.step) == ("schema_changed", "book#1")
    assert tools.calls == []
    work = workflow(first, last, inputs=("city",))
    assert resume(work, tools, place, reply=Reply(by="person", action="accept")).status == "done"
    gone = start(workflow(step("nowhere#1")), tools, place, run="gone")
    assert gone.escalation is not None
    assert gone.escalation.code == "schema_changed"


def test_arguments_that_the_tool_does_not_take_are_not_sent(place: Path) -> None:
    spec = ToolSpec(
        name="find", parameters={"properties": {"city": {"type": "string"}}, "required": ["city"]}
    )
    for run, given in (("a", bound(city=b.Constant(5))), ("b", ())):
        tools = Box({"find": spec}, find=lambda **_: 1)
        outcome = start(workflow(step("find#1", arguments=given)), tools, place, run=run)
        assert outcome.escalation is not None
        assert outcome.escalation.code == "guard_failed"
        assert tools.calls == []


def test_inputs_are_checked_before_a_run_begins(place: Path) -> None:
    work = workflow(FIND, inputs=("city",))
    for given, words in (
        ({}, "missing: city"),
        ({"city": 5}, "of type string"),
        ({"city": "x", "y": 1}, "not inputs"),
    ):
        with pytest.raises(RunError, match=words):
            start(work, box(), place, given)


def test_steps_that_wait_for_each_other_are_refused(place: Path) -> None:
    with pytest.raises(WorkflowError, match="wait for each other"):
        start(workflow(step("a#1", "b#1"), step("b#1", "a#1")), Box(a=int, b=int), place)


def test_a_partial_workflow_hands_over(place: Path) -> None:
    assert start(workflow(step("a#1"), partial=True), Box(a=lambda: 1), place).status == "handed_over"


def test_a_toolbox_that_breaks_its_word_does_no_more_harm(place: Path) -> None:
    def broken() -> None:
        raise ZeroDivisionError("secret words")

    outcome = start(workflow(step("a#1")), Box(a=broken), place)
    assert outcome.escalation is not None
    assert "secret words" not in outcome.escalation.message
    strange = start(workflow(step("a#1")), Box(a=lambda: object()), place, run="strange")
    assert strange.escalation is not None
    assert strange.escalation.code == "tool_error_after_retry"


def test_a_run_that_is_ended_from_outside_leaves_its_write_in_doubt(place: Path) -> None:
    heard: list[str] = []

    async def slow() -> int:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            heard.append("ended")
            raise
        return 1

    work, tools = workflow(step("slow#1", effect=WRITE)), Box(slow=slow)
    engine = EmbeddedEngine()

    async def go() -> None:
        await asyncio.wait_for(engine.start(work, tools, {}, place=str(place), run="r", policy=YES), 0.2)

    with pytest.raises(TimeoutError):
        asyncio.run(go())
    assert heard == ["ended"]
    outcome = resume(work, tools, place)
    assert outcome.escalation is not None
    assert (outcome.escalation.code, len(tools.calls)) == ("in_doubt", 1)


def test_a_reader_that_now_says_it_writes_is_not_called(place: Path) -> None:
    spec = ToolSpec(name="find", hints={"readOnlyHint": False})
    for basis, wanted in (("lexicon", "escalated"), ("configured", "done")):
        tools = Box({"find": spec}, find=lambda: 1)
        outcome = start(workflow(step("find#1", effect=Effect("read", basis))), tools, place, run=basis)
        assert outcome.status == wanted
