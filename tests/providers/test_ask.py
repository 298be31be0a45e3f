"""Do a person and a model answer within bounds, and is nothing sent that nobody asked for?"""

from __future__ import annotations

import asyncio
import io
from typing import Any

import msgspec
import pytest

from tracelode.errors import ProviderError
from tracelode.model.answer import Answer, Request
from tracelode.model.execution import Escalation, Question, Reply
from tracelode.providers.ask_model import AskModel, in_turn
from tracelode.providers.ask_terminal import Terminal

CHOOSE = Question(
    key="k", kind="choose", step="s#1", tool="s", argument="id", candidates=({"id": 1}, {"id": 2})
)
APPROVE = Question(key="k", kind="approval", step="s#1", tool="s", bound={"to": "x\x1b[2J"}, effect="append")
TEXT = Question(key="k", kind="generate", step="s#1", tool="s", argument="note", context={"a#1": "hello"})
VALUE = Question(key="k", kind="value", step="s#1", tool="s", argument="n", schema={"type": "integer"})


def escalated(writes: bool) -> Question:
    asked = Escalation(code="guard_failed", step="s#1", writes=writes, remaining=("s#1",), bound={"a": 1})
    return Question(key="k", kind="escalation", step="s#1", tool="s", escalation=asked)


class Model:
    """A provider that gives these answers, and notes what it was sent."""

    backend, model, place = "openai", "m", "nowhere"

    def __init__(self, *answers: str | ProviderError) -> None:
        self.answers, self.sent = list(answers), list[Request]()

    def complete(self, request: Request) -> Answer:
        self.sent.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, ProviderError):
            raise answer
        return Answer(text=answer, tokens_in=10, tokens_out=2)


def model(question: Question, *answers: Any) -> tuple[Reply | None, Model]:
    provider = Model(*answers)
    return asyncio.run(AskModel(provider)(question)), provider  # type: ignore[arg-type]


def person(question: Question, *lines: str) -> tuple[Reply | None, str]:
    sink = io.StringIO()
    reply = asyncio.run(Terminal(io.StringIO("".join(f"{line}\n" for line in lines)), sink)(question))
    return reply, sink.getvalue()


def test_a_model_picks_one_of_the_candidates_or_none() -> None:
    assert model(CHOOSE, '{"choice": 1}')[0] == Reply(by="model", choice=1)
    reply, asked = model(CHOOSE, '{"choice": 2}', "nonsense", '```json\n{"choice": 0}\n```')
    assert reply == Reply(by="model", choice=0)
    assert len(asked.sent) == 3
    assert "0 to 1" in asked.sent[1].turns[-1].text
    assert model(CHOOSE, '{"choice": null}')[0] is None
    assert model(CHOOSE, *['{"choice": true}'] * 3)[0] is None


def test_a_model_writes_texts_and_values() -> None:
    assert model(TEXT, '{"text": "Dear"}')[0] == Reply(by="model", text="Dear")
    assert model(VALUE, '{"json": "5"}')[0] == Reply(by="model", value=5)
    assert model(VALUE, *['{"json": "{"}'] * 3)[0] is None


def test_a_model_is_not_asked_about_writes() -> None:
    for question in (APPROVE, escalated(writes=True)):
        reply, asked = model(question)
        assert reply is None
        assert asked.sent == []
    assert model(escalated(writes=False), '{"action": "retry", "json": null}')[0] == Reply(
        by="model", action="retry"
    )
    given = model(escalated(writes=False), '{"action": "output", "json": "[1]"}')[0]
    assert given == Reply(by="model", action="output", value=[1])


def test_a_model_that_cannot_be_asked_leaves_it_open() -> None:
    assert model(CHOOSE, ProviderError("down"))[0] is None


def test_secrets_of_outputs_are_not_sent() -> None:
    key = "sk-ant-api03-" + "Ab9" * 31
    question = Question(key="k", kind="generate", step="s#1", tool="s", context={"a#1": f"key {key}"})
    _, asked = model(question, '{"text": "x"}')
    assert key not in asked.sent[0].turns[0].text


def test_a_person_answers_plainly() -> None:
    assert person(APPROVE, "yes")[0] == Reply(by="person", yes=True)
    assert person(APPROVE, "y")[0] == Reply(by="person", yes=True)
    assert person(APPROVE, "N")[0] == Reply(by="person", yes=False)
    reply, shown = person(APPROVE, "sure", "no")
    assert reply == Reply(by="person", yes=False)
    assert "cannot be taken" in shown
    assert "\x1b" not in shown
    assert person(APPROVE, "")[0] is None
    assert person(APPROVE)[0] is None
    assert person(CHOOSE, "2", "1")[0] == Reply(by="person", choice=1)
    assert person(CHOOSE, "none")[0] == Reply(by="person")
    assert person(TEXT, "Dear you")[0] == Reply(by="person", text="Dear you")
    assert person(VALUE, "5")[0] == Reply(by="person", value=5)


@pytest.mark.parametrize("writes", [True, False])
def test_a_person_decides_how_to_go_on(writes: bool) -> None:
    reply, shown = person(escalated(writes), "output", '{"id": 1}')
    assert reply == Reply(by="person", action="output", value={"id": 1})
    assert "called with" in shown
    assert person(escalated(writes), "retry")[0] == Reply(by="person", action="retry")


def test_who_is_asked_first_need_not_know() -> None:
    async def silent(_: Question) -> Reply | None:
        return None

    async def sure(_: Question) -> Reply | None:
        return Reply(by="person", yes=True)

    assert asyncio.run(in_turn(silent, sure)(APPROVE)) == Reply(by="person", yes=True)
    assert asyncio.run(in_turn(silent)(APPROVE)) is None


def test_a_person_is_told_what_accepting_means_of_what_ran_out() -> None:
    asked = msgspec.structs.replace(escalated(writes=True).escalation, code="stale")
    question = msgspec.structs.replace(escalated(writes=True), escalation=asked)
    reply, shown = person(question, "accept")
    assert reply == Reply(by="person", action="accept")
    assert "accept  what it copies holds all the same: call it" in shown
    assert "right as it is" in person(escalated(writes=True), "")[1]
