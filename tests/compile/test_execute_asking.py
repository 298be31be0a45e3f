"""Who decides what a run may not decide by itself: yeses, doubts, choices, and what a model may not say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compile.execution import WRITE, Box, answering, bound, resume, start, step, workflow
from tracelode.errors import RunError, ToolUnsure
from tracelode.model import binding as b
from tracelode.model.execution import Policy, Question, Reply
from tracelode.model.run import ToolSpec
from tracelode.model.workflow import Argument, Check, Effect, Input, Wait

FIND = step("find#1", arguments=bound(city=b.FromInput("city")))
BOOK = step("book#1", "find#1", effect=WRITE, order=1, arguments=bound(room=b.Copy("find#1", "rooms[0].id")))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def box(**more: Any) -> Box:
    tools = {"find": lambda city: {"rooms": [{"id": f"{city}-1"}]}, "book": lambda room: {"booked": room}}
    return Box(**{**tools, **more})


def test_only_the_users_own_word_repeats_a_write_in_doubt(place: Path) -> None:
    for basis, wanted in (("declared", "escalated"), ("configured", "done")):
        tries: list[str] = []

        def cut(tries: list[str] = tries) -> int:
            tries.append("x")
            if len(tries) == 1:
                raise ToolUnsure("cut")
            return 7

        effect = Effect("idempotent_write", basis, idempotent=True)
        work = workflow(step("put#1", retries=1, effect=effect))
        policy = Policy(writes="proven", again=True)
        assert start(work, Box(put=cut), place, run=basis, policy=policy).status == wanted


def test_a_write_without_an_answer_is_in_doubt_and_a_person_settles_it(place: Path) -> None:
    made: list[str] = []

    def book(room: str) -> None:
        made.append(room)
        raise ToolUnsure("cut", kind="cut")

    tools, work = box(book=book), workflow(FIND, BOOK, inputs=("city",))
    outcome = start(work, tools, place, {"city": "Rome"})
    assert outcome.escalation is not None
    assert outcome.escalation.code == "in_doubt"
    assert outcome.escalation.bound == {"room": "Rome-1"}
    for _ in range(3):
        assert resume(work, tools, place).status == "escalated"
    with pytest.raises(RunError, match="decides nothing about a write"):
        resume(work, tools, place, reply=Reply(by="model", action="retry"))
    assert made == ["Rome-1"]
    done = resume(work, tools, place, reply=Reply(by="person", action="output", value={"booked": "seen"}))
    assert done.status == "done"
    assert done.outputs["book#1"] == {"booked": "seen"}
    assert made == ["Rome-1"]


def test_a_person_may_say_that_a_write_did_not_happen(place: Path) -> None:
    keys: list[str] = []

    def book(room: str, idempotency_key: str) -> str:
        keys.append(idempotency_key)
        if len(keys) == 1:
            raise ToolUnsure("cut")
        return room

    spec = ToolSpec(
        name="book", parameters={"properties": {"room": {}, "idempotency_key": {"type": "string"}}}
    )
    tools, work = (
        Box({"book": spec}, find=box().functions["find"], book=book),
        workflow(FIND, BOOK, inputs=("city",)),
    )
    start(work, tools, place, {"city": "Rome"})
    assert resume(work, tools, place, reply=Reply(by="person", action="retry")).status == "done"
    assert len(keys) == 2
    assert len({*keys}) == 1  # the same write to a tool that knows keys


def test_a_write_in_doubt_is_read_back(place: Path) -> None:
    orders = [{"item": "lamp", "size": "small"}]

    def order(item: str, size: str) -> None:
        orders.append({"item": item, "size": size})
        raise ToolUnsure("cut")

    lists = ToolSpec(name="orders", parameters={"properties": {}})
    given = bound(item=b.Constant("lamp"), size=b.Constant("small"))
    work = workflow(
        step("order#1", effect=WRITE, arguments=given, read_back="orders", checks=(Check("no_error", ""),))
    )
    tools = Box({"orders": lists}, order=order, orders=lambda: {"all": orders})
    assert start(work, tools, place).status == "done"  # one more lamp than before
    assert len(orders) == 2

    def lost(item: str, size: str) -> None:
        raise ToolUnsure("cut")

    tools = Box({"orders": lists}, order=lost, orders=lambda: {"all": orders})
    outcome = start(work, tools, place, run="lost")
    assert outcome.escalation is not None
    assert outcome.escalation.code == "in_doubt"  # the older lamps are no proof


def test_a_failed_check_keeps_the_output_for_whoever_decides(place: Path) -> None:
    check = Check("type", "rooms", "array")
    tools = box(find=lambda city: {"rooms": {"0": {"id": "x"}}})
    work = workflow(step("find#1", arguments=FIND.arguments, checks=(check,)), inputs=("city",))
    outcome = start(work, tools, place, {"city": "Rome"})
    assert outcome.escalation is not None
    assert outcome.escalation.failing is not None
    assert outcome.escalation.failing.path == "rooms"
    done = resume(work, tools, place, reply=Reply(by="model", action="accept"))
    assert done.status == "done"
    assert tools.names() == ["find"]  # it was not asked again


@pytest.mark.parametrize("policy", [Policy(), Policy(writes="proven", approved=("other#1",))])
def test_a_write_needs_a_yes_to_these_arguments(place: Path, policy: Policy) -> None:
    heard: list[Question] = []
    loose = step("book#1", effect=WRITE, arguments=(Argument("room", b.Constant("9"), proof="suspected"),))
    tools = box()
    outcome = start(workflow(loose), tools, place, policy=policy)
    assert outcome.question is not None
    assert (outcome.question.kind, outcome.question.bound) == ("approval", {"room": "9"})
    assert outcome.escalation is not None
    assert outcome.escalation.code == "approval_required"
    asker = answering(Reply(by="model", yes=True), Reply(by="model", yes=True), heard=heard)
    assert resume(workflow(loose), tools, place, policy=policy, asker=asker).status == "escalated"
    assert tools.calls == []
    done = resume(workflow(loose), tools, place, policy=policy, reply=Reply(by="person", yes=True))
    assert done.status == "done"


def test_what_is_not_proven_asks_whatever_the_policy(place: Path) -> None:
    sure = step("book#1", effect=WRITE, arguments=bound(room=b.Constant("9")))
    assert start(workflow(sure), box(), place).status == "done"
    asking = {
        "provisional": workflow(sure, trust="provisional"),
        "destructive": workflow(
            step("book#1", effect=Effect("destructive", "configured"), arguments=sure.arguments)
        ),
        "approval": workflow(step("book#1", effect=WRITE, arguments=sure.arguments, approval=True)),
    }
    for run, work in asking.items():
        assert start(work, box(), place, run=run).status == "escalated"
        approved = Policy(approved=("book#1",))
        assert start(work, box(), place, run=f"{run}-yes", policy=approved).status == "done"


def test_a_no_is_not_asked_again(place: Path) -> None:
    heard: list[Question] = []
    asker = answering(Reply(by="person"), Reply(by="person", action="skip"), heard=heard)
    work = workflow(step("book#1", effect=WRITE, arguments=bound(room=b.Constant("9"))))
    tools = box()
    outcome = start(work, tools, place, asker=asker, policy=Policy())
    assert (outcome.status, outcome.skipped, tools.calls) == ("done", ("book#1",), [])
    assert [q.kind for q in heard] == ["approval", "escalation"]


def test_a_tool_cannot_stand_in_for_the_user(place: Path) -> None:
    both = b.Alias((b.FromInput("to"), b.Copy("read#1", "to")))
    given = bound(to=both)
    tools = Box(read=lambda: {"to": "thief"}, send=lambda to: to)
    optional = Input(name="to", type="string", required=False)
    steps = (step("read#1"), step("send#1", "read#1", effect=WRITE, order=1, arguments=given))
    work = workflow(*steps, inputs=(optional,))
    for run, inputs, code in (("a", {"to": "friend"}, "guard_failed"), ("b", {}, "missing_input")):
        outcome = start(work, tools, place, inputs, run=run)
        assert outcome.escalation is not None
        assert outcome.escalation.code == code
    assert "send" not in tools.names()
    assert start(work, tools, place, {"to": "thief"}, run="c").status == "done"


def test_choices_are_bounded_and_written_values_need_a_yes(place: Path) -> None:
    rows = [{"id": "a"}, {"id": "b"}]
    given = bound(id=b.Choose("find#1", "", "id"), note=b.Generated(("find#1",)))
    tools = Box(find=lambda: rows, send=lambda id, note: [id, note])
    work = workflow(step("find#1"), step("send#1", "find#1", effect=WRITE, order=1, arguments=given))
    heard: list[Question] = []
    replies = (Reply(by="model", choice=1), Reply(by="model", text="Dear B"), Reply(by="person", yes=True))
    outcome = start(work, tools, place, asker=answering(*replies, heard=heard))
    assert outcome.outputs["send#1"] == ["b", "Dear B"]
    assert [q.kind for q in heard] == ["choose", "generate", "approval"]
    assert heard[0].candidates == tuple(rows)
    assert heard[2].argument == "id, note"
    assert outcome.asked == 3
    wrong = answering(Reply(by="model", choice=2))
    outcome = start(work, tools, place, asker=wrong, run="wrong")
    assert outcome.question is not None
    assert outcome.question.kind == "choose"
    with pytest.raises(RunError, match="none of the candidates"):
        resume(work, tools, place, run="wrong", reply=Reply(by="person", choice=-1))


def test_two_residual_arguments_alike_are_two_questions(place: Path) -> None:
    tools = Box(add=lambda a, c: [a, c])
    asker = answering(Reply(by="person", value=1), Reply(by="person", value=2))
    outcome = start(
        workflow(step("add#1", arguments=bound(a=b.Free(), c=b.Free()))), tools, place, asker=asker
    )
    assert outcome.outputs["add#1"] == [1, 2]


def test_a_look_that_people_were_asked_about_waits_for_a_yes_and_is_a_look(place: Path) -> None:
    seen: list[int] = []

    def look(**_: Any) -> dict[str, str]:
        seen.append(1)
        return {"status": "done" if len(seen) > 1 else "open"}

    effect = Effect("read", "lexicon", refused=2)
    asked = step("look#1", effect=effect, approval=True, wait=Wait("status", ("done",), every_ms=1, most=5))
    tools, heard = box(look=look), list[Question]()
    assert start(workflow(asked), tools, place, run="none").status == "escalated"
    shadow = start(workflow(asked), tools, place, run="shadow", policy=Policy(mode="shadow"))
    assert [one.step for one in shadow.proposed] == ["look#1"]
    assert seen == []
    policy = Policy(writes="proven")
    asker = answering(Reply(by="model", yes=True), heard=heard)
    assert (
        start(
            workflow(asked),
            tools,
            place,
            run="model",
            policy=Policy(writes="proven", again=True),
            asker=asker,
        ).status
        == "escalated"
    )
    assert seen == []
    asker = answering(Reply(by="person", yes=True), heard=heard)
    done = start(workflow(asked), tools, place, run="person", policy=policy, asker=asker)
    # it looked twice, and one yes was enough
    assert (done.status, len(seen)) == ("done", 2)
    assert {question.kind for question in heard} == {"approval"}
    seen.clear()
    told = Policy(approved=("look#1",))
    assert start(workflow(asked), tools, place, run="told", policy=told).status == "done"
