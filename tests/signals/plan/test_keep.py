"""Is what plans need kept of every tool's call, bounded and redacted, whatever the call holds?"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.build import raw
from tracelode.redact.fast import Redactor
from tracelode.signals.plan import keep as module
from tracelode.signals.plan.keep import (
    answered,
    enrich_plan,
    keep,
    keep_again,
    keep_handoff,
    kept_of,
    outcome,
)
from tracelode.signals.plan.kept import Item, packed, unpacked
from tracelode.signals.plan.status import CLOSED, closed

PLAIN = Redactor("summary")
SECRET = "sk-proj-" + "Zq83hTnMw1" * 4


def kept(tool: str, given: Any, redactor: Redactor = PLAIN) -> tuple[Item, ...]:
    """Items kept of a call."""
    return unpacked(keep(tool, json.dumps(given), redactor.start, redactor.text)).items


SHAPES = [
    ("TodoWrite", {"todos": [{"content": "Fix it", "status": "in_progress", "activeForm": "Fixing it"}]}),
    ("todowrite", {"todos": [{"content": "Fix it", "status": "in_progress", "priority": "high"}]}),
    ("write_todos", {"todos": [{"description": "Fix it", "status": "in_progress"}]}),
    ("update_plan", {"explanation": "next", "plan": [{"step": "Fix it", "status": "in_progress"}]}),
    ("task_tracker", {"command": "plan", "task_list": [{"id": "1", "title": "Fix it", "status": "doing"}]}),
    ("plan", {"entries": [{"content": "Fix it", "priority": "high", "status": "in_progress"}]}),
]


@pytest.mark.parametrize(("tool", "given"), SHAPES, ids=[tool for tool, _ in SHAPES])
def test_lists_of_many_tools(tool: str, given: dict[str, Any]) -> None:
    (item,) = kept(tool, given)
    assert (item.text, item.status) == ("Fix it", "in_progress")
    assert item.digest == kept("TodoWrite", {"todos": [{"content": "fix IT."}]})[0].digest


def test_items_without_a_state_and_with_a_tick() -> None:
    rows = kept("plan", {"items": [{"text": "a", "completed": True}, {"text": "b", "completed": False}, "c"]})
    assert [(r.text, r.status) for r in rows] == [("a", "completed"), ("b", "pending"), ("c", "")]


def test_a_task_and_the_id_that_the_result_gives() -> None:
    field = keep("TaskCreate", '{"subject":"Fix it","description":"all of it"}', PLAIN.start, PLAIN.text)
    done = answered(field, "Task #12 created successfully: Fix it", PLAIN.start, PLAIN.text)
    assert unpacked(done).items[0] == Item(text="Fix it", digest=unpacked(field).items[0].digest, id="12")
    assert answered(field, "No.", PLAIN.start, PLAIN.text) == field
    assert answered(done, "Task #13 created", PLAIN.start, PLAIN.text) == done


def test_changes_of_a_task() -> None:
    given = {"taskId": 5, "status": "deleted", "description": "x", "addBlockedBy": ["1", 2], "addBlocks": "3"}
    (item,) = kept("TaskUpdate", given)
    assert item == Item(status="removed", id="5", native="deleted", after=("1", "2"))


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("User has approved your plan. You can now start coding.", "approve"),
        ("It was rejected. To tell you how to proceed, the user said:\nno", "changes"),
        ("The user provided the following reason for the rejection:  no", "changes"),
        ("It was rejected. STOP what you are doing and wait", "stop"),
        ("Error: no plan file", ""),
    ],
)
def test_a_persons_word_on_a_plan(result: str, expected: str) -> None:
    assert outcome(result) == expected


def test_a_plan_is_known_by_its_beginning() -> None:
    plan = "# Move the table\n\n" + "1. Copy the rows.\n" * 20

    def hash_of(text: str) -> str:
        return unpacked(keep("ExitPlanMode", json.dumps({"plan": text}), PLAIN.start, PLAIN.text)).hash

    brought = unpacked(
        keep_handoff(f"Implement the following plan:\n\n{plan}\n\nmore words", PLAIN.start, PLAIN.text)
    )
    assert brought.hash == hash_of(plan) == hash_of(plan.upper() + "other end")
    assert hash_of("# Move the index") != brought.hash
    assert keep_handoff("Please implement the following plan:", PLAIN.start, PLAIN.text) == ""


def test_what_is_kept_is_bounded() -> None:
    todos = [{"content": f"{i} " + "word " * 5_000, "status": "pending"} for i in range(1_000)]
    field = keep("TodoWrite", json.dumps({"todos": todos}), PLAIN.start, PLAIN.text)
    stored = unpacked(field)
    assert (len(stored.items), stored.left) == (module.ITEMS, 800)
    assert max(len(item.text) for item in stored.items) == module.TEXT
    assert len(field) < 300 * module.ITEMS


BROKEN = [
    "",
    "{",
    "[]",
    "null",
    '"x"',
    "{}",
    '{"todos": 3}',
    '{"todos": [3, null, []]}',
    "[" * 5_000,
    "\ud800",
]


@pytest.mark.parametrize("arguments", BROKEN, ids=range(len(BROKEN)))
@pytest.mark.parametrize("tool", ["TodoWrite", "TaskCreate", "TaskUpdate", "ExitPlanMode", "TaskList"])
def test_broken_arguments_say_nothing(tool: str, arguments: str) -> None:
    stored = unpacked(keep(tool, arguments, PLAIN.start, PLAIN.text))
    assert not any(item.text or item.digest for item in stored.items)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["content", "status", "taskId", "todos", "plan", "subject"]), inner)
    ),
    max_leaves=12,
)


@given(st.sampled_from(["TodoWrite", "TaskCreate", "TaskUpdate", "ExitPlanMode", "other"]), VALUES)
def test_no_arguments_break_it(tool: str, given: Any) -> None:
    field = keep(tool, json.dumps(given), PLAIN.start, PLAIN.text)
    assert packed(unpacked(field)) == field
    for item in unpacked(field).items:
        assert item.status in ("", *CLOSED)


@pytest.mark.parametrize("mode", ["summary", "metadata", "full"])
def test_no_secret_is_kept(mode: str) -> None:
    redactor = Redactor(mode, ("annabellemuster",))
    texts = [f"Rotate {SECRET}", f"Write to anna@example.org about /home/annabellemuster/{SECRET}"]
    fields = [
        keep("TodoWrite", json.dumps({"todos": [{"content": t, "status": t, "id": t} for t in texts]}),
             redactor.start, redactor.text),
        keep("TaskUpdate", json.dumps({"taskId": SECRET, "addBlocks": texts}), redactor.start, redactor.text),
        answered(keep("ExitPlanMode", json.dumps({"plan": SECRET}), redactor.start, redactor.text),
                 f"the user said: use {SECRET}", redactor.start, redactor.text),
        answered(keep("TaskCreate", json.dumps({"subject": SECRET}), redactor.start, redactor.text),
                 f"Task #{SECRET} created", redactor.start, redactor.text),
    ]  # fmt: skip
    assert all(fields)
    text = "".join(fields)
    assert not [word for word in (SECRET, "Zq83hTnMw1", "annabelle", "anna@") if word in text]


def test_without_texts_a_closed_verb_stays() -> None:
    hidden = Redactor("metadata")
    (item,) = kept("TodoWrite", {"todos": [{"content": "Fix the login", "status": "someday"}]}, hidden)
    (plain,) = kept("TodoWrite", {"todos": [{"content": "Fix the login", "status": "someday"}]})
    assert item == Item(status="paused", digest=plain.digest, verb="fix")
    assert (plain.text, plain.native, plain.verb) == ("Fix the login", "someday", "")


def test_an_operation_without_the_field_is_read_from_its_preview() -> None:
    arguments = json.dumps({"todos": [{"content": "Fix it", "status": "completed"}]})
    whole = raw("plan", "TodoWrite", arguments=arguments, fields={"tool": "TodoWrite"})
    assert kept_of(whole).items[0].text == "Fix it"
    assert kept_of(raw("plan", "TodoWrite", arguments=arguments[:20] + "…")).form == ""
    assert kept_of(raw("tool", "TodoWrite", arguments=arguments)).form == ""
    task = raw("plan", "TaskCreate", arguments='{"subject":"a"}', output="Task #3 created successfully: a")
    assert kept_of(task).items[0].id == "3"


def test_the_field_of_another_origin_is_not_believed() -> None:
    for text in ("{", "[]", '{"form":3}', '{"form":"create"}', '{"form":"change","items":[]}'):
        operation = raw("plan", "TaskCreate", fields={"plan": text})
        assert kept_of(operation).items == ()


@pytest.mark.parametrize("mode", ["summary", "metadata", "full"])
def test_a_field_from_outside_passes_the_redactor_again(mode: str) -> None:
    redactor = Redactor(mode)
    given = {"todos": [{"content": "Fix the login", "status": "someday"}, {"content": "The rest"}]}
    full = keep("TodoWrite", json.dumps(given), redactor.start, str)
    here = keep("TodoWrite", json.dumps(given), redactor.start, redactor.text)
    assert keep_again(full, redactor.start, redactor.text) == here
    assert keep_again(here, redactor.start, redactor.text) == here
    item = dict.fromkeys(("status", "text", "digest", "verb", "id", "native"), SECRET)
    item |= {"after": [SECRET], "before": [SECRET]}
    hostile = {"form": "list", "items": [item] * 900, "hash": SECRET, "outcome": SECRET, "reason": SECRET}
    stored = keep_again(json.dumps(hostile), redactor.start, redactor.text)
    assert "Zq83hTnMw1" not in stored
    assert len(unpacked(stored).items) == module.ITEMS
    for strange in ("", "{", '{"form":"x"}', json.dumps({"form": SECRET}), '{"items":[]}'):
        assert keep_again(strange, redactor.start, redactor.text) == ""


def test_enriching_leaves_other_operations_alone() -> None:
    fields = {"tool": "Bash"}
    enrich_plan(fields, "tool", PLAIN.start, PLAIN.text, '{"todos":[]}', "x")
    enrich_plan(fields, "prompt", PLAIN.start, PLAIN.text, "hello", "")
    assert fields == {"tool": "Bash"}


@pytest.mark.parametrize("word", ["", "In Progress", "COMPLETED", "complet", "wat", "x" * 10_000, "\n", "é"])
def test_every_word_has_a_closed_one(word: str) -> None:
    assert closed(word) in CLOSED
