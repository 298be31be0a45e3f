"""Do plans label what was done under their items, and nothing else, without telling that there was a plan?"""

from __future__ import annotations

from signals.build import replace, session
from signals.plan.script import Script
from tracelode.model.operation import Operation
from tracelode.profile.learned.features import matrix, readings
from tracelode.profile.train.silver import silver

SCRIPT = """
human go
read a.py
todo [>] Test the parser | [ ] Document the parser | [ ] Push
edit a.py
run pytest
todo [x] Test the parser | [>] Document the parser | [ ] Push
edit b.md
todo [x] Test the parser | [x] Document the parser | [ ] Push
read c.py
read d.py
todo [x] Test the parser | [x] Document the parser | [>] Push
run git push
run git status
"""


def operations(script: str = SCRIPT) -> list[Operation]:
    """One thread of a script, each tool call in a turn of its own, each turn with words of its own."""
    (lane,) = Script(str).lanes(script)
    rows = session(*([o] if o.kind in ("plan", "tool") else o for o in lane.operations))
    return [replace(o, output=f"Now number {o.index}.") if o.kind == "model" else o for o in rows]


def test_items_that_follow_each_other_are_a_part() -> None:
    [part] = silver("s", "t", operations())
    # the two items in front; what was read between them and the last one lies in no item
    assert [part.operations[place].fields.get("verb") for place in part.places] == ["edit", "test", "edit"]
    assert list(part.truth) == [0, 0, 1]
    assert (part.cuts, part.task) == (1, "t")
    assert part.key.startswith("s#")


def test_nothing_tells_of_the_plan() -> None:
    rows = operations()
    [part] = silver("s", "t", rows)
    assert not any(operation.kind == "plan" for operation in part.operations)
    # neither the calls that keep it nor what was said with them alone
    assert [operation.kind for operation in part.operations] == ["model", "tool"] * 3
    held = {operation.id for operation in rows if operation.kind == "plan"}
    assert not held & {operation.id for operation in part.operations}
    without = [operation for operation in rows if operation in part.operations]
    assert (matrix(readings(part.operations))[1] == matrix(readings(without))[1]).all()


def test_what_is_said_with_other_calls_stays() -> None:
    rows = operations()
    place = next(i for i, o in enumerate(rows) if o.fields.get("verb") == "test")
    plan = max(i for i, o in enumerate(rows[: place + 4]) if o.kind == "plan")
    # the call that moves the plan on comes from the turn of the edit after it
    call = rows[plan + 2].fields["call"]
    moved = replace(rows[plan], fields={**rows[plan].fields, "call": call})
    joined = [*rows[: plan - 1], rows[plan + 1], moved, *rows[plan + 2 :]]
    [part] = silver("s", "t", joined)
    assert [operation.kind for operation in part.operations] == ["model", "tool"] * 3
    assert call in {operation.id for operation in part.operations}


def test_a_plan_without_two_items_in_a_row_labels_nothing() -> None:
    one = "todo [>] Push\nrun git push\nread a.py\ntodo [x] Push\nread b.py"
    assert silver("s", "t", operations(one)) == []
    assert silver("s", "t", operations("read a.py\nedit a.py")) == []
    assert silver("s", "t", []) == []
    # items that were ticked off without work between are no stretch
    idle = "todo [>] A | [ ] B\ntodo [x] A | [>] B\nread a.py\ntodo [x] A | [x] B"
    assert silver("s", "t", operations(idle)) == []
