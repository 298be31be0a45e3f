"""Does an emitted module take an answer for no more than it says, whatever is asked?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from compile.emitting import GIVEN, STEPS, Hotels, arg, bookings, loaded
from tracelode.model import binding as b
from tracelode.model.workflow import ESCALATIONS, Effect, Fresh, Step, Workflow

READ = Effect("read", "declared")
CITY = {"id": "c1", "kind": "city"}


def last(*arguments: Any) -> Workflow:
    """One more read after all others."""
    step = Step(slot="more#1", tool="more", arguments=arguments, effect=READ, order=9)
    return bookings(steps=(*STEPS, step), edges=())


def chosen(binding: b.Binding) -> Workflow:
    """Finds a city, then passes what a binding says."""
    step = Step(slot="more#1", tool="more", arguments=(arg("id", binding),), effect=READ, order=9)
    return bookings(steps=(STEPS[0], step), edges=())


IN = b.Selected("find_city#1", "results", (b.Where("kind", "eq", b.Constant("city")),), "id")
CASES: dict[str, tuple[str, Workflow, dict[str, Any], dict[str, Any]]] = {
    "guard_failed": ("find_city#1", bookings(), {"find_city": {"results": []}}, {}),
    "unseen_branch": ("more#1", last(arg("x", b.Copy("add_note#1", ""))), {}, {"late": False}),
    "empty_selection": (
        "search_hotels#1",
        bookings(),
        {"find_city": {"results": [{"id": "r", "kind": "region"}]}},
        {},
    ),
    "ambiguous_selection": (
        "more#1",
        chosen(IN),
        {"find_city": {"results": [CITY, {**CITY, "id": "c2"}]}},
        {},
    ),
    "tool_error_after_retry": ("find_city#1", bookings(), {"find_city": OSError("?")}, {}),
    "approval_required": ("book#1", bookings(), {}, {"approved": ()}),
    "missing_input": ("add_note#1", bookings(), {}, {"late": None}),
    "in_doubt": ("book#1", bookings(), {"book": OSError("?")}, {}),
    "stale": (
        "more#1",
        bookings(
            steps=(
                STEPS[0],
                Step(
                    slot="more#1",
                    tool="more",
                    arguments=(arg("id", b.Copy("find_city#1", "results[0].id")),),
                    effect=READ,
                    order=9,
                    fresh=(Fresh("find_city#1", b.Copy("find_city#1", "expires_at"), "moment"),),
                ),
            ),
            edges=(),
        ),
        {"find_city": {"results": [CITY], "expires_at": "2020-01-01T00:00:00Z"}, "more": "found"},
        {},
    ),
    "decision_required": ("more#1", chosen(b.Choose("find_city#1", "results", "id")), {}, {}),
}
"""Code to the step that stands still, its workflow, what tools answer, and what is given otherwise."""
ANSWERS: dict[str, Callable[[Any], Any]] = {
    "yes": lambda m: True,
    "no": lambda m: False,
    "retry": lambda m: m.RETRY,
    "skip": lambda m: m.SKIP,
    "accept": lambda m: m.ACCEPT,
    "stop": lambda m: m.STOP,
    "output": lambda m: m.Output({"told": 1}),
    "value": lambda m: m.Value(1),
    "none": lambda m: None,
    "one": lambda m: 1,
    "zero": lambda m: 0,
    "text": lambda m: "yes",
    "object": lambda m: {"output": {"told": 1}},
    "list": lambda m: [True],
    "class": lambda m: m.Output,
}


class Asked:
    """Gives one answer first, and then stop."""

    def __init__(self, module: Any, answer: Any) -> None:
        self.module, self.answer, self.seen = module, answer, []

    async def __call__(self, escalation: Any) -> Any:
        self.seen.append(escalation)
        return self.answer if len(self.seen) == 1 else self.module.STOP


def done(code: str, answer: str) -> tuple[Any, Asked, Hotels, Any, dict[str, Any]]:
    """Run a case: (module, what was asked, calls, how it stopped or None, outputs)."""
    _, workflow, answers, more = CASES[code]
    tools = Hotels()
    tools.answers.update(answers)
    module = loaded(workflow)
    given = {**GIVEN, "approved": ["book#1"], **more}
    given = {name: value for name, value in given.items() if value is not None}
    asked = Asked(module, ANSWERS[answer](module))
    try:
        outputs = asyncio.run(module.ENTRY(tools, **given, escalate=asked))
    except module.Stopped as stop:
        return module, asked, tools, stop, stop.completed
    return module, asked, tools, None, outputs


def test_every_code_that_a_module_can_raise_is_tried() -> None:
    # a module knows neither schemas of tools nor a budget
    assert {*CASES} == {*ESCALATIONS} - {"schema_changed", "budget"}


@pytest.mark.parametrize("code", CASES)
@pytest.mark.parametrize("answer", ANSWERS)
def test_only_an_answer_of_its_form_is_taken(code: str, answer: str) -> None:
    _, asked, tools, stop, outputs = done(code, answer)
    first, slot = asked.seen[0], CASES[code][0]
    assert (first.code, first.step) == (code, slot)
    if answer in first.answers and answer not in ("no", "stop"):
        return
    assert stop is not None
    assert len(asked.seen) == 1
    assert (stop.code, stop.step) == (code, slot)
    assert outputs == first.completed
    assert slot not in outputs
    if code == "approval_required":
        assert "book" not in [name for name, _ in tools.calls]
    words = {"no": "a person said no", "stop": "said to stop"}
    if answer in words and (answer == "stop" or "no" in first.answers):
        assert words[answer] in stop.what
    else:
        assert "is no answer to it; answers: " in stop.what


@pytest.mark.parametrize("code", [c for c in CASES if c not in ("approval_required", "decision_required")])
def test_an_override_does_what_it_says_and_no_more(code: str) -> None:
    slot, _, answers, _ = CASES[code]
    _, _, _, _, outputs = done(code, "output")
    assert outputs[slot] == {"told": 1}
    _, asked, _, stop, outputs = done(code, "skip")
    assert slot not in outputs
    if stop is not None:
        assert slot in stop.skipped
    _, asked, _, stop, outputs = done(code, "retry")
    assert [one.code for one in asked.seen[:2]] == [code, code]
    assert stop is not None
    assert slot not in outputs
    _, asked, _, _, outputs = done(code, "accept")
    assert (slot in outputs) == (code in ("guard_failed", "stale"))
    if code == "stale":
        assert outputs[slot] == "found"
    if code == "guard_failed":
        assert outputs[slot] == answers["find_city"]


def test_yes_makes_the_write_and_no_ends_the_run_before_it() -> None:
    _, _, tools, stop, outputs = done("approval_required", "yes")
    assert stop is None
    assert outputs["book#1"]["status"] == "booked"
    _, _, tools, stop, outputs = done("approval_required", "no")
    assert "book" not in [name for name, _ in tools.calls]
    assert list(outputs) == [s.slot for s in STEPS[:-1]]
    assert str(stop) == "book#1: approval_required: a person said no to the call"


def test_a_yes_to_all_lets_nothing_pass_but_a_call() -> None:
    """Neither a failed guard nor a doubt nor a decision becomes true."""
    for code in CASES:
        _, _, _, stop, outputs = done(code, "yes")
        assert True not in outputs.values()
        assert (stop is None) == (code == "approval_required")


def test_a_value_is_the_place_of_a_candidate_and_one_outside_is_asked_again() -> None:
    _, _, tools, stop, _ = done("decision_required", "value")
    assert stop is None
    assert tools.calls[-1] == ("more", {"id": "c1"})


def test_an_endless_retry_ends() -> None:
    tools, seen = Hotels(), []
    tools.answers["find_city"] = {"results": []}
    module = loaded(bookings())

    async def again(escalation: Any) -> Any:
        seen.append(escalation)
        return module.RETRY

    with pytest.raises(module.Stopped, match="though it was tried again 10 times"):
        asyncio.run(module.ENTRY(tools, **GIVEN, escalate=again))
    assert len(seen) == 11


def test_the_elements_that_are_done_are_told_when_a_loop_stops() -> None:
    module, tools = loaded(bookings()), Hotels()

    async def call(name: str, arguments: Any) -> Any:
        if name == "get_hotel" and arguments["id"] == "h3":
            raise module.ToolFailed
        return await tools(name, arguments)

    with pytest.raises(module.Escalation) as stop:
        asyncio.run(module.ENTRY(call, **GIVEN))
    assert stop.value.step == "get_hotel#1"
    assert [one["id"] for one in stop.value.partly] == ["h1", "h2"]
    assert "get_hotel#1" not in stop.value.completed
    assert stop.value.answers == ("output", "retry", "skip", "stop")


def test_a_write_that_somebody_decided_to_take_needs_a_yes_always() -> None:
    from tracelode.model import workflow as model

    when = model.Guard((model.Test(b.Free(), "eq", b.Constant(True)),))
    import msgspec

    book = msgspec.structs.replace(STEPS[-1], when=when)
    module = loaded(bookings(steps=(*STEPS[:-1], book), edges=()))
    seen = []

    async def answer(escalation: Any) -> Any:
        seen.append(escalation.code)
        return True if escalation.code == "approval_required" else module.Value(True)

    asyncio.run(module.ENTRY(Hotels(), **GIVEN, escalate=answer, approved=["book#1"]))
    assert seen == ["decision_required", "approval_required"]
