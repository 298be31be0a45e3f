"""Do plans come out of an import as they went in, whole, redacted, and the same however they were read?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tracelode
from claude import Transcript
from tracelode.errors import QueryError
from tracelode.model.plan import REQUIRED, PlanEvent
from tracelode.workspace import Workspace

ONE = "11111111-2222-4333-8444-555555555501"
TWO = "11111111-2222-4333-8444-555555555502"
SECRET = "sk-proj-" + "Zq83hTnMw1" * 4
STOP = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing "
    "and wait for the user to tell you how to proceed."
)
PLAN = "# Move the invoices\n\n" + "\n".join(f"{i}. Do part {i} of the work on the table." for i in range(40))
WORDINGS = ("Write the exporter", "Test the exporter", f"Rotate {SECRET} for anna@example.org")


def todos(*states: str) -> dict[str, Any]:
    """Input of TodoWrite; long enough that its preview is cut."""
    rows = [{"content": w, "status": s, "activeForm": w * 9} for w, s in zip(WORDINGS, states, strict=True)]
    return {"todos": [{"activeForm": "x" * 1_200, **row} for row in rows]}


def lists(t: Transcript) -> Transcript:
    """A session with a list that is rewritten whole."""
    t.user("build the exporter")
    for states in (
        ("in_progress", "pending", "pending"),
        ("completed", "in_progress", "pending"),
        ("completed", "completed", "pending"),
    ):
        t.assistant(tools=[("TodoWrite", todos(*states))]).advance(1)
        t.result(t.calls[0], "Todos have been modified successfully.").advance(5)
        t.assistant(
            tools=[("Edit", {"file_path": "/home/sam/src/app/a.py", "old_string": "", "new_string": "x"})]
        )
        t.advance(1).result(t.calls[0], "done").advance(5)
    return t.assistant("That is all.")


def tasks(t: Transcript) -> Transcript:
    """A session with a plan that a person stopped, and tasks told one change at a time."""
    t.user("move the invoices")
    t.assistant(tools=[("ExitPlanMode", {"plan": PLAN})]).advance(30)
    t.result(t.calls[0], STOP, is_error=True, toolDenialKind="user-rejected").advance(5)
    t.user(
        f"Implement the following plan:\n\n{PLAN}\n\n\n"
        "If you need specific details from before exiting plan mode, read the transcript."
    )
    for number, subject in enumerate(WORDINGS, 1):
        t.assistant(tools=[("TaskCreate", {"subject": subject, "description": "d" * 2_000})]).advance(1)
        twin = {"task": {"id": str(number), "subject": subject}}
        t.result(t.calls[0], f"Task #{number} created successfully: {subject}", tool_use_result=twin).advance(
            1
        )
    for number, status in ((1, "in_progress"), (1, "completed"), (2, "in_progress"), (9, "completed")):
        t.assistant(tools=[("TaskUpdate", {"taskId": str(number), "status": status})]).advance(1)
        t.result(t.calls[0], f"Updated task #{number} status", is_error=number == 9 or None).advance(9)
        t.assistant(tools=[("Read", {"file_path": "/home/sam/src/app/a.py"})]).advance(1)
        t.result(t.calls[0], "text").advance(1)
    return t.assistant("Done.")


def stored(folder: Path, *transcripts: Transcript, **kw: Any) -> Workspace:
    """A store of some transcripts."""
    for transcript in transcripts:
        transcript.write(folder / "claude")
    workspace = tracelode.open(folder / "store", tz="UTC", **kw)
    workspace.add(folder / "claude")
    return workspace


def words(events: list[PlanEvent]) -> list[str]:
    """Events in short."""
    return [
        " ".join(
            [
                e.event_type,
                e.status,
                e.node_id,
                *(str(e.payload[k]) for k in ("op", "decision") if k in e.payload),
            ]
        )
        for e in events
    ]


LISTED = [
    "plan planned goal goal",
    "plan planned 1/1 create",
    "plan planned 1/2 create",
    "plan planned 1/3 create",
    "execute running 1/1",
    "execute succeeded 1/1",
    "execute running 1/2",
    "execute succeeded 1/2",
]
TOLD = [
    "plan planned goal goal",
    "plan planned goal plan_proposed",
    "review updated goal approve_in_new_session",
    "plan updated goal goal",
    "plan planned 1/1 create",
    "plan planned 1/2 create",
    "plan planned 1/3 create",
    "execute running 1/1",
    "execute succeeded 1/1",
    "execute running 1/2",
]


@pytest.mark.parametrize("mode", ["summary", "metadata", "full"])
def test_the_same_events_in_every_mode(tmp_path: Path, mode: str) -> None:
    workspace = stored(tmp_path, lists(Transcript(ONE)), tasks(Transcript(TWO)), redact=mode)
    assert words(workspace.plan_events(ONE)) == LISTED
    assert words(workspace.plan_events(TWO)) == TOLD
    described = [e.payload["description"] for e in workspace.plan_events() if "description" in e.payload]
    assert bool(described) == (mode != "metadata")
    text = json.dumps([e.record() for e in workspace.plan_events()])
    text += "".join(repr(o) for s in workspace.sessions() for o in workspace.operations(s.key))
    assert text.count('"plan"') or text.count("'plan'")
    assert not [word for word in (SECRET, "Zq83hTnMw1", "anna@example") if word in text]


def test_e9_a_team_shares_one_list(tmp_path: Path) -> None:
    t = Transcript(ONE).user("Cover relay and server.")
    for number, subject in enumerate(("Add relay tests", "Add server tests"), 1):
        t.assistant(tools=[("TaskCreate", {"subject": subject})], teamName="coverage").advance(1)
        twin = {"task": {"id": str(number), "subject": subject}}
        t.result(t.calls[0], f"Task #{number} created successfully: {subject}", tool_use_result=twin)
    t.assistant(tools=[("Task", {"prompt": "relay"})]).advance(1)
    member = t.agent("a1b2c3d4e5f600001", t.calls[0])
    member.user("relay")
    for status in ("in_progress", "completed"):
        change = ("TaskUpdate", {"taskId": "1", "status": status})
        member.advance(2).assistant(tools=[change], teamName="coverage")
        member.result(member.calls[0], "Updated task #1 status")
    t.advance(30).result(t.calls[0], "done", tool_use_result={"agentId": "a1b2c3d4e5f600001"})
    workspace = stored(tmp_path, t)
    assert [word for word in words(workspace.plan_events(ONE)) if "goal" not in word] == [
        "plan planned team:coverage:1/1 create",
        "plan planned team:coverage:1/2 create",
        "execute running team:coverage:1/1",
        "execute succeeded team:coverage:1/1",
    ]
    created = [o for o in workspace.operations(ONE) if o.name == "TaskCreate"]
    assert {o.fields["team"] for o in created} == {"coverage"}


def test_what_the_plan_declares_is_kept_beside_the_stage(tmp_path: Path) -> None:
    for mode in ("summary", "metadata"):
        workspace = stored(tmp_path / mode, lists(Transcript(ONE)), redact=mode)
        edits = [o for o in workspace.operations(ONE) if o.name == "Edit"]
        assert [o.fields["stage"] for o in edits] == ["edit code", "edit code", "edit code"]
        both = [(o.fields.get("stage_declared"), o.fields.get("stage_observed")) for o in edits]
        assert both == [("create code", "edit code"), ("test code", "edit code"), (None, None)]
    fold = workspace.profile(stack=["stage_declared", "stage_observed"], measure="operations")
    assert fold.totals["test code", "edit code"] == (6,)
    declared = Counter(o.fields.get("stage_declared") for o in workspace.operations(ONE))
    assert fold.totals["create code", "edit code"] == (declared["create code"],)
    assert declared["create code"] == 5


def test_all_sessions_the_oldest_first(tmp_path: Path) -> None:
    late = Transcript(ONE, start="2026-10-05T08:00:00Z")
    workspace = stored(tmp_path, lists(late), tasks(Transcript(TWO)))
    events = workspace.plan_events()
    assert words(events) == TOLD + LISTED
    assert len({e.event_id for e in events}) == len(events)
    for event in events:
        event.check()
        assert set(REQUIRED) <= set(event.record())
        assert event.source is not None
        assert event.source.line > 0
    with pytest.raises(QueryError):
        workspace.plan_events("no such session")


def test_an_approval_in_another_session_is_found_from_either_side(tmp_path: Path) -> None:
    first = Transcript(ONE)
    first.user("move the invoices").assistant(tools=[("ExitPlanMode", {"plan": PLAN})]).advance(30)
    first.result(first.calls[0], STOP, is_error=True)
    second = Transcript(TWO, start="2026-10-02T09:00:00Z")
    second.user(f"Implement the following plan:\n\n{PLAN}").assistant("Done.")
    alone = stored(tmp_path / "alone", first)
    assert words(alone.plan_events(ONE))[-1] == "review updated goal reject"
    both = stored(tmp_path / "both", first, second)
    assert words(both.plan_events(ONE))[-1] == "review updated goal approve_in_new_session"
    assert both.plan_events(ONE)[-1].task_id == both.plan_events(TWO)[0].task_id is not None


def test_a_file_read_in_pieces_gives_the_same(tmp_path: Path) -> None:
    whole = tasks(Transcript(TWO))
    expected = stored(tmp_path / "whole", whole).plan_events()
    for cut in range(1, len(whole.records), 3):
        part = Transcript(TWO)
        part.records = whole.records[:cut]
        folder = tmp_path / f"cut{cut}"
        workspace = stored(folder, part)
        whole.write(folder / "claude")
        workspace.add(folder / "claude")
        grown = workspace.plan_events()
        assert [e.record() | {"source": None} for e in grown] == [
            e.record() | {"source": None} for e in expected
        ]


def test_a_fork_does_not_tell_twice(tmp_path: Path) -> None:
    parent = lists(Transcript(ONE))
    child = parent.fork(TWO)
    parent.advance(60).user("thanks")
    child.advance(600).user("and the docs")
    rows = [{"content": w, "status": "completed"} for w in WORDINGS[:2]]
    child.assistant(tools=[("TodoWrite", {"todos": rows})]).advance(1).result(child.calls[0], "ok")
    workspace = stored(tmp_path, parent, child)
    assert words(workspace.plan_events(ONE)) == [*LISTED, "review updated goal prompt"]
    # the fork goes on with the list it inherited: its third item is dropped from it
    assert words(workspace.plan_events(TWO)) == ["review updated goal prompt", "revise updated 1/3 remove"]


def test_what_was_started_in_an_inherited_part_ends_only_after_an_inferred_start(tmp_path: Path) -> None:
    parent = Transcript(ONE).user("go")
    parent.assistant(tools=[("TodoWrite", todos("in_progress", "pending", "pending"))]).advance(1)
    parent.result(parent.calls[0], "ok")
    child = parent.fork(TWO)
    parent.advance(60).user("thanks")
    child.advance(600).user("go on")
    child.assistant(tools=[("TodoWrite", todos("completed", "pending", "pending"))]).advance(1)
    child.result(child.calls[0], "ok")
    events = stored(tmp_path, parent, child).plan_events(TWO)
    assert words(events)[-2:] == ["execute running 1/1", "execute succeeded 1/1"]
    assert [e.evidence for e in events[-2:]] == ["inferred", "declared"]


def test_a_sub_agent_has_a_list_of_its_own(tmp_path: Path) -> None:
    main = Transcript(ONE)
    main.user("go").assistant(tools=[("TodoWrite", todos("in_progress", "pending", "pending"))]).advance(1)
    main.result(main.calls[0], "ok").assistant(tools=[("Agent", {"description": "look", "prompt": "look"})])
    child = main.agent("a1b2c3d4e5f60718", main.calls[0])
    child.user("look").assistant(tools=[("TodoWrite", todos("pending", "in_progress", "pending"))]).advance(1)
    child.result(child.calls[0], "ok").assistant("found")
    main.advance(90).result(main.calls[0], "found", tool_use_result={"agentId": "a1b2c3d4e5f60718"})
    main.assistant(tools=[("TodoWrite", todos("completed", "pending", "pending"))]).advance(1)
    main.result(main.calls[0], "ok").assistant("Done.")
    workspace = stored(tmp_path, main)
    events = workspace.plan_events(ONE)
    own = [e for e in events if e.session_id == ONE]
    lane = [e for e in events if e.session_id != ONE]
    assert words(own)[-2:] == ["execute running 1/1", "execute succeeded 1/1"]
    assert words(lane)[-1] == "execute running 1/2"
    agent = next(o for o in workspace.operations(ONE) if o.name == "Agent")
    assert lane[0].parent_node_id == f"call/{agent.id}"
    assert workspace.plan_events(lane[0].session_id) == lane


def test_sessions_without_a_plan_tell_what_people_did(tmp_path: Path) -> None:
    t = Transcript(ONE)
    t.user("look").assistant(tools=[("Read", {"file_path": "/home/sam/src/app/a.py"})]).result(
        t.calls[0], "x"
    )
    t.assistant("Seen.").advance(5).user("and b?").assistant("No.")
    assert words(stored(tmp_path, t).plan_events()) == [
        "plan planned goal goal",
        "review updated goal prompt",
    ]


def test_an_empty_store_has_no_events(tmp_path: Path) -> None:
    assert tracelode.open(tmp_path / "store").plan_events() == []
