"""Are inputs held against their types, and does a secret among them stay out of all that is written?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compile.execution import WRITE, Box, bound, resume, start, step, workflow
from tracelode.compile.execute.given import check, parts, secrets
from tracelode.compile.execute.secret import hidden, masked, shown
from tracelode.errors import InputError, RunError, ToolFailed, UsageError
from tracelode.model import binding as b
from tracelode.model.execution import Reply
from tracelode.model.workflow import Input

KEY = "AKIA" + "Q3EXAMPLE7ZK2WVT"
"""Shaped like a key, and nobody's."""


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "tomorrow"),
        ("date", "2027-13-45"),
        ("date", "2027-02-29"),
        ("date", "2027-03-02\n"),
        ("date", 20270302),
        ("time", "25:00"),
        ("time", "9:30"),
        ("integer", 1.5),
        ("integer", True),
        ("integer", 2**63),
        ("number", float("nan")),
        ("number", float("inf")),
        ("number", "1"),
        ("boolean", "true"),
        ("boolean", 1),
        ("list", "a,b"),
        ("list", [1, ["a\x00b"]]),
        ("list", [float("nan")]),
        ("string", 5),
        ("string", None),
        ("string", "a\x1b[31mb"),
        ("string", "a\rb"),
        ("string", "a\ud800b"),
        ("string", "\ue000secret:x\ue001"),
        ("string", ""),
        ("string", " \t"),
        ("string", "T-1\nBcc: x"),
        ("string", "T-1\u202e"),
        ("string", "T\u200b-1"),
        ("string", "T" * 100_001),
        ("list", ["T-1", "  "]),
    ],
)
def test_a_value_of_another_type_is_refused(kind: str, value: Any) -> None:
    work = workflow("a#1", inputs=(Input(name="day", type=kind),))
    with pytest.raises(InputError, match=f"input day must be of type {kind}") as raised:
        check(work, {"day": value})
    assert isinstance(raised.value, UsageError)
    assert "tomorrow" not in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "2028-02-29"),
        ("time", "23:59"),
        ("integer", -(2**63)),
        ("number", 3),
        ("number", 0.5),
        ("boolean", False),
        ("list", []),
        ("string", "one line\tand a tab"),
    ],
)
def test_a_value_of_the_type_is_taken(kind: str, value: Any) -> None:
    check(workflow("a#1", inputs=(Input(name="day", type=kind),)), {"day": value})


def test_what_a_run_had_may_be_given_again() -> None:
    check(
        workflow("a#1", inputs=(Input(name="day", type="string", multiline=True),)), {"day": "two\r\nlines"}
    )
    check(workflow("a#1", inputs=(Input(name="day", type="string", blank=True),)), {"day": ""})


def test_what_looks_like_a_secret_is_one_though_it_is_not_marked() -> None:
    work = workflow("a#1", inputs=("why", "name"))
    assert secrets(work, {"why": KEY, "name": "Jo"}) == {"why"}
    assert secrets(work, {"why": f"use {KEY} for it", "name": "AKIA"}) == {"why"}
    assert secrets(work, {"why": "jo@example.org", "name": "[secret:none]"}) == frozenset()
    assert parts(f"use {KEY} for it") == [f"use {KEY} for it", KEY]


def test_every_part_of_a_secret_is_hidden_and_comes_back() -> None:
    given: dict[str, Any] = {"why": f"use {KEY} for it", "more": [KEY[::-1], {"a": "other words"}]}
    tree = {"echo": f"got {KEY}", KEY[::-1]: [f"use {KEY} for it", "other words", 5]}
    safe = hidden(tree, given)
    assert KEY not in repr(safe)
    assert KEY[::-1] not in repr(safe)
    assert shown(safe, given) == tree
    assert KEY not in repr(masked(tree, given))
    assert "[secret:why]" in repr(masked(tree, given))
    assert masked({"n": 123456, "m": 7}, {"pin": 123456}) == {"n": "[secret:pin]", "m": 7}


def test_a_secret_that_is_not_marked_is_written_nowhere(tmp_path: Path) -> None:
    place = tmp_path / "journal.sqlite"
    sent: list[str] = []

    def send(why: str) -> None:
        sent.append(why)
        raise ToolFailed(f"no room for {why}", kind="full")

    work = workflow(
        step("find#1", arguments=bound(why=b.FromInput("why"))),
        step("send#1", "find#1", effect=WRITE, order=1, arguments=bound(why=b.FromInput("why"))),
        inputs=("why",),
    )
    box = Box(find=lambda why: {"echo": f"{why}!"}, send=send)
    outcome = start(work, box, place, {"why": KEY})
    assert (outcome.status, sent) == ("escalated", [KEY])
    assert KEY not in repr(outcome.escalation)
    assert KEY not in repr(outcome.question)
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.iterdir())
    with pytest.raises(RunError, match="once more: why"):
        resume(work, box, place)
    with pytest.raises(InputError, match="input why"):
        resume(work, box, place, secrets={"why": 5})
    done = resume(work, box, place, secrets={"why": KEY}, reply=Reply(by="person", action="output", value=1))
    assert done.outputs["find#1"] == {"echo": f"{KEY}!"}
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.iterdir())
