"""Which operations lie under an item of a plan?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signals.build import call, raw, replace, session
from signals.plan.script import Script
from tracelode.model.operation import Operation
from tracelode.signals.plan.stretches import stretches


def held(operations: list[Operation]) -> str:
    """One letter an operation: the first of the item it lies under, "." for none."""
    letters = ["."] * len(operations)
    for stretch in stretches(operations):
        for place in range(stretch.start, stretch.stop):
            letters[place] = stretch.text[:1] or "?"
    return "".join(letters)


def under(script: str) -> str:
    """The same for one thread of a script."""
    (lane,) = Script().lanes(script)
    return held(list(lane.operations))


def plan_call(script: str) -> Operation:
    """One call of a plan tool."""
    (lane,) = Script().lanes(script)
    return lane.operations[-1]


def test_work_between_start_and_end() -> None:
    script = """
        human go
        read a.py
        todo [>] Alpha | [ ] Beta
        edit a.py
        todo [x] Alpha | [>] Beta
        edit b.py
        todo [x] Alpha | [x] Beta
        read c.py
    """
    assert under(script) == "..AABBB."


def test_an_item_that_no_call_ends_goes_on_to_the_next_prompt() -> None:
    assert under("plan [>] Alpha\nedit a\nsteer faster\nedit b\nhuman other\nedit c") == "AAAA.."
    assert under("plan [>] Alpha\nedit a\nprogram go on\nedit b") == "AAAA"
    # a later call says that it was still in progress
    confirmed = "plan [>] Alpha\nedit a\nhuman other\nedit b\nplan [x] Alpha\nedit c"
    assert under(confirmed) == "AAAAA."
    # a list that replaces it says nothing of the time between
    assert under("plan [>] Alpha\nedit a\nhuman other\nedit b\nplan [>] Beta\nedit c") == "AA..BB"
    assert under("plan [>] Alpha\nedit a\nhuman other\nedit b\nplan [ ] Alpha\nedit c") == "AAAAA."


def test_refused_calls_change_nothing() -> None:
    assert under("create Alpha -> 1\nupdate 1 in_progress !\nedit a") == "..."


def test_of_several_the_latest_names_and_all_are_told() -> None:
    script = "create Alpha -> 1\ncreate Beta -> 2\nupdate 1 in_progress\nupdate 2 in_progress\nedit a\n"
    (lane,) = Script().lanes(script + "update 2 completed\nedit b\nupdate 1 completed")
    assert held(list(lane.operations)) == "..ABBAAA"
    assert [len(stretch.nodes) for stretch in stretches(lane.operations)] == [1, 2, 1]


def test_a_turn_is_never_split() -> None:
    first = plan_call("todo [>] Alpha | [ ] Beta")
    second = plan_call("todo [>] Alpha | [ ] Beta\ntodo [x] Alpha | [>] Beta")
    done = plan_call("todo [x] Alpha | [>] Beta\ntodo [x] Alpha | [x] Beta")
    alone = session([first], "Edit a.py", [second], "Edit b.py", [done], "Edit c.py")
    assert held(alone) == "AAAABBBBBB.."
    # work and a call in one turn: what was in progress at the work counts
    together = session(
        [first, call("Edit a.py")], [call("Edit b.py"), second], [call("Edit c.py"), done], "Edit d.py"
    )
    assert held(together) == "AAAAAABBB.."
    assert held(session([call("Read a.py"), first], "Edit a.py")) == "...AA"


def test_calls_of_a_turn_that_come_late_hold_it_together() -> None:
    operations = session([plan_call("todo [>] Alpha")], "Edit a.py", [plan_call("todo [x] Alpha")], "Read b")
    late = replace(call("Read z.py"), fields={**call("Read z.py").fields, "call": "m2"}, id="late")
    # the reading of the closing turn comes after the next turn's model call
    moved = [*operations[:7], late, *operations[7:]]
    assert held(moved) == "AAAA" + "....."


SCRIPTS = st.lists(
    st.sampled_from(
        [
            "human go", "steer go", "edit a", "read b", "interrupt", "todo", "todo [>] Alpha | [ ] Beta",
            "todo [x] Alpha | [>] Beta", "todo [x] Alpha | [x] Beta", "todo [>] Gamma", "create Delta -> 1",
            "update 1 in_progress", "update 1 completed", "update 1 deleted", "update 2 in_progress",
        ]
    ),
    min_size=1, max_size=25,
)  # fmt: skip


@given(SCRIPTS, st.lists(st.integers(0, 3), min_size=25, max_size=25))
def test_laws(lines: list[str], turns: list[int]) -> None:
    (lane,) = Script().lanes("\n".join(lines))
    # some operations share a turn whose model call comes first
    operations = [raw("model", id=f"m{n}") for n in range(4)]
    for operation, turn in zip(lane.operations, turns, strict=False):
        fields = {**operation.fields, "call": f"m{turn}"} if operation.kind in ("plan", "tool") else None
        operations.append(replace(operation, fields=fields or operation.fields))
    for rows in (list(lane.operations), operations):
        found = stretches(rows)
        assert [s[:2] for s in found] == [s[:2] for s in stretches(list(rows))]
        at = 0
        for stretch in found:
            assert at <= stretch.start < stretch.stop <= len(rows)
            assert stretch.nodes
            at = stretch.stop
        calls = [o.fields.get("call") or o.id for o in rows]
        cuts = {s.start for s in found} | {s.stop for s in found}
        for cut in cuts:
            assert not set(calls[:cut]) & set(calls[cut:])
