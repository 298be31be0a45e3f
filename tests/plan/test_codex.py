"""Do the plans of Codex come out of an import: replaced lists, stopped turns, forks, plans in answers?"""

from __future__ import annotations

from pathlib import Path

from rollouts import CHILD, PARENT, Rollout, stored
from tracelode.model.plan import PlanEvent


def listed(r: Rollout, *items: tuple[str, str]) -> Rollout:
    """A call that rewrites the plan."""
    r.call("update_plan", {"plan": [{"step": step, "status": status} for step, status in items]})
    return r.tokens(900, 0, 40).result("Plan updated").advance(2)


def words(events: list[PlanEvent]) -> list[str]:
    """Events in short."""
    return [
        " ".join(
            [e.event_type, e.status, e.node_id, *(e.payload[k] for k in ("op", "decision") if k in e.payload)]
        )
        for e in events
    ]


def test_a_list_that_is_replaced_begins_a_generation(tmp_path: Path) -> None:
    r = Rollout().turn().user("move the invoices").advance(1)
    listed(r, ("Read the table", "in_progress"), ("Copy the rows", "pending"))
    listed(r, ("Draw the chart", "in_progress"), ("Label its axes", "pending"))
    events = stored(tmp_path, r.done()).plan_events(PARENT)
    assert words(events) == [
        "plan planned goal goal",
        "plan planned 1/1 create",
        "plan planned 1/2 create",
        "execute running 1/1",
        "revise updated 1/1 remove",
        "revise updated 1/2 remove",
        "plan planned 2/3 create",
        "plan planned 2/4 create",
        "execute running 2/3",
    ]
    assert {e.payload.get("reason") for e in events if e.payload.get("op") == "remove"} == {"list_replaced"}


def test_a_check_that_comes_again_with_the_next_request_is_no_return(tmp_path: Path) -> None:
    r = Rollout()
    for wish in ("add the exporter", "add the importer"):
        r.turn().user(wish).advance(1)
        listed(r, (wish, "in_progress"), ("Run tests and lint", "pending"))
        listed(r, (wish, "completed"), ("Run tests and lint", "in_progress"))
        listed(r, (wish, "completed"), ("Run tests and lint", "completed"))
        r.done().advance(60)
    (one,) = stored(tmp_path, r).plan_metrics(PARENT).sessions
    assert not one.rollbacks
    assert one.metric("repeated").numerator == 0
    assert [node.epoch for node in one.nodes] == [1, 1, 2, 2]
    assert one.metric("coverage").value == 1


def test_a_stopped_turn_is_a_persons_word(tmp_path: Path) -> None:
    r = Rollout().turn().user("fix it").advance(1)
    listed(r, ("Fix it", "in_progress"))
    r.event("turn_aborted", turn_id="", reason="interrupted").advance(5)
    r.turn().user("rather the other file").advance(1).event("turn_aborted", turn_id="", reason="replaced")
    events = stored(tmp_path, r).plan_events(PARENT)
    people = [(e.payload.get("decision"), e.node_id) for e in events if e.event_type == "review"]
    assert people == [("interrupt", "1/1"), ("prompt", "1/1")], "another reason is no person's"


def test_a_fork_tells_its_own_part_alone(tmp_path: Path) -> None:
    r = Rollout().turn().user("fix it").advance(1)
    listed(r, ("Fix it", "in_progress"), ("Say so", "pending"))
    fork = r.child(CHILD, spawn=False, at="original")
    fork.meta(PARENT)
    fork.advance(3_600).turn().user("go on").advance(1)
    listed(fork, ("Fix it", "completed"), ("Say so", "in_progress"))
    workspace = stored(tmp_path, r, fork.done())
    own = words(workspace.plan_events(CHILD))
    assert own == [
        "review updated 1/1 prompt",
        "execute running 1/1",
        "execute succeeded 1/1",
        "execute running 1/2",
    ]
    made = [w for w in words(workspace.plan_events(PARENT)) if w.startswith("plan planned 1/")]
    assert len(made) == 2
    assert not [f for f in workspace.plan_check().findings if f.severity == "error"]


def test_a_plan_in_an_answer_and_its_approval(tmp_path: Path) -> None:
    r = Rollout().turn().user("plan the cleanup").advance(1)
    r.says("Seen. <proposed_plan>\n# Clean up\n1. Drop the shim\n2. Say so\n</proposed_plan>").tokens(
        900, 0, 9
    )
    r.done().advance(30).turn().user("Implement the plan.").advance(1)
    r.shell("rm shim.py").tokens(900, 0, 9).result("", 0).done()
    events = stored(tmp_path, r).plan_events(PARENT)
    assert words(events) == [
        "plan planned goal goal",
        "plan planned goal plan_proposed",
        "review updated goal approve",
        "plan planned 1/step1 create",
        "plan planned 1/step2 create",
    ]
