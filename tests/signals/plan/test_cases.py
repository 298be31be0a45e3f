"""Do the rules of identity (E1 to E9) and of approval (H1 to H3) give the events that the case files show?"""

from __future__ import annotations

import os

import msgspec
import pytest

from signals.plan.script import CASES, Script, cases, shown
from tracelode.model.plan import Plan
from tracelode.signals.plan.events import plans

ALL = cases()
RULES = [f"E{n}" for n in range(1, 10)] + ["H1", "H2", "H3"]


@pytest.mark.parametrize(("name", "script", "expected"), ALL, ids=[name for name, *_ in ALL])
def test_a_case(name: str, script: str, expected: str) -> None:
    text = shown(plans(Script().lanes(script)))
    if os.environ.get("TRACELODE_UPDATE_GOLDEN"):
        (CASES / f"{name}.txt").write_text(f"{script}\n=>\n{text}", encoding="utf-8")
        expected = text
    assert text == expected


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_case(rule: str) -> None:
    assert [name for name, *_ in ALL if name.startswith(f"{rule}-")]


@pytest.mark.parametrize(("name", "script", "expected"), ALL, ids=[name for name, *_ in ALL])
def test_events_keep_the_rules_of_the_model(name: str, script: str, expected: str) -> None:
    found = plans(Script().lanes(script))
    assert found == plans(Script().lanes(script))
    ids = [event.event_id for plan in found for event in plan.events]
    assert len(set(ids)) == len(ids)
    for plan in found:
        assert [event.seq for event in plan.events] == list(range(len(plan.events)))
        made = {event.node_id for p in found for event in p.events if event.event_type == "plan"} | {"goal"}
        running: set[str] = set()
        for event in plan.events:
            event.check()
            row = event.record()
            assert msgspec.json.decode(msgspec.json.encode(row)) == row
            assert len(row["timestamp"]) == len("2026-09-21T11:20:00.000000Z")
            owned = event.node_id.rpartition(":")[2]
            if event.event_type != "review":
                assert {event.node_id, owned} & made, "an event on a node that no plan event made"
            if event.event_type == "execute" and event.status == "running":
                running.add(event.node_id)
            elif event.event_type == "execute":
                assert event.node_id in running, "an end without a start"
        for node in plan.nodes:
            closed = [a for a in node.attempts if a.end != "running"]
            assert all(a.stop is not None and a.stop >= a.start for a in closed)
            assert (node.status == "running") == any(a.stop is None for a in node.attempts)


def outline(found: list[Plan]) -> list[tuple[str, ...]]:
    """Events without texts."""
    return [
        (e.session_id, e.actor, e.event_type, e.status, e.node_id, str(e.payload.get("op")), e.event_id)
        for plan in found
        for e in plan.events
    ]


def test_without_texts_only_rewordings_are_lost() -> None:
    differing = set()
    for name, script, _ in ALL:
        bare = plans(Script(lambda text: "").lanes(script))
        if outline(bare) != outline(plans(Script().lanes(script))):
            differing.add(name)
        assert all("description" not in event.payload for plan in bare for event in plan.events)
        assert all(node.text == "" for plan in bare for node in plan.nodes)
    assert differing == {"E5-rename"}


def test_the_order_of_independent_sessions_does_not_matter() -> None:
    script = next(script for name, script, _ in ALL if name == "H3-stop-and-new-session")
    lanes = Script().lanes(script)
    one, other = plans(lanes), plans(lanes[::-1])
    assert sorted(outline(one)) == sorted(outline(other))
    team = Script().lanes(next(script for name, script, _ in ALL if name == "E9-team"))
    assert sorted(outline(plans(team))) == sorted(outline(plans(team[::-1])))


def test_a_hand_off_joins_two_sessions() -> None:
    script = next(script for name, script, _ in ALL if name == "H3-stop-and-new-session")
    first, second = plans(Script().lanes(script))
    tasks = {event.task_id for event in first.events[1:]} | {event.task_id for event in second.events}
    assert len(tasks) == 1
    assert None not in tasks
    assert first.events[0].task_id is None


def test_what_is_inherited_moves_the_list_and_is_no_event() -> None:
    script = next(script for name, script, _ in ALL if name == "E7-removed-finished-item")
    (lane,) = Script().lanes(script)
    copied = [msgspec.structs.replace(o, inherited=o.index == 0) for o in lane.operations]
    whole, rest = plans([lane])[0], plans([lane._replace(operations=copied)])[0]
    assert rest.nodes == whole.nodes
    assert [e.event_id for e in rest.events] == [e.event_id for e in whole.events if e.source.line > 1]  # type: ignore[union-attr]


def test_a_sub_agent_hangs_on_its_call() -> None:
    script = next(script for name, script, _ in ALL if name == "E9-sub-agent")
    main, lane = plans(Script().lanes(script))
    assert lane.events[0].parent_node_id == "call/s1.9"
    assert lane.events[1].parent_node_id == "goal"
    assert {event.actor_id for event in lane.events} == {"s1/a2"}
    assert {event.actor_id for event in main.events} == {None}
