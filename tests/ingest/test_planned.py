"""Do operations say which part of the plan they belong to, and do stacks of it sum to the same totals?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tracelode
from claude import Transcript
from tracelode.workspace import Workspace

KEY = "33333333-2222-4333-8444-555555555501"
FIELDS = ("goal", "node", "epoch", "status", "attempt", "until", "rework")
PATH = "/home/sam/src/app/a.py"


def edit(old: str, new: str) -> tuple[str, dict[str, Any]]:
    return "Edit", {"file_path": PATH, "old_string": old, "new_string": new}


def session() -> Transcript:
    """A list of two items; the second one takes a line of the first out again, then a person stops it."""
    t = Transcript(KEY)
    t.user("change the parser\nand test it")
    for states, call in (
        (None, ("Read", {"file_path": PATH})),
        (("in_progress", "pending"), edit("", "alpha = 1\nbeta = 2\n")),
        (("completed", "in_progress"), edit("alpha = 1\n", "alpha = 3\n")),
        (("completed", "completed"), ("Bash", {"command": "git status"})),
    ):
        if states is not None:
            rows = [
                {"content": word, "status": state, "activeForm": word}
                for word, state in zip(("Change the parser", "Mend the names"), states, strict=True)
            ]
            t.assistant(tools=[("TodoWrite", {"todos": rows})]).advance(1)
            t.result(t.calls[0], "Todos have been modified successfully.").advance(1)
        t.assistant(tools=[call]).advance(2)
        t.result(t.calls[0], "done").advance(1)
    return t.user("and now the notes").assistant("Done.")


def stored(folder: Path, **kw: Any) -> Workspace:
    """A store of the session."""
    session().write(folder / "claude")
    workspace = tracelode.open(folder / "store", tz="UTC", **kw)
    workspace.add(folder / "claude")
    return workspace


def told(workspace: Workspace, kind: str = "tool") -> list[dict[str, str]]:
    """The fields of the operations of a kind, without their prefix."""
    return [
        {k.removeprefix("plan."): v for k, v in o.fields.items() if k.startswith("plan.")}
        for o in workspace.operations(KEY)
        if o.kind == kind
    ]


def test_each_call_says_its_node(tmp_path: Path) -> None:
    read, first, second, last = told(stored(tmp_path))
    assert read == {"goal": "change the parser", "until": "prompt"}
    assert (first["node"], first["epoch"], first["attempt"]) == ("Change the parser", "1", "1")
    assert first["status"] == second["status"] == "succeeded"
    assert second["node"] == "Mend the names"
    assert "node" not in last
    assert [one.get("rework") for one in (read, first, second, last)] == [None, None, "finished", None]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("measure", ["cost", "tokens", "operations", "time.active"])
def test_totals_are_the_same(tmp_path: Path, field: str, measure: str) -> None:
    workspace = stored(tmp_path)
    plain = workspace.profile(measure=measure, stack=("intent",)).totals
    split = workspace.profile(measure=measure, stack=("intent", f"plan.{field}", "tool")).totals
    assert sum(v[0] for v in plain.values()) == sum(v[0] for v in split.values()) > 0


def test_work_on_a_node_is_filtered(tmp_path: Path) -> None:
    workspace = stored(tmp_path)
    totals = workspace.profile(
        measure="operations", stack=("tool",), where=(("plan.node", "Mend the names"),)
    )
    assert any(stack[-1] == "Edit" for stack in totals.totals)
    assert not any(stack[-1].startswith("Bash") for stack in totals.totals)


def test_without_texts_a_closed_verb_stands_for_a_node(tmp_path: Path) -> None:
    _, first, second, _ = told(stored(tmp_path, redact="metadata"))
    assert "goal" not in first
    assert first["node"] in ("edit", "change", "1/1")
    assert "parser" not in str(first) + str(second)


def test_events_that_were_recorded_say_their_node(tmp_path: Path) -> None:
    import json

    from plan.traces import row, steps

    rows = steps("plan A; start A; ok A; start A; ok A")
    rows[0]["payload"] = {"description": "look at the data"}
    rows.insert(
        2,
        row(
            8, "execute", "A", "running", timestamp=rows[1]["timestamp"], payload={"tool": "sh", "attempt": 1}
        ),
    )
    path = tmp_path / "events.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(path)
    found = [o.fields for o in workspace.operations("s") if "plan.node" in o.fields]
    assert [f["plan.node"] for f in found] == ["look at the data"] * 5
    assert [f["plan.attempt"] for f in found] == ["1", "1", "1", "2", "2"]
