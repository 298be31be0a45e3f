"""Do checks, independence and the look for a write say what they should of single values?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compile.execution import WRITE, Box, bound, start, step, workflow
from tracelode.compile.execute.arguments import fits, misfit
from tracelode.compile.execute.checks import getter_arguments, holds, no_error, seen
from tracelode.compile.execute.ledger import call_key, write_key
from tracelode.compile.execute.plan import independent
from tracelode.compile.execute.secret import hidden, shown
from tracelode.compile.schemas import schema_digest
from tracelode.model import binding as b
from tracelode.model.execution import Policy
from tracelode.model.run import Call, Run, ToolSpec
from tracelode.model.workflow import Check, Effect

OUT: dict[str, Any] = {"n": 5, "s": "ok", "none": None, "rows": [{"id": 1}, {"id": 2, "x": "y"}], "empty": []}


@pytest.mark.parametrize(
    ("check", "wanted"),
    [
        (Check("type", "", "object"), True),
        (Check("type", "n", "integer"), True),
        (Check("type", "n", "number"), True),
        (Check("type", "n", ["string", "null"]), False),
        (Check("type", "rows", "list"), True),
        (Check("type", "gone", "string"), True),
        (Check("required", "gone"), False),
        (Check("required", "none"), True),
        (Check("required", "rows[*].x"), True),
        (Check("required", "empty[*].x"), False),
        (Check("nonempty", "empty"), False),
        (Check("nonempty", "rows"), True),
        (Check("range", "n", [1, 5]), True),
        (Check("range", "n", [6, None]), False),
        (Check("range", "rows[*].id", [1, 2]), True),
        (Check("range", "s", [1, 2]), False),
        (Check("count", "rows", [1, 2]), True),
        (Check("count", "rows", [3, 9]), False),
        (Check("enum", "rows[*].id", [1, 2]), True),
        (Check("enum", "rows[*].id", [1]), False),
        (Check("equals", "s", "ok", "success"), True),
        (Check("equals", "gone", "ok", "success"), False),
        (Check("unheard", "s", "ok"), False),
    ],
)
def test_checks(check: Check, wanted: bool) -> None:
    assert holds(check, OUT) is wanted


@pytest.mark.parametrize(
    ("output", "wanted"),
    [
        ("Error: no", False),
        ({"error": "no"}, False),
        ({"error": None, "errors": []}, True),
        ({"success": False}, False),
        ({"status": "Failed"}, False),
        ({"status": "confirmed"}, True),
        ("no errors", True),
        ([], True),
    ],
)
def test_outputs_that_say_that_they_failed(output: Any, wanted: bool) -> None:
    assert no_error(output) is wanted


def test_a_write_is_seen_where_one_record_has_all_its_values() -> None:
    rows = {"all": [{"item": "lamp", "n": "2", "more": {"who": "me"}}, {"item": "lamp", "n": 3}]}
    assert seen(rows, {"item": "lamp", "n": 2}) == 1
    assert seen(rows, {"item": "lamp"}) == 2
    assert seen(rows, {"item": "chair"}) == 0
    assert seen(rows, {"flag": True}) == 0  # nothing to look for
    assert getter_arguments(
        ToolSpec(name="g", parameters={"properties": {"n": {}}}), {"item": 1, "n": 2}
    ) == {"n": 2}
    lacking = ToolSpec(name="g", parameters={"properties": {"user": {}}, "required": ["user"]})
    assert getter_arguments(lacking, {"n": 2}) is None
    assert getter_arguments(ToolSpec(name="g"), {"n": 2}) is None


def test_independence_is_proven_or_not_there() -> None:
    def touch(path: str, family: str = "f", basis: str = "configured", effect: Any = "append") -> Any:
        how = Effect(effect, basis, resource=("p",), family=family)
        return step("a#1", effect=how, arguments=bound(p=b.Constant(path)))

    def told(one: Any) -> Any:
        return {"p": one.arguments[0].binding.value}

    assert independent(touch("x"), touch("y"), told)
    assert not independent(touch("x"), touch("X"), told)
    assert not independent(touch("/a"), touch("/a/b"), told)
    assert independent(touch("x"), touch("x", family="g"), told)
    assert not independent(touch("x"), touch("y", family=""), told)
    assert not independent(touch("x"), touch("y", basis="default"), told)
    assert not independent(touch("x"), touch("y", effect="unknown"), told)
    assert independent(touch("x", effect="read"), touch("x", effect="read"), told)
    assert not independent(touch("x"), touch("y"), lambda _: {})


def test_keys_of_calls_are_apart() -> None:
    keys = {
        call_key("a", p, poll, r, t) for p in (None, 0, 1) for poll in (0, 1) for r in (0, 1) for t in (0, 1)
    }
    assert len(keys) == 24
    assert write_key("r", "a", None) != write_key("r", "a", 0) != write_key("s", "a", 0)


def test_schemas_and_arguments() -> None:
    told = {
        "type": "object",
        "properties": {"title": {"type": "string", "title": "T"}},
        "required": ["title"],
    }
    renamed = {**told, "properties": {"title": {"type": "string"}}}
    assert schema_digest(told) == schema_digest(renamed) != schema_digest({**told, "required": []})
    assert schema_digest({**told, "properties": {}}) != schema_digest(told)
    assert schema_digest({}) == ""
    assert fits({"type": ["integer", "null"]}, None)
    assert fits({"type": "integer"}, 5.0)
    assert not fits({"type": "integer"}, True)
    assert not fits({"enum": [1]}, True)
    assert not fits({"const": "a"}, "b")
    closed = ToolSpec(name="t", parameters={"properties": {"a": {}}, "additionalProperties": False})
    assert "does not take" in misfit(closed, {"c": 1})
    assert misfit(ToolSpec(name="t"), {"anything": 1}) == ""


def test_secrets_are_turned_back() -> None:
    secrets = {"pin": "hunter2", "short": "ab", "n": 12345}
    tree = {"a": ["x hunter2 y", "ab", "cab"], "hunter2": 12345}
    safe = hidden(tree, secrets)
    assert "hunter2" not in repr(safe)
    assert safe["a"][2] == "cab"
    assert shown(safe, secrets)["a"] == tree["a"]
    assert hidden(tree, {}) is tree


def test_a_shadow_run_is_compared_with_a_recorded_one(tmp_path: Path) -> None:
    sends = [
        step(f"send#{n}", effect=WRITE, order=n, arguments=bound(to=b.Constant(to)))
        for n, to in enumerate("ac")
    ]
    last = step("tell#1", "send#0", effect=WRITE, order=9, arguments=bound(id=b.Copy("send#0", "id")))
    calls = (
        Call(index=0, name="send", arguments={"to": "b"}, output={"id": 8}),
        Call(index=1, name="send", arguments={"to": "a"}, output={"id": 7}),
        Call(index=2, name="tell", arguments={"id": "7"}, output=1),
    )
    box = Box(send=lambda to: to, tell=lambda id: id)
    outcome = start(
        workflow(*sends, last),
        box,
        tmp_path / "r.db",
        policy=Policy(mode="shadow"),
        recorded=Run(key="s", calls=calls),
    )
    assert [(p.step, p.verdict, p.differing) for p in outcome.proposed] == [
        ("send#0", "same", ()),
        ("send#1", "different", ("to",)),
        ("tell#1", "same", ()),
    ]
    assert box.calls == []
    assert outcome.unreached == ("send#1",)
